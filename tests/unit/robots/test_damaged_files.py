"""Files that are damaged in any way are read or refused with a clean error: never another exception, never a crash.

MuJoCo's compiler is C++ that a bad file could bring down with the interpreter, so that the many are read in another process.
"""

import random
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from locomotor.errors import LocomotorError
from locomotor.robots import import_robot

URDF = b"""<?xml version="1.0"?><robot name="r"><material name="m"><color rgba="1 0 0 1"/></material><link name="base"/>
<link name="a"><inertial><origin xyz="0 0 1" rpy="0 0 0.1"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><box size="1 2 3"/></geometry>
<material name="m"/></visual><collision><geometry><cylinder radius="1" length="2"/></geometry></collision></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual><geometry>
<mesh filename="package://x/y.stl" scale="1 1 1"/></geometry></visual></link><joint name="j" type="revolute">
<origin xyz="1 0 0"/><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.1" friction="0.1"/></joint>
<joint name="k" type="planar"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint></robot>"""

SDF = b"""<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose><frame name="f" attached_to="a"><pose>1 0 0 0 0 0</pose>
</frame><link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link><link name="b">
<pose relative_to="f">0 0 1 0 0 0</pose></link><link name="c"><inertial><mass>1</mass></inertial></link>
<joint name="j" type="universal"><parent>a</parent><child>b</child><axis><xyz expressed_in="a">0 0 1</xyz></axis>
<axis2><xyz>1 0 0</xyz></axis2></joint><joint name="k" type="revolute"><parent>b</parent><child>c</child><axis>
<xyz>0 1 0</xyz><limit><lower>-1</lower><upper>inf</upper></limit></axis></joint><joint name="l" type="ball">
<parent>a</parent><child>c</child></joint></model></sdf>"""

MJCF = b"""<mujoco model="m"><compiler angle="radian"/><default><joint damping="0.1"/></default><worldbody>
<geom type="plane" size="1 1 1"/><site name="o"/><body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/>
<body name="b" pos="0 0 0.2"><joint name="j" axis="0 1 0" range="-1 1"/>
<joint name="k" type="slide" axis="1 0 0" armature="0.1"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/>
<body name="c"><site name="p"/><joint name="s" type="ball"/><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/></body>
</body></body></worldbody><actuator><position joint="j" kp="3"/><motor joint="k" gear="2"/></actuator><equality>
<joint joint1="j" joint2="k"/><connect body1="a" body2="c" anchor="0 0 0"/><tendon tendon1="f" polycoef=".1 0 0 0 0"/>
<tendon tendon1="r"/></equality><tendon><fixed name="f"><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
<spatial name="r"><site site="o"/><site site="p"/></spatial></tendon><keyframe>
<key qpos="0 0 1 1 0 0 0 0 0 1 0 0 0"/></keyframe></mujoco>"""

KINDS = {".urdf": URDF, ".sdf": SDF, ".xml": MJCF}
NUMBER = re.compile(rb"-?[0-9.]+")
WORDS = rb"nan inf -1 0 2 0.5 1e308 -1e-300 world a j \xff < &#0; &lol; 1;2 99999999999999999999".replace(
    b"\\xff", b"\xff"
).split()


def damaged(rng: random.Random, text: bytes) -> bytes:
    """One to four changes: bytes, pieces cut out, doubled or swapped, numbers, values of attributes, tags."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        i = rng.randrange(len(text) + 1)
        j = i + rng.choice((1, 5, 40, 400))
        elements, values = text.split(b"<"), text.split(b'"')
        numbers = list(NUMBER.finditer(text))
        kind = rng.randrange(8)
        if kind == 0:
            text = text[:i] + bytes([rng.randrange(256)]) + text[i + 1 :]
        elif kind == 1:
            text = text[:i] + text[j:]
        elif kind == 2:
            text = text[:j] + text[i:j] + text[j:]
        elif kind == 3 and len(values) > 2:
            values[2 * rng.randrange(len(values) // 2) + 1] = rng.choice(WORDS)
            text = b'"'.join(values)
        elif kind == 4:
            one, other = rng.randrange(len(elements)), rng.randrange(len(elements))
            elements[one], elements[other] = elements[other], elements[one]
            text = b"<".join(elements)
        elif kind == 5:
            one = rng.randrange(len(elements))
            text = b"<".join(elements[:one] + rng.choice(([], [elements[one]] * 2)) + elements[one + 1 :])
        elif numbers:
            found = rng.choice(numbers)
            text = text[: found.start()] + rng.choice(WORDS) + text[found.end() :]
        text = text or b" "
    return text


def files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    rng = random.Random(seed)
    for k in range(count):
        suffix = tuple(KINDS)[k % 3]
        yield suffix, damaged(rng, KINDS[suffix])


def read_all(folder: Path, count: int, seed: int, kinds: tuple[str, ...]) -> tuple[int, int]:
    """How many were read and how many refused; anything but a clean refusal is raised, with the file left where it is."""
    read = refused = 0
    for suffix, text in files(count, seed):
        if suffix not in kinds:
            continue
        path = folder / f"damaged{suffix}"
        path.write_bytes(text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import_robot(path, contacts=True, limits="stops")
            read += 1
        except LocomotorError as error:
            assert str(error)
            refused += 1
    return read, refused


def test_damaged_urdf_and_sdf_are_read_or_refused(tmp_path: Path) -> None:
    read, refused = read_all(tmp_path, 300, 1, (".urdf", ".sdf"))
    assert read > 20 and refused > 60, "the damage is neither nothing nor everything"


COMMAND = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
from test_damaged_files import read_all
print(*read_all(Path({folder!r}), {count}, {seed}, {kinds!r}))
"""


def in_another_process(folder: Path, count: int, seed: int, kinds: tuple[str, ...]) -> tuple[int, int]:
    paths = [str(Path(__file__).parent)]
    script = COMMAND.format(paths=paths, folder=str(folder), count=count, seed=seed, kinds=kinds)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    read, refused = map(int, done.stdout.split()[-2:])
    return read, refused


def test_damaged_mjcf_is_read_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    read, refused = in_another_process(tmp_path, 300, 2, (".xml",))
    assert read > 5 and refused > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 14))
def test_ten_thousand_damaged_files_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("mujoco")
    read, refused = in_another_process(tmp_path, 2500, seed, tuple(KINDS))
    assert read + refused == 2500 and read > 100
