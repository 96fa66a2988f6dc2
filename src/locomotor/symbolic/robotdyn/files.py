"""Robots in files: RobotDyn's three texts in a folder, or one TOML; and the Fortran and Scilab that RobotDyn writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from locomotor.checks import door, instance, path
from locomotor.errors import TextFileError
from locomotor.files import is_file, is_folder, make_folder, write_text
from locomotor.symbolic.library import sympy_library
from locomotor.symbolic.robotdyn.lagrange import RobotEquations
from locomotor.symbolic.robotdyn.maple_files import FILES, read_maple
from locomotor.symbolic.robotdyn.maple_text import robot_maple
from locomotor.symbolic.robotdyn.robot import Robot
from locomotor.symbolic.robotdyn.toml_file import read_toml, robot_toml

EXPORTED = {
    "cd_m": "CIN_DIR",
    "c_m": "CORIOLIS",
    "ep_m": "ENERGIE_POTENTIELLE",
    "m_m": "MATRICE_INERTIE",
    "g_m": "VEC_GRAVITE",
    "gn_m": "G_N",
    "gt_m": "G_T",
    "wn_m": "W_N",
    "wt_m": "W_T",
    "wnt_m": "W_N_TILDE",
    "wtt_m": "W_T_TILDE",
    "wnb_m": "W_N_BAR",
    "wtb_m": "W_T_BAR",
}
"""Files of RobotDyn's table D.1 and the variable in each."""


def is_robot(name: str) -> bool:
    """Whether a name is a folder, a file of RobotDyn, or a TOML file that begins a robot."""
    place = Path(name)
    if place.name in FILES or is_file(place / FILES[0]) or is_file(place / "spec" / FILES[0]):
        return True
    if place.suffix != ".toml" or not is_file(place):
        return False
    return any(
        line.split("=")[0].strip() == "robot" for line in place.read_text(encoding="utf-8", errors="replace").splitlines()
    )


@door(source=path)
def read_robot(source: str | Path) -> Robot:
    """A robot from the folder of RobotDyn's files, from one of them, or from a TOML file."""
    place = Path(source)
    if place.suffix == ".toml":
        return read_toml(place)
    if is_folder(place):
        return read_maple(place)
    if place.name in FILES:
        return read_maple(place.parent)
    raise TextFileError(f"{str(place)!r} is no robot: give a .toml file, or the folder that holds {', '.join(FILES)}")


@door(robot=instance(Robot), target=path)
def save_robot(robot: Robot, target: str | Path) -> tuple[Path, ...]:
    """Write a robot: as one .toml, or into a folder as RobotDyn's three files."""
    place = Path(target)
    if place.suffix == ".toml":
        return (write_text(place, robot_toml(robot)),)
    make_folder(place)
    return tuple(write_text(place / name, text) for name, text in robot_maple(robot).items())


@door(equations=instance(RobotEquations), folder=path)
def export_robot(equations: RobotEquations, folder: str | Path) -> tuple[Path, ...]:
    """Fortran subroutines (.f) and their declarations for Scilab (.sci), under the names of RobotDyn's table.

    Each takes q, qdot, t and `modele`, the parameters in alphabetical order, and returns the matrix column by column.
    """
    place = make_folder(Path(folder))
    written = []
    for name, variable in EXPORTED.items():
        matrix = sympy_library().Matrix([getattr(equations, variable)])
        written.append(write_text(place / f"{name}.f", fortran(equations, name, matrix)))
        rows, columns = matrix.shape
        call = f"  y = call('{name}', q, 1, 'd', qdot, 2, 'd', t, 3, 'd', modele, 4, 'd', 'out', [{rows}, {columns}], 5, 'd');"
        text = f"function [y] = {name}(q, qdot, t, modele)\n// link('{name}.o', '{name}', 'f');\n{call}\nendfunction\n"
        written.append(write_text(place / f"{name}.sci", text))
    return tuple(written)


def fortran(equations: RobotEquations, name: str, matrix: Any) -> str:
    """One subroutine in fixed form, shared subexpressions first."""
    sp = sympy_library()
    n, m = equations.robot.coordinates, len(equations.robot.parameters)
    names = {symbol: f"q({k})" for k, symbol in enumerate(equations.q, 1)}
    names |= {symbol: f"qdot({k})" for k, symbol in enumerate(equations.qdot, 1)}
    names |= {equations.symbols[p]: f"modele({k})" for k, p in enumerate(equations.robot.parameters, 1)}
    shared, (plain,) = sp.cse(matrix, symbols=sp.numbered_symbols("lm"), optimizations="basic")
    used = {old: sp.Symbol(new) for old, new in names.items()}
    rows, columns = matrix.shape
    lines = [f"      subroutine {name}(q, qdot, t, modele, y)", "      implicit none"]
    lines += [f"      double precision q({n}), qdot({n}), t, modele({max(m, 1)}), y({rows},{columns})"]
    lines += [f"      double precision {symbol}" for symbol, _ in shared]
    for symbol, expression in shared:
        lines += _statement(sp, str(symbol), expression.xreplace(used))
    for j in range(columns):
        for i in range(rows):
            lines += _statement(sp, f"y({i + 1},{j + 1})", plain[i, j].xreplace(used))
    return "\n".join([*lines, "      return", "      end"]) + "\n"


def _statement(sp: Any, target: str, expression: Any) -> list[str]:
    text = sp.fcode(expression.evalf(17) if expression.is_Rational else expression, assign_to=target, source_format="fixed")
    return [str(line) for line in text.splitlines()]
