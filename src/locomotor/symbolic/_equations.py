"""The equations of motion of a system as SymPy matrices with named symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from locomotor.checks import choice, door, either, flag, mapping, names, numbers_by_name, optional, path, shown
from locomotor.dataclass import dataclass
from locomotor.errors import ArgumentError, UnknownNameError
from locomotor.files import write_text
from locomotor.model import System, Terrain, a_system, as_quantity, evaluate
from locomotor.names import suggestion
from locomotor.symbolic.certificate import certify
from locomotor.symbolic.closing import closing
from locomotor.symbolic.content import content
from locomotor.symbolic.documents import latex_document, markdown_document
from locomotor.symbolic.evaluation import lambdified
from locomotor.symbolic.factoring import with_exact_numbers
from locomotor.symbolic.html_text import html_document
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.linear import LinearEquations, linear_equations
from locomotor.symbolic.parts import write_parts
from locomotor.symbolic.sheet import Sheet, unit_quaternions
from locomotor.tracing import Field, trace
from locomotor.tracing.readings import equation_parts
from locomotor.typing import Floats

DOCUMENTS = (".tex", ".md", ".html")
LETTERS = {
    "up": "s",
    "mass": "M",
    "bias": "h",
    "gravity": "G",
    "applied": "tau",
    "rows": "C",
    "row_rate": "b",
    "row_bias": "c",
    "kernel": "H",
    "driven": "w",
    "kernel_rate": "Hdot",
    "known_acceleration": "k",
    "reduced_mass": "Mr",
    "reduced_force": "Fr",
    "coriolis": "Cor",
    "contact_rows": "W",
    "delassus": "D",
}
"""How long entries of each part are called: M_1_2 and so on."""


@dataclass(frozen=True, eq=False)
class Equations(Sheet):
    """Equations of motion: M v_dot + h + G = tau + C^T lambda, C v = 0, v = H v_r, and what follows from them.

    Every part is a SymPy matrix of `symbols`. Where a part would be long, it speaks of `definitions`: names for what is used
    more than once, each defined by what comes before it; `written_out` puts them back.
    """

    def __repr__(self) -> str:
        counted = f"{self.operations} operations (tape {self.function.operations}), {len(self.definitions)} definitions"
        bound = f"{self.system.layout.nv} velocities, {len(self.row_names)} constraint rows"
        return f"Equations of {self.system.name}: {bound}, {counted}"

    # -- free dynamics ----------------------------------------------------------------------------------------------------

    @property
    def mass_matrix(self) -> Any:
        """Mass matrix M over all velocities."""
        return self.parts["mass"].matrix

    @property
    def bias(self) -> Any:
        """h: forces of inertia that are quadratic in the velocities."""
        return self.parts["bias"].matrix

    @property
    def coriolis(self) -> Any:
        """C(q, v) of Christoffel's form, h = C v with M_dot - 2 C skew; asked for with `christoffel=True`."""
        if "coriolis" not in self.parts:
            raise ArgumentError("the Christoffel form was not asked for; write lm.equations(system, christoffel=True)")
        return self.parts["coriolis"].matrix

    @property
    def gravity(self) -> Any:
        """G: generalised forces that hold the weight."""
        return self.parts["gravity"].matrix

    @property
    def applied_forces(self) -> Any:
        """tau: generalised forces of drives, springs, dampers and everything else but gravity."""
        return self.parts["applied"].matrix

    @property
    def kinetic_energy(self) -> Any:
        """Kinetic energy T."""
        return self.parts["kinetic_energy"].entries[0]

    @property
    def potential_energy(self) -> Any:
        """U: of gravity, from the world's origin, and of springs."""
        return self.parts["potential_energy"].entries[0]

    @property
    def reconstruction(self) -> Any:
        """Rates of the coordinates, those of quaternions included, from the velocities."""
        return self.parts["reconstruction"].matrix

    # -- constraints ------------------------------------------------------------------------------------------------------

    @property
    def constraint_matrix(self) -> Any:
        """C of C v = b, in the axes of the root body."""
        return self.parts["rows"].matrix

    @property
    def constraint_rate(self) -> Any:
        """b of C v = b: zero unless a constraint moves by itself."""
        part = self.parts["row_rate"]
        return sympy_library().zeros(len(self.row_names), 1) if part.is_empty else part.matrix

    @property
    def constraint_bias(self) -> Any:
        """C_dot v - b_dot: accelerations obey C v_dot = - this."""
        return self.parts["row_bias"].matrix

    @property
    def kernel(self) -> Any:
        """H, with C H = 0: v = H v_r."""
        return self.parts["kernel"].matrix

    @property
    def kernel_rate(self) -> Any:
        """Time derivative H_dot of the kernel along the motion."""
        return self.parts["kernel_rate"].matrix

    @property
    def multipliers(self) -> Any:
        """lambda, in the symbols `load_...` of the entries of M v_dot + h + G - tau."""
        return self.parts["multipliers"].matrix

    # -- reduced dynamics -------------------------------------------------------------------------------------------------

    @property
    def reduced_mass(self) -> Any:
        """Mass matrix H^T M H of the independent velocities."""
        return self.parts["reduced_mass"].matrix

    @property
    def reduced_force(self) -> Any:
        """H^T (tau - h - G - M k), where k is the part of v_dot that is known without v_r_dot."""
        return self.parts["reduced_force"].matrix

    @property
    def acceleration(self) -> Any:
        """Accelerations v_r_dot of the independent velocities, solved for."""
        return self.parts["acceleration"].matrix

    # -- contacts that may close ------------------------------------------------------------------------------------------

    @property
    def gaps(self) -> Any:
        """Gaps of the contacts that are open, in the order of `contact_names`."""
        return self._of_contacts("gaps")

    @property
    def contact_rows(self) -> Any:
        """W: velocities of the points of open contacts along world axes, W v; rows that vanish are left out."""
        return self._of_contacts("contact_rows")

    @property
    def delassus(self) -> Any:
        """D = W H (H^T M H)^-1 H^T W^T: velocities that impulses make; in an impact M (v+ - v-) = W^T D^-1 (u+ - u-)."""
        return self._of_contacts("delassus")

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the contacts that are open."""
        found = [port for port in self.function.outputs if port.name == "gaps"]
        return tuple(field.name for port in found for field in port.fields)

    def _of_contacts(self, part: str) -> Any:
        if part not in self.parts:
            raise ArgumentError(f"{self.system.name}: no contact is open that may close, so that there are no {part}")
        return self.parts[part].matrix

    # -- reading ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _evaluator(self) -> Any:
        known = [name for name in self.symbols if name not in self.where]
        return known, lambdified([self.symbols[name] for name in known], self.parts, self.definitions)

    @door(about=optional(mapping), sample=optional(numbers_by_name))
    def linearised(
        self, about: Mapping[str, Any] | None = None, *, sample: Mapping[str, float] | None = None
    ) -> LinearEquations:
        """Linearised about a steady motion: coordinates and reduced velocities by name, as expressions of parameters, symbols.

        `{"rear_wheel_rate": "v/rR"}` is straight running at the speed v. What is not given has its nominal value or is zero.
        Coordinates are chosen with the numbers of `sample` for new symbols (one where not given).
        """
        kept = [field.name for field in self.function.inputs[-1].fields]
        fixed = {name: float(self.where[name]) for name in kept if name in self.where and self.where[name].is_number}
        system = self.system.with_parameters(**fixed) if fixed else self.system
        return linear_equations(system, tuple(name for name in kept if name not in fixed), about or {}, sample or {})

    # -- documents --------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The title of documents."""
        return f"Equations of motion: {self.system.name.replace('_', ' ')}"

    @door(figure=optional(path))
    def latex(self, *, figure: str | None = None) -> str:
        """A complete LaTeX document; `figure` is the file of a picture to include."""
        return latex_document(self.title, content(self, figure))

    @door(figure=optional(path))
    def markdown(self, *, figure: str | None = None) -> str:
        """A Markdown page with formulas between dollars."""
        return markdown_document(self.title, content(self, figure))

    @door(figure=optional(path))
    def html(self, *, figure: str | None = None) -> str:
        """A page with formulas as MathML, which needs no script and no network; the picture is put into it."""
        return html_document(self.title, content(self, figure))

    @door(target=path, picture=flag)
    def save(self, target: str | Path, *, picture: bool = True) -> tuple[Path, ...]:
        """Write a document, `.tex`, `.md` or `.html`, with a picture of the system beside it; returns the files written."""
        place = Path(target)
        if place.suffix not in DOCUMENTS:
            raise ArgumentError(f"save {shown(target)}: a document of equations ends in {', '.join(DOCUMENTS)}")
        figure = _picture(self.system, place.with_name(f"{place.stem}_system.png")) if picture else None
        if place.suffix == ".html":
            write_text(place, self.html(figure=None if figure is None else str(figure)))
            return (place,) if figure is None else (place, figure)
        beside = None if figure is None else figure.name
        write_text(place, self.latex(figure=beside) if place.suffix == ".tex" else self.markdown(figure=beside))
        return (place,) if figure is None else (place, figure)

    # -- numbers ----------------------------------------------------------------------------------------------------------

    @door(values=numbers_by_name)
    def evaluate(self, values: Mapping[str, float]) -> dict[str, Floats]:
        """Every part on numbers, by the name of the part; what is not given has its nominal value or is zero."""
        known = {field.name: 0.0 for port in self.function.inputs for field in port.fields}
        coordinates = (symbol.name for symbol in self.system.layout.coordinates)
        known.update(zip(coordinates, self.system.nominal_pose().tolist(), strict=True))
        known.update(self.system.parameters.values)
        for name, value in values.items():
            if name not in known:
                raise UnknownNameError(f"evaluate: nothing is named {shown(name)}: {suggestion(name, known)}")
            if name in self.where:
                raise ArgumentError(f"evaluate: {name!r} was put in as {self.where[name]} (where); leave its value out")
            known[name] = value
        arguments, function = self._evaluator
        return function([known[name] for name in arguments])


def _picture(system: System, path: Path) -> Path:
    from locomotor.viewing.scene import write_picture

    return write_picture(system, path)


def _kept(system: System, parameters: str | tuple[str, ...]) -> tuple[str, ...]:
    """Names of the parameters that stay symbols."""
    if parameters in ("symbolic", "numeric"):
        return tuple(system.parameters) if parameters == "symbolic" else ()
    for name in parameters:
        if name not in system.parameters:
            near = suggestion(name, [*system.parameters, "symbolic", "numeric"])
            remedy = 'give the names of those that stay symbols, or "symbolic" or "numeric" for all'
            raise UnknownNameError(f"equations: no parameter is named {shown(name)}: {near}; {remedy}")
    return tuple(parameters)


@door(
    system=a_system,
    parameters=either(choice("symbolic", "numeric"), names),
    closed=optional(names),
    where=optional(mapping),
    christoffel=flag,
    certified=flag,
    about=optional(mapping),
    style=choice("auto", "explicit", "shared"),
)
def equations(
    system: System,
    *,
    parameters: str | tuple[str, ...] = "symbolic",
    closed: tuple[str, ...] | None = None,
    where: Mapping[str, Any] | None = None,
    christoffel: bool = False,
    certified: bool = False,
    about: Mapping[str, Any] | None = None,
    style: str = "auto",
) -> Equations:
    """The equations of motion of a system, to be read, printed or used with SymPy.

    `parameters` are "symbolic", "numeric", or the names of those that stay symbols. Contacts that open and close are open, but
    for those named in `closed`. `where` puts expressions in the place of coordinates or parameters, such as
    {"front_steer": "-steer", "slope": 0}; rates follow. `christoffel=True` adds C(q, v) with h = C v; `certified=True`
    compares with a second derivation at 1,000 random states (`lm.certify`) and says so in documents. `about` adds the equations
    linearised about a steady motion (`linear`, as by `linearised`), {} about rest in the nominal pose. `style` is "explicit"
    (every part in coordinates and parameters alone), "shared" (what is used twice is defined first), or "auto": the
    first where it is about as short.
    """
    sympy_library()
    chosen = closing(system, closed)
    kept = _kept(chosen, parameters)
    traced = trace(chosen, free=kept)
    open_ones = tuple(contact for contact in system.contacts if contact not in chosen.contacts)
    terrains = {ground.name for ground in system.grounds if isinstance(ground, Terrain)}
    touching = tuple(contact for contact in open_ones if contact.ground not in terrains)
    function = equation_parts(traced, christoffel=christoffel, touching=touching)
    symbols = {field.name: _symbol(field) for port in function.inputs for field in port.fields}
    replaced = replacements(chosen, symbols, where or {})
    inputs = [[replaced.get(field.name, symbols[field.name]) for field in port.fields] for port in function.inputs]
    given = {symbol for port in inputs for symbol in port}
    units = [four for four in unit_quaternions(chosen, symbols) if given.issuperset(four)]
    parts = write_parts(function, inputs, LETTERS, style, units=units)
    labels = tuple(label.replace(" ", "_") for label in traced.motion.constraints.labels)
    proof = certify(chosen) if certified else None
    named = {part.name: part for part in parts}
    left_out = tuple(contact.name for contact in open_ones if contact.ground in terrains)
    found = Equations(chosen, function, named, symbols, traced.reduction.names, labels, replaced, proof, left_out=left_out)
    return found if about is None else replace(found, linear=found.linearised(about))


def _symbol(field: Field) -> Any:
    return sympy_library().Symbol(field.name, real=True)


def replacements(system: System, symbols: Mapping[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    """Expressions in the place of symbols, with those of the rates of replaced coordinates."""
    sp = sympy_library()
    found: dict[str, Any] = {}
    rates = system.layout.velocity_of
    for name, given in where.items():
        if name not in symbols:
            raise UnknownNameError(f"where: nothing is named {shown(name)}: {suggestion(name, symbols)}")
        value = sp.sympify(evaluate(as_quantity(given, f"where {name!r}"), symbols))
        value = found[name] = with_exact_numbers(sp, value)
        if name in rates:
            moving = [s.name for s in system.layout.coordinates if s.name in rates]
            found[rates[name]] = sum((value.diff(symbols[c]) * symbols[rates[c]] for c in moving), sp.Integer(0))
    return found
