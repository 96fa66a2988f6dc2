"""Systems small enough to be known in closed form."""

from locomotor.model import (
    Body,
    Frame,
    Free,
    Gravity,
    Input,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    RollingDisc,
    Skate,
    System,
    Torque,
)

LEFT = (0.0, 1.0, 0.0)


def pendulum(friction: float = 0.0) -> System:
    """A point-like mass m on a massless rod l about a level axis: l a_ddot = -g sin a - friction a_dot / (m l) + u / (m l)."""
    return System(
        "pendulum",
        [Body("bob", mass="m", com=(0.0, 0.0, "-l"), inertia=(1e-9, 1e-9, 1e-9))],
        [Revolute(name="swing", parent="world", child="bob", axis=LEFT, drive=Torque("push - friction*swing_rate"))],
        forces=[Gravity((0.0, 0.0, "-g"))],
        parameters={"m": 2.0, "l": 1.5, "g": 9.81, "friction": friction},
        inputs=[Input("push", "N m")],
    )


def cart() -> System:
    """A mass on a rail with a force: x_ddot = u / m."""
    return System(
        "cart",
        [Body("cart", mass="m", inertia=(1.0, 1.0, 1.0))],
        [Prismatic(name="rail", parent="world", child="cart", axis=(1.0, 0.0, 0.0), drive=Torque("pull"))],
        parameters={"m": 2.0},
        inputs=[Input("pull", "N")],
    )


def spinning_body() -> System:
    """A free body with three different moments of inertia, thrown without gravity: Euler's top."""
    return System("top", [Body("top", mass=2.0, inertia=(0.3, 0.5, 0.7))], [Free(name="base", parent="world", child="top")])


def rolling_disc(independent: tuple[str, ...] | None = None, base: str = "free") -> System:
    """A thin hoop that rolls on the plane."""
    hoop = Body("hoop", mass=1.5, inertia=(0.03, 0.06, 0.03))
    contact = RollingDisc("rim", body="hoop", centre=(0, 0, 0), axis=LEFT, radius=0.3)
    joints: list[Joint] = [Free(name="base", parent="world", child="hoop")]
    return System("hoop", [hoop], joints, [contact], [Gravity()], independent=independent, nominal={"z": 0.3})


def sleigh(independent: tuple[str, ...] | None = None) -> System:
    """Chaplygin's sleigh: a body on a knife edge behind its centre of mass."""
    body = Body("body", mass=1.2, com=(0.4, 0.0, 0.0), inertia=(0.1, 0.1, 0.2))
    blade = Skate("blade", body="body", at=(0.0, 0.0, 0.0), heading=(1.0, 0.0, 0.0))
    return System("sleigh", [body], [Planar(name="base", parent="world", child="body")], [blade], independent=independent)


def unicycle_wheel() -> System:
    """The hoop with lean and spin as joints: straight rolling is a steady motion of it."""
    return System(
        "wheel",
        [Frame("track"), Frame("lean"), Body("hoop", mass="m", inertia=("A", "C", "A"))],
        [
            Planar(name="base", parent="world", child="track"),
            Revolute(name="roll", parent="track", child="lean", axis=(1.0, 0.0, 0.0)),
            Revolute(name="spin", parent="lean", child="hoop", at=(0.0, 0.0, "r"), axis=LEFT),
        ],
        [RollingDisc("rim", body="hoop", centre=(0, 0, 0), axis=LEFT, radius="r")],
        [Gravity()],
        parameters={"m": 1.5, "r": 0.3, "A": 0.03, "C": 0.06},
    )
