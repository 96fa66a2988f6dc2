"""The living page as one file: model as JavaScript, scene, equations and sliders."""

from __future__ import annotations

import html
import warnings
from dataclasses import replace
from pathlib import Path
from string import Template

from locomotor import __version__, simulation
from locomotor.errors import UnstableStepError
from locomotor.exports import Function, Model, model_script
from locomotor.tracing import Port, TracedSystem, trace
from locomotor.tracing.readings import balance, placed_bodies
from locomotor.viewing.living.facts import (
    LAW,
    conserves,
    history_facts,
    input_knobs,
    parameter_knobs,
    roams,
    start_knobs,
    terms_facts,
    velocities,
)
from locomotor.viewing.living.printed import printed
from locomotor.viewing.page import ALONE, CLIENT, Payload, bundle, payload_of, renderer_script
from locomotor.viewing.scene import drawn, playback_of

HERE = Path(__file__).parent / "client"
STEP = 0.001
"""Length of a step on the page (s), unless that is beyond the limit of stability."""
SECONDS, SAMPLES, STEPS = 1.0, 0.02, 20_000
"""Motion from which the camera and the arrows take their measure, time between its samples, and steps of it at most."""


def living_page(model: Model) -> str:
    """The page of an exported model."""
    whole, facts = _extended(model)
    payload, facts["step"] = _scene(model)
    names = next((function.result.names for function in whole.read if function.name == "outputs"), ())
    payload.table |= {"outputs": list(names), "living": facts, "report": None}
    script = bundle((HERE, CLIENT), "living", {"three": renderer_script(), "model": model_script(whole)})
    style = (CLIENT / "style.css").read_text(encoding="utf-8") + (HERE / "living.css").read_text(encoding="utf-8")
    return Template((HERE / "living.html").read_text(encoding="utf-8")).substitute(
        policy=ALONE,
        version=__version__,
        title=html.escape(model.title.replace("_", " ")),
        style=style,
        table=payload.json,
        block=payload.base64,
        printed=printed(model),
        script=script,
    )


def _extended(model: Model) -> tuple[Model, dict[str, object]]:
    """The model with what the page needs beside it, and the facts that the page is told."""
    traced = model.system
    function, terms = balance(traced)
    read = [f for f in model.read if f.name in ("outputs", "energy", "residuals", "margins")]
    read += [Function("terms", "terms of the equations", function)]
    read += [Function("poses", "rotation and place of every body", placed_bodies(_seen(traced)))]
    gaps = next((group for group in traced.observables if group.kind == "gaps"), None)
    if gaps is not None:
        port = Port("gaps", gaps.fields)
        read.append(Function("gaps", "gaps", traced.build("gaps", [(port, gaps.compute(traced.motion))], "gaps")))
        read.append(Function("project", "one Newton step towards closed gaps", traced.projection))
    facts: dict[str, object] = {
        "law": LAW,
        "velocities": velocities(traced),
        "terms": terms_facts(model, terms, function),
        "parameters": parameter_knobs(model),
        "inputs": input_knobs(model),
        "start": start_knobs(model),
        "history": history_facts(model),
        "conserves": conserves(traced.system),
        "roams": roams(model),
        "operations": model.tangent.traced.operations,
        "left_out": list(model.left_out),
    }
    return replace(model, read=tuple(read)), facts


def _seen(traced: TracedSystem) -> TracedSystem:
    """The system with the pieces that its soft bodies are drawn by: what the scene has."""
    system = drawn(traced.system)
    return traced if system is traced.system else trace(system, free=traced.free_parameters)


def _scene(model: Model) -> tuple[Payload, float]:
    """Scene, extent and the channels of contacts, from a short motion; and the length of its steps."""
    run, step = _short_motion(model, STEP)
    payload = payload_of(playback_of(run, every=SAMPLES))
    kept = [c for c in payload.table["channels"] if c["name"].rpartition("_")[0].endswith(("_force", "_point"))]
    payload.table["channels"] = kept
    return payload, step


def _short_motion(model: Model, step: float) -> tuple[simulation.Run, float]:
    """A motion from the start, with shorter steps where these are unstable: the page takes the same."""
    start = dict(zip(model.state.names, model.start.tolist(), strict=True))
    with warnings.catch_warnings():
        # A motion that goes wrong gives its measure up to there; the page itself says where its equations end.
        warnings.simplefilter("ignore", simulation.RunWarning)
        try:
            return simulation.simulate(model.system.system, min(SECONDS, STEPS * step), start=start, step=step), step
        except UnstableStepError as error:
            return _short_motion(model, 0.5 * min(error.longest, step))
