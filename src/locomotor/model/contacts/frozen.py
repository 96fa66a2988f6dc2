"""What equations of one set of closed contacts leave out, in words: they do not open, close, slip or hit."""

from collections.abc import Collection, Mapping

from locomotor.model.contacts.law import ContactLaw


def frozen(laws: Mapping[str, ContactLaw], closed: Collection[str]) -> tuple[str, ...]:
    """Of every contact that can open and close, and of the dry friction of joints: those that are closed first."""
    switching = {name: law for name, law in laws.items() if law.switches}
    told = [line for name, law in switching.items() if name in closed for line in _held(name, law)]
    told += [_let_go(name, law) for name, law in switching.items() if name not in closed]
    return (*told, "impacts are left out") if any(law.pushes or law.grips for law in switching.values()) else tuple(told)


def _held(name: str, law: ContactLaw) -> list[str]:
    if law.rubs:
        return [f"the friction {name} sticks, even beyond its bound: watch its multiplier"]
    if law.grips:
        return [f"contact {name} stays closed, even where its grip would let go"]
    told = [f"contact {name} stays closed, even where it would have to pull: watch its multiplier"]
    if law.slips:
        told.append(f"contact {name} does not slip, even beyond its friction: compare its forces")
    if law.pivots:
        told.append(f"contact {name} does not turn about its normal, even beyond the friction of its patch")
    if law.resists:
        told.append(f"contact {name} does not roll, even beyond its rolling resistance")
    return told


def _let_go(name: str, law: ContactLaw) -> str:
    if law.rubs:
        return f"the friction {name} is left out: its joint moves freely"
    return f"contact {name} is left out: it is open, and nothing happens where its gap closes"
