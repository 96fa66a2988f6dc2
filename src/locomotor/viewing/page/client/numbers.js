// The run in numbers: how it ended, how far it may be trusted, how it was made, its parameters; and files to take away.

import { element, plain, shown, unitText, words } from "./data.js";

function tableOf(rows) {
  return element("table", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((cell) => (
    cell instanceof Node ? cell : element("td", {}, String(cell)))))));
}

export class Numbers {
  constructor(panel, files) { Object.assign(this, { panel, files }); }

  load(recording) {
    const { report, table, scene } = recording;
    const parts = [
      element("h2", {}, "The run"),
      element("p", { class: report.ok ? "ok" : "bad" }, report.status),
      element("div", { class: "row" }, ...this.files.buttons()),
      element("h2", {}, "How far to trust it"),
      tableOf(report.audit),
      element("details", {}, element("summary", {}, "residuals"),
        tableOf(Object.entries(report.residuals).map(([name, value]) => [words(name), element("td", { class: "number" }, shown(value, 3))]))),
    ];
    if (report.events.length) {
      parts.push(element("h2", {}, "Events"), tableOf(report.events.map((e) => [`${shown(e.time)} s`, `${words(e.name)}: ${e.about}`])));
    }
    parts.push(element("h2", {}, "How it was made"), tableOf(Object.entries(report.settings).map(([name, value]) => [words(name), plain(value)])));
    if (report.parameters.length) {
      parts.push(element("h2", {}, "Parameters"), tableOf(report.parameters.map((p) => [
        element("td", { html: p.symbol || words(p.name), title: p.name }),
        element("td", { title: p.source }, p.about || words(p.name)),
        element("td", { class: "number" }, `${plain(p.value)} ${unitText(p.unit)}`),
      ])));
    }
    const kept = recording.time.length;
    const note = kept < report.samples ? `${kept} of ${report.samples} samples are in this page, every extreme among them. ` : "";
    parts.push(element("p", { class: "soft" }, `${scene.description ? `${scene.description}. ` : ""}${note}${this.sizes(table)}Made with locomotor ${table.version}.`));
    this.panel.replaceChildren(...parts);
  }

  sizes(table) {
    if (!table.sizes) return "";
    const told = Object.entries(table.sizes).map(([name, bytes]) => `${words(name)} ${(bytes / 1e6).toFixed(2)}`);
    return `Megabytes: ${told.join(", ")}. `;
  }
}
