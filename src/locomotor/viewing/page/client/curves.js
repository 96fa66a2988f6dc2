// Curves beside the scene: one strip a channel, a cursor that follows, a click that seeks.

import { frame, penOf, rangeOf, trace } from "./axes.js";
import { element, shown, unitText, words } from "./data.js";

const MOST_LINES = 12;  // events drawn as lines over the whole height of a curve

export class Curves {
  constructor(strips, choices, filter, theme, clock) {
    Object.assign(this, { strips, choices, filter, theme, clock });
    this.items = [];
    filter.addEventListener("input", () => this.listChoices());
    theme.onChange(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(strips);
  }

  load(recording) {
    const before = this.recording && this.items.map((item) => item.channel.name).filter((name) => recording.byName.has(name));
    this.recording = recording;
    this.items = [];
    this.strips.replaceChildren();
    for (const name of before ?? recording.table.curves) this.add(name);
    this.listChoices();
    this.draw();
  }

  add(name) {
    const channel = this.recording.byName.get(name);
    if (!channel || this.items.some((item) => item.channel === channel)) return;
    const canvas = element("canvas");
    const cursor = element("div", { class: "cursor" });
    const dot = element("div", { class: "dot" });
    const value = element("output");
    const plot = element("div", { class: "plot", title: "click or drag to go there" }, canvas, cursor, dot);
    const head = element("header", { title: channel.about },
      element("b", {}, words(name)), ...(channel.symbol ? [element("span", { html: channel.symbol })] : []),
      element("span", { class: "unit" }, unitText(channel.unit)), value,
      element("button", { class: "close", "aria-label": `remove ${words(name)}`, onclick: () => this.remove(name) }, "×"));
    const strip = element("div", { class: "strip", "data-channel": name }, head, plot);
    const item = { channel, canvas, cursor, dot, value, strip, range: rangeOf(channel.data) };
    const seek = (event) => {
      if (!(event.buttons & 1) || !item.scale) return;
      const at = event.clientX - canvas.getBoundingClientRect().left;
      const { first, duration } = this.recording;
      this.clock.seek(first + ((at - item.scale.area.left) / item.scale.area.width) * duration);
    };
    plot.addEventListener("pointerdown", (event) => { plot.setPointerCapture(event.pointerId); seek(event); });
    plot.addEventListener("pointermove", seek);
    this.items.push(item);
    this.strips.append(strip);
  }

  remove(name) {
    const gone = this.items.find((item) => item.channel.name === name);
    gone?.strip.remove();
    this.items = this.items.filter((item) => item !== gone);
    this.listChoices();
    this.draw();
  }

  listChoices() {
    const wanted = this.filter.value.trim().toLowerCase();
    const shownNames = new Set(this.items.map((item) => item.channel.name));
    const lines = [];
    let group = "";
    for (const channel of this.recording.channels) {
      if (wanted && !`${words(channel.name)} ${channel.name} ${channel.unit} ${channel.about}`.toLowerCase().includes(wanted)) continue;
      if (channel.group !== group) lines.push(element("h3", {}, words(group = channel.group)));
      const box = element("input", { type: "checkbox", value: channel.name });
      box.checked = shownNames.has(channel.name);
      box.addEventListener("change", () => {
        if (box.checked) this.add(channel.name); else this.remove(channel.name);
        this.draw();
      });
      lines.push(element("label", { title: channel.about }, box, element("span", { class: "name" }, words(channel.name)),
        element("span", { html: channel.symbol }), element("span", { class: "unit" }, unitText(channel.unit))));
    }
    this.choices.replaceChildren(...lines);
  }

  draw() {
    if (!this.recording) return;
    this.items.forEach((item, index) => {
      const pen = penOf(item.canvas);
      if (!pen) return;
      const { first, last, time } = this.recording;
      item.scale = frame(pen, item.canvas, this.theme, [first, last], item.range);
      this.drawEvents(pen, item.scale);
      pen.strokeStyle = item.colour = this.theme.series(index);
      pen.lineWidth = 1.5;
      pen.lineJoin = "round";
      trace(pen, time, item.channel.data, item.scale.x, item.scale.y, item.scale.area.width);
      item.dot.style.background = item.colour;
    });
    this.update(this.clock.time);
  }

  drawEvents(pen, { x, area }) {
    const { events } = this.recording.report;
    // Where lines would drown the curve, ticks at its foot tell the same.
    const many = events.length > MOST_LINES;
    pen.strokeStyle = this.theme.colour("c1");
    pen.globalAlpha = many ? 0.8 : 0.35;
    for (const event of events) {
      pen.beginPath();
      pen.moveTo(x(event.time), many ? area.top + area.height - 5 : area.top);
      pen.lineTo(x(event.time), area.top + area.height);
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  update(t) {
    for (const item of this.items) {
      const value = this.recording.value(item.channel, t);
      item.value.textContent = shown(value);
      if (!item.scale) continue;
      const x = item.scale.x(t);
      item.cursor.style.transform = `translateX(${x}px)`;
      item.dot.style.transform = `translate(${x}px, ${item.scale.y(value)}px)`;
    }
  }
}
