"""A system survives being written as JSON and read back."""

import json
from pathlib import Path

import pytest

import locomotor as lm
from locomotor.errors import DescriptionTypeError, NonPositiveMassError
from locomotor.model.serialise import from_data, to_data


def zoo() -> lm.System:
    """One of many kinds."""
    return lm.System(
        "zoo",
        bodies=[
            lm.Body("a", mass="m", com=(0, "h/2", 0), inertia=(1, 1, 1)),
            lm.Frame("b"),
            lm.Body("c", 1, inertia=(1, 1, 1)),
        ],
        joints=[
            lm.Free(name="base", parent="world", child="a"),
            lm.Universal(name="u", parent="a", child="b", at=(1, 0, "-h"), axes=((1, 0, 0), (0, 1, 0))),
            lm.Prismatic(name="p", parent="b", child="c", axis=(0, 0, 1), drive=lm.Motion("0.1*sin(2*t)"), latex="p"),
        ],
        contacts=[lm.Skate("blade", body="a", at=(0, 0, 0), heading=(1, 0, 0), ground="slope")],
        forces=[
            lm.Gravity((0, 0, "-g")),
            lm.JointForce("law", joint="p", law="-3*p - u1*p_rate"),
            lm.PointSpring("spring", body_a="world", at_a=(0, 0, 1), body_b="c", at_b=(0, 0, 0), stiffness=2.0),
        ],
        grounds=[lm.Plane("slope", normal=("sin(pi/8)", 0, "cos(pi/8)"))],
        parameters=[
            lm.Parameter("m", 2.0, "kg", "m", "mass", "made up"),
            lm.Parameter("h", 0.1 + 0.2),
            lm.Parameter("g", 9.81),
        ],
        inputs=[lm.Input("u1", "N", "u_1", "a push")],
        nominal={"z": "h"},
        description="many kinds",
    )


@pytest.mark.parametrize("make", [*(ready.make for ready in lm.catalogue.systems()), zoo])
def test_every_system_reads_back_equal(make) -> None:  # type: ignore[no-untyped-def]
    system = make()
    read = from_data(json.loads(json.dumps(to_data(system))))
    assert read == system and hash(read) == hash(system)
    assert [parameter.source for parameter in read.parameters.parameters] == [
        parameter.source for parameter in system.parameters.parameters
    ]


def test_unknown_kinds_are_refused() -> None:
    data = to_data(zoo())
    data["bodies"][0]["kind"] = "Bodi"
    with pytest.raises(DescriptionTypeError, match=r"'Bodi'.*did you mean 'Body'"):
        from_data(data)
    with pytest.raises(DescriptionTypeError, match="no field 'bodys'"):
        from_data({"name": "x", "bodys": []})


def test_what_is_read_is_checked() -> None:
    data = to_data(zoo())
    data["parameters"][0]["value"] = -1.0
    with pytest.raises(NonPositiveMassError):
        from_data(data)


@pytest.mark.slow
def test_a_run_file_knows_what_moved(tmp_path: Path) -> None:
    run = lm.simulate(lm.catalogue.bicycle(), duration=0.1, start={"speed": 4.6}, parameters={"c": 0.1})
    read = lm.load(run.save(tmp_path / "run.nc"))
    assert read.system == run.system
    assert read.system is not None and read.system.parameters["c"].value == 0.1
