"""`locomotor info SYSTEM --out PAGE`: what a system is made of, with its picture, as one page."""

from pathlib import Path

from locomotor.commands.lookup import find_system
from locomotor.commands.terminal import notices
from locomotor.files import write_text
from locomotor.viewing.report import page, system_card


def write_info_page(name: str, target: Path) -> None:
    """Write the page; it appears under its name only when it is complete."""
    system = find_system(name)
    write_text(target, page(system.name, [system_card(system)]))
    notices().print(f"written: {target}")
