r"""LaTeX of the small kind that names of quantities use, as HTML: `\dot{\theta}_\mathrm{F}` -> θ̇<sub>F</sub>."""

from __future__ import annotations

import html
import re
import unicodedata

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "vartheta": "ϑ", "varphi": "ϕ", "varepsilon": "ε",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "vec": "\u20d7"}
UPRIGHT = ("mathrm", "text", "operatorname", "mathbf", "mathit")
SCRIPTS = {"_": "sub", "^": "sup"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}_^]|\s+|.")


def symbol_html(latex: str) -> str:
    """The symbol as HTML text; what is not understood is shown as it stands, escaped."""
    return _sequence(_TOKEN.findall(latex), upright=False)


def channel_symbol(name: str, latex: str) -> str:
    """The symbol of a named quantity, or nothing where it only repeats the name."""
    shown = symbol_html(latex)
    letters = "".join(c for c in re.sub(r"<[^>]*>", "", shown) if not unicodedata.combining(c))
    plain = letters.replace("_", "")
    return "" if plain in (name.replace("_", ""), name.removesuffix("_rate").replace("_", "")) else shown


def _sequence(tokens: list[str], upright: bool) -> str:
    """HTML of tokens up to the brace that closes them; consumes what it reads."""
    found: list[str] = []
    while tokens and tokens[0] != "}":
        found.append(_item(tokens, upright))
    if tokens:
        tokens.pop(0)
    return "".join(found)


def _item(tokens: list[str], upright: bool) -> str:
    token = tokens.pop(0)
    if token == "{":
        return _sequence(tokens, upright)
    if token in SCRIPTS:
        return f"<{SCRIPTS[token]}>{_argument(tokens, upright)}</{SCRIPTS[token]}>"
    if token.isspace():
        return ""
    word = token[1:] if token.startswith("\\") else ""
    if word in ACCENTS:
        inner = _argument(tokens, upright)
        # The accent goes on the first letter, before any script or closing tag.
        return re.sub(r"^((?:<[^>]*>)*[^<])", rf"\1{ACCENTS[word]}", inner, count=1)
    if word in UPRIGHT:
        return _argument(tokens, upright=True)
    if word in GREEK:
        return _letter(GREEK[word], upright)
    if token in (r"\,", r"\;", r"\ "):
        return "\u2009"
    return _letter(word or token, upright)


def _argument(tokens: list[str], upright: bool) -> str:
    while tokens and tokens[0].isspace():
        tokens.pop(0)
    return _item(tokens, upright) if tokens else ""


def _letter(text: str, upright: bool) -> str:
    shown = html.escape(text)
    return shown if upright or not text.isalpha() or len(text) > 1 else f"<i>{shown}</i>"
