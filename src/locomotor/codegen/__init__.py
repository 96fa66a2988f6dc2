"""Tapes -> machine code: C for one instance, SIMD C for batches, numpy without a compiler. Knows no mechanics."""

from locomotor.codegen._compile import TARGETS as TARGETS
from locomotor.codegen._compile import InterpretedWarning as InterpretedWarning
from locomotor.codegen._compile import compile as compile
from locomotor.codegen.eigen import Eigenvalues as Eigenvalues
from locomotor.codegen.eigen import eigenvalues as eigenvalues
from locomotor.codegen.kernel import Bound as Bound
from locomotor.codegen.kernel import Kernel as Kernel
from locomotor.codegen.program import Program as Program
from locomotor.codegen.rollout import Rollout as Rollout
from locomotor.codegen.rollout import RolloutKernel as RolloutKernel
from locomotor.codegen.rollout import compile_map as compile_map
from locomotor.codegen.rollout import compile_program as compile_program
from locomotor.codegen.rollout import compile_rollout as compile_rollout
