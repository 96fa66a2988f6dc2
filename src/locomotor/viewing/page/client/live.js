// The live page: sliders on the left of their numbers; every change asks for a new run, the newest answer wins.

class Live {
  constructor(page, controls, chart, { load, notice, clock }) {
    Object.assign(this, { page, controls, chart, load, notice, clock });
    this.changed = { parameters: {}, start: {}, inputs: {} };
    this.knobs = new Map();
    this.busy = false;
    this.duration = controls.duration;
    this.build();
    this.stability();
    chart.onPick((value) => this.set("start", controls.chart, value));
  }

  build() {
    const panel = this.page.tabmodel;
    if (this.controls.chart) panel.append(element("h2", {}, `Eigenvalues against ${words(this.controls.chart)}`), this.chart.root);
    panel.append(element("div", { class: "row" },
      element("button", { onclick: () => this.reset() }, "reset"),
      element("label", { class: "soft" }, "duration ", this.durationInput(), " s")));
    const filter = element("input", { type: "search", placeholder: "find a slider", "aria-label": "find a slider", class: "field" });
    filter.addEventListener("input", () => {
      for (const knob of this.knobs.values()) knob.root.hidden = !knob.text.includes(filter.value.trim().toLowerCase());
    });
    panel.append(filter);
    for (const [kind, title] of [["start", "Start"], ["inputs", "Inputs"], ["parameters", "Parameters"]]) {
      if (!this.controls[kind].length) continue;
      panel.append(element("h2", {}, title), ...this.controls[kind].map((spec) => this.knob(kind, spec)));
    }
  }

  durationInput() {
    const input = element("input", { type: "number", min: 0.1, max: this.controls.longest, step: "any", value: this.duration, class: "field short", "aria-label": "duration in seconds" });
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

  knob(kind, spec) {
    const slider = element("input", { type: "range", min: spec.low, max: spec.high, step: "any", value: spec.value, "aria-label": words(spec.name) });
    const number = element("input", { type: "number", step: "any", value: Number(spec.value.toPrecision(6)), "aria-label": `${words(spec.name)} in ${spec.unit}` });
    const label = element("span", { class: "name" }, element("span", { html: spec.symbol ? `${spec.symbol} ` : "" }),
      // A parameter is often called by one letter: its meaning says more.
      (kind === "parameters" && spec.about) || words(spec.name));
    const root = element("label", { class: "knob", title: `${spec.name}: ${spec.about}`, "data-knob": spec.name }, label,
      element("span", { class: "amount" }, number, element("span", { class: "soft" }, unitText(spec.unit))), slider);
    slider.addEventListener("input", () => this.set(kind, spec.name, Number(slider.value)));
    slider.addEventListener("dblclick", () => this.set(kind, spec.name, spec.value));
    number.addEventListener("change", () => number.value !== "" && this.set(kind, spec.name, Number(number.value)));
    this.knobs.set(`${kind}/${spec.name}`, { root, slider, number, spec, text: `${spec.name} ${spec.about}`.toLowerCase() });
    return root;
  }

  set(kind, name, value) {
    const knob = this.knobs.get(`${kind}/${name}`);
    if (!knob) return;
    knob.slider.value = value;
    knob.number.value = Number(value.toPrecision(6));
    knob.root.classList.toggle("changed", value !== knob.spec.value);
    if (value === knob.spec.value) delete this.changed[kind][name]; else this.changed[kind][name] = value;
    this.ask();
    if (kind === "parameters") this.stabilityLater();
    this.mark();
  }

  reset() {
    for (const [key, knob] of this.knobs) {
      const [kind, name] = key.split("/");
      delete this.changed[kind][name];
      knob.slider.value = knob.spec.value;
      knob.number.value = Number(knob.spec.value.toPrecision(6));
      knob.root.classList.remove("changed");
    }
    this.ask();
    this.stabilityLater();
    this.mark();
  }

  get request() {
    const { given } = this.controls;
    return {
      duration: this.duration,
      parameters: this.changed.parameters,
      start: { ...given, ...this.changed.start },
      inputs: Object.fromEntries(this.controls.inputs.map((s) => [s.name, this.changed.inputs[s.name] ?? s.value])),
    };
  }

  post(path, body) {
    return fetch(path, { method: "POST", headers: { "X-Locomotor-Token": this.controls.token }, body: JSON.stringify(body) });
  }

  // One request at a time; what changes meanwhile is asked for when the answer is there.
  async ask() {
    this.wanted = true;
    if (this.busy) return;
    this.busy = true;
    while (this.wanted) {
      this.wanted = false;
      try {
        const answer = await this.post("/run", this.request);
        if (!answer.ok) throw new Error((await answer.json()).error);
        const buffer = await answer.arrayBuffer();
        const length = new DataView(buffer).getUint32(0, true);
        const table = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        this.load(new Recording(table, buffer, 4 + length), true);
        this.notice(table.report.completed ? "" : table.report.status);
      } catch (error) {
        this.notice(error instanceof TypeError ? "The program behind this page has ended." : error.message);
      }
    }
    this.busy = false;
  }

  stabilityLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stability(), 120);
  }

  async stability() {
    if (!this.controls.chart) return;
    const order = this.order = (this.order ?? 0) + 1;
    try {
      const answer = await this.post("/stability", { parameters: this.changed.parameters });
      const found = await answer.json();
      if (order !== this.order) return;
      this.chart.load(answer.ok ? found : { ...found, values: [] }, this.unitOf(this.controls.chart));
    } catch { /* the run's own request tells that the program has ended */ }
    this.mark();
  }

  unitOf(name) { return this.knobs.get(`start/${name}`)?.spec.unit ?? ""; }

  // The value of the run in the chart.
  mark() {
    const knob = this.knobs.get(`start/${this.controls.chart}`);
    if (knob) this.chart.mark(Number(knob.slider.value));
  }
}
