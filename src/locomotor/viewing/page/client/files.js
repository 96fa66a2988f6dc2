// Files to take away: the numbers as CSV, the picture as PNG, the motion as a video made in the browser.

import { element } from "./data.js";

// A number with as few digits as read back to the very same: up to 9 of single precision, up to 17 of double.
function exact(data, i) {
  const value = data[i];
  if (data instanceof Float32Array && Number.isFinite(value)) {
    for (let digits = 6; digits < 9; digits++) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) return String(short);
    }
    return String(Number(value.toPrecision(9)));
  }
  return String(value);
}

export class Files {
  constructor(clock, stage, notice) { Object.assign(this, { clock, stage, notice }); }

  load(recording) { this.recording = recording; }

  buttons() {
    const made = [element("button", { id: "csv", title: "all channels of this page (S)", onclick: () => this.csv() }, "numbers (CSV)")];
    if (this.stage) {
      made.push(element("button", { title: "the scene as it is (P)", onclick: () => this.png() }, "picture (PNG)"));
      if (window.MediaRecorder) made.push(element("button", { title: "one pass at the chosen speed", onclick: () => this.video() }, "video (WebM)"));
    }
    return made;
  }

  save(blob, ending) {
    const link = element("a", { href: URL.createObjectURL(blob), download: `${this.recording.table.name}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  csvText() {
    const { channels, time } = this.recording;
    const lines = [["time [s]", ...channels.map((c) => `${c.name} [${c.unit || "1"}]`)].join(",")];
    for (let i = 0; i < time.length; i++) {
      lines.push([time, ...channels.map((c) => c.data)].map((data) => exact(data, i)).join(","));
    }
    return `${lines.join("\n")}\n`;
  }

  csv() { this.save(new Blob([this.csvText()], { type: "text/csv" }), "csv"); }

  png() {
    this.stage.dirty = true;
    this.stage.draw();
    this.stage.canvas.toBlob((blob) => this.save(blob, "png"));
  }

  video() {
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(60), { videoBitsPerSecond: 12e6 });
    const parts = [];
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => this.save(new Blob(parts, { type: "video/webm" }), "webm"));
    // The first recording of a browser takes its time to begin: the pass waits for it, or a short one would be missed.
    recorder.addEventListener("start", () => this.pass(recorder), { once: true });
    this.clock.play(false);
    this.clock.seek(this.recording.first);
    this.notice("recording one pass; press space to end it", true);
    recorder.start(100);
  }

  // One pass, then a moment for the last picture.
  pass(recorder) {
    this.clock.play();
    let before = this.recording.first;
    const watch = setInterval(() => {
      // The pass is over when the clock starts again, or when the reader pauses.
      if (this.clock.playing && this.clock.time >= before) { before = this.clock.time; return; }
      clearInterval(watch);
      this.clock.play(false);
      this.clock.seek(this.recording.last);
      this.notice("");
      setTimeout(() => recorder.stop(), 200);
    }, 30);
  }
}
