// The last seconds of some quantities, as curves that run to the left.

import { element, shown, unitText, words } from "./data.js";

const SECONDS = 8;

export class History {
  constructor(root, facts, theme) {
    this.theme = theme;
    this.lines = facts.map((fact, i) => {
      const canvas = element("canvas");
      const value = element("output");
      const name = element("span", { title: fact.about, html: `${words(fact.name)} <span class="soft">${fact.symbol}</span>` });
      root.append(element("div", { class: "line" }, name, value, canvas));
      return { ...fact, canvas, value, index: i, times: [], values: [] };
    });
  }

  clear() { for (const line of this.lines) { line.times.length = 0; line.values.length = 0; } }

  add(time, read) {
    for (const line of this.lines) {
      line.times.push(time);
      line.values.push(read(line));
      let old = 0;
      while (line.times[old] < time - SECONDS) old += 1;
      if (old > 120) { line.times.splice(0, old); line.values.splice(0, old); }
    }
  }

  draw() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    for (const { canvas, value, times, values, unit, index } of this.lines) {
      const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
      if (!width || !times.length) continue;
      if (canvas.width !== Math.round(width) || canvas.height !== Math.round(height)) [canvas.width, canvas.height] = [width, height];
      const last = times[times.length - 1];
      const from = Math.max(0, last - SECONDS);
      let [low, high] = [Infinity, -Infinity];
      times.forEach((t, i) => { if (t >= from) { low = Math.min(low, values[i]); high = Math.max(high, values[i]); } });
      // What does not change is a line in the middle, not its round-off.
      const least = 1e-6 * Math.max(Math.abs(high), Math.abs(low), 1e-3);
      if (high - low < least) [low, high] = [low - least, high + least];
      const room = high - low;
      const pen = canvas.getContext("2d");
      pen.clearRect(0, 0, width, height);
      const across = (t) => ((t - from) / SECONDS) * width;
      const up = (v) => height - 3 * scale - ((v - low) / room) * (height - 6 * scale);
      if (low < 0 && high > 0) {
        pen.strokeStyle = this.theme.colour("line");
        pen.beginPath();
        pen.moveTo(0, up(0));
        pen.lineTo(width, up(0));
        pen.stroke();
      }
      pen.strokeStyle = this.theme.series(index);
      pen.lineWidth = 1.6 * scale;
      pen.beginPath();
      times.forEach((t, i) => { if (t >= from) pen.lineTo(across(t), up(values[i])); });
      pen.stroke();
      value.textContent = `${shown(values[values.length - 1], 4).replace("-", "−")} ${unitText(unit)}`;
    }
  }
}
