"""Quantities that may depend on parameters: terms, parsing, printing, and the functions they may use."""

from locomotor.model.expressions.expression import Call as Call
from locomotor.model.expressions.expression import Expression as Expression
from locomotor.model.expressions.expression import MatrixLike as MatrixLike
from locomotor.model.expressions.expression import Name as Name
from locomotor.model.expressions.expression import Number as Number
from locomotor.model.expressions.expression import Quantity as Quantity
from locomotor.model.expressions.expression import QuantityLike as QuantityLike
from locomotor.model.expressions.expression import VectorLike as VectorLike
from locomotor.model.expressions.expression import apply as apply
from locomotor.model.expressions.expression import as_expression as as_expression
from locomotor.model.expressions.expression import as_list as as_list
from locomotor.model.expressions.expression import as_matrix as as_matrix
from locomotor.model.expressions.expression import as_quantity as as_quantity
from locomotor.model.expressions.expression import as_vector as as_vector
from locomotor.model.expressions.expression import evaluate as evaluate
from locomotor.model.expressions.expression import expressions as expressions
from locomotor.model.expressions.expression import free_names as free_names
from locomotor.model.expressions.expression import is_nested as is_nested
from locomotor.model.expressions.expression import known as known
from locomotor.model.expressions.expression import number as number
from locomotor.model.expressions.expression import parse as parse
from locomotor.model.expressions.expression import show_numbers as show_numbers
from locomotor.model.expressions.functions import CALLABLE as CALLABLE
from locomotor.model.expressions.functions import FUNCTIONS as FUNCTIONS
from locomotor.model.expressions.functions import smooth_step as smooth_step
from locomotor.model.expressions.sampled import spline as spline
