// Soft bodies: skins whose rings move with the pieces they are fixed to, coloured by how far they are strained.

import * as THREE from "three";

export class Skins {
  constructor(recording, groups, colourOf) {
    const { ramp, largest, each } = recording.scene.skins;
    this.recording = recording;
    this.groups = groups;
    this.largest = largest;
    this.stops = ramp.map(colourOf);
    this.strained = true;
    this.root = new THREE.Group();
    this.items = each.map((skin) => this.make(skin));
    this.point = new THREE.Vector3();
    this.colour = new THREE.Color();
  }

  make(skin) {
    const { name, bodies, rings, mesh } = skin;
    const [vertices, normals, triangles] = [mesh.vertices, mesh.normals, mesh.triangles].map(this.recording.array);
    const shape = new THREE.BufferGeometry();
    const moving = (values) => new THREE.BufferAttribute(Float32Array.from(values), 3).setUsage(THREE.DynamicDrawUsage);
    shape.setAttribute("position", moving(vertices));
    shape.setAttribute("normal", moving(normals));
    shape.setAttribute("color", moving(new Float32Array(vertices.length)));
    shape.setIndex(new THREE.BufferAttribute(triangles, 1));
    const drawn = new THREE.Mesh(shape, new THREE.MeshStandardMaterial({ vertexColors: true, metalness: 0.05, roughness: 0.5 }));
    drawn.name = name;
    drawn.castShadow = true;
    drawn.receiveShadow = true;
    drawn.frustumCulled = false;  // its vertices move, the sphere around them is not kept up to date
    this.root.add(drawn);
    return { skin, shape, bodies, vertices, normals, rings: this.recording.array(rings) };
  }

  // Colour of a strain, from none to the largest of the run.
  ramp(strain, out) {
    const last = this.stops.length - 1;
    const place = Math.min(Math.max(strain / this.largest, 0), 1) * last || 0;
    const low = Math.min(Math.floor(place), last - 1);
    return out.copy(this.stops[low]).lerp(this.stops[low + 1], place - low);
  }

  update(t) {
    for (const { skin, shape, bodies, vertices, normals, rings } of this.items) {
      const { position, normal, color } = shape.attributes;
      const strains = this.recording.strains(skin, t);
      const colours = strains.map((strain) => this.ramp(this.strained ? strain : 0, this.colour).toArray());
      for (let k = 0; k < rings.length; k++) {
        const group = this.groups[bodies[rings[k]]];
        this.point.fromArray(vertices, 3 * k).applyQuaternion(group.quaternion).add(group.position).toArray(position.array, 3 * k);
        this.point.fromArray(normals, 3 * k).applyQuaternion(group.quaternion).toArray(normal.array, 3 * k);
        color.array.set(colours[rings[k]], 3 * k);
      }
      for (const changed of [position, normal, color]) changed.needsUpdate = true;
    }
  }
}
