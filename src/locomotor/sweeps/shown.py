"""The dataset of a sweep as one that shows itself: a card in a notebook, and a picture of its measures."""

from functools import cache
from typing import Any


@cache
def result_class() -> Any:
    """The class of results, an `xarray.Dataset`; made when the first one is, for xarray takes long to load."""
    import xarray

    class SweepResult(xarray.Dataset):
        """Measures over the points of a sweep; `picture()` draws them, a curve over one axis and a heat map over two."""

        __slots__ = ()

        def picture(self, path: Any = None, *, title: str = "") -> Any:
            """A figure of every measure over one or two axes, saved when a path is given; points that failed are left white."""
            from locomotor.viewing.plots import plot_sweep

            return plot_sweep(self, path, title=title)

        def _repr_html_(self) -> str:
            from locomotor.viewing.report import sweep_card

            # What was made of it by slicing and computing is a dataset like any other.
            return sweep_card(self, xarray.Dataset._repr_html_) if "status" in self else str(super()._repr_html_())

    return SweepResult


def shown(dataset: Any) -> Any:
    """The same data as a result that shows itself."""
    return result_class()(dataset.data_vars, dataset.coords, dataset.attrs)
