// The camera: turns about a target, zooms, pans; follows the system, or chases it from behind.

const VIEWS = {
  home: [-2.25, 0.28],
  side: [-Math.PI / 2, 0.06],
  front: [0, 0.12],
  top: [-Math.PI / 2, 1.5],
};

class Orbit {
  constructor(canvas, invalidate) {
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
    this.mode = "follow";
    this.target = new THREE.Vector3();
    this.shift = new THREE.Vector3();
    this.centre = new THREE.Vector3();
    this.heading = 0;
    this.invalidate = invalidate;
    this.pointers = new Map();
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
    if (keep) return;
    this.view("home");
    this.stay(recording);
  }

  // What stays about where it is needs no following: the picture holds the whole motion.
  stay({ centre }) {
    const box = new THREE.Box3().setFromArray(centre);
    const extent = box.getSize(new THREE.Vector3()).length();
    if (!(extent < 1.5 * this.reach)) return;
    this.mode = "still";
    box.getCenter(this.target);
    this.distance += extent;
  }

  view(name) {
    [this.azimuth, this.elevation] = VIEWS[name];
    this.distance = 1.9 * this.reach;
    this.shift.set(0, 0, 0);
    this.invalidate();
  }

  setMode(mode) {
    // Keep the picture as it is when the meaning of the angle changes.
    if (mode === "chase" && this.mode !== "chase") this.azimuth -= this.heading;
    if (mode !== "chase" && this.mode === "chase") this.azimuth += this.heading;
    this.mode = mode;
    this.invalidate();
  }

  // Where the system is and heads; the camera goes along unless it stands still.
  track(centre, forward) {
    const flat = [forward.dot(this.e1), forward.dot(this.e2)];
    if (Math.hypot(...flat) > 1e-3) this.heading = Math.atan2(flat[1], flat[0]);
    this.centre.copy(centre);
    if (this.mode !== "still") this.target.copy(centre);
  }

  place(aspect) {
    // On a narrow screen the system must fit across.
    const distance = this.distance * Math.max(1, 1.05 / aspect);
    const angle = this.azimuth + (this.mode === "chase" ? this.heading : 0);
    const flat = Math.cos(this.elevation);
    const at = this.looked = this.target.clone().add(this.shift);
    this.camera.aspect = aspect;
    this.camera.position.copy(at)
      .addScaledVector(this.e1, distance * flat * Math.cos(angle))
      .addScaledVector(this.e2, distance * flat * Math.sin(angle))
      .addScaledVector(this.up, distance * Math.sin(this.elevation));
    this.camera.lookAt(at);
    this.camera.updateProjectionMatrix();
  }

  zoom(factor) {
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
