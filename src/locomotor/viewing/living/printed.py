"""The equations in full, as `lm.equations` prints them, for systems short enough to be read on a page."""

from __future__ import annotations

import re

from locomotor.errors import MissingExtraError
from locomotor.exports import Model
from locomotor.symbolic import equations

LONGEST = 160
"""Operations of the rate up to which a page carries the equations in full: more are no reading, and take long to print."""
ELSEWHERE = "<p>They are long: <code>lm.equations(system).save('equations.html')</code> prints them on pages of their own.</p>"
MISSING = "<p>Without SymPy they could not be printed: <code>pip install 'locomotor[sympy]'</code>.</p>"


def printed(model: Model) -> str:
    """HTML with MathML, or words for why there is none."""
    if model.tangent.traced.operations > LONGEST:
        return ELSEWHERE
    system = model.system.system
    try:
        page = equations(system, closed=tuple(name for name, law in system.laws.items() if law.switches)).html()
    except MissingExtraError:
        return MISSING
    body = re.search(r"<body>(.*)</body>", page, re.DOTALL)
    return re.sub(r"<h1>.*?</h1>", "", body[1]) if body else ELSEWHERE
