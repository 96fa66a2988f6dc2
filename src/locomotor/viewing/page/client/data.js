// A recording: time, poses and channels of one run, read at any instant by interpolation.

const ARRAYS = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array };

export function blockFromText(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

export class Recording {
  constructor(table, buffer, base = 0) {
    this.table = table;
    this.scene = table.scene;
    this.report = table.report;
    this.array = ([offset, count, kind]) => new ARRAYS[kind](buffer, base + offset, count);
    this.time = this.array(table.time);
    this.poses = this.array(table.poses);
    this.centre = this.array(table.centre);
    this.channels = table.channels.map((c) => ({ ...c, data: this.array(c.data) }));
    this.byName = new Map(this.channels.map((c) => [c.name, c]));
    this.bodies = this.scene.bodies.length;
    this.first = this.time[0];
    this.last = this.time[this.time.length - 1];
    this.at = 0;
  }

  get duration() { return this.last - this.first; }

  // The sample at or before an instant, and the share of the way to the next one.
  locate(t) {
    const time = this.time;
    const n = time.length;
    if (n < 2 || t <= time[0]) return [0, 0];
    if (t >= time[n - 1]) return [n - 2, 1];
    let i = this.at;
    if (!(time[i] <= t && t < time[i + 1])) {
      let low = 0;
      let high = n - 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (time[middle] <= t) low = middle; else high = middle;
      }
      i = low;
    }
    this.at = i;
    return [i, (t - time[i]) / (time[i + 1] - time[i])];
  }

  // Entry k of rows of a given width, at an instant.
  mix(data, width, k, i, f) {
    const a = data[i * width + k];
    return f === 0 ? a : a + f * (data[(i + 1) * width + k] - a);
  }

  value(channel, t) {
    const [i, f] = this.locate(t);
    return this.mix(channel.data, 1, 0, i, f);
  }

  centreAt(t, out) {
    const [i, f] = this.locate(t);
    return out.set(...[0, 1, 2].map((k) => this.mix(this.centre, 3, k, i, f)));
  }

  // Position and quaternion of a body; quaternions of neighbouring samples have been given matching signs.
  pose(body, t, position, quaternion) {
    const [i, f] = this.locate(t);
    const width = 7 * this.bodies;
    const p = [0, 1, 2, 3, 4, 5, 6].map((k) => this.mix(this.poses, width, 7 * body + k, i, f));
    position.set(p[0], p[1], p[2]);
    quaternion.set(p[4], p[5], p[6], p[3]).normalize();
  }

  // How far a soft body is strained at each ring of its skin.
  strains({ bodies, strains }, t) {
    const [i, f] = this.locate(t);
    const data = this.array(strains);
    return bodies.map((_, ring) => this.mix(data, bodies.length, ring, i, f));
  }

  // The channels of a contact's vector: rear_force_x, rear_force_y, rear_force_z.
  vectorChannels(name, what) {
    const found = ["x", "y", "z"].map((axis) => this.byName.get(`${name}_${what}_${axis}`));
    return found.every(Boolean) ? found : null;
  }

  vector(channels, t, out) {
    const [i, f] = this.locate(t);
    return out.set(...channels.map((c) => this.mix(c.data, 1, 0, i, f)));
  }
}

// A number with enough digits to be read, and no more.
export function shown(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 2).replace("e+", "e");
  return value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
}

// A number as someone would type it.
export function plain(value) { return typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value); }

export function unitText(unit) {
  return unit === "1" ? "" : unit.replace(/\^(-?\d+)/g, (_, n) => [...n].map((d) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(d)]).join(""));
}

export function words(name) { return name.replaceAll("_", " "); }

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "html") made.innerHTML = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
