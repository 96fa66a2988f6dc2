"""The contract: who may import whom, which libraries are known where, how long a file may be.

A new edge between layers needs a line here, hence a visible diff.
"""

# What each layer may import of ours; a layer always sees itself.
ALLOWED: dict[str, frozenset[str]] = {
    layer: frozenset(names.split())
    for layer, names in {
        "dataclass": "",
        "errors": "",
        "typing": "",
        "lie": "dataclass errors typing",
        "checks": "dataclass errors typing",
        "names": "errors checks",
        "complementarity": "dataclass errors typing checks",
        "seal": "errors",
        "files": "errors",
        "model": "dataclass errors typing lie checks names seal files",
        "robots": "dataclass errors typing lie checks names seal files model",
        "figures": "dataclass model",
        "geometry": "dataclass errors typing lie names model",
        "mechanics": "dataclass errors typing lie names model",
        "tracing": "dataclass errors typing lie checks names model geometry mechanics",
        "symbolic": "dataclass errors typing checks names files model mechanics tracing",
        "codegen": "dataclass errors typing lie checks complementarity tracing",
        "simulation": "dataclass errors typing lie checks complementarity names seal files model geometry mechanics tracing"
        " codegen",
        "exports": "dataclass errors typing lie checks names files model tracing codegen simulation",
        "analysis": "dataclass errors typing lie checks complementarity names model mechanics tracing codegen simulation",
        "viewing": "dataclass errors typing lie checks names files model figures geometry mechanics tracing symbolic"
        " codegen simulation exports analysis",
        "sweeps": "dataclass errors typing checks names seal files model mechanics codegen simulation analysis",
        "catalogue": "dataclass errors checks names model",
        "scenarios": "dataclass errors typing lie complementarity names files model figures mechanics tracing codegen"
        " simulation analysis catalogue",
        "learning": "dataclass errors typing lie checks names model mechanics tracing codegen simulation catalogue",
        # The public surface. Not viewing: a run opens that door when asked to (LAZY_DOORS).
        "__init__": "errors lie complementarity model robots mechanics tracing symbolic codegen simulation exports analysis"
        " catalogue scenarios sweeps learning",
        "commands": "dataclass errors typing names files model robots mechanics tracing symbolic codegen simulation exports"
        " analysis viewing catalogue scenarios sweeps",
        "cli": "errors",
        "__main__": "cli",
    }.items()
}

# Scenarios that compute something by analysis.
COMPUTING = "bicycle/held_turn bicycle/linear bicycle/loops bicycle/nonlinear flight/eva flight/hover flight/stability"
COMPUTING += " intermittent/striking locomotion/wheels rocr/cycles soft/beams soft/fork soft/places"

# Edges that exist only inside a function, so that nothing is loaded until it is called: file -> layers.
LAZY_DOORS: dict[str, frozenset[str]] = {
    "analysis/connections/gait_geometry.py": frozenset({"viewing"}),  # GaitGeometry.plot
    "analysis/connections/connection.py": frozenset({"viewing"}),  # Connection in a notebook
    "analysis/stability/steady.py": frozenset({"viewing"}),  # SteadyMotion in a notebook
    "simulation/records/audit.py": frozenset({"viewing"}),  # Audit in a notebook
    "analysis/stability/curves.py": frozenset({"viewing"}),  # EigenvalueCurves.plot
    "analysis/stability/linearise.py": frozenset({"viewing"}),  # Linearisation in a notebook
    "analysis/cycles/cycle.py": frozenset({"viewing"}),  # Cycle.plot
    "analysis/cycles/continuation.py": frozenset({"viewing"}),  # Family.plot
    "model/system.py": frozenset({"viewing"}),  # System in a notebook
    "model/parameters.py": frozenset({"viewing"}),  # ParameterSet in a notebook
    "symbolic/_equations.py": frozenset({"viewing"}),  # the picture in a document
    "simulation/records/run.py": frozenset({"robots", "viewing"}),  # load, save; Run.plot, Run.view, Run.to_html
    **dict.fromkeys(
        ("commands/verdicts.py", "commands/run.py", "commands/compute.py"), frozenset({"viewing"})
    ),  # numbers first
    "sweeps/shown.py": frozenset({"viewing"}),  # a sweep in a notebook
    "commands/terminal.py": frozenset({"codegen"}),  # a list or a help text is told without it
    "commands/listing.py": frozenset({"names"}),  # numbers come with it
    "commands/lookup.py": frozenset({"robots"}),  # names of runs and systems are found without it
    **dict.fromkeys(
        (f"scenarios/{name}.py" for name in COMPUTING.split()), frozenset({"analysis"})
    ),  # computations: a run is told without them
    "exports/targets/page.py": frozenset({"viewing"}),  # the living page
    "commands/index.py": frozenset({"analysis", "catalogue", "scenarios"}),  # a list that is kept needs none of them
    "cli/parser.py": frozenset({"commands"}),  # `locomotor --help` answers at once
}

# Libraries that may be imported inside a function: optional (sympy) or slow to load.
LAZY_NAMES = """
    casadi control cupy gymnasium h5netcdf h5py imageio_ffmpeg IPython jax latex2mathml matplotlib mujoco pandas PIL ray
    rich scipy sympy torch trimesh xarray yaml
"""
LAZY_LIBRARIES = frozenset(LAZY_NAMES.split())

# Libraries only some places may know: library -> path prefixes.
FENCES: dict[str, tuple[str, ...]] = {
    "casadi": ("lie/ops.py", "tracing/"),  # one array shim, one maker of tapes
    "cupy": ("codegen/cuda/",),
    "matplotlib": ("viewing/",),
    "subprocess": ("codegen/",),  # compilers are run by codegen only
    "ctypes": ("codegen/",),
    "mujoco": ("robots/",),  # an extra: its own format
    "trimesh": ("model/shapes/",),  # an extra: files of meshes
    "typer": ("cli/",),
    "pickle": (),
    "marshal": (),
    "shelve": (),
}

# Files that open single rooms past a door, so that nothing else is loaded: each subcommand is one file.
BESIDE_THE_DOORS = frozenset({"cli/parser.py"})

# Modules that may import by computed name: the lazy public names.
DYNAMIC_IMPORT = frozenset({"__init__.py"})

# The layers under the catalogue know bodies, joints and contacts, never a particular system.
BELOW_CATALOGUE = frozenset(ALLOWED) - {"catalogue", "scenarios", "learning", "commands", "cli", "__init__", "__main__"}
SYSTEM_WORDS = frozenset({"bicycle", "whipple", "meijaard", "mauny", "snakeboard", "tricycle", "unicycle", "biped"})
# Names of catalogue modules that are words of mechanics too.
WORDS_OF_MECHANICS = frozenset({"__init__", "disc", "registry", "rolling_disc", "parameters", "wheel"})

MAX_LINES = 600
IMPORT_SECONDS = 0.5
