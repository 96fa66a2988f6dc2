"""Tapes -> CUDA: the same text as for C, one instance a thread, compiled by NVRTC through CuPy when first used.

Arrays given from the host come back to the host. Arrays that are on the device already (CuPy, PyTorch, JAX: anything with
DLPack) stay there, and what comes back are CuPy arrays, which those libraries take without a copy.
"""

from locomotor.codegen.cuda.device import Device as Device
from locomotor.codegen.cuda.device import find_device as find_device
from locomotor.codegen.cuda.device import is_on_device as is_on_device
from locomotor.codegen.cuda.device import missing_device_notice as missing_device_notice
from locomotor.codegen.cuda.device import need_device as need_device
from locomotor.codegen.cuda.device import to_host as to_host
from locomotor.codegen.cuda.kernel import CudaKernel as CudaKernel
from locomotor.codegen.cuda.rollout import CudaRolloutKernel as CudaRolloutKernel
from locomotor.codegen.cuda.text import BLOCK as BLOCK
from locomotor.codegen.cuda.text import DOUBLE as DOUBLE
from locomotor.codegen.cuda.text import PRECISIONS as PRECISIONS
from locomotor.codegen.cuda.text import kernel_text as kernel_text
from locomotor.codegen.cuda.text import rollout_text as rollout_text
