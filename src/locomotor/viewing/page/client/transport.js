// The bar under the scene: play, time, speed, camera; and the legend of forces.

import { SPEEDS } from "./clock.js";
import { contactColour } from "./contacts.js";
import { element, plain, shown, words } from "./data.js";
import { gridSpacing } from "./ground.js";
import { LAYERS } from "./stage.js";

const ICONS = {
  play: '<svg viewBox="0 0 16 16"><path d="M3 1.5v13l11-6.5z"/></svg>',
  pause: '<svg viewBox="0 0 16 16"><path d="M3 2h3.6v12H3zM9.4 2H13v12H9.4z"/></svg>',
};

const LEGEND = 8, LITTLE = 4;  // forces told in words, and on a narrow page; the others have arrows only
const NARROW = window.matchMedia("(max-width: 820px)");

export class Transport {
  constructor(page, clock, stage) {
    Object.assign(this, { page, clock, stage });
    page.play.addEventListener("click", () => clock.toggle());
    page.back.addEventListener("click", (event) => clock.step(event.shiftKey ? -20 : -1));
    page.forth.addEventListener("click", (event) => clock.step(event.shiftKey ? 20 : 1));
    page.slider.addEventListener("input", () => { clock.playing = false; clock.seek(Number(page.slider.value)); });
    for (const speed of SPEEDS) page.speed.append(element("option", { value: speed }, `${speed}×`));
    page.speed.addEventListener("change", () => { clock.speed = Number(page.speed.value); page.speed.blur(); });
    page.camera.addEventListener("change", () => { stage?.orbit.setMode(page.camera.value); page.camera.blur(); });
    this.switches = LAYERS.map((layer) => element("button", {
      title: `${layer.about} (${layer.key.toUpperCase()})`, onclick: () => this.toggleLayer(layer.name),
    }, layer.name));
    if (stage) page.shown.append(...this.switches);
    this.pressed();
  }

  load(recording) {
    this.recording = recording;
    const { grounds, size, skins } = recording.scene;
    const soft = skins.each.length > 0;
    this.page.scale.textContent = [
      ...(grounds.length ? [`grid ${plain(gridSpacing(size))} m`] : []),
      ...(soft ? [`strain up to ${shown(skins.largest, 3)}`] : []),
    ].join(", ");
    LAYERS.forEach((layer, i) => { this.switches[i].hidden = Boolean(layer.soft) && !soft; });
    if (this.stage) this.page.camera.value = this.stage.orbit.mode;
    this.pressed();
    this.page.slider.min = recording.first;
    this.page.slider.max = recording.last;
    this.page.ticks.replaceChildren(...recording.report.events.map((event) => {
      const share = (event.time - recording.first) / (recording.duration || 1);
      return element("i", { style: `left: calc(8px + ${share} * (100% - 16px))`, title: `${words(event.name)}: ${event.about}` });
    }));
    this.decimals = Math.max(0, Math.min(6, 3 - Math.ceil(Math.log10(Math.max(recording.duration, 1e-9) / 10))));
  }

  toggleLayer(name) {
    this.stage.toggle(name);
    this.pressed();
  }

  pressed() {
    LAYERS.forEach((layer, i) => this.switches[i].setAttribute("aria-pressed", String(Boolean(this.stage?.on[layer.name]))));
  }

  cycleCamera() {
    const modes = ["follow", "chase", "still"];
    this.page.camera.value = modes[(modes.indexOf(this.page.camera.value) + 1) % modes.length];
    this.stage?.orbit.setMode(this.page.camera.value);
  }

  update(t) {
    const { page, clock, recording } = this;
    page.slider.value = t;
    page.slider.setAttribute("aria-valuetext", `${t.toFixed(this.decimals)} seconds`);
    page.clock.innerHTML = `${t.toFixed(this.decimals)} <small>/ ${shown(recording.last)} s</small>`;
    page.speed.value = String(clock.speed);
    if (this.wasPlaying !== clock.playing) {
      page.play.innerHTML = clock.playing ? ICONS.pause : ICONS.play;
      this.wasPlaying = clock.playing;
    }
    this.legend(t);
  }

  legend(t) {
    const { stage, page } = this;
    const all = stage?.on.forces ? stage.contacts.readings(t) : [];
    const most = NARROW.matches ? LITTLE : LEGEND;
    const readings = all.slice(0, most);
    page.more.textContent = all.length > most ? `and ${all.length - most} more` : "";
    if (page.legend.children.length !== readings.length) {
      page.legend.replaceChildren(...readings.map(() => element("div", { title: "force of the ground on the contact, or of the air on the wing" }, element("i"), element("span"))));
    }
    readings.forEach(({ name, index, size, pulls }, k) => {
      const [chip, text] = page.legend.children[k].children;
      chip.style.background = contactColour(stage.theme, index);
      text.textContent = `${words(name)} ${shown(size)} N${pulls ? ", pulls" : ""}`;
    });
  }
}
