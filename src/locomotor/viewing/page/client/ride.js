// Riding: arrow keys, or buttons on the screen, drive inputs from the instant shown on; a balance may help. What was pressed when is
// a list of commands, from which the whole motion is made again: one may go back, and ride on from there in another way.

import { element, words } from "./data.js";

const ARROWS = {
  ArrowLeft: { way: "across", value: 1, sign: "◀" }, ArrowRight: { way: "across", value: -1, sign: "▶" },
  ArrowUp: { way: "along", value: 1, sign: "▲" }, ArrowDown: { way: "along", value: -1, sign: "▼" },
};
const AHEAD = 3;  // seconds before the end of what is computed at which more is asked for
const MORE = 10, LITTLE = 2;  // seconds that are asked for then, and while answers take their time
const MOST = 200;  // seconds of a ride

export class Ride {
  constructor(page, clock, live) {
    Object.assign(this, { page, clock, live });
    this.commands = [];
    this.down = new Map();
    this.helps = true;
    document.addEventListener("keydown", (event) => this.key(event, true), true);
    document.addEventListener("keyup", (event) => this.key(event, false), true);
    window.addEventListener("blur", () => this.letGo());
    clock.onChange(() => this.goOn());
  }

  // The handles of what is shown; without any there is nothing to ride by.
  load(riding) {
    this.riding = riding;
    this.reset();
    this.page.pad.hidden = !riding;
    this.page.stage.classList.toggle("ridden", Boolean(riding));
    if (!riding) return;
    this.keys = Object.entries(ARROWS).filter(([, { way }]) => this.handle(way)).map(([key, arrow]) => [key, this.button(key, arrow)]);
    this.buttons = new Map(this.keys);
    this.balance = element("button", {
      id: "balance", "aria-pressed": String(this.helps), title: "a controller keeps the balance while you ride (B)",
      onclick: () => this.switchBalance(),
    }, "balance");
    this.balance.hidden = !riding.balance;
    const names = riding.handles.map((handle) => handle.name).join(", ");
    this.page.pad.title = `ride with the arrow keys: ${names}`;
    this.page.pad.replaceChildren(this.balance, ...this.buttons.values());
  }

  handle(way) { return this.riding?.handles.find((handle) => handle.way === way); }

  button(key, { way, value, sign }) {
    const made = element("button", { class: `arrow ${key}`, "aria-label": `${words(this.handle(way).name)}: ${key.slice(5).toLowerCase()}` }, sign);
    made.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      made.setPointerCapture(event.pointerId);
      this.press(key, way, value);
    });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) made.addEventListener(name, () => this.release(key));
    made.addEventListener("contextmenu", (event) => event.preventDefault());
    return made;
  }

  key(event, down) {
    const { target } = event;
    if (!this.riding || event.ctrlKey || event.metaKey || event.altKey || this.page.help.open) return;
    if (target.matches?.("input:not(#slider), textarea, select")) return;
    if (down && event.key.toLowerCase() === "b" && this.riding.balance) {
      this.switchBalance();
    } else {
      const arrow = ARROWS[event.key];
      if (!arrow || !this.handle(arrow.way)) return;
      if (down && !event.repeat) this.press(event.key, arrow.way, arrow.value);
      if (!down) this.release(event.key);
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  press(key, way, value) {
    if (this.down.has(key) || this.live.isOver()) return;
    this.down.set(key, { way, value });
    this.buttons.get(key)?.classList.add("down");
    this.command(this.handle(way).name, this.deflection(way));
    if (!this.clock.playing) this.clock.play();
  }

  release(key) {
    const held = this.down.get(key);
    if (!held) return;
    this.down.delete(key);
    this.buttons.get(key)?.classList.remove("down");
    if (!this.live.isOver()) this.command(this.handle(held.way).name, this.deflection(held.way));
  }

  letGo() { for (const key of [...this.down.keys()]) this.release(key); }

  // Two opposite keys at once are none.
  deflection(way) { return [...this.down.values()].reduce((sum, held) => sum + (held.way === way ? held.value : 0), 0); }

  switchBalance() {
    this.helps = !this.helps;
    this.balance.setAttribute("aria-pressed", String(this.helps));
    if (this.live.isOver() || (!this.commands.length && !this.helps)) return;
    this.command("balance", Number(this.helps));
  }

  // From the instant shown on: what had been commanded, or pushed, after it has not happened.
  command(handle, value) {
    const { time } = this.clock;
    this.commands = this.commands.filter((known) => known.time < time || (known.time === time && known.handle !== handle));
    this.live.forget(time);
    if (!this.commands.length && this.helps && this.riding.balance && handle !== "balance") this.commands.push({ time, handle: "balance", value: 1 });
    this.commands.push({ time, handle, value });
    this.clock.loops = false;  // at once: the answer may come after the end of what is there
    this.live.ask();
  }

  // A ride has no end but a fall, or the longest one of all.
  get longest() { return Math.min(MOST, this.live.controls.longest); }
  get goesOn() { return Boolean(this.commands.length) && !this.live.ends && this.live.duration < this.longest; }

  // More of it is asked for in time.
  goOn() {
    const { clock, live } = this;
    if (!this.goesOn || !clock.playing || live.busy || clock.time < clock.recording.last - AHEAD) return;
    live.lasting(Math.min(live.duration + (live.isSlow ? LITTLE : MORE), this.longest));
  }

  reset() {
    this.commands = [];
    for (const button of this.buttons?.values() ?? []) button.classList.remove("down");
    this.down.clear();
  }
}
