// The instant shown: plays, pauses, steps, loops; tells whoever listens.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const BRIEF = 1, WATCHED = 4;  // a motion shorter than the first is slowed down, so that it lasts the second (s)
const fitting = (duration) => (duration > 0 && duration < BRIEF ? SPEEDS.findLast((s) => duration / s >= WATCHED) ?? SPEEDS[0] : 1);

export class Clock {
  constructor() {
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.loops = true;
    this.awaits = () => false;  // whether more is about to come at the end, for which it waits there
    this.listeners = [];
    this.before = null;
  }

  load(recording) {
    if (!this.recording) this.speed = fitting(recording.duration);
    this.recording = recording;
    this.time = Math.min(Math.max(this.time, recording.first), recording.last);
    this.tell();
  }

  onChange(listener) { this.listeners.push(listener); }

  tell() { for (const listener of this.listeners) listener(this.time); }

  seek(t) {
    this.time = Math.min(Math.max(t, this.recording.first), this.recording.last);
    this.tell();
  }

  play(on = true) {
    this.playing = on;
    this.before = null;
    if (on && this.time >= this.recording.last) this.time = this.recording.first;
    this.tell();
  }

  toggle() { this.play(!this.playing); }

  // Whole recorded samples, so that a step shows recorded numbers.
  step(count) {
    this.playing = false;
    const [i, f] = this.recording.locate(this.time);
    const from = count < 0 && f > 0 ? i + 1 : f >= 1 ? i + 1 : i;
    const to = Math.min(Math.max(from + count, 0), this.recording.time.length - 1);
    this.seek(this.recording.time[to]);
  }

  faster(by) {
    const place = Math.max(0, SPEEDS.indexOf(this.speed));
    this.speed = SPEEDS[Math.min(Math.max(place + by, 0), SPEEDS.length - 1)];
    this.tell();
  }

  // Once a frame; returns whether the instant has moved.
  tick(now) {
    if (!this.playing) return false;
    const passed = this.before === null ? 0 : Math.min((now - this.before) / 1000, 0.25);
    this.before = now;
    const { first, last, duration } = this.recording;
    this.time += passed * this.speed;
    if (this.time > last && !this.loops) {
      this.time = last;
      this.playing = this.awaits();
    } else if (this.time > last) this.time = duration > 0 ? first + ((this.time - first) % duration) : first;
    this.tell();
    return true;
  }
}
