// The page: reads what came with it and wires everything together.

import { Chart } from "./chart.js";
import { Clock } from "./clock.js";
import { Curves } from "./curves.js";
import { blockFromText, element, Recording, words } from "./data.js";
import { Files } from "./files.js";
import { Keys } from "./keys.js";
import { Live } from "./live.js";
import { Numbers } from "./numbers.js";
import { Push } from "./push.js";
import { Stage } from "./stage.js";
import { Theme } from "./theme.js";
import { Transport } from "./transport.js";

const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((node) => [node.id.replaceAll("-", ""), node]));
const theme = new Theme();
const clock = new Clock();
const stage = makeStage();
// Words over the scene: red where something went wrong or fell, plain where the page only tells what it does.
const notice = (text, plain = false) => {
  page.notice.textContent = text;
  page.notice.hidden = !text;
  page.notice.classList.toggle("plain", plain);
};
const files = new Files(clock, stage, notice);
const transport = new Transport(page, clock, stage);
const curves = new Curves(page.strips, page.choices, page.filter, theme, clock);
const numbers = new Numbers(page.tabnumbers, files);
// The same handles that the keys use, for scripts and tests: the page makes no global, whoever wants them listens for the event.
const handles = {
  clock, stage, curves, theme, files,
  pose(name) {
    const group = stage.bodies.groups.find((entry) => entry.name === name);
    return [...group.position.toArray(), ...group.quaternion.toArray()];
  },
};
new Keys(page, { clock, stage, transport, theme, files });

function makeStage() {
  try {
    return new Stage(page.scene, page.labels, theme);
  } catch (error) {
    page.notice.textContent = `The scene needs WebGL, which this browser does not give (${error.message}). The curves work without it.`;
    page.notice.hidden = false;
    return null;
  }
}

function load(recording, keep = false) {
  page.title.textContent = words(recording.table.name);
  page.subtitle.textContent = recording.scene.description;
  files.load(recording);
  stage?.load(recording, keep);
  transport.load(recording);
  curves.load(recording);
  numbers.load(recording);
  clock.load(recording);
  handles.recording = recording;
}

function openTab(name) {
  for (const button of page.tabs.children) button.setAttribute("aria-selected", String(button.dataset.tab === name));
  for (const tab of document.querySelectorAll(".tab")) tab.hidden = tab.id !== `tab-${name}`;
  curves.draw();
  chart?.draw();
}

function makeTabs(names) {
  page.tabs.append(...names.map((name) => element("button", { role: "tab", "data-tab": name, onclick: () => openTab(name) }, name)));
  openTab(names[0]);
}

page.totheme.addEventListener("click", () => theme.toggle());
page.tohelp.addEventListener("click", () => page.help.showModal());
clock.onChange((t) => {
  stage?.update(t);
  transport.update(t);
  curves.update(t);
});

const table = JSON.parse(page.table.textContent);
const chart = table.live ? new Chart(theme) : null;
load(new Recording(table, blockFromText(page.block.textContent)));
page.block.remove();
const live = table.live ? new Live(page, table.live, chart, { load, notice, clock }) : null;
makeTabs(live ? ["model", "curves", "numbers"] : ["curves", "numbers"]);
handles.live = live;
if (live && stage) new Push(stage, clock, notice, (push) => live.strike(push));

// #t=2.5 opens the page at that instant, paused.
const asked = /^#t=([-\d.e]+)$/.exec(location.hash);
if (asked) clock.seek(Number(asked[1]));
else if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();

requestAnimationFrame(function again(now) {
  clock.tick(now);
  stage?.draw();
  requestAnimationFrame(again);
});

document.dispatchEvent(new CustomEvent("locomotor", { detail: handles }));
