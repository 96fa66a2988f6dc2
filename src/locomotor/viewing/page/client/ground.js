// Grounds: each plane as a grid that has no end, drawn around where one looks and fading out, an upright one as courses of
// bricks; a terrain as its mesh with the same grid laid over it, darker where it is steep, with lines along its edges and walls
// under its rim; shadows on all.

import * as THREE from "three";
import { geometryOf, linear } from "./bodies.js";

const GRID_VERTEX = `
  varying vec2 place;
  varying vec3 world;
  uniform vec3 origin, across, along;
  void main() {
    vec4 at = modelMatrix * vec4(position, 1.0);
    world = at.xyz;
    place = vec2(dot(at.xyz - origin, across), dot(at.xyz - origin, along));
    gl_Position = projectionMatrix * viewMatrix * at;
  }`;

const GRID_FRAGMENT = `
  varying vec2 place;
  varying vec3 world;
  uniform vec3 ground, sky, minor, major, centre, slope, brick, mortar;
  uniform vec3 up, light;
  uniform float spacing, radius, relief, wall;
  float lines(vec2 p, float step, float width) {
    vec2 q = p / step;
    vec2 w = fwidth(q);
    vec2 d = abs(fract(q - 0.5) - 0.5) / max(w, 1e-6);
    float on = 1.0 - min(min(d.x, d.y) / width, 1.0);
    // Lines nearer to each other than a pixel become an even tint instead of a pattern.
    return on * clamp(1.2 - 2.5 * max(w.x, w.y), 0.0, 1.0);
  }
  void main() {
    float away = distance(world, centre) / radius;
    float fade = 1.0 - smoothstep(0.25, 1.0, away);
    // Steep parts of a terrain are darker, and those that face the light brighter; a plane is even.
    vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
    // The side that is seen: which side of an upright face is the upper one, rounding decides anew for every pixel.
    normal *= sign(dot(normal, cameraPosition - world) + 1e-9);
    float level = min(abs(dot(normal, up)), 1.0);
    float steep = relief * sqrt(1.0 - level * level);
    vec3 base = mix(ground, slope, 0.9 * smoothstep(0.02, 0.8, steep)) * (1.0 + 0.25 * relief * (dot(normal, light) - dot(up, light)));
    // On an upright face the grid, seen from above, is no grid.
    float gentle = 1.0 - smoothstep(0.7, 0.95, steep);
    vec3 colour = mix(base, minor, 0.75 * gentle * lines(place, spacing, 1.0));
    colour = mix(colour, major, 0.85 * gentle * lines(place, 5.0 * spacing, 1.3));
    if (wall > 0.5) {
      // Courses half as high as a brick is wide, every other one shifted.
      vec2 cell = place / vec2(spacing, 0.5 * spacing);
      cell.x += 0.5 * mod(floor(cell.y), 2.0);
      vec2 joint = abs(fract(cell) - 0.5) * vec2(1.0, 0.5);
      vec2 soft = vec2(1.0, 0.5) * fwidth(place / vec2(spacing, 0.5 * spacing));
      float inside = smoothstep(0.485, 0.485 - soft.x - 0.01, joint.x) * smoothstep(0.235, 0.235 - soft.y - 0.01, joint.y);
      colour = mix(mortar, brick, inside);
    }
    gl_FragColor = vec4(mix(sky, colour, fade), 1.0);
  }`;

// 1, 2 or 5 times a power of ten: about a quarter of the system's size.
export function gridSpacing(size) {
  const wish = 0.25 * size;
  const power = 10 ** Math.floor(Math.log10(wish));
  return power * [1, 2, 5, 10].reduce((best, k) => (Math.abs(k * power - wish) < Math.abs(best * power - wish) ? k : best));
}

export class Ground {
  constructor(surface, recording) {
    const { size } = recording.scene;
    this.normal = new THREE.Vector3(...surface.normal);
    this.point = new THREE.Vector3(...surface.point);
    this.fixed = Boolean(surface.mesh);
    const turn = new THREE.Quaternion();
    const up = new THREE.Vector3(...recording.scene.up);
    if (surface.wall) {
      const across = new THREE.Vector3().crossVectors(up, this.normal).normalize();
      turn.setFromRotationMatrix(new THREE.Matrix4().makeBasis(across, new THREE.Vector3().crossVectors(this.normal, across), this.normal));
    } else if (!this.fixed) turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
    this.radius = 14 * size;
    const shape = this.fixed ? geometryOf(surface.mesh, recording) : new THREE.CircleGeometry(this.radius, 96);
    this.spacing = gridSpacing(size);
    this.grid = new THREE.Mesh(shape, new THREE.ShaderMaterial({
      vertexShader: GRID_VERTEX,
      fragmentShader: GRID_FRAGMENT,
      extensions: { derivatives: true },
      side: THREE.DoubleSide,
      // A plane is drawn first and hides nothing: a force that pulls downwards is seen through it. A terrain has hills.
      depthWrite: this.fixed,
      polygonOffset: this.fixed, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      uniforms: {
        origin: { value: this.point },
        across: { value: new THREE.Vector3(1, 0, 0).applyQuaternion(turn) },
        along: { value: new THREE.Vector3(0, 1, 0).applyQuaternion(turn) },
        up: { value: this.normal },
        light: { value: up.clone().multiplyScalar(0.7).add(new THREE.Vector3(0.5, -0.5, 0)).normalize() },
        relief: { value: this.fixed ? 1 : 0 },
        wall: { value: surface.wall ? 1 : 0 },
        spacing: { value: this.spacing },
        radius: { value: this.radius },
        centre: { value: new THREE.Vector3() },
        ground: { value: new THREE.Color() }, sky: { value: new THREE.Color() },
        minor: { value: new THREE.Color() }, major: { value: new THREE.Color() },
        slope: { value: new THREE.Color() }, brick: { value: new THREE.Color() }, mortar: { value: new THREE.Color() },
      },
    }));
    this.shadow = new THREE.Mesh(shape, new THREE.ShadowMaterial({ opacity: 0.25, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.grid.renderOrder = -3;
    this.shadow.renderOrder = -2;
    this.group = new THREE.Group();
    this.group.quaternion.copy(turn);
    this.group.add(this.grid, this.shadow);
    this.trim = [["rim", "rim"], ["edges", "edge"]].filter(([name]) => surface[name]).map(([name, colour]) => {
      const mesh = new THREE.Mesh(geometryOf(surface[name], recording), new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, toneMapped: false }));
      this.group.add(mesh);
      return { mesh, colour };
    });
  }

  paint(theme) {
    const uniforms = this.grid.material.uniforms;
    for (const [name, colour] of Object.entries({
      ground: "ground", sky: "sky", minor: "grid", major: "grid-major", slope: "steep", brick: "brick", mortar: "mortar",
    })) {
      uniforms[name].value.set(theme.colour(colour));
    }
    for (const { mesh, colour } of this.trim) mesh.material.color.copy(linear(theme.colour(colour)));
    this.shadow.material.opacity = Number(theme.colour("shade"));
  }

  // Keep the drawn part of the plane under what is looked at.
  follow(target) {
    const { centre } = this.grid.material.uniforms;
    centre.value.copy(target);
    if (this.fixed) return;
    const height = target.clone().sub(this.point).dot(this.normal);
    this.group.position.copy(target).addScaledVector(this.normal, -height);
    centre.value.copy(this.group.position);
  }
}
