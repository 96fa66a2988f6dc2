"""Named parameters with value, unit and origin, and ordered sets of them with strict overrides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping
from dataclasses import replace

from locomotor import checks
from locomotor.dataclass import dataclass
from locomotor.errors import DescriptionTypeError, DuplicateNameError, QuantityError, UnknownNameError
from locomotor.model.expressions import CALLABLE, Expression, Name, as_quantity
from locomotor.names import check_name, latex_of, same_name, suggestion


@checks.doors
@dataclass(frozen=True)
class Parameter:
    """A named constant: default value, unit (SI), LaTeX, meaning, source (a publication), standard uncertainty."""

    name: str
    value: float
    unit: str = ""
    latex: str = ""
    description: str = ""
    source: str = ""
    uncertainty: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", check_name(self.name, "a parameter", reserved=CALLABLE))
        for text in ("unit", "latex", "description", "source"):
            checks.text(getattr(self, text), f"parameter {self.name!r}: {text}", error=DescriptionTypeError)
        value = as_quantity(self.value, f"parameter {self.name!r}")
        if isinstance(value, Expression):
            raise QuantityError(
                f"parameter {self.name!r} is '{value}'; its value must be a number. Write the expression "
                "where the parameter is used"
            )
        object.__setattr__(self, "value", value)
        spread = checks.number(self.uncertainty, f"parameter {self.name!r}: uncertainty", least=0.0, error=QuantityError)
        object.__setattr__(self, "uncertainty", spread)
        object.__setattr__(self, "latex", self.latex or latex_of(self.name))

    @property
    def symbol(self) -> Expression:
        """The parameter as an expression, to build formulas with operators."""
        return Name(self.name)


@checks.doors
@dataclass(frozen=True, init=False)
class ParameterSet:
    """Parameters in order, looked up by name; `replace` gives another set with some values changed."""

    parameters: tuple[Parameter, ...]

    def __init__(self, parameters: Iterable[Parameter] | Mapping[str, float] | ParameterSet = ()) -> None:
        if isinstance(parameters, ParameterSet):
            entries = parameters.parameters
        elif isinstance(parameters, Mapping):
            entries = tuple(Parameter(name, value) for name, value in parameters.items())
        else:
            remedy = "give Parameters, or numbers by name such as {'mass': 1.0}"
            entries = checks.entries(parameters, "the parameters", remedy, QuantityError)
        seen: set[str] = set()
        for entry in entries:
            if not isinstance(entry, Parameter):
                raise QuantityError(f"a ParameterSet holds Parameters, got {checks.shown(entry)}; write Parameter(name, value)")
            if entry.name in seen:
                raise DuplicateNameError(f"two parameters are named {entry.name!r}; rename one of them")
            seen.add(entry.name)
        object.__setattr__(self, "parameters", entries)

    def _repr_html_(self) -> str:
        """What a notebook shows: a table."""
        from locomotor.viewing.report import parameters_card

        return parameters_card(self)

    # --- mapping name -> Parameter ---

    def __getitem__(self, name: str) -> Parameter:
        plain = same_name(name, "the parameter")
        for parameter in self.parameters:
            if parameter.name == plain:
                return parameter
        raise UnknownNameError(f"no parameter is named {checks.shown(name)}: {suggestion(plain, self)}")

    def __iter__(self) -> Iterator[str]:
        return (parameter.name for parameter in self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(parameter.name == name for parameter in self.parameters)

    def keys(self) -> KeysView[str]:
        """The names, in order."""
        return self.values.keys()

    @property
    def values(self) -> dict[str, float]:
        """Name -> value, in order."""
        return {parameter.name: parameter.value for parameter in self.parameters}

    @property
    def symbols(self) -> dict[str, Expression]:
        """Name -> expression, to build formulas with operators: `p = parameters.symbols; p["m"] * p["g"]`."""
        return {parameter.name: parameter.symbol for parameter in self.parameters}

    # --- changing ---

    def replace(self, **values: float) -> ParameterSet:
        """The same set with other values; an unknown name raises and suggests the nearest one."""
        changed = {self[name].name: value for name, value in values.items()}  # an unknown name raises
        return ParameterSet(
            replace(parameter, value=changed.get(parameter.name, parameter.value)) for parameter in self.parameters
        )

    def __add__(self, other: ParameterSet) -> ParameterSet:
        """Both sets, one after the other."""
        if not isinstance(other, ParameterSet):
            return NotImplemented
        return ParameterSet((*self.parameters, *other.parameters))
