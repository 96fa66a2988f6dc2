"""Text of users in LaTeX: nothing in it becomes a command, and no letter stops the compiler."""

from __future__ import annotations

import re
import unicodedata

ALLOWED = frozenset(
    (
        *("alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa"),
        *("lambda", "mu", "nu", "xi", "pi", "varpi", "rho", "varrho", "sigma", "varsigma", "tau", "upsilon", "phi", "varphi"),
        *("chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"),
        *("mathrm", "mathbf", "mathsf", "mathit", "mathcal", "boldsymbol", "text", "dot", "ddot", "bar", "hat", "tilde", "vec"),
        *("ell", "infty", "prime", "circ", "ast", "parallel", "perp", "star", "overline", "underline", "partial", "nabla"),
    )
)
"""Commands that the symbol of a quantity may hold."""
GREEK = {"lamda": "lambda", "final sigma": "varsigma"}
"""Unicode's names of Greek letters, where TeX has another."""
LATIN = 0x180
"""Letters before this number are known to the encoding of the document."""


def is_harmless(latex: str) -> bool:
    """Whether the LaTeX of a symbol is a symbol: commands that are known, braces that match, nothing that ends a formula."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    commands = re.findall(r"\\([A-Za-z]+|.)", latex, re.DOTALL)
    known = all(command in ALLOWED or command in (" ", ",", "!", ";", "_") for command in commands)
    return not depth and known and "^^" not in latex and not re.search(r"(?<!\\)[$%#&~]|\n", latex)


def typable(text: str) -> str:
    """Text or a formula with letters that pdflatex knows: Greek ones as symbols, others by their names."""
    return "".join(letter if ord(letter) < LATIN else _spelled(letter) for letter in text)


def _spelled(letter: str) -> str:
    name = unicodedata.name(letter, "")
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z ]+)", name)
    if greek:
        word = GREEK.get(greek[2].lower(), greek[2].lower())
        word = word.capitalize() if greek[1] == "CAPITAL" else word
        return rf"\ensuremath{{\{word}}}" if word in ALLOWED else word[0]
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode("ascii")
    if plain:
        return "".join(sign for sign in plain if sign.isalnum() or sign in " .,-")
    told = re.fullmatch(r".* LETTER ([A-Z]+)", name)
    return told[1].lower() if told else "?"
