"""RobotDyn (Génot, PhD thesis, INPG 1998, appendix D): every matrix that the thesis prints, symbolically, and its outputs.

The planar walker of figure D.1: a support leg, a trunk and a second leg, on a base that moves. Parentheses that are broken in
the printed text are repaired.
"""

import ctypes
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import locomotor as lm
from locomotor.symbolic import Robot, RobotEquations, export_robot, robot_system, save_robot
from locomotor.symbolic.collecting import is_zero
from locomotor.symbolic.robotdyn.files import EXPORTED

GEOMETRY = """NSEG := 3;
NDDL := 5;
q := vector(NDDL):
qdot := vector(NDDL):
# Segment 1
alpha_1 := 0; theta_1 := q[1]; d_1 := 0; a_1 := L1; ref_1 := 0; type_1 := 'REVOLUTE';
# Segment 2
alpha_2 := 0; theta_2 := q[2]; d_2 := 0; a_2 := L2; ref_2 := 1; type_2 := 'REVOLUTE';
# Segment 3
alpha_3 := 0; theta_3 := q[3]; d_3 := 0; a_3 := L1; ref_3 := 1; type_3 := 'REVOLUTE';
base := vector([q[4], q[5], 0]);
"""
MASSES = """GRAVITE := vector([0, g, 0]);
masse_1 := m1;  G_1 := vector([-L1/2, 0, 0]);  I_1 := matrix([[0, 0, 0], [0, 0, 0], [0, 0, I1]]);
masse_2 := m2;  G_2 := vector([-L2/2, 0, 0]);  I_2 := matrix([[0, 0, 0], [0, 0, 0], [0, 0, I2]]);
masse_3 := m1;  G_3 := vector([-L1/2, 0, 0]);  I_3 := matrix([[0, 0, 0], [0, 0, 0], [0, 0, I1]]);
"""
FURTHER = "COMPLEMENT := 0;\nEXPORT := false;\n"

PRINTED = """
M[1,1] = (cos(q[3])+3/2)*L1^2*m1+(1/4*L2^2+L2*cos(q[2])*L1+L1^2)*m2+I2+2*I1
M[1,2] = (1/2*L2*cos(q[2])*L1+1/4*L2^2)*m2+I2
M[1,3] = (1/2*cos(q[3])+1/4)*L1^2*m1+I1
M[1,4] = (-3/2*sin(q[1])-1/2*sin(q[1]+q[3]))*L1*m1+(-1/2*L2*sin(q[1]+q[2])-L1*sin(q[1]))*m2
M[1,5] = (3/2*cos(q[1])+1/2*cos(q[1]+q[3]))*L1*m1+(1/2*L2*cos(q[1]+q[2])+L1*cos(q[1]))*m2
M[2,1] = (1/2*L2*cos(q[2])*L1+1/4*L2^2)*m2+I2
M[2,2] = 1/4*m2*L2^2+I2
M[2,3] = 0
M[2,4] = -1/2*m2*L2*sin(q[1]+q[2])
M[2,5] = 1/2*m2*L2*cos(q[1]+q[2])
M[3,1] = (1/2*cos(q[3])+1/4)*L1^2*m1+I1
M[3,2] = 0
M[3,3] = 1/4*m1*L1^2+I1
M[3,4] = -1/2*m1*L1*sin(q[1]+q[3])
M[3,5] = 1/2*m1*L1*cos(q[1]+q[3])
M[4,1] = (-3/2*sin(q[1])-1/2*sin(q[1]+q[3]))*L1*m1+(-1/2*L2*sin(q[1]+q[2])-L1*sin(q[1]))*m2
M[4,2] = -1/2*m2*L2*sin(q[1]+q[2])
M[4,3] = -1/2*m1*L1*sin(q[1]+q[3])
M[4,4] = 2*m1+m2
M[4,5] = 0
M[5,1] = (3/2*cos(q[1])+1/2*cos(q[1]+q[3]))*L1*m1+(1/2*L2*cos(q[1]+q[2])+L1*cos(q[1]))*m2
M[5,2] = 1/2*m2*L2*cos(q[1]+q[2])
M[5,3] = 1/2*m1*L1*cos(q[1]+q[3])
M[5,4] = 0
M[5,5] = 2*m1+m2
C[1,1] = -1/2*m2*qdot[2]*L2*sin(q[2])*L1-1/2*m1*qdot[3]*L1^2*sin(q[3])
C[1,2] = (-1/2*sin(q[2])*qdot[1]-1/2*qdot[2]*sin(q[2]))*L2*L1*m2
C[1,3] = (-1/2*qdot[1]*sin(q[3])-1/2*qdot[3]*sin(q[3]))*L1^2*m1
C[2,1] = 1/2*m2*L2*sin(q[2])*L1*qdot[1]
C[3,1] = 1/2*m1*qdot[1]*L1^2*sin(q[3])
C[4,1] = (-1/2*qdot[1]*cos(q[1]+q[3])-3/2*qdot[1]*cos(q[1])-1/2*qdot[3]*cos(q[1]+q[3]))*L1*m1+(-qdot[1]*L1*cos(q[1])+(-1/2*qdot[2]*cos(q[1]+q[2])-1/2*qdot[1]*cos(q[1]+q[2]))*L2)*m2
C[4,2] = (-1/2*qdot[2]*cos(q[1]+q[2])-1/2*qdot[1]*cos(q[1]+q[2]))*L2*m2
C[4,3] = (-1/2*qdot[1]*cos(q[1]+q[3])-1/2*qdot[3]*cos(q[1]+q[3]))*L1*m1
C[5,1] = (-1/2*qdot[1]*sin(q[1]+q[3])-3/2*qdot[1]*sin(q[1])-1/2*qdot[3]*sin(q[1]+q[3]))*L1*m1+(-qdot[1]*L1*sin(q[1])+(-1/2*qdot[2]*sin(q[1]+q[2])-1/2*qdot[1]*sin(q[1]+q[2]))*L2)*m2
C[5,2] = (-1/2*qdot[2]*sin(q[1]+q[2])-1/2*qdot[1]*sin(q[1]+q[2]))*L2*m2
C[5,3] = (-1/2*qdot[1]*sin(q[1]+q[3])-1/2*qdot[3]*sin(q[1]+q[3]))*L1*m1
G[1] = ((3/2*cos(q[1])+1/2*cos(q[1]+q[3]))*L1*m1+(1/2*L2*cos(q[1]+q[2])+L1*cos(q[1]))*m2)*g
G[2] = 1/2*m2*g*L2*cos(q[1]+q[2])
G[3] = 1/2*m1*g*L1*cos(q[1]+q[3])
G[4] = 0
G[5] = (2*m1+m2)*g
X[1] = q[4]
X[2] = q[4]+L1*cos(q[1])
X[3] = q[4]+L2*cos(q[1]+q[2])+L1*cos(q[1])
X[4] = (cos(q[1]+q[3])+cos(q[1]))*L1+q[4]
Y[1] = q[5]
Y[2] = q[5]+L1*sin(q[1])
Y[3] = q[5]+L2*sin(q[1]+q[2])+L1*sin(q[1])
Y[4] = (sin(q[1]+q[3])+sin(q[1]))*L1+q[5]
"""  # noqa: E501 - as printed

NUMBERS = dict(L1=0.8, L2=0.6, m1=5.0, m2=20.0, I1=0.3, I2=0.7, g=9.81)
Q, QDOT = (1.2, -0.3, -2.5, 0.1, 0.05), (0.7, -1.1, 0.4, 0.2, -0.3)


def write(folder: Path, geometry: str = GEOMETRY, masses: str = MASSES, further: str | None = FURTHER) -> Path:
    texts = {"robot_DH.maple": geometry, "robot_DYNAMIQUE.maple": masses, "robot_COMPLEMENT.maple": further}
    for name, text in texts.items():
        if text is not None:
            (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> RobotEquations:
    return RobotEquations(lm.read_robot(write(tmp_path_factory.mktemp("walker"))))


def printed_entries(equations: RobotEquations) -> list[tuple[str, tuple[int, ...], sp.Expr]]:
    """Letter, indices and expression of every printed line."""
    names = {f"q_{k}": s for k, s in enumerate(equations.q, 1)} | {f"qdot_{k}": s for k, s in enumerate(equations.qdot, 1)}
    names |= dict(equations.symbols)
    found = []
    for line in PRINTED.strip().splitlines():
        left, _, right = line.partition(" = ")
        text = re.sub(r"(q|qdot)\[(\d)\]", r"\1_\2", right).replace("^", "**")
        indices = tuple(int(i) - 1 for i in re.findall(r"\d+", left))
        found.append((left[0], indices, sp.sympify(text, locals=names)))
    return found


def test_20_every_printed_entry(walker: RobotEquations) -> None:
    matrices = {
        "M": walker.MATRICE_INERTIE,
        "C": walker.CORIOLIS,
        "G": walker.VEC_GRAVITE,
        "X": walker.G_T,
        "Y": walker.G_N,
    }
    entries = printed_entries(walker)
    assert len(entries) == 25 + 11 + 5 + 8
    for letter, indices, expected in entries:
        ours = matrices[letter][indices if len(indices) == 2 else (indices[0], 0)]
        assert is_zero(ours - expected), (letter, indices)
    # Entries of C that are not listed are printed as zero.
    listed = {indices for letter, indices, _ in entries if letter == "C"}
    rest = [(i, j) for i in range(5) for j in range(5) if (i, j) not in listed]
    assert all(walker.CORIOLIS[i, j] == 0 for i, j in rest)
    assert walker.EXTREMITES == 4


def test_20_inertia_minus_twice_coriolis_is_skew(walker: RobotEquations) -> None:
    M, C = walker.MATRICE_INERTIE, walker.CORIOLIS
    rates = list(zip(walker.q, walker.qdot, strict=True))
    M_dot = M.applyfunc(lambda entry: sum((entry.diff(symbol) * rate for symbol, rate in rates), sp.Integer(0)))
    S = M_dot - 2 * C
    assert all(is_zero(entry) for entry in S + S.T)


def test_20_numbers(walker: RobotEquations) -> None:
    """The checkpoint: values recomputed from the printed matrices with eight digits."""
    values = {walker.symbols[name]: value for name, value in NUMBERS.items()}
    values |= dict(zip(walker.q, Q, strict=True)) | dict(zip(walker.qdot, QDOT, strict=True))

    def numbers(expression: sp.Expr) -> np.ndarray:
        return np.array(sp.Matrix([expression]).subs(values).evalf(), dtype=float)

    M, C = numbers(walker.MATRICE_INERTIE), numbers(walker.CORIOLIS)
    assert M[0] == pytest.approx([27.30757073, 7.08561515, -0.18182978, -23.27770498, 12.23652807], abs=1e-8)
    assert C[0] == pytest.approx([-1.17732452, -0.5673988, 1.05331097, 0, 0], abs=1e-8)
    assert C[3] == pytest.approx([-4.67694292, 1.49186392, -0.58849742, 0, 0], abs=1e-8)
    assert C[4] == pytest.approx([-10.35358933, 1.87998458, 2.11982801, 0, 0], abs=1e-8)
    assert numbers(walker.VEC_GRAVITE).ravel() == pytest.approx([120.04034032, 36.58796273, 5.24832702, 0, 294.3], abs=1e-8)
    assert numbers(walker.ENERGIE_POTENTIELLE).item() == pytest.approx(243.06928584, abs=1e-8)
    assert numbers(walker.ENERGIE_CINETIQUE).item() == pytest.approx(1.26021808, abs=1e-8)
    assert numbers(walker.W_N_BAR).ravel() == pytest.approx([0, -0.36535932, -0.44055871, 0.567365], abs=1e-8)
    assert numbers(walker.W_T_BAR).ravel() == pytest.approx([0, -0.14204424, -0.2017188, -0.40098311], abs=1e-8)
    assert not any(walker.W_N_TILDE) and not any(walker.W_T_TILDE)


def test_gradients_of_the_extremities(walker: RobotEquations) -> None:
    q1, q2, q3 = walker.q[:3]
    L1, L2 = walker.symbols["L1"], walker.symbols["L2"]
    c1, c12, c13 = sp.cos(q1), sp.cos(q1 + q2), sp.cos(q1 + q3)
    expected = sp.Matrix(
        [
            [0, L1 * c1, L1 * c1 + L2 * c12, L1 * c1 + L1 * c13],
            [0, 0, L2 * c12, 0],
            [0, 0, 0, L1 * c13],
            [0, 0, 0, 0],
            [1, 1, 1, 1],
        ]
    )
    assert all(is_zero(entry) for entry in walker.W_N - expected)


def test_the_newton_euler_recursion_gives_the_same_symbols(walker: RobotEquations) -> None:
    """M, C and G of the system made of the same table, entry by entry: two derivations that share no line."""
    found = lm.equations(robot_system(walker.robot), christoffel=True)
    names = [symbol.name for symbol in found.system.layout.coordinates]
    place = [names.index(f"q{k}") for k in range(1, 6)]
    renamed = {found.symbols[f"q{k}"]: walker.q[k - 1] for k in range(1, 6)}
    renamed |= {found.symbols[f"q{k}_rate"]: walker.qdot[k - 1] for k in range(1, 6)}
    for ours, theirs in ((found.mass_matrix, walker.MATRICE_INERTIE), (found.coriolis, walker.CORIOLIS)):
        plain = found.written_out(ours).xreplace(renamed)
        assert all(is_zero(plain[place[i], place[j]] - theirs[i, j]) for i in range(5) for j in range(5))
    weight = found.written_out(found.gravity).xreplace(renamed)
    assert all(is_zero(weight[place[i]] - walker.VEC_GRAVITE[i]) for i in range(5))


def test_one_of_the_feet_held_has_the_forces_of_the_source(walker: RobotEquations) -> None:
    """Check 18: extremity 1 held, torques on trunk and leg: forces and accelerations of the constrained robot."""
    values = {walker.symbols[name]: value for name, value in NUMBERS.items()}
    q, v = (*Q[:3], 0.0, 0.0), (*QDOT[:3], 0.0, 0.0)
    values |= dict(zip(walker.q, q, strict=True)) | dict(zip(walker.qdot, v, strict=True))
    M, C, G = (
        np.array(m.subs(values).evalf(), dtype=float) for m in (walker.MATRICE_INERTIE, walker.CORIOLIS, walker.VEC_GRAVITE)
    )
    wn, wt = (np.array(w[:, 0].subs(values).evalf(), dtype=float) for w in (walker.W_N, walker.W_T))
    J = np.hstack([wn, wt])
    load = np.array([0.0, 20.0, -15.0, 0.0, 0.0]) - C @ np.array(v) - G.ravel()
    solved = np.linalg.solve(np.block([[M, -J], [J.T, np.zeros((2, 2))]]), np.concatenate([load, [0.0, 0.0]]))
    assert solved[5:] == pytest.approx([233.36734908, 95.21417974], abs=1e-7)
    assert solved[:5] == pytest.approx([-10.9083078, 24.5596689, -19.7841638, 0.0, 0.0], abs=1e-6)


def test_further_extremities(tmp_path: Path) -> None:
    """A heel on the support leg, half of its length behind its end."""
    heel = "COMPLEMENT := 1; EXPORT := true;\nalpha_4 := 0; theta_4 := Pi/2; d_4 := 0; a_4 := L3; ref_4 := 1;\n"
    robot = lm.read_robot(write(tmp_path, further=heel))
    equations = RobotEquations(robot)
    assert robot.export and equations.EXTREMITES == 5
    q = equations.q
    L1, L3 = equations.symbols["L1"], equations.symbols["L3"]
    assert is_zero(equations.CIN_DIR[4, 0] - (q[3] + L1 * sp.cos(q[0]) - L3 * sp.sin(q[0])))
    assert robot.lists["liste_longueur"] == ("L1", "L2", "L3")


def test_conversion_both_ways(walker: RobotEquations, tmp_path: Path) -> None:
    robot = walker.robot
    (file,) = save_robot(robot, tmp_path / "walker.toml")
    from_toml = lm.read_robot(file)
    assert from_toml == robot
    files = save_robot(from_toml, tmp_path / "again")
    assert [path.name for path in files] == ["robot_DH.maple", "robot_DYNAMIQUE.maple", "robot_COMPLEMENT.maple"]
    again = lm.read_robot(tmp_path / "again")
    assert Robot(robot.name, again.coordinates, again.segments, again.base, again.gravity) == robot


TABLE_D1 = "cd_m c_m ep_m m_m g_m gn_m gt_m wn_m wt_m wnt_m wtt_m wnb_m wtb_m"


def test_export_writes_the_files_of_table_d1(walker: RobotEquations, tmp_path: Path) -> None:
    written = {path.name for path in export_robot(walker, tmp_path)}
    assert written == {f"{name}.{kind}" for name in TABLE_D1.split() for kind in ("f", "sci")}
    text = (tmp_path / "m_m.f").read_text(encoding="utf-8")
    assert all(len(line) <= 72 for line in text.splitlines() if not line.startswith("!"))


@cache
def gfortran() -> str | None:
    return shutil.which("gfortran")


@pytest.mark.skipif(gfortran() is None, reason="gfortran is not on this machine")
@pytest.mark.slow
def test_exported_fortran_computes_every_matrix(walker: RobotEquations, tmp_path: Path) -> None:
    """Table D.1 compiled and called at random states, against SymPy; the inertia also against the thesis's checkpoint."""
    export_robot(walker, tmp_path)
    names = TABLE_D1.split()
    command = [str(gfortran()), "-O1", "-Wall", "-shared", "-fPIC", "-o", "robot.so", *(f"{name}.f" for name in names)]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=100)
    library = ctypes.CDLL(str(tmp_path / "robot.so"))
    parameters = np.array([NUMBERS[name] for name in walker.robot.parameters])

    def called(name: str, shape: tuple[int, int], q: np.ndarray, v: np.ndarray) -> np.ndarray:
        y = np.zeros(shape, order="F")
        places = [x.ctypes.data_as(ctypes.c_void_p) for x in (q, v, np.zeros(1), parameters, y)]
        getattr(library, f"{name}_")(*places)
        return y

    assert called("m_m", (5, 5), np.array(Q), np.zeros(5))[0, [0, 3]] == pytest.approx([27.30757073, -23.27770498], abs=1e-7)
    rng = np.random.default_rng(5)
    for name in names:
        matrix = sp.Matrix([getattr(walker, EXPORTED[name])])
        symbols = [*walker.q, *walker.qdot, *(walker.symbols[p] for p in walker.robot.parameters)]
        expected = sp.lambdify(symbols, matrix)
        for _ in range(20):
            q, v = rng.normal(size=5), rng.normal(size=5)
            right = np.asarray(expected(*q, *v, *parameters), dtype=float)
            ours = called(name, matrix.shape, q, v)
            assert np.abs(ours - right).max() <= 1e-12 * max(1.0, np.abs(right).max()), name


@pytest.mark.skipif(gfortran() is None or shutil.which("scilab-cli") is None, reason="no gfortran, or no Scilab (scilab-cli)")
@pytest.mark.slow
def test_exported_declarations_call_the_fortran_from_scilab(walker: RobotEquations, tmp_path: Path) -> None:
    export_robot(walker, tmp_path)
    subprocess.run([str(gfortran()), "-shared", "-fPIC", "-o", "m_m.so", "m_m.f"], cwd=tmp_path, check=True, timeout=100)
    values = "; ".join(str(NUMBERS[name]) for name in walker.robot.parameters)
    script = f"""link('{tmp_path}/m_m.so', 'm_m', 'f');
exec('{tmp_path}/m_m.sci', -1);
y = m_m([{"; ".join(map(str, Q))}], zeros(5, 1), 0, [{values}]);
mprintf('%.12f %.12f\\n', y(1, 1), y(1, 4));
exit(0);
"""
    (tmp_path / "main.sce").write_text(script, encoding="utf-8")
    command = ["scilab-cli", "-nb", "-quit", "-f", "main.sce"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
    shown = re.findall(r"-?\d+\.\d{12}", done.stdout)
    assert [float(x) for x in shown] == pytest.approx([27.30757073, -23.27770498], abs=1e-7), done.stdout + done.stderr
