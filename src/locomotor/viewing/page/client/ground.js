// Grounds: each plane as a grid that has no end, drawn around where one looks and fading out; a terrain as its mesh with
// the same grid laid over it; shadows on both.

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
  uniform vec3 ground, sky, minor, major, centre;
  uniform vec3 up;
  uniform float spacing, radius, relief;
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
    // Steep parts of a terrain are darker; a plane is even.
    vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
    float steep = relief * (1.0 - abs(dot(normal, up)));
    vec3 colour = mix(ground * (1.0 - 0.35 * steep), minor, 0.75 * lines(place, spacing, 1.0));
    colour = mix(colour, major, 0.85 * lines(place, 5.0 * spacing, 1.3));
    gl_FragColor = vec4(mix(sky, colour, fade), 1.0);
  }`;

// 1, 2 or 5 times a power of ten: about a quarter of the system's size.
function gridSpacing(size) {
  const wish = 0.25 * size;
  const power = 10 ** Math.floor(Math.log10(wish));
  return power * [1, 2, 5, 10].reduce((best, k) => (Math.abs(k * power - wish) < Math.abs(best * power - wish) ? k : best));
}

class Ground {
  constructor(surface, recording) {
    const { size } = recording.scene;
    this.normal = new THREE.Vector3(...surface.normal);
    this.point = new THREE.Vector3(...surface.point);
    this.fixed = Boolean(surface.mesh);
    const turn = new THREE.Quaternion();
    if (!this.fixed) turn.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.normal);
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
        relief: { value: this.fixed ? 1 : 0 },
        spacing: { value: this.spacing },
        radius: { value: this.radius },
        centre: { value: new THREE.Vector3() },
        ground: { value: new THREE.Color() }, sky: { value: new THREE.Color() },
        minor: { value: new THREE.Color() }, major: { value: new THREE.Color() },
      },
    }));
    this.shadow = new THREE.Mesh(shape, new THREE.ShadowMaterial({ opacity: 0.25, depthWrite: false }));
    this.shadow.receiveShadow = true;
    this.grid.renderOrder = -3;
    this.shadow.renderOrder = -2;
    this.group = new THREE.Group();
    this.group.quaternion.copy(turn);
    this.group.add(this.grid, this.shadow);
  }

  paint(theme) {
    const uniforms = this.grid.material.uniforms;
    for (const [name, colour] of [["ground", "ground"], ["sky", "sky"], ["minor", "grid"], ["major", "grid-major"]]) {
      uniforms[name].value.set(theme.colour(colour));
    }
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
