"""The living page: the JavaScript of the model in a page with its scene, equations and sliders."""

from __future__ import annotations

from typing import ClassVar

from locomotor.exports.cases import Cases
from locomotor.exports.model import Model
from locomotor.exports.target import Files
from locomotor.exports.targets.javascript import JavaScript


class LivingPage(JavaScript):
    """One HTML file; the module that it carries lies beside it, with its self-check."""

    name: ClassVar[str] = "page"
    title: ClassVar[str] = "a page of HTML and JavaScript"
    frames: ClassVar[str] = "javascript"

    def files(self, model: Model, cases: Cases) -> Files:
        """The page, then the files of the JavaScript export."""
        from locomotor.viewing.living import living_page

        files = super().files(model, cases)
        return Files({f"{model.name}.html": living_page(model), **files.contents}, files.run, files.renamed)
