"""`locomotor list [WORD]`: systems and scenarios, one line each."""

from typing import Any

from locomotor.commands.index import index
from locomotor.commands.terminal import output, print_json, table
from locomotor.errors import UnknownNameError


def list_everything(word: str, everything: bool, as_json: bool) -> int:
    """Systems and runs, those with the word in name, title or citation; computations where everything is asked for."""
    known = index()
    ready = [entry for entry in known["systems"] if _has(entry, word)]
    scenarios = [entry for entry in known["scenarios"] if _has(entry, word)]
    if not ready and not scenarios:
        from locomotor.names import suggestion  # loaded only here: numbers come with it

        names = [entry["name"] for part in known.values() for entry in part]
        families = dict.fromkeys(name.partition("/")[0] for name in names)
        raise UnknownNameError(f"nothing has {word!r} in its name or title: {suggestion(word, [*families, *names])}")
    if as_json:
        print_json({"systems": ready, "scenarios": scenarios})
        return 0
    out = output()
    if ready:
        shown = table("system", "what it is")
        for entry in ready:
            told = ", ".join(f"{gait}*" if gait in entry["repeating"] else gait for gait in entry["gaits"])
            shown.add_row(entry["name"], entry["title"] + (f" (gaits: {told})" if told else ""))
        out.print(shown)
        out.print()
    runs = scenarios if everything else [entry for entry in scenarios if entry["kind"] == "run"]
    if runs:
        shown = table("scenario", *(("kind",) if everything else ()), "numbers", "what it shows", right=("numbers",))
        for item in runs:
            kind = (item["kind"],) if everything else ()
            shown.add_row(item["name"], *kind, str(item["numbers"]), item["title"])
        out.print(shown)
    hidden = len(scenarios) - len(runs)
    if hidden:
        again = f"locomotor list {word} --all".replace("  ", " ")
        out.print(f"\n{hidden} published computations, in which nothing moves, are not shown: {again}")
    out.print(
        "\nlocomotor info SYSTEM tells what it is made of, locomotor view SYSTEM shows it moving;\n"
        "locomotor cycle SYSTEM --gait GAIT looks for the cycle of a gait that repeats (*), and how far it comes;\n"
        "locomotor run SCENARIO repeats a run, locomotor reproduce compares every number with its source."
    )
    return 0


def _has(entry: dict[str, Any], word: str) -> bool:
    text = " ".join(str(entry.get(key, "")) for key in ("name", "title", "citation"))
    return word.lower() in text.lower()
