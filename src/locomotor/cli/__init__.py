"""The command line: `parser` has the commands, `ending` errors and exit codes; what commands do is in `commands/`."""

from locomotor.cli.ending import main as main
from locomotor.cli.parser import TARGETS as TARGETS
