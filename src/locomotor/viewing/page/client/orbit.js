// The camera: turns about a target, zooms, pans; follows the system, or chases it from behind.

import * as THREE from "three";

const HOME = [-0.95, 0.26];
const [LOW, STEEP] = [0.3, 0.7];  // what is lower than this share of its extent is seen from further above, up to this angle
const ROAMING = 2.2;  // a motion that takes more room than this many times the system is followed
const TALL = 8;  // as many times as tall as the system may a motion be that goes up and down in one place
const AIR = 1.06;
const GROWN = 1.05;
const VIEWS = {
  home: HOME,
  side: [-Math.PI / 2, 0.06],
  front: [0, 0.12],
  top: [-Math.PI / 2, 1.5],
};

export class Orbit {
  constructor(canvas, invalidate) {
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
    this.mode = "follow";
    this.target = new THREE.Vector3();
    this.shift = new THREE.Vector3();
    this.centre = new THREE.Vector3();
    this.offset = new THREE.Vector3();
    this.framed = null;
    this.heading = 0;
    this.invalidate = invalidate;
    this.pointers = new Map();
    this.margins = { top: 0, bottom: 0 };
    canvas.addEventListener("pointerdown", (event) => this.press(event, canvas));
    canvas.addEventListener("pointermove", (event) => this.move(event, canvas));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY * (event.deltaMode ? 20 : 1)));
    }, { passive: false });
  }

  load(recording, keep) {
    const scene = recording.scene;
    this.size = scene.size;
    this.reach = scene.reach;
    this.up = new THREE.Vector3(...scene.up);
    this.camera.up.copy(this.up);
    const x = new THREE.Vector3(1, 0, 0);
    if (Math.abs(x.dot(this.up)) > 0.99) x.set(0, 1, 0);
    this.e1 = x.addScaledVector(this.up, -x.dot(this.up)).normalize();
    this.e2 = new THREE.Vector3().crossVectors(this.up, this.e1);
    this.camera.near = 0.01 * this.size;
    this.camera.far = 200 * this.size;
    this.home = HOME;
    const wall = scene.grounds.find((ground) => ground.wall);
    if (wall) {
      // What is climbed is seen from in front of its wall.
      const normal = new THREE.Vector3(...wall.normal);
      this.home = [Math.atan2(normal.dot(this.e2), normal.dot(this.e1)) - 0.4, 0.12];
    }
    const [around, whole] = [recording.table.extent.around, recording.table.extent.whole].map(
      ([low, high]) => new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high)));
    this.boxes = { around, whole };
    // What stays about where it is needs no following: the picture holds the whole motion.
    const size = (box) => box.getSize(new THREE.Vector3()).length();
    const flat = (box) => { const s = box.getSize(new THREE.Vector3()); return s.addScaledVector(this.up, -s.dot(this.up)).length(); };
    const tall = (box) => Math.abs(box.getSize(new THREE.Vector3()).dot(this.up));
    if (!wall) this.home = [HOME[0], HOME[1] + (STEEP - HOME[1]) * Math.max(0, 1 - tall(around) / (LOW * Math.max(flat(around), 1e-12)))];
    const bounces = flat(whole) < ROAMING * flat(around) && tall(whole) < TALL * tall(around);
    const fits = size(whole) < ROAMING * size(around) || bounces;
    if (!keep) {
      this.mode = fits ? "still" : "follow";
      this.view("home");
    } else if (this.mode === "still" && !fits && !this.chosen) {
      // Another motion of the same system that leaves the picture is followed, unless the reader wants it otherwise.
      this.mode = "follow";
      this.framed = null;
    } else if (this.mode === "still" && !this.chosen && !this.zoomed && size(whole) > GROWN * this.held) {
      // One that has grown out of the picture, as a longer pendulum, is framed anew unless the reader has come nearer.
      this.framed = null;
      whole.getCenter(this.target);
    }
    if (!this.framed) this.held = size(whole);
  }

  view(name) {
    this.zoomed = false;
    [this.azimuth, this.elevation] = name === "home" ? this.home : VIEWS[name];
    this.shift.set(0, 0, 0);
    this.framed = null;
    if (this.mode === "still") this.boxes.whole.getCenter(this.target);
    this.invalidate();
  }

  // How far away the box of the motion just fits between the margins, and where its middle is from what is followed.
  frame(aspect, share) {
    const still = this.mode === "still";
    const box = still ? this.boxes.whole : this.boxes.around;
    const middle = box.getCenter(new THREE.Vector3());
    this.offset = still ? new THREE.Vector3() : middle.clone();
    const angle = this.azimuth + (this.mode === "chase" ? this.heading : 0);
    const flat = Math.cos(this.elevation);
    const towards = this.e1.clone().multiplyScalar(flat * Math.cos(angle)).addScaledVector(this.e2, flat * Math.sin(angle))
      .addScaledVector(this.up, Math.sin(this.elevation));
    const right = new THREE.Vector3().crossVectors(this.up, towards).normalize();
    const upward = new THREE.Vector3().crossVectors(towards, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(...[0, 1, 2].map((i) => (k >> i & 1 ? box.max : box.min).getComponent(i))).sub(middle);
      const across = Math.abs(corner.dot(right)) / (tall * aspect);
      const up = Math.abs(corner.dot(upward)) / (tall * share);
      distance = Math.max(distance, corner.dot(towards) + Math.max(across, up));
    }
    this.distance = AIR * Math.max(distance, 0.05 * this.size);
  }

  setMode(mode) {
    // Keep the picture as it is when the meaning of the angle changes.
    if (mode === "chase" && this.mode !== "chase") this.azimuth -= this.heading;
    if (mode !== "chase" && this.mode === "chase") this.azimuth += this.heading;
    // Standing still, the camera goes on looking where it looked.
    if (mode === "still" && this.mode !== "still") this.target.add(this.offset);
    this.mode = mode;
    this.chosen = true;
    this.invalidate();
  }

  // Where the system is and heads; the camera goes along unless it stands still.
  track(centre, forward) {
    const flat = [forward.dot(this.e1), forward.dot(this.e2)];
    if (Math.hypot(...flat) > 1e-3) this.heading = Math.atan2(flat[1], flat[0]);
    this.centre.copy(centre);
    if (this.mode !== "still") this.target.copy(centre);
  }

  place(width, height) {
    const aspect = width / height;
    const { top, bottom } = this.margins;
    const share = Math.max(0.3, 1 - (top + bottom) / height);
    // Framed anew where the window has another shape; zooming keeps what the reader chose.
    const shape = `${this.mode} ${aspect.toFixed(2)} ${share.toFixed(2)}`;
    if (this.framed !== shape) {
      const chosen = this.framed?.split(" ")[0] === this.mode || this.framed === null ? null : this.distance;
      this.frame(aspect, share);
      if (chosen) this.distance = chosen;
      this.framed = shape;
    }
    const { distance } = this;
    const angle = this.azimuth + (this.mode === "chase" ? this.heading : 0);
    const flat = Math.cos(this.elevation);
    const at = this.looked = this.target.clone().add(this.offset).add(this.shift);
    this.camera.aspect = aspect;
    // The middle of what is free of bars is the middle of the picture.
    this.camera.setViewOffset(width, height, 0, 0.5 * (bottom - top), width, height);
    this.camera.position.copy(at)
      .addScaledVector(this.e1, distance * flat * Math.cos(angle))
      .addScaledVector(this.e2, distance * flat * Math.sin(angle))
      .addScaledVector(this.up, distance * Math.sin(this.elevation));
    this.camera.lookAt(at);
    this.camera.updateProjectionMatrix();
  }

  zoom(factor) {
    this.zoomed = true;
    this.distance = Math.min(Math.max(this.distance * factor, 0.2 * this.size), 60 * this.size);
    this.invalidate();
  }

  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.min(Math.max(this.elevation + 0.008 * dy, -0.2), 1.55);
    this.invalidate();
  }

  pan(dx, dy, height) {
    const scale = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const upward = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.shift.addScaledVector(right, -dx * scale).addScaledVector(upward, dy * scale);
    this.invalidate();
  }

  press(event, canvas) {
    canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  move(event, canvas) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const spread = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      this.zoom(spread(before) / Math.max(spread(now), 1));
      this.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (event.buttons & 2 || event.shiftKey) {
      this.pan(dx, dy, canvas.clientHeight);
    } else {
      this.turn(dx, dy);
    }
    this.pointers.set(event.pointerId, now);
  }
}
