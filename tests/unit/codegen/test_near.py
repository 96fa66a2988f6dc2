"""Values that wait near by: the text computes what it did, with fewer of them in registers."""

import re

import numpy as np
import pytest

from locomotor.codegen.cuda.near import keep_near


def straight(count: int, seed: int) -> str:
    """Straight code whose lines use values from anywhere before."""
    rng = np.random.default_rng(seed)
    lines = [f"    const real v{k} = {0.1 * k + 0.3};" for k in range(8)]
    lines.append("    real v8, v9; lm_sincos(v1, &v8, &v9);")
    for k in range(10, count):
        i, j = rng.integers(0, k, 2)
        lines.append(f"    const real v{k} = 0.5 * v{i} - 0.25 * v{j};")
        if k % 7 == 0:
            lines.append(f"    out_0[{k}] = v{k}; /* number_{k} */")
    return "\n".join(lines) + "\n"


def value_of(words: str, names: dict[str, float]) -> float:
    """A number, a name, or half of one without a quarter of another."""
    two = re.match(r"0.5 \* (\w+) - 0.25 \* (\w+)$", words)
    if two:
        return 0.5 * names[two[1]] - 0.25 * names[two[2]]
    return names[words] if words.startswith("v") else float(words)


def run(text: str) -> tuple[dict[int, float], int]:
    """What a text puts out, and the values that it has alive at most, after which no line asks for them."""
    out: dict[int, float] = {}
    waiting: dict[int, float] = {}
    names: dict[str, float] = {}
    lines = text.splitlines()
    alive = 0
    for place, line in enumerate(lines):
        words = line.split("/*")[0].strip().rstrip(";")
        pair = re.match(r"real (\w+), (\w+); lm_sincos\((\w+)", words)
        if pair:
            names[pair[1]], names[pair[2]] = float(np.sin(names[pair[3]])), float(np.cos(names[pair[3]]))
        else:
            target, _, value = words.replace("const real ", "").partition(" = ")
            slot = re.match(r"lm_wait\((\d+)\)$", value)
            found = waiting[int(slot[1])] if slot else value_of(value, names)
            if target.startswith("out_0"):
                out[int(target[6:-1])] = found
            elif target.startswith("lm_wait"):
                waiting[int(target[8:-1])] = found
            else:
                assert target not in names, "each name is given once"
                names[target] = found
        rest = set(re.findall(r"\bv\w+", "\n".join(lines[place + 1 :])))
        alive = max(alive, len(rest & set(names)))
    return out, alive


@pytest.mark.parametrize("seed", range(4))
def test_values_wait_and_come_back(seed: int) -> None:
    text = straight(120, seed)
    wanted, before = run(text)
    near = keep_near(text, 12, 1000)
    found, after = run(near.text)
    assert found == wanted
    assert before > 20 and after <= 12 + 3, (before, after)  # beside them what a line asks for, and what it makes
    assert near.slots == len(set(re.findall(r"lm_wait\((\d+)\) =", near.text))) > 0


def test_no_more_slots_are_used_than_there_are() -> None:
    text = straight(120, 1)
    near = keep_near(text, 12, 5)
    assert near.slots == 5
    assert run(near.text)[0] == run(text)[0]


def test_what_fits_stays_as_it_is() -> None:
    text = straight(120, 2)
    near = keep_near(text, 500, 100)
    assert (near.text, near.slots) == (text, 0)
