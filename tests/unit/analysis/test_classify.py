"""`classify`: counts, classes and reasons for every kind of system."""

import numpy as np
import pytest

import locomotor as lm
from locomotor.errors import DescriptionTypeError

# kind, kinematic, n, s_p, s_a, m, m0, mobility
TABLE = {
    "satellite": ("unconstrained", True, 6, 0, 3, 0, 0, 9),
    "falling_cat/4": ("unconstrained", True, 6, 0, 6, 0, 0, 12),
    "elroy_beanie": ("unconstrained", True, 3, 0, 1, 0, 0, 4),
    "swimmer/ideal": ("unconstrained", True, 3, 0, 2, 0, 0, 5),
    "two_wheel_platform": ("fully constrained", True, 3, 0, 2, 3, 3, 2),
    "unicycle": ("fully constrained", True, 3, 2, 2, 5, 5, 2),
    "trident_snake": ("fully constrained", True, 3, 0, 3, 3, 3, 3),
    "wheeled_snake/8": ("over-constrained", True, 3, 0, 7, 8, 3, 2),
    "wheeled_snake/8_with_wheels": ("over-constrained", True, 3, 8, 7, 16, 11, 2),
    "snakeboard": ("under-constrained", False, 3, 1, 2, 3, 3, 3),
    "trikke": ("under-constrained", False, 3, 3, 2, 5, 5, 3),
    "cart_pendulum": ("under-constrained", False, 1, 1, 2, 2, 1, 2),
    "belkhiri_bicycle/printed": ("under-constrained", False, 6, 1, 2, 6, 6, 3),
}


@pytest.mark.parametrize("name", TABLE)
def test_counts_and_class(name: str) -> None:
    """Tables 2.1 and 3.1 of Belkhiri 2013, and the classes of Mauny 2018, section 1.5."""
    found = lm.classify(lm.catalogue.system(name))
    counts = (found.n, found.s_passive, found.s_active, found.m, found.m0, found.mobility)
    assert (found.kind, found.kinematic, *counts) == TABLE[name]
    text = str(found)
    assert found.kind in text and ("kinematic" if found.kinematic else "dynamic") in text
    assert f"m = {found.m}, m0 = {found.m0}" in text
    assert len(found.free) == found.n + found.s_passive - found.m0
    assert all(reason in text for reason in found.reasons)


def test_passive_joints_are_told_apart() -> None:
    unicycle = lm.classify(lm.catalogue.unicycle())
    assert unicycle.passive_kinematic == ("castor", "castor_wheel") and unicycle.passive_dynamic == ()
    cart = lm.classify(lm.catalogue.cart_pendulum())
    assert cart.passive_dynamic == ("pendulum",) and cart.passive_kinematic == ()
    bicycle = lm.classify(lm.catalogue.belkhiri_bicycle())
    assert bicycle.passive_kinematic == ("front_wheel",)
    assert "kinematically passive: front_wheel" in str(bicycle)
    assert "passive with dynamics of their own: pendulum" in str(cart)


def test_internal_forces_and_conditions_are_told() -> None:
    snake = lm.classify(lm.catalogue.wheeled_snake(8))
    assert snake.internal_forces == 5
    text = str(snake)
    assert "5 internal forces move nothing (lambda_stat is not zero), and 5 conditions bind the 7 active joints" in text
    assert "over-constrained because 8 independent constraints bind all 3 velocities that are not active" in text


def test_which_joints_are_active_may_be_said() -> None:
    """The snake steered by its neck alone is dynamic; by two joints kinematic, the rest following."""
    snake = lm.catalogue.wheeled_snake(8)
    neck, two = lm.classify(snake, ["joint_1"]), lm.classify(snake, ["joint_1", "joint_2"])
    assert (neck.kind, neck.kinematic, len(neck.free)) == ("under-constrained", False, 1)
    assert (two.kind, two.kinematic) == ("fully constrained", True)
    assert two.passive_kinematic == tuple(f"joint_{k}" for k in range(3, 8))
    imposed = lm.classify(snake.with_motions(lm.catalogue.gait("wheeled_snake", "crawl")))
    assert imposed.s_active == 7, "inputs and imposed motions both count"


def test_no_active_joint_at_all() -> None:
    beanie = lm.classify(lm.catalogue.elroy_beanie(), [])
    assert (beanie.s_active, beanie.s_passive, beanie.mobility) == (0, 1, 4)


@pytest.mark.parametrize("modules", [4, 8, 20])
def test_constant_curvature_is_found_to_be_singular(modules: int) -> None:
    found = lm.classify(lm.catalogue.wheeled_snake(modules))
    assert found.singular_shapes
    for shape in found.singular_shapes:
        assert len(shape) == modules - 1 and np.ptp(list(shape.values())) < 1e-4
    assert "all equal" in str(found)


def test_singular_shapes_respect_couplings() -> None:
    """The axles of the snakeboard stand across, each on its own side."""
    found = lm.classify(lm.catalogue.snakeboard()).singular_shapes
    assert found
    for shape in found:
        assert abs(shape["steer"]) == pytest.approx(0.5 * np.pi, abs=1e-4)
        assert shape["front_steer"] == pytest.approx(-shape["steer"], abs=1e-4)


def test_systems_without_singular_shapes_have_none() -> None:
    for name in ("two_wheel_platform", "unicycle", "trikke", "satellite"):
        assert lm.classify(lm.catalogue.system(name)).singular_shapes == ()


def test_systems_without_constraints_are_told_by_their_connection() -> None:
    """Table 2.1 of Belkhiri 2013: with a connection they are a kinematic case, and words say by which balance."""
    words = {
        "satellite": ("mechanical", "from rest the momentum stays zero"),
        "falling_cat/2": ("mechanical", "no constraint acts: only gravity acts"),
        "swimmer/ideal": ("hydrodynamic", "from rest the momentum of body and fluid stays zero"),
        "swimmer/stokes": ("stokes", "kinematic because drags dominate, and their balance determines the base"),
    }
    for name, (kind, said) in words.items():
        found = lm.classify(lm.catalogue.system(name))
        assert found.connection == kind and found.kinematic and found.has_kernel
        assert said in str(found)
    sprung = lm.catalogue.elroy_beanie().replace(forces=[lm.BodyForce("wind", "body", (0, 0, 0), (1.0, 0.0, 0.0))])
    blown = lm.classify(sprung)
    assert (blown.connection, blown.kinematic) == ("", False)
    assert "no constraint acts: the forces wind change the momentum of the base" in str(blown)


def test_one_is_told_as_one() -> None:
    text = str(lm.classify(lm.catalogue.cart_pendulum()))
    assert "1 internal force moves nothing (lambda_stat is not zero), and 1 condition binds the 2 active joints" in text
    assert "1 of the 2 unknown velocities stays free" in text
    lines = str(lm.classify(lm.catalogue.snakeboard())).splitlines()
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("wrong", ["x", None, 3])
def test_what_is_no_system(wrong: object) -> None:
    with pytest.raises(DescriptionTypeError, match=r"classify: system is .*; a System is needed"):
        lm.classify(wrong)  # type: ignore[arg-type]
