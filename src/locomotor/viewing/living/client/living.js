// The living page: model, scene, equations and sliders wired together; one frame computes, shows and lights up.

import { blockFromText, element, shown, words } from "./data.js";
import { Engine } from "./engine.js";
import { Equations } from "./equations.js";
import { History } from "./history.js";
import { Knobs } from "./knobs.js";
import { contactColour } from "./contacts.js";
import { Paths, Present } from "./scene.js";
import { Stage } from "./stage.js";
import { Theme } from "./theme.js";
import * as model from "model";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2];
const PLAY = '<svg viewBox="0 0 14 14"><path d="M3 1l10 6-10 6z"/></svg>';
const PAUSE = '<svg viewBox="0 0 14 14"><path d="M2 1h4v12H2zM8 1h4v12H8z"/></svg>';

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((node) => [node.id.replaceAll("-", ""), node]));
const table = JSON.parse(page.table.textContent);
const facts = table.living;
const theme = new Theme();
const engine = new Engine(facts.step);
const present = new Present(table, blockFromText(page.block.textContent), engine);
page.block.remove();
const stage = makeStage();
const equations = new Equations(page.equations, facts);
const history = new History(page.history, facts.history, theme);
const state = { playing: false, before: null, speed: 1, frames: [], costs: [] };

function makeStage() {
  try {
    const made = new Stage(page.scene, page.labels, theme);
    made.on.trails = false;
    made.load(present);
    return made;
  } catch (error) {
    notice(`The scene needs WebGL, which this browser does not give (${error.message}). The equations work without it.`);
    return null;
  }
}

const paths = stage ? new Paths(stage.world, present, (i) => contactColour(theme, i)) : null;
theme.onChange(() => { paths?.paint((i) => contactColour(theme, i)); show(); });

function notice(text) {
  page.notice.textContent = text;
  page.notice.hidden = !text;
}

function play(on) {
  if (on && engine.fault) restart();
  state.playing = on;
  state.before = null;
  page.play.innerHTML = on ? PAUSE : PLAY;
}

function restart() {
  engine.restart();
  history.clear();
  paths?.clear();
  note();
  show();
}

function note() {
  paths?.add();
  history.add(engine.time, ({ from, place }) => (from === "state" ? engine.state[place] : engine.found[from][place]));
}

// Everything that is seen of the present state.
function show() {
  stage?.update(engine.time);
  equations.update(engine.found.terms);
  history.draw();
  page.clock.textContent = `${engine.time.toFixed(2)} s`;
  trust();
  notice(engine.fault);
}

function small(value) { return value === 0 ? "0" : value.toExponential(1).replace("-", "−").replace("e+", "e"); }

function trust() {
  const rows = [];
  if (engine.found.residuals?.length) {
    const worst = Math.max(...engine.found.residuals.map(Math.abs));
    rows.push(["largest gap or slip", small(worst)]);
  }
  if (facts.conserves) {
    const drift = (engine.energy - engine.energyAtStart) / Math.max(Math.abs(engine.found.energy[0]), 1e-9);
    rows.push(["change of energy, nothing driving", small(drift)]);
  }
  rows.push(["energy", `${shown(engine.energy, 5)} J`]);
  const cost = state.costs.length ? state.costs.reduce((a, b) => a + b) / state.costs.length : 0;
  rows.push(["computing one frame", `${cost.toFixed(2)} ms`], ["step of Runge–Kutta 4", `${1000 * facts.step} ms`]);
  page.trust.replaceChildren(...rows.map(([name, value]) => element("tr", {}, element("td", {}, name), element("td", { class: "number" }, value))));
}

// --- what the reader may change -------------------------------------------------------------------------------------------

const place = (names, name) => names.indexOf(name);
new Knobs(page.knobs, [
  { title: "Inputs", words: "act at once", open: true, knobs: facts.inputs, change: (name, value) => {
    engine.inputs[place(model.inputNames, name)] = value;
    engine.evaluate();
    show();
  } },
  { title: "Start", words: "begins again", open: true, knobs: facts.start, change: (name, value) => {
    const knob = facts.start.find((entry) => entry.name === name);
    engine.delta[knob.place] = value - knob.offset;
    restart();
  } },
  { title: "Parameters", words: "act at once", open: false, knobs: facts.parameters, change: (name, value) => {
    engine.parameters[place(model.parameterNames, name)] = value;
    engine.close();
    engine.evaluate();
    engine.energyAtStart = engine.energy;
    show();
  } },
]);

page.speed.append(...SPEEDS.map((speed) => element("option", { value: speed, ...(speed === 1 ? { selected: "" } : {}) }, `${speed}×`)));
page.speed.addEventListener("change", () => { state.speed = Number(page.speed.value); });
if (facts.roams) stage?.orbit.setMode("follow");
page.camera.value = stage?.orbit.mode ?? "follow";
page.camera.addEventListener("change", () => stage?.orbit.setMode(page.camera.value));
page.play.addEventListener("click", () => play(!state.playing));
page.again.addEventListener("click", restart);
page.totheme.addEventListener("click", () => theme.toggle());
page.subtitle.textContent = table.scene.description || `${words(table.name)}: the exact equations of motion, computed here`;
page.about.textContent = `The equations on this page are those of locomotor ${table.version}: ${facts.operations} operations, written as `
  + `JavaScript and integrated in this browser. Nothing is sent anywhere.${facts.left_out.length ? ` Left out: ${facts.left_out.join("; ")}.` : ""}`;
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, button, summary")) return;
  if (event.key === " ") { event.preventDefault(); play(!state.playing); }
  if (event.key.toLowerCase() === "r") restart();
  if (event.key.toLowerCase() === "d") theme.toggle();
});

restart();
play(!window.matchMedia("(prefers-reduced-motion: reduce)").matches && location.hash !== "#still");

requestAnimationFrame(function again(now) {
  if (state.playing) {
    const passed = state.before === null ? 0 : Math.min((now - state.before) / 1000, 0.1);
    state.before = now;
    const began = performance.now();
    engine.advance(passed * state.speed);
    state.costs.push(performance.now() - began);
    if (state.costs.length > 60) state.costs.shift();
    note();
    show();
    if (engine.fault) play(false);
  }
  stage?.draw();
  requestAnimationFrame(again);
});

// Handles for scripts and tests: the page makes no global, whoever wants them listens for the event.
document.dispatchEvent(new CustomEvent("locomotor", { detail: { recording: present, engine, model, stage, equations, state, play, restart, show } }));
