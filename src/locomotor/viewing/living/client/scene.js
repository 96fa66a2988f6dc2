// What the scene is told: poses and forces of the engine as it is now, in the form of a recording.

import { Recording } from "./data.js";
import * as THREE from "three";

export class Present extends Recording {
  constructor(table, buffer, engine) {
    super(table, buffer);
    this.engine = engine;
    this.places = new Map(table.outputs.map((name, i) => [name, i]));
    this.matrix = new THREE.Matrix4();
    this.total = this.scene.bodies.reduce((sum, body) => sum + body.mass, 0);
  }

  locate() { return [0, 0]; }

  pose(body, t, position, quaternion) {
    const p = this.engine.found.poses, k = 12 * body;
    this.matrix.set(p[k], p[k + 1], p[k + 2], 0, p[k + 3], p[k + 4], p[k + 5], 0, p[k + 6], p[k + 7], p[k + 8], 0, 0, 0, 0, 1);
    quaternion.setFromRotationMatrix(this.matrix);
    position.set(p[k + 9], p[k + 10], p[k + 11]);
  }

  // As `Skin.strains` has it, from the poses of now.
  strains({ bodies, half, apart, free }) {
    const poses = bodies.slice(1, -1).map((body) => {
      const [position, quaternion] = [new THREE.Vector3(), new THREE.Quaternion()];
      this.pose(body, 0, position, quaternion);
      return [quaternion, position];
    });
    const between = poses.slice(1).map((pose, k) => {
      const [omega, shift] = twistBetween(poses[k], pose).map((part) => part.toArray());
      const bent = omega.map((x, i) => (x / apart - free[k][3 + i]) * half[k][i]);
      return Math.hypot(...bent) + Math.hypot(...shift.map((x, i) => x / apart - free[k][i]));
    });
    const inner = between.slice(1).map((x, k) => 0.5 * (x + between[k]));
    const last = between[between.length - 1];
    return [between[0], between[0], ...inner, last, last];
  }

  centreAt(t, out) {
    const p = this.engine.found.poses;
    out.set(0, 0, 0);
    this.scene.bodies.forEach(({ mass, com }, i) => {
      const k = 12 * i;
      const at = [0, 1, 2].map((r) => p[k + 9 + r] + p[k + 3 * r] * com[0] + p[k + 3 * r + 1] * com[1] + p[k + 3 * r + 2] * com[2]);
      const share = this.total > 0 ? mass / this.total : 1 / this.scene.bodies.length;
      out.set(out.x + share * at[0], out.y + share * at[1], out.z + share * at[2]);
    });
    return out;
  }

  vector(channels, t, out) {
    const values = this.engine.found.outputs;
    return out.set(...channels.map((channel) => values[this.places.get(channel.name)] ?? 0));
  }
}

// The twist (turning, then shift) that leads from one pose to another: the logarithm of the second seen from the first.
function twistBetween([a, from], [b, to]) {
  const back = a.clone().conjugate();
  const turned = back.clone().multiply(b);
  if (turned.w < 0) turned.set(-turned.x, -turned.y, -turned.z, -turned.w);
  const shift = to.clone().sub(from).applyQuaternion(back);
  const sine = Math.hypot(turned.x, turned.y, turned.z);
  const angle = 2 * Math.atan2(sine, turned.w);
  const omega = new THREE.Vector3(turned.x, turned.y, turned.z).multiplyScalar(sine > 1e-9 ? angle / sine : 2);
  const once = new THREE.Vector3().crossVectors(omega, shift);
  const twice = new THREE.Vector3().crossVectors(omega, once);
  const c = angle > 1e-4 ? 1 / angle ** 2 - 0.5 / (angle * Math.tan(0.5 * angle)) : 1 / 12;
  return [omega, shift.addScaledVector(once, -0.5).addScaledVector(twice, c)];
}

// The path of each contact point, as a line that forgets its beginning.
export class Paths {
  constructor(world, recording, colours, most = 3000) {
    this.most = most;
    this.at = new THREE.Vector3();
    this.lines = recording.scene.contacts.flatMap(({ name }, index) => {
      const channels = recording.vectorChannels(name, "point");
      if (!channels) return [];
      const shape = new THREE.BufferGeometry();
      shape.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * most), 3));
      const line = new THREE.Line(shape, new THREE.LineBasicMaterial());
      line.frustumCulled = false;
      world.add(line);
      return [{ line, channels, index, count: 0 }];
    });
    this.recording = recording;
    this.paint(colours);
  }

  paint(colour) { for (const { line, index } of this.lines) line.material.color.set(colour(index)); }

  clear() { for (const entry of this.lines) { entry.count = 0; entry.line.geometry.setDrawRange(0, 0); } }

  add() {
    for (const entry of this.lines) {
      const { line, channels } = entry;
      this.recording.vector(channels, 0, this.at);
      if (!Number.isFinite(this.at.x + this.at.y + this.at.z)) continue;
      const position = line.geometry.attributes.position;
      if (entry.count === this.most) {
        position.array.copyWithin(0, 3);
        entry.count -= 1;
      }
      position.setXYZ(entry.count, this.at.x, this.at.y, this.at.z + 0.002);
      entry.count += 1;
      line.geometry.setDrawRange(0, entry.count);
      position.needsUpdate = true;
    }
  }
}
