"""What the subcommands do: one file a command, loaded when the command is called; `cli.py` holds their arguments."""
