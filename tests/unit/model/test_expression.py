"""Expressions: text, evaluation on every kind of scalar, derivatives, and the errors of the parser."""

import copy
import math
import pickle

import casadi
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from locomotor.errors import ExpressionError, NotFiniteError, QuantityError, UnknownNameError
from locomotor.model.expressions.expression import apply, as_expression, as_quantity, as_vector, evaluate, parse
from locomotor.model.expressions.functions import CALLABLE, FUNCTIONS
from locomotor.model.expressions.terms import Call, Name, Number

VALUES = {"x": 0.7, "y": -1.3, "t": 0.45}
NAMES = tuple(VALUES)


# --- random expressions -------------------------------------------------------------------------------------


def extend(children):
    binary = st.sampled_from(("add", "sub", "mul", "div", "pow", "min", "max", "atan2"))
    unary = st.sampled_from(("neg", "sin", "cos", "exp", "tanh", "abs", "sqrt", "atan"))
    condition = st.builds(lambda a, b: Call("less", (a, b)), children, children)
    return st.one_of(
        st.builds(lambda f, a: Call(f, (a,)), unary, children),
        st.builds(lambda f, a, b: Call(f, (a, b)), binary, children, children),
        st.builds(lambda c, a, b: Call("if_else", (c, a, b)), condition, children, children),
        st.builds(
            lambda c, d, a, b: Call("if_else", (Call("logic_and", (c, d)), a, b)),
            condition, condition, children, children,
        ),
        st.builds(lambda a, b, c: Call("smooth_step", (a, b, c)), children, children, children),
    )  # fmt: skip


numbers = st.floats(min_value=0.0, allow_infinity=False, allow_nan=False).map(Number)
leaves = st.one_of(numbers, st.sampled_from((*NAMES, "pi")).map(Name))
trees = st.recursive(leaves, extend, max_leaves=12)


@given(trees)
@settings(max_examples=300, deadline=None)
def test_text_parses_back_to_an_equal_expression(expression):
    again = parse(str(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert str(again) == str(expression)


@given(trees)
@settings(max_examples=50, deadline=None)
def test_latex_has_balanced_braces(expression):
    latex = expression.latex()
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")


# --- text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x - (y - t)", "x - y - t", "x/(y*t)", "x/y*t", "(-x)**2", "-x**2", "x**(-2)", "x**y**t", "(x**y)**t",
        "-(x*y)", "-x*y", "x + (-2)", "2*pi*x", "1e-07*x", "if_else(x < y, 1, 2)", "0.1 + x", "--x",
    ],
)  # fmt: skip
def test_canonical_texts_are_kept_as_written(text):
    assert str(parse(text)) == text


def test_equal_means_same_tree():
    assert parse("x + y") == Name("x") + Name("y")
    assert parse("x + y") != parse("y + x")
    assert parse("x") != 1.0
    assert parse(" ( x )+y ") == parse("x + y")


def test_names_leave_out_constants_and_functions():
    assert parse("2*pi*sin(x) + a_1*t").names == {"x", "a_1", "t"}


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("x/y", r"\frac{x}{y}"),
        ("alpha*(x + 1)", r"\alpha \, \left(x + 1\right)"),
        ("x**2", "x^{2}"),
        ("(x + y)**2", r"\left(x + y\right)^{2}"),
        ("-(x + y)", r"-\left(x + y\right)"),
        ("2*(-x)", r"2 \, \left(-x\right)"),
        ("sin(pi*t)", r"\sin\left(\pi \, t\right)"),
        ("sqrt(m_1)", r"\sqrt{m_{1}}"),
        ("1e-20*x", r"1 \cdot 10^{-20} \, x"),
        ("rear_wheel", r"\mathrm{rear\_wheel}"),
        ("1 if x < y else 2", r"\begin{cases} 1 & x < y \\ 2 & \text{otherwise} \end{cases}"),
    ],
)
def test_latex(text, latex):
    assert parse(text).latex() == latex


def test_latex_of_a_name_may_be_given():
    assert parse("steer*x").latex({"steer": r"\delta"}) == r"\delta \, x"


# --- values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("7 - 2 - 1", 4.0),
        ("x if x < y else y", -1.3),
        ("x if x > y else y", 0.7),
        ("1 if 0 < t < 1 else 0", 1.0),
        ("1 if 0 < t and t < 0.1 else 0", 0.0),
        ("min(x, y) + max(x, y)", 0.7 - 1.3),
        ("abs(y)*sign(y)", -1.3),
        ("atan2(1, 1)", math.pi / 4),
        ("y**3", -(1.3**3)),
        ("y**-2.0", 1.3**-2),
        ("exp(log(x))", 0.7),
        ("asin(sin(x)) + acos(cos(x)) + atan(tan(x))", 3 * 0.7),
        ("sqrt(x*x) + tanh(0)", 0.7),
    ],
)
def test_value_on_floats(text, value):
    result = parse(text).evaluate(VALUES)
    assert type(result) is float
    assert result == pytest.approx(value, rel=4e-16, abs=1e-15)  # a few roundings of the elementary functions


EVERYWHERE = [
    "2*x**2 - y/x", "sin(x)*cos(y) + tan(t)", "atan2(y, x)", "sqrt(x) + exp(y) + log(x) + tanh(y)",
    "asin(t) + acos(t) + atan(y)", "abs(y) + sign(y)", "min(x, y) - max(t, y)", "smooth_step(t, 0, 1)*x",
    "x if t < x else y", "1 if 0 < t < x else y", "x**y", "y**3",
]  # fmt: skip


@pytest.mark.parametrize("text", EVERYWHERE)
def test_casadi_and_sympy_agree_with_floats(text):
    expression = parse(text)
    number = expression.evaluate(VALUES)
    sx = {name: casadi.SX.sym(name) for name in NAMES}
    function = casadi.Function("f", list(sx.values()), [expression.evaluate(sx)])
    assert float(function(*VALUES.values())) == pytest.approx(number, rel=1e-15)
    sy = {name: sympy.Symbol(name, real=True) for name in NAMES}
    assert float(expression.evaluate(sy).subs({sy[n]: v for n, v in VALUES.items()})) == pytest.approx(
        number, rel=1e-14  # sympy evaluates with 15 digits
    )  # fmt: skip


def test_every_function_is_exercised_on_every_kind_of_scalar():
    used = {node for text in EVERYWHERE for node in functions_of(parse(text))}
    assert set(FUNCTIONS) - {"neg"} <= used | {"add", "div"}


def functions_of(expression):
    own = {expression.function} if isinstance(expression, Call) else set()
    return own.union(*(functions_of(argument) for argument in expression.arguments))


def test_constant_parts_stay_plain_floats_among_symbols():
    x = casadi.SX.sym("x")
    result = parse("sin(pi/6)*x").evaluate({"x": x})
    assert casadi.Function("f", [x], [result]).n_instructions() <= 4  # load x, constant, product, store
    assert type(parse("sin(pi/6)").evaluate({})) is float


def test_numpy_scalars_come_out_as_plain_floats():
    assert type(parse("x").evaluate({"x": np.float64(2.0)})) is float
    assert type(parse("x").evaluate({"x": 3})) is float


def test_arrays_evaluate_entry_by_entry():
    times = np.array([0.0, 0.25, 2.0])
    np.testing.assert_allclose(parse("smooth_step(t, 0, 1)").evaluate({"t": times}), [0.0, 0.25 - 0.5 / math.pi, 1.0])


def test_smooth_step_is_flat_outside_and_twice_smooth_at_both_ends():
    step = parse("smooth_step(t, 1, 3)")
    rate = step.derivative("t")
    acceleration = rate.derivative("t")
    for t, value in ((0.0, 0.0), (1.0, 0.0), (2.0, 0.5), (3.0, 1.0), (9.0, 1.0)):
        assert step.evaluate({"t": t}) == pytest.approx(value, abs=1e-16)
    for t in (0.0, 1.0, 3.0, 9.0):
        assert rate.evaluate({"t": t}) == 0.0
        assert acceleration.evaluate({"t": t}) == pytest.approx(0.0, abs=1e-15)
    assert rate.evaluate({"t": 2.0}) == pytest.approx(1.0)  # (1 - cos(pi)) / 2
    assert acceleration.evaluate({"t": 1.5}) == pytest.approx(math.pi / 2)  # 2 pi sin(pi/2) / 2²


def test_missing_value_suggests_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r"no value for the name 'steeer': did you mean 'steer'\?"):
        parse("2*steeer").evaluate({"steer": 1.0, "roll": 2.0})


def test_division_by_zero_names_the_part():
    with pytest.raises(NotFiniteError, match=r"'x/\(y - y\)' has no finite value in 'x/\(y - y\) \+ 1'"):
        parse("x/(y - y) + 1").evaluate(VALUES)


# --- derivatives --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [text for text in EVERYWHERE if text != "x**y"])
def test_derivative_agrees_with_automatic_differentiation(text, name):
    expression = parse(text)
    sx = {n: casadi.SX.sym(n) for n in NAMES}
    exact = casadi.Function("f", list(sx.values()), [casadi.jacobian(expression.evaluate(sx), sx[name])])
    derivative = expression.derivative(name)
    # Two exact derivatives, arranged differently: a few roundings apart.
    assert derivative.evaluate(VALUES) == pytest.approx(float(exact(*VALUES.values())), rel=1e-13, abs=1e-14)
    second = casadi.jacobian(casadi.jacobian(expression.evaluate(sx), sx[name]), sx["t"])
    number = casadi.Function("f", list(sx.values()), [second])(*VALUES.values())
    assert derivative.derivative("t").evaluate(VALUES) == pytest.approx(float(number), rel=1e-12, abs=1e-13)


def test_derivative_of_a_power_with_varying_exponent():
    x, y = 0.7, 1.3
    value = parse("x**y").derivative("y").evaluate({"x": x, "y": y})
    assert value == pytest.approx(math.log(x) * x**y, rel=1e-14)


def test_derivative_with_a_constant_exponent_is_safe_for_negative_bases():
    assert parse("x**3").derivative("x").evaluate({"x": -2.0}) == 12.0


def test_derivative_is_simplified():
    assert str(parse("3*t + 2").derivative("t")) == "3"
    assert str(parse("a*sin(w*t)").derivative("t")) == "a*(cos(w*t)*w)"
    assert parse("a*b").derivative("t").is_zero


def test_long_sums_neither_overflow_the_stack_nor_share_work_twice():
    total = as_expression(0.0)
    for k in range(3000):
        total = total + Name("t") * (k + 1.0)
    assert total.evaluate({"t": 1.0}) == 3000 * 3001 / 2
    assert total.derivative("t").evaluate({}) == 3000 * 3001 / 2
    assert total == total.substitute({"other": 1.0})
    doubled = Name("t")
    for _ in range(60):  # 2**60 leaves as a tree, 60 nodes as a graph
        doubled = doubled + doubled
    assert doubled.evaluate({"t": 1.0}) == 2.0**60


# --- operators ----------------------------------------------------------------------------------------------


def test_operators_build_what_the_text_says():
    x, y = Name("x"), Name("y")
    built = 2 * x**2 - y / x + (-x) * 3 - 1.5
    assert built == parse("2*x**2 - y/x + (-x)*3 - 1.5")
    assert abs(x) == parse("abs(x)")
    assert apply("if_else", x < y, 1.0, 2.0) == parse("1 if x < y else 2")
    assert 1 / x == parse("1/x")
    assert 2**x == parse("2**x")
    assert 1 - x == parse("1 - x")
    assert 1 + x == parse("1 + x")
    assert +x == x


def test_operators_simplify_only_what_always_holds():
    x = Name("x")
    assert 0 * x == as_expression(0.0)
    assert x + 0 == x
    assert 0 - x == -x
    assert x.__neg__().__neg__() == x
    assert x**1 == x
    assert x**0 == as_expression(1.0)
    assert -1 * x == -x
    assert as_expression(2) * -3.0 == as_expression(-6.0)
    assert str(as_expression(1.0) / 0.0) == "1/0"  # left to fail where it is evaluated, with its text


def test_operators_work_with_numpy_numbers_and_arrays():
    x = Name("x")
    assert np.float64(2.0) * x == parse("2*x")
    np.testing.assert_array_equal(np.array([1.0, 2.0]) * x, np.array([x, parse("2*x")], dtype=object))


def test_operators_refuse_texts():
    with pytest.raises(TypeError):
        Name("x") + "1"


def test_truth_value_is_refused():
    with pytest.raises(ExpressionError, match="'x < 1' has no truth value until it is evaluated"):
        bool(Name("x") < 1)


def test_expressions_are_immutable_and_can_be_copied():
    expression = parse("sin(x) + 2")
    with pytest.raises(AttributeError, match="immutable"):
        expression.names = frozenset()
    with pytest.raises(AttributeError, match="immutable"):
        del expression.names
    assert copy.deepcopy(expression) == expression
    assert pickle.loads(pickle.dumps(expression)) == expression  # noqa: S301 - our own bytes


def test_substitute():
    assert parse("a*x + b").substitute({"a": 2.0, "b": parse("y*t")}) == parse("2*x + y*t")


# --- the parser's errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the expression is empty"),
        ("m # 2", "'#' is no operator"),
        ("2*", r"it does not parse \(invalid syntax\), at position 2"),
        ("x +* y", r"it does not parse \(invalid syntax\), at position 3"),
        ("x^2", r"the operator BitXor is not allowed; use \+ - \* / and \*\* for powers, at position 0"),
        ("1 + __import__('os')", r"unknown function '__import__'.*at position 4"),
        ("x.real", "Attribute is not allowed"),
        ("x[0]", "Subscript is not allowed"),
        ("lambda: 1", "Lambda is not allowed"),
        ("[x for x in y]", "ListComp is not allowed"),
        ("'text'", "'text' is not a number"),
        ("True", "True is not a number"),
        ("2j", "2j is not a number"),
        ("1e999", "the number is not finite"),
        ("sinn(x)", "unknown function 'sinn': did you mean 'sin'?"),
        ("sin(x, y)", r"sin takes 1 argument\(s\), 2 given"),
        ("sin(x=1)", "only functions can be called, with plain arguments"),
        ("sin(*x)", "Starred is not allowed"),
        ("2(x)", "only functions can be called"),
        ("sin + 1", "'sin' is a function; call it, or rename the quantity"),
        ("x < y", "it is a condition, not a number"),
        ("x + (x < y)", "argument 2 of add must be a number, got 'x < y'"),
        ("if_else(x, 1, 2)", "argument 1 of if_else must be a condition such as a < b, got 'x'"),
        ("1 if x <= y else 2", "only the comparisons < and > are allowed"),
        ("1 if x < y or y < x else 2", "BoolOp is not allowed"),
        ("not x", "UnaryOp is not allowed"),
        ("(" * 300 + "x" + ")" * 300, "it does not parse"),
        ("x\x00", "it does not parse"),
        ("-" * 5000 + "x", "it (does not parse|is nested too deeply)"),
    ],
)  # fmt: skip
def test_bad_text(text, message):
    with pytest.raises(ExpressionError, match=f"(?s){message}"):
        parse(text)


def test_error_points_at_the_place():
    with pytest.raises(ExpressionError) as info:
        parse("1 + α*sinn(x)")
    lines = str(info.value).splitlines()
    assert "at position 6:" in lines[0]
    assert lines[1][lines[2].index("^") :].startswith("sinn")


def test_unknown_function_of_a_call():
    with pytest.raises(ExpressionError, match=r"unknown function 'coz': did you mean 'cos'\?"):
        apply("coz", 1.0)


def test_a_function_cannot_name_a_quantity():
    for name in CALLABLE:
        with pytest.raises(ExpressionError, match="cannot be the name of a quantity"):
            Name(name)


# --- quantities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2.0), np.int64(2), np.array(2.0), "2", "4/2", parse("2")])
def test_numbers_in_every_form_become_floats(value):
    result = as_quantity(value)
    assert type(result) is float
    assert result == 2.0


def test_expression_with_names_is_kept():
    assert as_quantity("2*m") == parse("2*m")


@pytest.mark.parametrize("value", [True, None, [1.0], 1j, object(), np.bool_(True)])
def test_not_a_quantity(value):
    with pytest.raises(QuantityError, match=r"mass is .*; give a number, an expression or its text"):
        as_quantity(value, "mass")


def test_a_condition_is_not_a_quantity():
    with pytest.raises(QuantityError, match="mass is the condition 'x < 1'"):
        as_quantity(Name("x") < 1, "mass")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "log(0)", "sqrt(-1)", "1/0", "10.0**400"])
@pytest.mark.filterwarnings("error")
def test_not_finite(value):
    with pytest.raises(NotFiniteError, match=r"mass.*(is (nan|inf|-inf)|has no finite value).*give a finite number"):
        as_quantity(value, "mass")


@pytest.mark.parametrize("value", [(1, 2), (1, 2, 3, 4), 1.0, "abc", None, np.zeros((3, 3, 3))])
def test_not_a_vector(value):
    with pytest.raises(QuantityError, match=r"(?s)at.* give"):
        as_vector(value, "at")


def test_evaluate_makes_scalars_vectors_and_matrices():
    values = {"a": 2.0}
    a = parse("a")
    assert evaluate(3.0, values) == 3.0
    assert evaluate(a, values) == 2.0
    np.testing.assert_array_equal(evaluate((1.0, a), values), [1.0, 2.0])
    np.testing.assert_array_equal(evaluate(((1.0, a), (a, 0.0)), values), [[1.0, 2.0], [2.0, 0.0]])
    assert evaluate((1.0, 2.0), values).dtype == float
    symbol = casadi.SX.sym("a")
    assert evaluate((1.0, a, 0.0), {"a": symbol}).shape == (3, 1)
    assert isinstance(evaluate((1.0, 2.0, 0.0), {"a": symbol}), np.ndarray)


def test_repr_reads_as_the_call_that_makes_it():
    assert repr(parse("2*x")) == "parse('2*x')"
    assert parse("+x") == parse("x")


def test_a_number_node_holds_neither_sign_nor_infinity():
    for value in (-1.0, math.inf, math.nan):
        with pytest.raises(NotFiniteError, match="a Number must be finite and not negative"):
            Number(value)
    with pytest.raises(NotFiniteError, match="nan cannot enter an expression; give a finite number"):
        as_expression(math.nan)
