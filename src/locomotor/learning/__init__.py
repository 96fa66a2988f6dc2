"""Learning: declared tasks as Gymnasium environments over compiled batches.

Importing this package registers its tasks: `gymnasium.make_vec("locomotor/BicycleBalance-v0", num_envs=4096)`.
"""

from locomotor.learning.engine import Engine as Engine
from locomotor.learning.registration import make_vec as make_vec
from locomotor.learning.registration import register as register
from locomotor.learning.registration import register_all
from locomotor.learning.task import Task as Task
from locomotor.learning.tasks import TASKS as TASKS
from locomotor.learning.tasks import find_task as find_task

register_all()
