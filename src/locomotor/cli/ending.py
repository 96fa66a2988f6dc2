"""How the command line begins and ends: errors as one paragraph, warnings as one line, exit codes."""

import atexit
import errno
import gc
import os
import sys
import traceback
import warnings
from typing import Any

from locomotor import __version__
from locomotor.cli.parser import StoppedError, app
from locomotor.errors import CycleNotFoundError, LocomotorError, RunFileError

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What the operating system says where the output cannot be written."""


def main() -> None:
    """Run the command line: one paragraph for an error, the traceback with --debug."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    warnings.showwarning = _show_warning
    _collect_seldom()
    written = sys.stdout
    try:
        try:
            if arguments == ["--version"]:
                sys.stdout.write(f"locomotor {__version__}\n")
            else:
                app(arguments, prog_name="locomotor")
        finally:
            # What cannot be written must be told here: at exit it would be too late for words.
            sys.stdout.flush()
    except (KeyboardInterrupt, StoppedError):
        _fail(_interrupted(arguments), 130)
    except BrokenPipeError:
        _leave(written)
    except SystemExit:
        if sys.stdout is not written:  # the parser's sign that the reader has left
            _leave(written)
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            os.dup2(os.open(os.devnull, os.O_WRONLY), written.fileno())
            _fail(f"cannot write the output: {os.strerror(error.errno)}", 3)
        if debug:
            traceback.print_exc()
        known = isinstance(error, LocomotorError)
        text = str(error) if known else f"a mistake in locomotor itself: {type(error).__name__}: {error}"
        hint = "" if debug or known else "; run again with --debug and report what it prints"
        _fail(text + hint, _exit_code(error))


YOUNG = 50_000
"""New objects after which Python looks for cycles among them; its own 700 make it look a hundred times while libraries load."""


def _collect_seldom() -> None:
    """A command loads, works and ends: cycles of objects are looked for seldom, and not when everything goes anyway."""
    gc.set_threshold(max(YOUNG, gc.get_threshold()[0]))
    atexit.register(gc.freeze)


RESUMED = ("sweep",)
"""Commands that keep what they have done so far."""


def _interrupted(arguments: list[str]) -> str:
    """What to say after Ctrl-C."""
    if arguments[:1] and arguments[0] in RESUMED:
        return "interrupted; what is done is kept, and the same command goes on from here"
    return "interrupted; compiled code is kept, so that the same command starts sooner"


def _leave(written: Any) -> None:
    """The reader (head, less) has left: nothing more to say, and nothing to complain about at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), written.fileno())
    raise SystemExit(0)


def _exit_code(error: Exception) -> int:
    if isinstance(error, CycleNotFoundError):
        return 1
    if isinstance(error, RunFileError):
        return 3
    return 2 if isinstance(error, LocomotorError) else 70


def _fail(text: str, code: int) -> None:
    sys.stderr.write(f"locomotor: {text}\n")
    raise SystemExit(code)


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    """A warning as one line, without the place in the code that a user does not know."""
    sys.stderr.write(f"locomotor: {message}\n")
