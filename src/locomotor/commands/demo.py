"""`locomotor demo`: the bicycle that stabilises itself (Mauny, thesis 2.7.3; Meijaard et al. 2007)."""

import time
from pathlib import Path

from rich.table import Table

from locomotor.commands.terminal import output, table, working
from locomotor.files import make_folder
from locomotor.scenarios import Scenario, scenario
from locomotor.simulation import Run

SCENARIO = "bicycle/E3"
CHANNELS = ("speed", "roll_rate", "steer_rate", "steer", "roll", "yaw")
INSTANTS = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0)


def demo(folder: Path) -> int:
    """Run, print the table, write the picture and the run."""
    entry: Scenario = scenario(SCENARIO)
    published = next(number.expected for number in entry.numbers if number.key == "final speed")
    out = output()
    out.print("A riderless bicycle at 4.6 m/s is pushed into a roll of 0.5 rad/s, and rights itself.\n")
    make_folder(folder)
    with working("deriving, compiling, running"):
        began = time.perf_counter()
        run = entry.run()
        first = time.perf_counter() - began
        began = time.perf_counter()
        entry.run()
        again = time.perf_counter() - began
    out.print(motion_table(run))
    audit = run.audit(halve=True)
    out.print(f"\nfinal speed       {run['speed'][-1]:.4f} m/s (published: {published:g} m/s)")
    out.print(f"energy drift      {audit['energy_drift']:.1e} of {audit.energy_scale:.0f} J")
    out.print(f"contact residual  {audit['largest_gap']:.1e} m, {audit['largest_slip']:.1e} m/s")
    out.print(f"digits to trust   {audit.digits}, by halving the step")
    out.print(f"wall time         {first:.2f} s for {run.time[-1]:g} s of motion; {again:.3f} s once compiled")
    stem = entry.name.replace("/", "-")
    picture, file = folder / f"{stem}.png", folder / f"{stem}.nc"
    run.plot("roll_rate", "steer_rate", "roll", "steer", "yaw", "speed", path=picture, title=entry.title)
    run.save(file)
    out.print(f"\nwritten: {picture}\n         {file}")
    out.print(f"\nnext: locomotor list; locomotor run {entry.name}; locomotor stability bicycle --against speed=0:10")
    return 0 if run.status.ok else 1


def motion_table(run: Run) -> Table:
    """The channels of the demonstration at a few instants."""
    heads = [f"{name.replace('_', ' ')} ({run.about[name].unit})" for name in CHANNELS]
    made = table("t (s)", *heads, right=("t (s)", *heads))
    for instant in INSTANTS:
        values = run.at(instant)
        made.add_row(f"{instant:g}", *(f"{values[name] + 0.0:.6f}" for name in CHANNELS))
    return made
