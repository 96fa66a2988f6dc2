// Keys: one table serves the keyboard and the help.

import { element } from "./data.js";
import { LAYERS } from "./stage.js";

export class Keys {
  constructor(page, { clock, stage, transport, theme, files }) {
    this.table = [
      [["Space"], "play or pause", () => clock.toggle()],
      [["ArrowLeft", ","], "one recorded sample back; with shift, twenty", (e) => clock.step(e.shiftKey ? -20 : -1)],
      [["ArrowRight", "."], "one recorded sample on; with shift, twenty", (e) => clock.step(e.shiftKey ? 20 : 1)],
      [["Home"], "to the start", () => clock.seek(-Infinity)],
      [["End"], "to the end", () => clock.seek(Infinity)],
      [["ArrowUp"], "faster", () => clock.faster(1)],
      [["ArrowDown"], "slower", () => clock.faster(-1)],
      ...(stage ? LAYERS.map((layer) => [[layer.key], layer.about, () => transport.toggleLayer(layer.name)]) : []),
      [["c"], "camera: follow, chase, still", () => transport.cycleCamera()],
      ...(stage ? [["0", "home"], ["1", "side"], ["2", "front"], ["3", "top"]].map(([key, view]) => [[key], `${view} view`, () => stage.orbit.view(view)]) : []),
      [["+"], "nearer", () => stage?.orbit.zoom(0.85)],
      [["-"], "farther", () => stage?.orbit.zoom(1 / 0.85)],
      [["d"], "dark or light", () => theme.toggle()],
      [["s"], "save the numbers (CSV)", () => files.csv()],
      [["p"], "save the picture (PNG)", () => stage && files.png()],
      [["?"], "these keys", () => (page.help.open ? page.help.close() : page.help.showModal())],
    ];
    const names = { Space: "space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };
    page.keys.append(...this.table.flatMap(([keys, about]) => [
      element("span", {}, ...keys.map((key) => element("kbd", {}, names[key] ?? key.toUpperCase()))), element("span", {}, about)]));
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const typing = target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select");
    if (typing) return;
    const key = event.key === " " ? "Space" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = this.table.find(([keys]) => keys.includes(key));
    // Arrows on a slider that is not the time belong to it.
    if (!found || (target.matches?.("input[type=range]:not(#slider)") && key.startsWith("Arrow"))) return;
    if (key === "Space" && target.matches?.("button, summary, a")) target.blur();
    event.preventDefault();
    found[2](event);
  }
}
