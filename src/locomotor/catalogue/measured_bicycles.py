"""Bicycles that were measured, with the standard uncertainty of each number, and a rider measured with three of them.

Values as distributed with BicycleParameters (BSD 2-Clause), measured by J. K. Moore, M. Hubbard, J. D. G. Kooijman,
A. L. Schwab and others: J. K. Moore, Human Control of a Bicycle, PhD dissertation, University of California, Davis (2012).
An entry is a value, or a value and its uncertainty; the names are those of Meijaard et al. (2007).
"""

from collections.abc import Mapping

from locomotor.errors import UnknownNameError

Measured = float | tuple[float, float]

SOURCE = "Moore, Human Control of a Bicycle, PhD dissertation, UC Davis (2012), and BicycleParameters"

MEASURED: dict[str, dict[str, Measured]] = dict(
    balanceassistv1=dict(
        w=(1.113, 0.008), c=(0.042, 0.01), lam=(0.255, 0.026), g=9.80665,
        rR=(0.34895, 0.00014), mR=(4.085, 0.01), IRxx=(0.1023, 0.0006), IRyy=(0.1887, 0.0007),
        xB=(0.519, 0.012), zB=(-0.521, 0.015), mB=(22.5, 0.01), IBxx=(1.12, 0.018), IByy=(3.16, 0.08),
        IBzz=(2.119, 0.03), IBxz=(0.047, 0.028),
        xH=(0.921, 0.016), zH=(-0.86, 0.006), mH=(4.3, 0.01), IHxx=(0.2984, 0.0031), IHyy=(0.257, 0.006),
        IHzz=(0.0566, 0.0033), IHxz=(-0.038, 0.007),
        rF=(0.35231, 0.00014), mF=(2.235, 0.01), IFxx=(0.0995, 0.0005), IFyy=(0.1902, 0.0009),
    ),
    browser=dict(
        w=(1.121, 0.002), c=(0.0685808540382, 0.00169464113488), lam=(0.399680398707, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.340958858855, 0.000122426879301), mR=(3.11, 0.02), IRxx=(0.0904114316323, 0.000367953786506),
        IRyy=(0.152391250767, 0.00113908424669),
        xB=(0.275951285677, 0.00309782583552), zB=(-0.537842424305, 0.00265022978777), mB=(9.86, 0.02),
        IBxx=(0.52962890621, 0.00247550148476), IByy=(1.3163960125, 0.00400774617153),
        IBzz=(0.756786895402, 0.00330394515109), IBxz=(-0.116285607878, 0.00114783359707),
        xH=(0.866949640247, 0.003842300035), zH=(-0.748236400835, 0.00263543623177), mH=(3.22, 0.02),
        IHxx=(0.25335539588, 0.00126852786611), IHyy=(0.245827908036, 0.00299166644562),
        IHzz=(0.0955686343473, 0.000737521114809), IHxz=(-0.0720217263293, 0.000790281755242),
        rF=(0.34352982332, 0.000122426879301), mF=(2.02, 0.02), IFxx=(0.0883826870796, 0.00035969731805),
        IFyy=(0.149221207336, 0.00151585483097),
    ),
    browserins=dict(
        w=(1.121, 0.002), c=(0.0681671329298, 0.00169155184938), lam=(0.399680398707, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.340775218536, 0.000122426879301), mR=(3.11, 0.02), IRxx=(0.0904114316323, 0.000367953786506),
        IRyy=(0.152391250767, 0.00113908424669),
        xB=(0.217194662529, 0.00260084278255), zB=(-0.622313629343, 0.00294167899872), mB=(14.71, 0.02),
        IBxx=(1.04508307817, 0.00504180663254), IByy=(2.40302606561, 0.00678076158267),
        IBzz=(1.85009284121, 0.0076900136829), IBxz=(-0.112576216156, 0.00342792103562),
        xH=(0.866949640247, 0.003842300035), zH=(-0.7472569858, 0.00263543623177), mH=(3.22, 0.02),
        IHxx=(0.25335539588, 0.00126852786611), IHyy=(0.245827908036, 0.00299166644562),
        IHzz=(0.0955686343473, 0.000737521114809), IHxz=(-0.0720217263293, 0.000790281755242),
        rF=(0.342550408285, 0.000122426879301), mF=(2.02, 0.02), IFxx=(0.0883826870796, 0.00035969731805),
        IFyy=(0.149221207336, 0.00151585483097),
    ),
    crescendo=dict(
        w=(1.101, 0.002), c=(0.0832912572138, 0.0016907620071), lam=(0.366519142919, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.339954958444, 0.000122426879301), mR=(3.96, 0.02), IRxx=(0.0966455697105, 0.000393325323081),
        IRyy=(0.143776919744, 0.00112425225803),
        xB=(0.312073833522, 0.00284415365691), zB=(-0.525854751698, 0.00341340590315), mB=(9.18, 0.02),
        IBxx=(0.499733285449, 0.00218886827509), IByy=(1.11746960046, 0.00350925696921),
        IBzz=(0.73927170227, 0.00309105815486), IBxz=(-0.0148407505732, 0.0011316149926),
        xH=(0.906569561251, 0.00503272487149), zH=(-0.802835004591, 0.00253087563355), mH=(4.57, 0.02),
        IHxx=(0.3840330428, 0.0017423135025), IHyy=(0.363142461888, 0.00410499482239),
        IHzz=(0.166357442859, 0.00132747251116), IHxz=(-0.0777986089409, 0.00114110113858),
        rF=(0.342550408285, 0.000122426879301), mF=(3.545, 0.02), IFxx=(0.0954028662773, 0.000388267862788),
        IFyy=(0.165623459942, 0.00117747774467),
    ),
    fisher=dict(
        w=(1.07, 0.002), c=(0.0723512958768, 0.00162907266827), lam=(0.329867228627, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.338636246059, 0.000113682102208), mR=(1.94, 0.02), IRxx=(0.0630220804753, 0.000256485390265),
        IRyy=(0.100831563132, 0.00107522785415),
        xB=(0.367006269532, 0.00248108393213), zB=(-0.499035032101, 0.0030479185727), mB=(4.48, 0.02),
        IBxx=(0.282523843228, 0.00127383578938), IByy=(0.469714069753, 0.00284777713914),
        IBzz=(0.267736477961, 0.00118544629608), IBxz=(0.0559047839186, 0.00032406554195),
        xH=(0.959729631021, 0.00631607383256), zH=(-0.719194693301, 0.00351009078132), mH=(2.52, 0.02),
        IHxx=(0.114653255231, 0.00096842589825), IHyy=(0.099999037681, 0.00368850446069),
        IHzz=(0.022649063255, 0.00059383598588), IHxz=(-0.0182419196924, 0.00120624722635),
        rF=(0.330178297654, 0.000113682102208), mF=(1.5, 0.02), IFxx=(0.0631442259272, 0.000256982558173),
        IFyy=(0.106223925049, 0.00143256408253),
    ),
    pista=dict(
        w=(0.989, 0.002), c=(0.0617300113263, 0.00160776211474), lam=(0.275762021815, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.332088156971, 0.000113682102208), mR=(1.38, 0.02), IRxx=(0.0552268228143, 0.000224760513182),
        IRyy=(0.0764034890242, 0.00113609058577),
        xB=(0.382963782674, 0.0167166513945), zB=(-0.476798507146, 0.00737825561617), mB=(4.49, 0.02),
        IBxx=(0.289968529291, 0.00157896728396), IByy=(0.475817094274, 0.00928289658533),
        IBzz=(0.249418014295, 0.0012401842031), IBxz=(0.0502317583637, 0.00104541145109),
        xH=(0.906321313298, 0.00453451662332), zH=(-0.732376356772, 0.00234292942429), mH=(2.27, 0.02),
        IHxx=(0.0979884309288, 0.000400797112661), IHyy=(0.0691907586693, 0.00207906543331),
        IHzz=(0.0396107377431, 0.000166321860227), IHxz=(-0.00440828467861, 0.000293006332405),
        rF=(0.333838861345, 0.000113682102208), mF=(1.58, 0.02), IFxx=(0.0553476418952, 0.000225252175919),
        IFyy=(0.106185287785, 0.00137178526192),
    ),
    rigid=dict(
        w=(1.06378677685, 0.000166142163674), c=(0.0599399125715, 0.000144359307346),
        lam=(0.317489078499, 0.000324568695876), g=(9.81, 0.01),
        rR=(0.332528026978, 9.1888149237e-06), mR=(4.9, 0.01), IRxx=(0.0700963804567, 0.000225450850594),
        IRyy=(0.12934189355, 0.000591786942138),
        xB=(0.334844476225, 0.00690189995787), zB=(-0.735628402212, 0.00476533104829), mB=(22.9, 0.01),
        IBxx=(2.63751918806, 0.011141147301), IByy=(4.27679806219, 0.0117267758886),
        IBzz=(1.94277851254, 0.0194143157306), IBxz=(0.65355108991, 0.00257157016663),
        xH=(0.818396445062, 0.00132894376927), zH=(-0.98585673135, 0.00164933184028), mH=(5.4, 0.0141421356237),
        IHxx=(0.343873849682, 0.00300081291905), IHyy=(0.339925043172, 0.00401223893069),
        IHzz=(0.10310836332, 0.000713162568858), IHxz=(-0.0918999164196, 0.00137845404385),
        rF=(0.335572561302, 9.1888149237e-06), mF=(1.55, 0.01), IFxx=(0.0524475128396, 0.000168690908608),
        IFyy=(0.0983720589324, 0.000678080004122),
    ),
    silver=dict(
        w=1.01, c=0.19, lam=0.366519143, g=9.81,
        rR=0.35, mR=2.56, IRxx=0.078, IRyy=0.156,
        xB=0.32, zB=-0.627, mB=12.06, IBxx=0.8155, IByy=1.2,
        IBzz=1.0825, IBxz=0.0327,
        xH=0.907, zH=-0.8, mH=2.54, IHxx=0.086, IHyy=0.1,
        IHzz=0.0169, IHxz=-0.0311,
        rF=0.3485, mF=2.05, IFxx=0.081, IFyy=0.162,
    ),
    yellow=dict(
        w=(1.089, 0.002), c=(0.0473057207886, 0.00162727102983), lam=(0.301941960595, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.341375110244, 0.000122426879301), mR=(2.57, 0.02), IRxx=(0.0876699101307, 0.000356796414278),
        IRyy=(0.148661417202, 0.0012536133519),
        xB=(0.422298296643, 0.00384241188261), zB=(-0.602532173969, 0.00365196117253), mB=(3.31, 0.02),
        IBxx=(0.224032534273, 0.000924337136702), IByy=(0.387875498968, 0.00457262650146),
        IBzz=(0.216034304161, 0.000899957967889), IBxz=(0.0182183890667, 0.000123765736234),
        xH=(0.947882088454, 0.00438045273196), zH=(-0.788217049637, 0.00232630323345), mH=(2.45, 0.02),
        IHxx=(0.145204096638, 0.000640851479448), IHyy=(0.120010862686, 0.00250714868146),
        IHzz=(0.0292310723185, 0.00034384832588), IHxz=(-0.0193850131223, 0.000517327473538),
        rF=(0.341877060449, 0.000122426879301), mF=(1.9, 0.02), IFxx=(0.0851500332546, 0.000346541216905),
        IFyy=(0.146642875064, 0.00158129157014),
    ),
    yellowrev=dict(
        w=(0.985, 0.002), c=(0.180294938773, 0.00176864639495), lam=(0.338593874887, 0.00349065850399), g=(9.81, 0.01),
        rR=(0.341375110244, 0.000122426879301), mR=(2.57, 0.02), IRxx=(0.0876699101307, 0.000356796414278),
        IRyy=(0.148661417202, 0.0012536133519),
        xB=(0.41244491511, 0.00379563686367), zB=(-0.61783135503, 0.00370055269932), mB=(3.31, 0.02),
        IBxx=(0.225356076528, 0.00092916150614), IByy=(0.387875498968, 0.00457262650146),
        IBzz=(0.214710761906, 0.000893315075898), IBxz=(0.0178765751912, 0.000129627296249),
        xH=(0.918984961179, 0.00455107965017), zH=(-0.816256856812, 0.00225140598256), mH=(2.45, 0.02),
        IHxx=(0.147496786888, 0.000640700256464), IHyy=(0.119511786484, 0.00245444440384),
        IHzz=(0.0293793112718, 0.000366277717216), IHxz=(-0.0171836655309, 0.000527993839439),
        rF=(0.341877060449, 0.000122426879301), mF=(1.9, 0.02), IFxx=(0.0851500332546, 0.000346541216905),
        IFyy=(0.146642875064, 0.00158129157014),
    ),
)  # fmt: skip

WHICH = dict(
    balanceassistv1="bicycle with balance assist, first version",
    browser="Batavus Browser, a city bicycle",
    browserins="Batavus Browser with instruments",
    crescendo="Batavus Crescendo",
    fisher="Gary Fisher, a mountain bicycle",
    pista="Bianchi Pista, a track bicycle",
    rigid="bicycle with instruments for a rigid rider",
    silver="silver bicycle",
    yellow="yellow bicycle",
    yellowrev="yellow bicycle with its fork reversed",
)
"""What each of them is, in a few words."""

RIDER = "jason"
RIDERS: dict[str, dict[str, Measured]] = dict(
    balanceassistv1=dict(
        IBxx=11.738504483083279, IBxz=-1.5443190146856498, IByy=12.110105514155187, IBzz=2.2823416202457905,
        mB=83.50000000000001, xB=0.3352609184222891, zB=-1.1408922158792676,
    ),
    browser=dict(mB=(72.0, 2.0), xB=0.2909, zB=-1.1091, IBxx=7.9985, IBxz=-1.9272, IByy=8.0689, IBzz=2.3624),
    rigid=dict(
        IBxx=9.57707087143, IBxz=-1.02983731033, IByy=9.71438946103, IBzz=2.16361764694, mB=83.5, xB=0.352471843075,
        zB=-1.10674939861,
    ),
)  # fmt: skip
"""The rider J. K. Moore as he sits on some of them: mass, centre and inertia in the axes of the bicycle."""

TWO_MASS_SKATE: dict[str, Measured] = dict(
    w=1.0, c=0.0, lam=0.0872664626, g=9.81, rR=0.0, mR=0.0, IRxx=0.0, IRyy=0.0,
    xB=1.2, zB=-0.4, mB=10.0, IBxx=0.0, IByy=0.0, IBzz=0.0, IBxz=0.0,
    xH=1.02, zH=-0.2, mH=1.0, IHxx=0.0, IHyy=0.0, IHzz=0.0, IHxz=0.0, rF=0.0, mF=0.0, IFxx=0.0, IFyy=0.0,
)  # fmt: skip
"""Two point masses on two skates: nothing spins, and the front skate touches on the steer axis, so that there is no trail."""
TWO_MASS_SKATE_SOURCE = (
    "Kooijman, Meijaard, Papadopoulos, Ruina, Schwab, A bicycle can be self-stable without gyroscopic or caster effects, "
    "Science 332 (2011) 339-342"
)


def value_of(entry: Measured) -> float:
    """The value of an entry."""
    return entry[0] if isinstance(entry, tuple) else entry


def uncertainty_of(entry: Measured) -> float:
    """The standard uncertainty of an entry, zero where none is known."""
    return entry[1] if isinstance(entry, tuple) else 0.0


def with_rider(name: str, bicycle: Mapping[str, Measured], rider: str) -> dict[str, Measured]:
    """The bicycle with its rider as part of the rear frame: masses added, moments moved to the common centre.

    Uncertainties are carried over by the masses' shares; those of the rider are unknown, but for one mass.
    """
    if rider != RIDER or name not in RIDERS:
        raise UnknownNameError(
            f"no rider {rider!r} was measured on the bicycle {name!r}; there is {RIDER!r} on {', '.join(RIDERS)}"
        )
    frame = {key: value_of(bicycle[key]) for key in ("mB", "xB", "zB", "IBxx", "IByy", "IBzz", "IBxz")}
    person = {key: value_of(RIDERS[name][key]) for key in frame}
    mass = frame["mB"] + person["mB"]
    x, z = ((frame["mB"] * frame[key] + person["mB"] * person[key]) / mass for key in ("xB", "zB"))
    found = {"mB": mass, "xB": x, "zB": z} | dict.fromkeys(("IBxx", "IByy", "IBzz", "IBxz"), 0.0)
    for part in (frame, person):
        dx, dz, m = part["xB"] - x, part["zB"] - z, part["mB"]
        found["IBxx"] += part["IBxx"] + m * dz * dz
        found["IBzz"] += part["IBzz"] + m * dx * dx
        found["IByy"] += part["IByy"] + m * (dx * dx + dz * dz)
        found["IBxz"] += part["IBxz"] - m * dx * dz  # entry of the matrix: minus the product of inertia
    share = frame["mB"] / mass
    spread = {key: uncertainty_of(bicycle[key]) * (share if key in ("xB", "zB") else 1.0) for key in found}
    spread["mB"] = (spread["mB"] ** 2 + uncertainty_of(RIDERS[name]["mB"]) ** 2) ** 0.5
    return {**bicycle, **{key: (value, spread[key]) if spread[key] else value for key, value in found.items()}}
