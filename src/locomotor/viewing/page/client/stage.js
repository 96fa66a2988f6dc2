// The scene: renderer, light, and everything that stands in it. Draws only when something has changed.

import * as THREE from "three";
import { Bodies } from "./bodies.js";
import { Contacts } from "./contacts.js";
import { element, words } from "./data.js";
import { Ground } from "./ground.js";
import { Orbit } from "./orbit.js";
import { Triad } from "./triad.js";

export const LAYERS = [
  { name: "forces", key: "f", about: "forces of the ground on contacts, of the air on wings, and on joints with reactions" },
  { name: "trails", key: "t", about: "paths of the contact points" },
  { name: "inertia", key: "e", about: "ellipsoids of even density with the bodies' mass and inertia" },
  { name: "centres", key: "m", about: "centres of mass" },
  { name: "grid", key: "g", about: "ground" },
  { name: "names", key: "n", about: "names of the bodies" },
  { name: "strain", key: "x", about: "colours of soft bodies: how far they are strained", soft: true },
];

const NARROW = 600;

export class Stage {
  constructor(canvas, labels, theme) {
    this.canvas = canvas;
    this.labels = labels;
    this.theme = theme;
    this.dirty = true;
    this.on = { forces: true, trails: true, inertia: false, centres: true, grid: true, names: false, strain: true };
    this.fresh = true;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.outputEncoding = THREE.sRGBEncoding;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.world = new THREE.Scene();
    this.orbit = new Orbit(canvas, () => { this.dirty = true; });
    this.sun = new THREE.DirectionalLight("#ffffff", 0.85);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 2;
    this.world.add(this.sun, this.sun.target, new THREE.HemisphereLight("#ffffff", "#8a93a0", 0.35));
    this.world.environment = this.surroundings();
    this.centre = new THREE.Vector3();
    this.forward = new THREE.Vector3();
    this.triad = new Triad(document.getElementById("triad"));
    theme.onChange(() => this.paint());
    new ResizeObserver(() => { this.dirty = true; }).observe(canvas.parentElement);
  }

  // A soft studio, light from above, for metal to mirror.
  surroundings() {
    const room = new THREE.Scene();
    const walls = new THREE.Mesh(
      new THREE.SphereGeometry(10, 24, 16),
      new THREE.ShaderMaterial({
        side: THREE.BackSide,
        vertexShader: "varying vec3 way; void main() { way = normalize(position); gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
        fragmentShader: "varying vec3 way; void main() { gl_FragColor = vec4(vec3(0.28 + 0.5 * smoothstep(-0.3, 1.0, way.z) + 0.15 * smoothstep(0.7, 1.0, way.x)), 1.0);\n#include <encodings_fragment>\n}",
      }),
    );
    room.add(walls);
    const maker = new THREE.PMREMGenerator(this.renderer);
    const { texture } = maker.fromScene(room);
    maker.dispose();
    return texture;
  }

  load(recording, keep = false) {
    for (const old of [this.bodies, this.contacts]) {
      if (!old) continue;
      this.world.remove(old.root);
      old.dispose();
    }
    for (const ground of this.grounds ?? []) this.world.remove(ground.group);
    this.recording = recording;
    const size = recording.scene.size;
    if (this.fresh) this.on.centres = !recording.scene.shaped;
    this.fresh = false;
    this.bodies = new Bodies(recording);
    this.contacts = new Contacts(recording, this.theme);
    this.grounds = recording.scene.grounds.map((surface) => new Ground(surface, recording));
    this.world.add(this.bodies.root, this.contacts.root, ...this.grounds.map((ground) => ground.group));
    this.orbit.load(recording, keep);
    const reach = 1.6 * size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * size, far: 9 * size });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0008;
    this.sun.shadow.normalBias = 0.002 * size;
    this.labels.replaceChildren(...recording.scene.bodies.map((body) => element("span", {}, words(body.name))));
    this.paint();
    this.applyLayers();
  }

  paint() {
    if (!this.recording) return;
    // The background is shown as it is, without conversion.
    this.world.background = new THREE.Color(this.theme.colour("sky"));
    for (const ground of this.grounds) ground.paint(this.theme);
    this.contacts.paint(this.theme);
    this.dirty = true;
  }

  toggle(name) {
    this.on[name] = !this.on[name];
    this.applyLayers();
  }

  applyLayers() {
    this.contacts.arrows.visible = this.on.forces;
    this.contacts.trails.visible = this.on.trails;
    this.bodies.show(["solid"], this.on.inertia);
    this.bodies.show(["com_dark", "com_light"], this.on.centres);
    for (const ground of this.grounds) ground.group.visible = this.on.grid;
    this.labels.hidden = !this.on.names;
    this.bodies.skins.strained = this.on.strain;
    if (this.time !== undefined) this.bodies.skins.update(this.time);
    this.dirty = true;
  }

  update(t) {
    this.time = t;
    this.bodies.update(t);
    this.contacts.update(t);
    this.recording.centreAt(t, this.centre);
    this.orbit.track(this.centre, this.bodies.forward(this.forward));
    this.dirty = true;
  }

  draw() {
    if (!this.dirty) return;
    this.dirty = false;
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    const bar = document.getElementById("transport");
    // On a narrow screen buttons to ride by take the room above the bar.
    const pad = document.getElementById("pad");
    const taken = pad && width < NARROW ? pad.offsetHeight : 0;
    this.orbit.margins = { top: 44, bottom: bar ? bar.offsetHeight + 26 + taken : 0 };
    this.orbit.place(width, height);
    for (const ground of this.grounds) ground.follow(this.orbit.looked);
    const { up, e1, e2, size } = this.orbit;
    this.sun.target.position.copy(this.orbit.centre);
    this.sun.position.copy(this.orbit.centre).addScaledVector(up, 4 * size).addScaledVector(e1, 1.2 * size).addScaledVector(e2, -1.6 * size);
    this.renderer.render(this.world, this.orbit.camera);
    if (this.on.names) this.placeLabels(width, height);
    this.triad?.draw(this.orbit.camera, this.orbit.up);
  }

  placeLabels(width, height) {
    this.recording.scene.bodies.forEach((body, i) => {
      const label = this.labels.children[i];
      const at = this.bodies.pointOf(i, body.com).project(this.orbit.camera);
      label.hidden = at.z > 1 || body.parts.length === 0;
      label.style.transform = `translate(${(0.5 + 0.5 * at.x) * width + 8}px, ${(0.5 - 0.5 * at.y) * height - 10}px)`;
    });
  }
}
