// Sliders: the start, the inputs, the parameters; every number can also be typed.

import { element, plain, unitText, words } from "./data.js";

export class Knobs {
  constructor(root, groups) {
    this.knobs = [];
    root.append(...groups.filter((group) => group.knobs.length).map((group) => {
      const box = element("details", group.open ? { open: "" } : {},
        element("summary", {}, group.title, element("span", {}, group.words)));
      box.append(...group.knobs.map((knob) => this.knob(knob, group.change)));
      return box;
    }));
  }

  knob({ name, symbol, unit, about, value, low, high }, change, ) {
    const label = element("span", { class: "name", title: about, html: symbol ? `${words(name)} <span class="soft">${symbol}</span>` : words(name) });
    const number = element("input", { type: "number", step: "any", "aria-label": words(name) });
    const range = element("input", { type: "range", min: low, max: high, step: (high - low) / 400, "aria-label": words(name) });
    const row = element("div", { class: "knob" }, label,
      element("span", { class: "amount" }, number, element("span", { class: "soft" }, unitText(unit))), range);
    const entry = { row, set: (next) => {
      number.value = plain(next);
      range.value = next;
      row.classList.toggle("changed", Math.abs(next - value) > 1e-12 * Math.max(1, Math.abs(value)));
    }, value };
    const apply = (next) => {
      if (!Number.isFinite(next)) return entry.set(value);
      entry.set(next);
      change(name, next);
    };
    range.addEventListener("input", () => apply(Number(range.value)));
    number.addEventListener("change", () => apply(Number(number.value)));
    label.addEventListener("dblclick", () => apply(value));
    entry.set(value);
    this.knobs.push(entry);
    return row;
  }
}
