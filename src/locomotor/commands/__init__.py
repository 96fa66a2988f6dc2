"""What the subcommands do: one file a command, loaded when the command is called; `cli/` holds their arguments."""
