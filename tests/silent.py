"""What no door may trust: an object that raises wherever it is asked anything."""

from typing import Any


class Silent:
    """Raises wherever it is asked anything."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    def __iter__(self) -> Any:
        raise RuntimeError("no entries")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no numbers")

    def __float__(self) -> float:
        raise RuntimeError("no number")
