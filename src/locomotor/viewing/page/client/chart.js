// The stability chart: real parts as lines, imaginary parts as dashes, the stable band shaded; a click picks a value.

import { frame, penOf, trace } from "./axes.js";
import { element, shown, unitText } from "./data.js";

const NEUTRAL = 1e-5;  // growth (1/s) that is no growth

export class Chart {
  constructor(theme) {
    this.theme = theme;
    this.canvas = element("canvas");
    this.note = element("p", { class: "soft" }, "computing…");  // until it has something to draw
    this.root = element("div", {}, element("div", { id: "chart", title: "click to start there" }, this.canvas), this.note);
    theme.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    const pick = (event) => {
      if (!(event.buttons & 1) || !this.scale) return;
      const at = event.clientX - this.canvas.getBoundingClientRect().left;
      const share = Math.min(Math.max((at - this.scale.area.left) / this.scale.area.width, 0), 1);
      this.picked?.(Number((this.low + share * (this.high - this.low)).toPrecision(4)));
    };
    this.canvas.addEventListener("pointerdown", pick);
    this.canvas.addEventListener("pointermove", pick);
  }

  onPick(listener) { this.picked = listener; }

  load(found, unit, kind) {
    this.found = found;
    this.kind = kind;
    this.unit = unit;
    this.draw();
  }

  mark(value) {
    this.value = value;
    this.draw();
  }

  // Nine tenths of all numbers, and zero, are in view.
  range() {
    const all = [...this.found.real.flat(), ...this.found.imag.flat()].sort((a, b) => a - b);
    const [low, high] = [0.06, 0.97].map((share) => all[Math.floor(share * (all.length - 1))]);
    const reach = Math.max(-low, high);
    if (reach < NEUTRAL) return [-1, 1];
    return [Math.max(low, -reach) * 1.1, Math.max(high, 0.2 * reach) * 1.15];
  }

  draw() {
    const { found, theme, canvas } = this;
    if (!found) return;
    if (!found.values.length) {
      this.note.textContent = found.error ?? "";
      penOf(canvas);
      return;
    }
    const pen = penOf(canvas);
    if (!pen) return;
    // Speeds begin at zero, parameters where they begin.
    this.low = this.kind === "start" ? 0 : found.values[0];
    this.high = found.values[found.values.length - 1];
    const scale = this.scale = frame(pen, canvas, theme, [this.low, this.high], this.range(), { yTicks: 5 });
    const { x, y, area } = scale;
    pen.save();
    pen.beginPath();
    pen.rect(area.left, area.top, area.width, area.height);
    pen.clip();
    pen.globalAlpha = 0.16;
    pen.fillStyle = theme.colour("good");
    for (const [low, high] of found.bands) pen.fillRect(x(low), area.top, x(high) - x(low), area.height);
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.colour("soft");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(area.left, y(0));
    pen.lineTo(area.left + area.width, y(0));
    pen.stroke();
    found.real.forEach((real, mode) => {
      pen.strokeStyle = theme.series(mode);
      pen.lineWidth = 1.6;
      trace(pen, found.values, real, x, y, area.width);
      pen.lineWidth = 1;
      pen.setLineDash([4, 3]);
      // An imaginary part of zero is no oscillation: not drawn.
      trace(pen, found.values, found.imag[mode].map((v) => (v > 1e-9 ? v : NaN)), x, y, area.width);
      pen.setLineDash([]);
    });
    if (Number.isFinite(this.value)) {
      pen.strokeStyle = theme.colour("ink");
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(x(this.value), area.top);
      pen.lineTo(x(this.value), area.top + area.height);
      pen.stroke();
    }
    pen.restore();
    const bands = found.bands.map(([low, high]) => `${shown(low)} to ${shown(high)} ${unitText(this.unit)}`);
    const lines = "Lines: real parts; dashes: imaginary parts (1/s).";
    const largest = Math.max(...found.real.flat());
    const dies = Math.min(...found.real.flat()) < -NEUTRAL;
    const told = bands.length ? `Stable from ${bands.join(", and from ")}.`
      : largest < NEUTRAL ? `Neutral in this range: ${dies ? "nothing grows, but not everything dies out" : "a disturbance neither grows nor dies out"}.`
        : "Not stable anywhere in this range.";
    this.note.textContent = `${told} ${lines}`;
  }
}
