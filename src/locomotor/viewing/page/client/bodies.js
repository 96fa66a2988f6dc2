// The bodies of the system: the meshes that came with the recording, moved to their poses.

import * as THREE from "three";
import { Skins } from "./skins.js";

const BRIGHTEST = 0.68;

export function linear(colour) { return new THREE.Color(colour).convertSRGBToLinear(); }

// In the light of the scene the brightest white would have no shades left.
function dimmed(colour) { return colour.multiplyScalar(Math.min(1, BRIGHTEST / Math.max(colour.r, colour.g, colour.b, 1e-6))); }

export function geometryOf({ vertices, normals, triangles }, recording) {
  const shape = new THREE.BufferGeometry();
  shape.setAttribute("position", new THREE.BufferAttribute(recording.array(vertices), 3));
  shape.setIndex(new THREE.BufferAttribute(recording.array(triangles), 1));
  if (!normals) return faceted(shape);
  shape.setAttribute("normal", new THREE.BufferAttribute(recording.array(normals), 3));
  return shape;
}

// Every triangle with corners and a normal of its own.
function faceted(shape) {
  const facets = shape.toNonIndexed();
  facets.computeVertexNormals();
  shape.dispose();
  return facets;
}

export class Bodies {
  constructor(recording) {
    this.recording = recording;
    this.root = new THREE.Group();
    this.byRole = new Map();
    const scene = recording.scene;
    this.groups = scene.bodies.map((body) => {
      const group = new THREE.Group();
      group.name = body.name;
      for (const part of body.parts) group.add(this.mesh(part, body.colour));
      this.root.add(group);
      return group;
    });
    for (const part of scene.world) this.root.add(this.mesh(part, "#888888"));
    this.struts = scene.struts.map((strut) => {
      const mesh = this.mesh({ role: strut.role, mesh: strut.mesh }, "#888888");
      this.root.add(mesh);
      return { mesh, ends: strut.ends, length: strut.length };
    });
    this.skins = new Skins(recording, this.groups, linear);
    this.root.add(this.skins.root);
    this.position = new THREE.Vector3();
    this.quaternion = new THREE.Quaternion();
  }

  mesh(part, tint) {
    const shape = geometryOf(part.mesh, this.recording);
    const look = this.recording.scene.materials[part.role];
    const clear = look.opacity < 1;
    const mesh = new THREE.Mesh(shape, new THREE.MeshStandardMaterial({
      color: dimmed(linear(part.colour ?? (look.colour === "body" ? tint : look.colour))),
      metalness: look.metal, roughness: look.rough,
      transparent: clear, opacity: look.opacity, depthWrite: !clear,
    }));
    mesh.castShadow = !clear;
    mesh.receiveShadow = !clear;
    mesh.renderOrder = clear ? 2 : 0;
    if (!this.byRole.has(part.role)) this.byRole.set(part.role, []);
    this.byRole.get(part.role).push(mesh);
    return mesh;
  }

  show(roles, on) {
    for (const role of roles) for (const mesh of this.byRole.get(role) ?? []) mesh.visible = on;
  }

  update(t) {
    this.groups.forEach((group, i) => this.recording.pose(i, t, group.position, group.quaternion));
    for (const strut of this.struts) this.stretch(strut);
    this.skins.update(t);
  }

  // A point of a body (index -1: the world) in the world.
  pointOf(body, at) {
    const point = new THREE.Vector3(...at);
    const group = this.groups[body];
    return group ? point.applyQuaternion(group.quaternion).add(group.position) : point;
  }

  stretch({ mesh, ends, length }) {
    const [a, b] = ends.map(([body, at]) => this.pointOf(body, at));
    const span = b.clone().sub(a);
    const distance = span.length();
    mesh.position.copy(a);
    mesh.scale.set(1, 1, Math.max(distance, 1e-6) / length);
    if (distance > 1e-9) mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), span.divideScalar(distance));
  }

  // Direction of the first body's x axis: where the system heads.
  forward(out) {
    const first = this.groups[0];
    return first ? out.set(1, 0, 0).applyQuaternion(first.quaternion) : out.set(1, 0, 0);
  }

  dispose() { this.root.traverse((node) => { node.geometry?.dispose(); node.material?.dispose(); }); }
}
