"""What documents say in words and numbers: which rows are meant, what is imposed, what moves by itself."""

import re
from functools import cache

import pytest
import sympy as sp

import locomotor as lm
from locomotor.symbolic.packing import Item, packed
from locomotor.symbolic.reading import operate

CART_LAW = "a*sin(3*t)"


@cache
def carried(law: str = CART_LAW) -> lm.System:
    """A pendulum on a cart that is moved."""
    return lm.System(
        "carried",
        bodies=[
            lm.Body("cart", mass="M", inertia=(1, 1, 1)),
            lm.Body("bob", mass="m", com=(0, 0, "-l"), inertia=(0, 0, 0)),
        ],
        joints=[
            lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0), drive=lm.Motion(law)),
            lm.Revolute(name="phi", parent="cart", child="bob", axis=(0, 1, 0)),
        ],
        forces=[lm.Gravity((0, 0, "-g"))],
        parameters={"M": 1.0, "m": 0.4, "l": 0.5, "g": 9.81, "a": 0.1},
    )


@cache
def four_bar_page() -> str:
    return lm.equations(lm.catalogue.four_bar()).markdown()


@cache
def board() -> lm.Equations:
    return lm.equations(lm.catalogue.snakeboard())


def test_rows_are_counted_as_they_are_shown() -> None:
    """Rows of zeros are left out of C, so that c and lambda have the numbers of the rows that are there."""
    page = board().markdown()
    assert "3 constraint rows" in page and "rows of zeros are left out" in page
    for letter in ("c", r"\lambda"):
        assert set(re.findall(rf"(?<![\w\\]){re.escape(letter)}_\{{(\d)\}}", page)) == {"1", "2", "3"}
    matrix = re.search(r"\\mathbf\{C\} = \\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", page)
    assert matrix is not None and matrix[1].count(r"\\") == 2
    linkage = four_bar_page()
    assert set(re.findall(r"C_\{(\d)\d\}", linkage)) <= {"1", "2"}


def test_words_become_indices() -> None:
    """A joint 'crank' is q with an index, its rate has the dot over the q, and a length is an l; symbols of one's own stay."""
    page = four_bar_page()
    for latex, name in ((r"q_{\mathrm{crank}}", "crank"), (r"\dot{q}_{\mathrm{crank}}", "crank_rate")):
        assert f"| ${latex}$ | `{name}` |" in page
    assert r"| $\ell_{\mathrm{crank}}$ | `crank_length` |" in page and r"| $\rho$ | `rho` |" in page


def test_the_kernel_comes_before_its_rate() -> None:
    page = board().markdown()
    assert page.index(r"\mathbf{H} = \begin") < page.index(r"\dot{\mathbf{H}}_{")


def test_the_normal_of_the_ground_is_there_where_it_is_spoken_of() -> None:
    assert "normal of the ground" not in four_bar_page()


def test_what_is_imposed_is_said_and_the_rest_of_the_motion_is_printed() -> None:
    """phi'' = (x'' cos phi - g sin phi) / l, whatever moves the cart."""
    equations = lm.equations(carried())
    page = equations.markdown()
    assert r"Imposed: $x = a \, \sin\left(3 \, t\right)$" in page
    assert r"\mathbf{S}^{\mathsf T} \mathbf{d}" in page and "## Reduced dynamics" in page and r"\mathbf{w} =" in page
    s = equations.symbols
    expected = (s["x_rate_dot"] * sp.cos(s["phi"]) - s["g"] * sp.sin(s["phi"])) / s["l"]
    assert sp.simplify(equations.written_out(equations.acceleration)[0] - expected) == 0
    assert r"\ddot{x}" in page and r"\dot{\dot" not in page


def test_a_law_that_is_longer_than_a_line_is_a_given_function() -> None:
    law = " + ".join(f"{k}.125*sin({k}.75*t)" for k in range(1, 20))
    assert "$x$, a given function of $t$" in lm.equations(carried(law)).markdown()


@pytest.mark.parametrize(("equals", "right"), [(0.0, "0"), ("0.3*cos(2*t)", r"\mathbf{b}")])
def test_constraints_that_move_by_themselves_have_a_right_hand_side(equals: float | str, right: str) -> None:
    """x' + 2 phi' = 0.3 cos(2 t): the rate of the row is the right-hand side."""
    free = lm.System(
        "rows",
        carried().bodies,
        [
            lm.Prismatic(name="x", parent="world", child="cart", axis=(1, 0, 0)),
            lm.Revolute(name="phi", parent="cart", child="bob", axis=(0, 1, 0)),
        ],
        forces=carried().forces,
        constraints=[lm.VelocityConstraint("gear", {"x_rate": 1.0, "phi_rate": 2.0}, equals)],
        parameters=carried().parameters.values,
    )
    equations = lm.equations(free)
    assert rf"$\mathbf{{C}} \mathbf{{v}} = {right}$" in equations.markdown()
    t = sp.Symbol("t", real=True)
    assert equations.constraint_rate == sp.Matrix([sp.Rational(3, 10) * sp.cos(2 * t) if equals else 0])


def test_nothing_is_free_where_everything_is_imposed() -> None:
    both = carried().with_motions({"x": CART_LAW, "phi": "0.2*t"})
    assert r"No velocity is free: $\mathbf{v} = \mathbf{w}$." in lm.equations(both).markdown()


def test_quaternions_are_unit_so_that_a_ball_is_a_ball() -> None:
    """G = m g along z, gap z - r, Delassus matrix 1/m + r^2/(2/5 m r^2) = 7/(2 m) along the floor: however it has turned."""
    ball = lm.equations(lm.catalogue.bowling_ball())
    m, r, g, z = (ball.symbols[name] for name in ("m", "r", "g", "z"))
    assert list(ball.gravity) == [0, 0, g * m, 0, 0, 0]
    assert sp.expand(ball.gaps[0] - (z - r)) == 0
    assert ball.written_out(ball.delassus) == sp.diag(7 / (2 * m), 7 / (2 * m), 1 / m)
    assert "Quaternions are of length one." in ball.markdown()


def test_fractions_are_taken_apart_where_that_is_shorter() -> None:
    """Half the sum of two tangents has a rate with a cosine squared below each rate, and no more."""
    snakeboard = board()
    one, other = (snakeboard.symbols[name] for name in ("front_steer", "steer"))
    rates = [snakeboard.symbols[f"{angle}_rate"] for angle in (one, other)]
    assert snakeboard.written_out(snakeboard.kernel_rate)[1, 0] == rates[0] / (2 * sp.cos(one) ** 2) + rates[1] / (
        2 * sp.cos(other) ** 2
    )


def test_definitions_are_counted_without_gaps_and_none_is_left_over() -> None:
    shared = lm.equations(lm.catalogue.bowling_ball(), style="shared")
    names = [symbol.name for symbol, _ in shared.definitions if re.fullmatch(r"x\d+", symbol.name)]
    assert names == [f"x{n}" for n in range(1, len(names) + 1)]
    spoken = {symbol for part in shared.parts.values() for entry in part.entries for symbol in entry.free_symbols}
    spoken |= {symbol for _, right in shared.definitions for symbol in right.free_symbols}
    assert {symbol for symbol, _ in shared.definitions if symbol.name in names} <= spoken


def test_what_a_closed_contact_would_do_otherwise_is_said() -> None:
    """Closed, a contact sticks, does not spin and does not roll, whatever that takes: its rows say so, and so do the words."""
    law = lm.Unilateral(friction=0.3, patch=0.02, rolling=0.01)
    stone = lm.System(
        "stone",
        [lm.Body("stone", 1.0, inertia=(0.1, 0.1, 0.1))],
        [lm.Free(name="base", parent="world", child="stone")],
        contacts=[lm.RollingSphere("foot", body="stone", centre=(0, 0, 0), radius=0.1, law=law)],
        nominal={"z": 0.1},
    )
    closed = lm.equations(stone, closed=("foot",))
    assert {"foot_spin", "foot_roll_1", "foot_roll_2"} < set(closed.row_names)
    page = closed.markdown()
    for words in (
        "stays closed, even where it would have to pull",
        "does not slip, even beyond its friction",
        "does not roll, even",
    ):
        assert f"Contact foot {words}" in page
    assert "Contact foot" not in lm.equations(stone).markdown()


def test_a_condition_that_holds_is_not_asked_again() -> None:
    """max(x, 0) inside of what is taken where x is positive is x."""
    x = sp.Symbol("x", real=True)
    positive = operate(sp, "lt", [sp.Integer(0), x])
    inner = operate(sp, "select", [positive, x, sp.Integer(0)])
    outer = operate(sp, "select", [positive, 1 + inner, 2 - inner])
    assert outer.args[0][0] == 1 + x and outer.args[1][0] == 2


def test_a_term_wider_than_a_line_is_made_smaller() -> None:
    wide = Item.of([r"x_{1} = a", r"\qquad + " + " + ".join("bcdefgh" for _ in range(30))])
    assert [formula.fitted for formula in packed([wide])] == [True, True]
    assert [formula.fitted for formula in packed([Item.of([r"x_{1} = a", r"\qquad + b"])])] == [False]
