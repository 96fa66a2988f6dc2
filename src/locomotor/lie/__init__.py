"""Lie groups of rigid motion, on floats, CasADi symbols and SymPy symbols alike.

Names check themselves: ``g_a_b`` is frame ``b`` seen from frame ``a``, so in ``g_a_c = g_a_b @ g_b_c`` and
``p_a = g_a_b.act(p_b)`` the inner letters cancel. Twists are linear first, ``xi = (V, Omega)``, in the body
frame, ``g_dot = g hat(xi)``; quaternions are scalar first with Hamilton's product.
"""

from __future__ import annotations

from locomotor.lie import ops as ops
from locomotor.lie import quaternion as quaternion
from locomotor.lie import small_angle as small_angle
from locomotor.lie.manifold import NEARLY as NEARLY
from locomotor.lie.manifold import Block as Block
from locomotor.lie.manifold import Manifold as Manifold
from locomotor.lie.runge_kutta import LEFT as LEFT
from locomotor.lie.runge_kutta import step_rk4 as step_rk4
from locomotor.lie.se2 import SE2 as SE2
from locomotor.lie.se3 import SE3 as SE3
from locomotor.lie.so2 import SO2 as SO2
from locomotor.lie.so3 import SO3 as SO3
