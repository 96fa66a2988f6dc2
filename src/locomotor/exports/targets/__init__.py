"""The languages and formats, each one class in a file of its own."""

from locomotor.exports.target import register
from locomotor.exports.targets.c import C99 as C99
from locomotor.exports.targets.c import C99WithJacobians as C99WithJacobians
from locomotor.exports.targets.cpp import Cpp as Cpp
from locomotor.exports.targets.cuda import Cuda as Cuda
from locomotor.exports.targets.fmu import Fmu as Fmu
from locomotor.exports.targets.frameworks import Jax as Jax
from locomotor.exports.targets.frameworks import Torch as Torch
from locomotor.exports.targets.javascript import JavaScript as JavaScript
from locomotor.exports.targets.javascript import model_script as model_script
from locomotor.exports.targets.julia import Julia as Julia
from locomotor.exports.targets.matlab import Matlab as Matlab
from locomotor.exports.targets.modelica import Modelica as Modelica
from locomotor.exports.targets.numpy import NumPy as NumPy
from locomotor.exports.targets.page import LivingPage as LivingPage
from locomotor.exports.targets.rust import Rust as Rust

for target in (
    C99, C99WithJacobians, Cpp, Cuda, Rust, NumPy, Jax, Torch, JavaScript, Matlab, Julia, Modelica, Fmu, LivingPage,
):  # fmt: skip
    register(target)
