// The model at work: state, inputs and parameters, moved by the exported equations with Runge-Kutta 4.

import * as model from "model";

const MOST = 400;       // steps of one frame: a page that was asleep does not catch up
const CLOSING = 12;     // Newton steps that bring contacts together after something was changed
const CLOSED = 1e-11;

export class Engine {
  constructor(step) {
    this.step = step;
    this.parameters = Float64Array.from(model.defaultParameters);
    this.inputs = new Float64Array(model.inputNames.length);
    this.delta = new Float64Array(model.tangentSize);
    this.next = new Float64Array(model.start.length);
    this.state = Float64Array.from(model.start);
    this.found = {};
    this.restart();
  }

  // The start, moved by what the reader asked for, with the contacts closed again.
  restart() {
    this.time = 0;
    this.left = 0;
    this.fault = "";
    this.state = model.move(model.start, this.delta);
    this.close();
    this.evaluate();
    this.energyAtStart = this.energy;
    this.worked = 0;
  }

  close() {
    if (!model.project || !model.gaps) return;
    for (let n = 0; n < CLOSING; ++n) {
      const gaps = model.gaps(this.time, this.state, this.inputs, this.parameters);
      if (!gaps.some((gap) => Math.abs(gap) > CLOSED)) return;
      this.state = model.move(this.state, model.project(this.time, this.state, this.inputs, this.parameters));
    }
  }

  get energy() { return this.found.energy ? this.found.energy[0] + this.found.energy[1] : 0; }

  // Everything that is shown of the state as it is.
  evaluate() {
    const { time, state, inputs, parameters, found } = this;
    for (const name of ["poses", "outputs", "terms", "energy", "residuals", "margins"]) {
      if (model[name]) found[name] = model[name](time, state, inputs, parameters, found[name]);
    }
    if (!state.every(Number.isFinite)) this.fault = "The motion has left every bound: the numbers are no longer finite.";
    else if (found.margins?.some((margin) => !(margin > 0))) {
      this.fault = "Here these equations end: a wheel lies flat, or the chosen coordinates become singular. Restart, or change the start.";
    }
    return found;
  }

  // Whole steps for the seconds that have passed; what is left waits for the next frame.
  advance(seconds) {
    if (this.fault) return 0;
    const wanted = Math.floor((seconds + this.left) / this.step + 1e-9);
    const steps = Math.min(wanted, MOST);
    this.left = wanted > MOST ? 0 : seconds + this.left - steps * this.step;
    for (let n = 0; n < steps; ++n) {
      model.step(this.time, this.step, this.state, this.inputs, this.parameters, this.next);
      [this.state, this.next] = [this.next, this.state];
      this.time += this.step;
    }
    this.evaluate();
    return steps;
  }
}
