// The equations of motion, one line a velocity; each term is lit by its present size.

import { element, shown, unitText, words } from "./data.js";

const FADE = 0.995;  // how slowly an equation forgets its largest term

const KINDS = {
  inertia: "inertia", motion: "centrifugal and Coriolis", force: "forces", drive: "drives and inputs", friction: "friction",
};

export class Equations {
  constructor(root, facts) {
    this.facts = facts;
    this.largest = facts.velocities.map(() => 0);
    this.cells = [];
    const rows = facts.velocities.map((velocity, i) => this.row(velocity, i));
    const kinds = [...new Set(facts.terms.map((term) => term.kind))];
    root.prepend(
      element("p", { class: "law", html: facts.law }),
      ...rows,
      element("div", { class: "legend" }, ...kinds.map((kind) => {
        const mark = element("span", {}, element("i", { class: kind }), KINDS[kind]);
        return mark;
      })),
    );
  }

  row(velocity, i) {
    const n = this.facts.velocities.length;
    const unit = velocity.unit === "m/s" ? "N" : "N m";
    const cells = [];
    const side = (from, to) => {
      const found = [];
      this.facts.terms.slice(from, to).forEach((term, k) => {
        if (term.zero[i]) return;
        if (found.length) found.push(element("span", { class: "sign" }, "+"));
        const label = term.kind === "inertia" ? `<i>M</i><sub>${i + 1}${from + k + 1}</sub> ${term.label}` : term.label;
        const value = element("output");
        const bar = element("i", { class: "bar" });
        const cell = element("span", { class: `term ${term.kind}`, title: term.about, style: "--glow: 0" },
          element("span", { html: label }), value, bar);
        cells.push({ cell, value, bar, place: (from + k) * n + i, unit });
        found.push(cell);
      });
      return found.length ? found : [element("span", {}, "0")];
    };
    const left = side(0, n);
    const right = side(n, this.facts.terms.length);
    this.cells.push(cells);
    return element("div", { class: "equation" },
      element("span", { class: "of" }, element("b", {}, words(velocity.name)), unitText(unit)),
      element("div", { class: "terms" }, ...left, element("span", { class: "sign" }, "="), ...right));
  }

  update(values) {
    this.cells.forEach((cells, i) => {
      let largest = 0;
      for (const { place } of cells) largest = Math.max(largest, Math.abs(values[place]) || 0);
      this.largest[i] = Math.max(largest, FADE * this.largest[i], 1e-12);
      for (const { cell, value, bar, place } of cells) {
        const size = Math.min(1, Math.abs(values[place]) / this.largest[i]) || 0;
        cell.style.setProperty("--glow", Math.sqrt(size).toFixed(3));
        bar.classList.toggle("minus", values[place] < 0);
        value.textContent = shown(Math.abs(values[place]) < 1e-9 * this.largest[i] ? 0 : values[place], 3).replace("-", "−");
      }
    });
  }
}
