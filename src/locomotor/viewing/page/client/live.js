// The live page: sliders on the left of their numbers; every change asks for a new run, the newest answer wins.

import { element, Recording, shown, unitText, words } from "./data.js";
import { Ride } from "./ride.js";

const SLOW = 700;  // milliseconds after which it is said that an answer takes its time
const GROUPS = { gait: "gaits", scenario: "scenarios" };

export class Live {
  constructor(page, controls, chart, { load, notice, clock }) {
    Object.assign(this, { page, controls, chart, load, notice, clock });
    this.changed = { parameters: {}, start: {}, inputs: {} };
    this.knobs = new Map();
    this.busy = this.isSlow = false;
    this.pushes = [];
    this.ends = "";
    this.duration = controls.duration;
    this.ride = new Ride(page, clock, this);
    this.build();
    this.begin(clock.recording.report);
    this.stability();
    clock.onChange(() => this.tellEnd());
    clock.awaits = () => this.ride.goesOn || (this.busy && this.ride.commands.length > 0);
    chart.onPick((value) => this.set(this.controls.chart.kind, this.controls.chart.name, value));
  }

  build() {
    const panel = this.page.tabmodel;
    panel.replaceChildren();
    this.knobs.clear();
    if (this.controls.choices.length > 1) panel.append(this.menu());
    this.ride.load(this.controls.riding);
    if (this.controls.chart) panel.append(element("h2", {}, ...this.against()), this.chart.root);
    panel.append(element("div", { class: "row" },
      element("button", { onclick: () => this.reset() }, "reset"),
      this.pushed = element("button", { onclick: () => this.calm(), hidden: "" }, ""),
      element("label", { class: "soft" }, "duration ", this.durationInput(), " s")));
    const filter = element("input", { type: "search", placeholder: "find a slider", "aria-label": "find a slider", class: "field" });
    filter.addEventListener("input", () => {
      for (const knob of this.knobs.values()) knob.root.hidden = !knob.text.includes(filter.value.trim().toLowerCase());
    });
    panel.append(...(this.controls.note ? [element("p", { class: "soft" }, this.controls.note)] : []), filter);
    for (const [kind, title] of [["start", "Start"], ["inputs", "Inputs"], ["parameters", "Parameters"]]) {
      if (!this.controls[kind].length) continue;
      panel.append(element("h2", {}, title), ...this.controls[kind].map((spec) => this.knob(kind, spec)));
    }
  }

  // What the chart is drawn against; of a system that rests, any parameter.
  against() {
    const { chart } = this.controls;
    if (chart.names.length < 2) return [`Eigenvalues against ${words(chart.name)}`];
    const about = (name) => this.controls.parameters.find((knob) => knob.name === name)?.about || words(name);
    const choose = element("select", { id: "against", "aria-label": "parameter of the chart" },
      ...chart.names.map((name) => element("option", { value: name }, about(name))));
    choose.value = chart.name;
    choose.addEventListener("change", () => { chart.name = choose.value; this.stability(); });
    return ["Eigenvalues at rest against ", choose];
  }

  // What is shown: a gait, a scenario, or the system by itself.
  menu() {
    const option = ({ key, name, title }) => element("option", { value: key, title }, words(name) || "by itself");
    const own = this.controls.choices.filter(({ group }) => !group).map(option);
    const groups = Object.entries(GROUPS).map(([group, label]) => [label, this.controls.choices.filter((each) => each.group === group)]);
    const choose = element("select", { id: "choice", "aria-label": "motion" },
      ...groups.filter(([, all]) => all.length).map(([label, all]) => element("optgroup", { label }, ...all.map(option))), ...own);
    choose.value = this.controls.choice;
    choose.addEventListener("change", () => this.choose(choose.value));
    const { title } = this.controls.choices.find(({ key }) => key === this.controls.choice);
    return element("div", {}, element("label", { class: "menu" }, "motion ", choose), element("p", { class: "soft" }, title));
  }

  async choose(choice) {
    this.notice("compiling…", true);
    try {
      const answer = await this.post("/controls", { choice });
      const found = await answer.json();
      if (!answer.ok) throw new Error(found.error);
      // A scenario has parameters of its own.
      const own = [choice, this.controls.choice].some((key) => key.startsWith("scenario:"));
      this.controls = found;
      this.duration = found.duration;
      this.pushes = [];
      this.changed = { parameters: own ? {} : this.changed.parameters, start: {}, inputs: {} };
      this.build();
      for (const [name, value] of Object.entries(this.changed.parameters)) this.show("parameters", name, value);
      this.clock.time = 0;
      this.stability();
      await this.ask(false);
      this.clock.play();
    } catch (error) {
      this.notice(error instanceof TypeError ? "The program behind this page has ended." : error.message);
    }
  }

  durationInput() {
    const input = this.lasts = element("input", { type: "number", min: 0.1, max: this.controls.longest, step: "any", value: this.duration, class: "field short", "aria-label": "duration in seconds" });
    input.addEventListener("change", () => {
      const asked = Number(input.value), { longest } = this.controls;
      if (asked > 0 && asked <= longest) {
        this.duration = asked;
        this.ask();
        return;
      }
      // The last good one comes back, and the words say why.
      input.value = this.duration;
      this.notice(`A duration of ${asked} s is not possible here: give more than 0 and at most ${longest} s.`);
    });
    return input;
  }

  // A motion of another length.
  lasting(duration) {
    this.duration = duration;
    this.lasts.value = duration;
    return this.ask();
  }

  knob(kind, spec) {
    const slider = element("input", { type: "range", min: spec.low, max: spec.high, step: "any", value: spec.value, "aria-label": words(spec.name) });
    // An input may be a law of time: any text that the server understands.
    const law = kind === "inputs";
    const number = element("input", {
      type: law ? "text" : "number", step: "any", value: spec.law ?? Number(spec.value.toPrecision(6)),
      "aria-label": `${words(spec.name)} in ${spec.unit}`, title: law ? "a number, or a law of t such as 0.3*sin(2*t)" : undefined,
    });
    // A parameter is often called by one letter: its meaning says more, and where it has none the letter is said once.
    const text = (kind === "parameters" && spec.about) || words(spec.name);
    const symbol = element("span", { html: spec.symbol ?? "" });
    const label = element("span", { class: "name" }, symbol, ...(symbol.textContent === text ? [] : [spec.symbol ? ` ${text}` : text]));
    const root = element("label", { class: "knob", title: `${spec.name}: ${spec.about}`, "data-knob": spec.name }, label,
      element("span", { class: "amount" }, number, element("span", { class: "soft" }, unitText(spec.unit))), slider);
    slider.addEventListener("input", () => this.set(kind, spec.name, Number(slider.value)));
    slider.addEventListener("dblclick", () => this.set(kind, spec.name, spec.value));
    number.addEventListener("change", () => {
      const typed = number.value.trim();
      if (typed !== "") this.set(kind, spec.name, law && !Number.isFinite(Number(typed)) ? typed : Number(typed));
    });
    this.knobs.set(`${kind}/${spec.name}`, { root, slider, number, spec, text: `${spec.name} ${spec.about}`.toLowerCase() });
    return root;
  }

  set(kind, name, value) {
    const knob = this.show(kind, name, value);
    if (!knob) return;
    if (value === (knob.spec.law ?? knob.spec.value)) delete this.changed[kind][name]; else this.changed[kind][name] = value;
    this.ask();
    if (kind === "parameters") this.stabilityLater();
    this.mark();
  }

  // A value on its slider, without asking for a run.
  show(kind, name, value) {
    const knob = this.knobs.get(`${kind}/${name}`);
    if (!knob) return null;
    if (typeof value === "number") knob.slider.value = value;
    knob.number.value = typeof value === "number" ? Number(value.toPrecision(6)) : value;
    knob.root.classList.toggle("changed", value !== (knob.spec.law ?? knob.spec.value));
    return knob;
  }

  // A push joins the motion, which goes on from it.
  async strike(push) {
    this.pushes.push(push);
    this.tellPushes();
    const good = await this.ask();
    if (good === false) { this.pushes.pop(); this.tellPushes(); return; }
    this.clock.seek(push.time);
    this.clock.play();
  }

  // Pushes after an instant have not happened.
  forget(time) {
    this.pushes = this.pushes.filter((push) => push.time <= time);
    this.tellPushes();
  }

  calm() {
    this.pushes = [];
    this.tellPushes();
    this.ask();
  }

  tellPushes() {
    this.pushed.hidden = !this.pushes.length;
    this.pushed.textContent = `take back ${this.pushes.length === 1 ? "the push" : `${this.pushes.length} pushes`}`;
  }

  reset() {
    this.pushes = [];
    this.tellPushes();
    this.ride.reset();
    this.lasts.value = this.duration = this.controls.duration;
    for (const [key, knob] of this.knobs) {
      const [kind, name] = key.split("/");
      delete this.changed[kind][name];
      this.show(kind, name, knob.spec.law ?? knob.spec.value);
    }
    this.clock.seek(this.clock.recording.first);
    this.ask();
    this.stabilityLater();
    this.mark();
  }

  get request() {
    const { given } = this.controls;
    return {
      choice: this.controls.choice,
      duration: this.duration,
      pushes: this.pushes,
      commands: this.ride.commands,
      parameters: this.changed.parameters,
      start: { ...given, ...this.changed.start },
      inputs: Object.fromEntries(this.controls.inputs.map((s) => [s.name, this.changed.inputs[s.name] ?? s.law ?? s.value])),
    };
  }

  post(path, body) {
    return fetch(path, { method: "POST", headers: { "X-Locomotor-Token": this.controls.token }, body: JSON.stringify(body) });
  }

  // One request at a time; what changes meanwhile is asked for when the answer is there.
  async ask(keep = true) {
    this.wanted = true;
    if (this.busy) return null;
    this.busy = true;
    let good = true;
    while (this.wanted) {
      this.wanted = false;
      const slow = setTimeout(() => this.notice("computing…", true), SLOW), asked = performance.now();
      try {
        const answer = await this.post("/run", this.request);
        if (!answer.ok) throw new Error((await answer.json()).error);
        const buffer = await answer.arrayBuffer();
        clearTimeout(slow);
        this.isSlow = performance.now() - asked > SLOW;
        const length = new DataView(buffer).getUint32(0, true);
        const table = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        this.begin(table.report);
        this.load(new Recording(table, buffer, 4 + length), keep);
        good = true;
      } catch (error) {
        good = false;
        clearTimeout(slow);
        this.notice(error instanceof TypeError ? "The program behind this page has ended." : error.message);
      }
    }
    this.busy = false;
    return good;
  }

  // How a motion that is about to be shown ends.
  begin(report) {
    this.ends = report.end;
    this.told = false;
    this.clock.loops = !report.end && !this.ride.commands.length;
    this.notice(report.completed || report.end ? "" : report.status);
  }

  // Whether the instant shown is the end of a motion that went no further.
  isOver() { return Boolean(this.ends) && this.clock.time >= this.clock.recording.last; }

  // A fall is told where it happens.
  tellEnd() {
    const over = this.isOver();
    if (over && !this.told) {
      const { report, last } = this.clock.recording;
      const again = this.ride.commands.length || this.pushes.length ? " Reset, or go back and try again." : "";
      this.notice(`It has ${report.ok ? "" : "all but "}${words(this.ends)}: t = ${shown(last)} s.${again}`);
    } else if (!over && this.told) this.notice("");
    this.told = over;
  }

  stabilityLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stability(), 120);
  }

  async stability() {
    if (!this.controls.chart) return;
    const order = this.order = (this.order ?? 0) + 1;
    try {
      const answer = await this.post("/stability", { choice: this.controls.choice, chart: this.controls.chart.name, parameters: this.changed.parameters });
      const found = await answer.json();
      if (order !== this.order) return;
      const { kind, name } = this.controls.chart;
      this.chart.load(answer.ok ? found : { ...found, values: [] }, this.knobs.get(`${kind}/${name}`)?.spec.unit ?? "", kind);
    } catch { /* the run's own request tells that the program has ended */ }
    this.mark();
  }

  // The value of the run in the chart.
  mark() {
    const { chart } = this.controls;
    const knob = chart && this.knobs.get(`${chart.kind}/${chart.name}`);
    if (knob) this.chart.mark(Number(knob.slider.value));
  }
}
