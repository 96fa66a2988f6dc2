"""The commands with their arguments and help, each a few lines that hand on to its file in `commands/`."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

EXIT_CODES = """Exit codes: 0 all is well, a fall that the system declares as an end included; 1 a run could not go on, a
number is not reproduced, or no cycle is found; 2 wrong usage, name or value; 3 a file cannot be read or written; 70 a mistake
in locomotor itself (please report it); 130 interrupted."""
"""For the help; `ending` gives them."""

TARGETS = "c, c-jacobians, cpp, cuda, rust, python, jax, pytorch, javascript, matlab, julia, modelica, fmu or page"
"""Names of the targets of an export: written here too, so that the help does not wait for them to be loaded."""


class StoppedError(Exception):
    """Ctrl-C: an error of its own, for the parser keeps Python's to itself and ends without a word."""


class Commands(TyperGroup):
    """The commands; a name that is none of them is told with the list."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise StoppedError from None

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name; an unknown one suggests the nearest."""
        found = super().get_command(ctx, cmd_name)
        if found is None and not ctx.resilient_parsing:
            ctx.fail(f"No such command {cmd_name!r}; there are: {', '.join(self.list_commands(ctx))}.")
        return found


app = typer.Typer(
    name="locomotor",
    cls=Commands,
    help="Dynamics of things that move themselves: run, check, draw and reproduce.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for scripts.")]


def _scenario_names(incomplete: str) -> list[str]:
    from locomotor.commands.complete import scenario_names

    return scenario_names(incomplete)


def _system_names(incomplete: str) -> list[str]:
    from locomotor.commands.complete import system_names

    return system_names(incomplete)


System = Annotated[
    str,
    typer.Argument(
        help="A system of `locomotor list`, a scenario, or your own as file.py:function.", autocompletion=_system_names
    ),
]


@app.callback(epilog=EXIT_CODES)
def _common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    # `main` takes --debug out of the arguments wherever it stands, and --version before anything runs.
    del debug, version


@app.command("list")
def list_(
    word: Annotated[str, typer.Argument(help="Only what has this in its name, title or citation, such as bicycle.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Published computations too, in which nothing moves.")] = False,
    as_json: Json = False,
) -> None:
    """Systems and scenarios, one line each."""
    from locomotor.commands.listing import list_everything

    raise typer.Exit(list_everything(word, everything, as_json))


@app.command()
def info(
    system: System,
    out: Annotated[Path | None, typer.Option(help="A page to write, with a picture of the system.")] = None,
    as_json: Json = False,
) -> None:
    """Bodies, joints, contacts, freedoms, parameters with units and sources, gaits, operation counts."""
    from locomotor.commands.info import info

    if out is not None:
        # Loaded only where a picture is asked for: a plotting library takes a second.
        from locomotor.commands.info_page import write_info_page

        write_info_page(system, out)
    raise typer.Exit(info(system, as_json))


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="A scenario of `locomotor list`.", autocompletion=_scenario_names)],
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a start value, a parameter, an input or a setting: --set speed=5, --set w=1.1, "
            "--set steer_torque='0.3*sin(t)', --set stepper=dop853. May be repeated.",
        ),
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Seconds of motion.")] = None,
    step: Annotated[float | None, typer.Option(help="Seconds a step.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the report (default: out/SCENARIO).")] = None,
    halve: Annotated[bool, typer.Option(help="Run again at half the step to measure the error.")] = True,
    write: Annotated[bool, typer.Option(help="Write run.nc and report.html.")] = True,
    figures: Annotated[bool, typer.Option("--figures", help="Draw the figures too, those of the source among them.")] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario: its audit, its numbers against the source, and a folder with report and run file.

    A computation has no run: its numbers and figures. Figures are drawn where they are asked for, some 0.2 s each.
    """
    from locomotor.commands.run import Asked, run_scenario

    raise typer.Exit(run_scenario(scenario, Asked(changes or [], duration, step, out, as_json, halve, write, figures)))


@app.command()
def equations(
    system: Annotated[
        str,
        typer.Argument(
            help="A system of `locomotor list`, a scenario, your own as file.py:function, or a robot: the folder of the files "
            "of RobotDyn, or a .toml file.",
            autocompletion=_system_names,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="A document to write: .tex, .md or .html; of a robot also .toml, .maple, or a folder for Fortran."),
    ] = None,
    numeric: Annotated[bool, typer.Option("--numeric", help="Parameters as numbers instead of symbols.")] = False,
    closed: Annotated[list[str] | None, typer.Option(help="A contact that opens and closes, closed. May be repeated.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=EXPRESSION", help="Put in: front_steer=-steer, slope=0. May be repeated."),
    ] = None,
    christoffel: Annotated[bool, typer.Option("--christoffel", help="Christoffel's form C(q, v) too.")] = False,
    certified: Annotated[bool, typer.Option("--certify", help="Compare with a second derivation at 1,000 states.")] = False,
    about: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=EXPRESSION", help="Linearise about a motion: rear_wheel_rate=v/rR; 'rest' for none. Repeat."
        ),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter or a motion. May be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The equations of motion, short enough to read: printed as Markdown, or a document."""
    from locomotor.commands.equations import write_equations

    raise typer.Exit(
        write_equations(
            system,
            out=out,
            numeric=numeric,
            closed=closed or (),
            where=where or (),
            christoffel=christoffel,
            certified=certified,
            about=about,
            changes=changes or (),
            as_json=as_json,
        )
    )


@app.command()
def stability(
    system: System,
    against: Annotated[str, typer.Option(help="What to vary: name=low:high or name=low:high:count.")] = "speed=0:10",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter, or a value of the steady motion. May be repeated."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for eigenvalues.png and eigenvalues.csv.")] = None,
    as_json: Json = False,
) -> None:
    """Eigenvalues of the steady motions along one value, modes followed, and the stable bands."""
    from locomotor.commands.stability import stability

    raise typer.Exit(stability(system, against, out, as_json, changes or []))


@app.command()
def cycle(
    system: System,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a parameter, a starting value of the search, an input or a motion: --set slope=0.05, --set yaw=3, "
            "--set motions.steer='0.2*sin(t)'. May be repeated.",
        ),
    ] = None,
    gait: Annotated[str | None, typer.Option(help="A gait of the system (`locomotor info SYSTEM` lists them).")] = None,
    section: Annotated[
        str | None,
        typer.Option(help="Where a period ends: 'foot impact', 'impact', 'foot lift-off', 'z_rate falling'."),
    ] = None,
    period: Annotated[float | None, typer.Option(help="Seconds a period (default: that of the drives).")] = None,
    periods: Annotated[int | None, typer.Option(min=1, help="Passages of the section after which it repeats.")] = None,
    symmetry: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=EXPRESSION", help="What a value at the end counts as: yaw='pi - yaw'. May be repeated."),
    ] = None,
    closed: Annotated[list[str] | None, typer.Option(help="A contact that is closed on the section. May be repeated.")] = None,
    multiple: Annotated[int | None, typer.Option(min=1, help="Segments of multiple shooting.")] = None,
    settle: Annotated[int | None, typer.Option(min=0, help="Passages to follow before the search.")] = None,
    step: Annotated[float | None, typer.Option(help="Seconds a step.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="Largest residual, relative to 1 + |value| (default: 1e-10).")] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=LOW:HIGH[:COUNT]", help="Search from a grid of starts, tell every cycle. May be repeated."),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="PARAMETER=LOW:HIGH[:COUNT]",
            help="Follow the cycle along a parameter, around folds; with --grid, search anew at every value.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the run of one period, its page, figures and tables.")] = None,
    as_json: Json = False,
) -> None:
    """Find a motion that repeats: period, how far it comes, Floquet multipliers, whether it is stable."""
    from locomotor.commands.cycle import Search, cycle

    options = (multiple, settle, step, tolerance)
    search = Search(section, period, periods, tuple(closed or ()), tuple(symmetry or ()), *options)
    raise typer.Exit(cycle(system, changes or [], gait, search, grid or [], sweep, out, as_json))


@app.command()
def sweep(
    system: System,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=LOW:HIGH:COUNT",
            help="What varies; or name=value,value,..., or name=low:high with --samples. May be repeated.",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=KIND:EXPRESSION",
            help="stability (the default), or reductions over a simulation, such as lean=maximum:abs(roll); kinds: maximum, "
            "minimum, final, mean, integral, first_time. May be repeated.",
        ),
    ] = None,
    start: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A value that does not vary. May be repeated.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Seconds of motion, for measures of a simulation.")] = None,
    dt: Annotated[float | None, typer.Option(help="Seconds a step.")] = None,
    samples: Annotated[str | None, typer.Option(help="Draw points instead of a grid: sobol:count or random:count.")] = None,
    seed: Annotated[int, typer.Option(help="Of the samples.")] = 0,
    executor: Annotated[str, typer.Option(help="local, threads, processes or ray.")] = "local",
    workers: Annotated[int | None, typer.Option(help="How many (default: one for each processor).")] = None,
    out: Annotated[Path, typer.Option(help="The netCDF file; the same command goes on after an interruption.")] = Path(
        "sweep.nc"
    ),
    as_json: Json = False,
) -> None:
    """Stability, or reductions over simulations, at very many points; survives whatever is killed meanwhile."""
    from locomotor.commands.sweep import run_sweep

    asked = (over, measure or [], start or [], duration, dt, samples, seed, executor, workers, out, as_json)
    raise typer.Exit(run_sweep(system, *asked))


@app.command()
def view(
    file: Annotated[str, typer.Argument(help="A run.nc, a page, or a system for a live page.", autocompletion=_system_names)],
    out: Annotated[Path | None, typer.Option(help="The page to write (default: beside the run file).")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Start, parameter or input of a live page. May be repeated."),
    ] = None,
    gait: Annotated[str, typer.Option(help="The gait of a live page that is shown first.")] = "",
    scenario: Annotated[str, typer.Option(help="The scenario of a live page that is shown first.")] = "",
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Show a run as one page that works offline, or a system as a live page on this machine."""
    from locomotor.commands.view import view

    raise typer.Exit(view(file, out, browser, changes or [], gait, scenario))


@app.command()
def export(
    system: System,
    to: Annotated[str, typer.Option(help=f"The language or format: {TARGETS}.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The folder to write (default: out/SYSTEM_TARGET).")] = None,
    closed: Annotated[
        list[str] | None,
        typer.Option(metavar="CONTACT", help="A contact that is closed, where some can open and close. May be repeated."),
    ] = None,
    airborne: Annotated[bool, typer.Option("--open", help="All contacts that can open are open.")] = False,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A start value, a parameter or a motion. May be repeated."),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", metavar="CHANNEL", help="A channel that is written (default: all). May be repeated."),
    ] = None,
    jacobians: Annotated[bool, typer.Option("--jacobians", help="Derivatives of the rate too.")] = False,
    cases: Annotated[int, typer.Option(min=1, help="Random states of the self-check.")] = 20,
    as_json: Json = False,
) -> None:
    """The equations of motion in another language, with a program that checks them there."""
    from locomotor.commands.export import export_system

    given = closed or [], airborne, changes or [], outputs or []
    raise typer.Exit(export_system(system, to, out, *given, jacobians, cases, as_json))


@app.command()
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            help="all, a scenario, the start of names (bicycle), or a word of a citation (an author).",
            autocompletion=_scenario_names,
        ),
    ] = "all",
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("out/reproduce.html"),
    figures: Annotated[bool, typer.Option(help="Draw the figures.")] = True,
    as_json: Json = False,
) -> None:
    """Every published number and figure of the registry beside ours, on one page."""
    from locomotor.commands.reproduce import reproduce

    raise typer.Exit(reproduce(paper, out, as_json, figures))


@app.command()
def bench(
    systems: Annotated[
        list[str] | None, typer.Argument(help="Systems (default: the catalogue).", autocompletion=_system_names)
    ] = None,
    batch: Annotated[int, typer.Option(min=1, help="Instances in a batch.")] = 256,
    as_json: Json = False,
) -> None:
    """How fast this machine derives, compiles and runs."""
    from locomotor.commands.bench import bench

    raise typer.Exit(bench(systems or [], batch, as_json))


@app.command()
def doctor(as_json: Json = False) -> None:
    """What this machine has, what is missing, and how to get it."""
    from locomotor.commands.doctor import doctor

    raise typer.Exit(doctor(as_json))


@app.command()
def demo(out: Annotated[Path, typer.Option(help="Folder for the plot and the run file.")] = Path("out")) -> None:
    """The bicycle that stabilises itself: a table, a plot and the run file."""
    from locomotor.commands.demo import demo

    raise typer.Exit(demo(out))
