// Contacts, wings and joints: the force of the ground, of the air or of the parent as an arrow; the path of a contact point as a band on the ground.

import * as THREE from "three";
import { linear } from "./bodies.js";

const ARROW = 0.45;  // length of the largest force, in sizes of the system
const FEW = 4;  // arrows of that length; more of them are shorter, so that they do not cover what they act on
const LONGEST = 1.1;  // length of one that is far larger than most, as in a fall

// Bodies begin with the first colours of the palette, contacts with the third.
export function contactColour(theme, index) { return theme.series(index + 2); }

export class Contacts {
  constructor(recording, theme) {
    this.recording = recording;
    this.root = new THREE.Group();
    this.arrows = new THREE.Group();
    this.trails = new THREE.Group();
    this.root.add(this.arrows, this.trails);
    const size = recording.scene.size;
    const normals = new Map(recording.scene.grounds.map((g) => [g.name, new THREE.Vector3(...g.normal)]));
    this.items = recording.scene.contacts.map((contact, index) => {
      const item = {
        name: contact.name,
        index,
        point: recording.vectorChannels(contact.name, "point"),
        force: recording.vectorChannels(contact.name, "force"),
        normal: normals.get(contact.ground) ?? new THREE.Vector3(0, 0, 1),
      };
      if (item.point && item.force) item.arrow = this.makeArrow(size);
      if (item.point) item.trail = this.makeTrail(item, size);
      return item;
    });
    for (const wing of recording.scene.wings ?? []) {
      const force = recording.vectorChannels(wing.name, wing.force);
      if (!force) continue;
      const item = { name: wing.name, index: this.items.length, force, body: wing.body, at: new THREE.Vector3(...wing.at) };
      item.arrow = this.makeArrow(size);
      this.items.push(item);
    }
    this.turned = new THREE.Quaternion();
    this.nothing = 1e-9 * this.largest();
    const crowd = Math.max(1, Math.sqrt(this.items.filter((item) => item.arrow).length / FEW));
    this.scale = (ARROW * size) / (crowd * this.largest());
    this.longest = (LONGEST * size) / crowd;
    this.from = new THREE.Vector3();
    this.force = new THREE.Vector3();
    this.paint(theme);
  }

  // The largest force, but not a single spike: arrows of an impact may leave the picture.
  largest() {
    const sizes = [];
    for (const { force } of this.items) {
      if (!force) continue;
      for (let i = 0; i < this.recording.time.length; i++) {
        const size = Math.hypot(...force.map((c) => c.data[i]));
        if (size > 0 && Number.isFinite(size)) sizes.push(size);
      }
    }
    sizes.sort((a, b) => a - b);
    return Math.max(Math.min(sizes[sizes.length - 1] ?? 1, 3 * (sizes[sizes.length >> 1] ?? 1)), 1e-9);
  }

  makeArrow(size) {
    const material = new THREE.MeshStandardMaterial({ metalness: 0.1, roughness: 0.5 });
    const radius = 0.0065 * size;
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 14).translate(0, 0.5, 0), material);
    const head = new THREE.Mesh(new THREE.ConeGeometry(2.6 * radius, 8 * radius, 20).translate(0, -4 * radius, 0), material);
    const group = new THREE.Group();
    group.add(shaft, head);
    this.arrows.add(group);
    return { group, shaft, head, material, headLength: 8 * radius };
  }

  // Whether a contact touches nothing at a sample: it has no point there, or no force and a gap.
  isOpen({ name, point, force }, i, size) {
    if (!point.every((c) => Number.isFinite(c.data[i]))) return true;
    const gap = this.recording.byName.get(`${name}_gap`);
    return force && gap && gap.data[i] > 1e-4 * size && force.every((c) => c.data[i] === 0);
  }

  makeTrail(item, size) {
    const { point, normal } = item;
    const n = this.recording.time.length;
    const half = 0.006 * size;
    const positions = new Float32Array(6 * n);
    const at = (i, out) => out.set(...point.map((c) => c.data[i]));
    const [a, b, side, here] = [0, 1, 2, 3].map(() => new THREE.Vector3());
    side.copy(normal).cross(new THREE.Vector3(1, 0, 0)).normalize();
    const open = Array.from({ length: n }, (_, i) => this.isOpen(item, i, size));
    for (let i = 0; i < n; i++) {
      if (open[i]) continue;
      at(i > 0 && !open[i - 1] ? i - 1 : i, a);
      at(i + 1 < n && !open[i + 1] ? i + 1 : i, b);
      b.sub(a);
      // Where the point rests there is no direction: the last one stays.
      if (b.length() > 1e-6 * size) side.copy(normal).cross(b).normalize();
      at(i, here).addScaledVector(normal, 0.0015 * size);
      positions.set([here.x + half * side.x, here.y + half * side.y, here.z + half * side.z], 6 * i);
      positions.set([here.x - half * side.x, here.y - half * side.y, here.z - half * side.z], 6 * i + 3);
    }
    const indices = [];
    const upTo = new Uint32Array(n);
    for (let i = 0; i + 1 < n; i++) {
      if (!open[i] && !open[i + 1]) indices.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 2, 2 * i + 1, 2 * i + 3);
      upTo[i + 1] = indices.length;
    }
    const shape = new THREE.BufferGeometry();
    shape.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    shape.setIndex(indices);
    const bands = [0.9, 0.22].map((opacity) => {
      const material = new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, opacity, depthWrite: false });
      const band = new THREE.Mesh(shape.clone(), material);
      band.frustumCulled = false;
      band.renderOrder = -1;
      this.trails.add(band);
      return band;
    });
    return { past: bands[0], coming: bands[1], upTo };
  }

  paint(theme) {
    for (const { arrow, trail, index } of this.items) {
      const colour = linear(contactColour(theme, index));
      arrow?.material.color.copy(colour);
      trail?.past.material.color.copy(colour);
      trail?.coming.material.color.copy(colour);
    }
  }

  update(t) {
    const [i] = this.recording.locate(t);
    for (const { point, force, arrow, trail, body, at } of this.items) {
      trail?.past.geometry.setDrawRange(0, trail.upTo[Math.min(i + 1, trail.upTo.length - 1)]);
      if (!arrow) continue;
      if (point) this.recording.vector(point, t, this.from);
      else this.wingPoint(body, at, t);
      this.recording.vector(force, t, this.force);
      const length = Math.min(this.force.length() * this.scale, this.longest);
      // Between closed and open there is a force, but no place.
      arrow.group.visible = length > 1e-6 && Number.isFinite(this.from.x + this.from.y + this.from.z);
      if (!arrow.group.visible) continue;
      arrow.group.position.copy(this.from);
      arrow.group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.force.normalize());
      const head = Math.min(1, length / (1.5 * arrow.headLength));
      arrow.head.scale.setScalar(head);
      arrow.head.position.y = length;
      arrow.shaft.scale.y = Math.max(length - head * arrow.headLength, 1e-6);
    }
  }

  // Where the arrow of a wing begins: a point that moves with its body.
  wingPoint(body, at, t) {
    this.recording.pose(body, t, this.force, this.turned);
    this.from.copy(at).applyQuaternion(this.turned).add(this.force);
  }

  // Size of the force on each contact and wing, for the legend; what is left of rounding is nothing.
  readings(t) {
    return this.items.filter((item) => item.force).map(({ name, index, force, normal }) => {
      this.recording.vector(force, t, this.force);
      const size = this.force.length();
      return { name, index, size: size < this.nothing ? 0 : size, pulls: normal ? this.force.dot(normal) < -1e-9 : false };
    });
  }

  dispose() { this.root.traverse((node) => { node.geometry?.dispose(); node.material?.dispose(); }); }
}
