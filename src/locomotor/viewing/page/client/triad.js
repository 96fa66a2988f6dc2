// The axes of the world in a corner, as the camera sees them; and where up is, where that is not z.

import * as THREE from "three";

const AXES = [["x", [1, 0, 0], "#d04a3a"], ["y", [0, 1, 0], "#2f8f52"], ["z", [0, 0, 1], "#2f6fd1"]];
const ARM = 22;

export class Triad {
  constructor(root) {
    this.root = root;
    this.arms = [...AXES, ["up", [0, 0, 1], null]].map(([name, way, colour]) => {
      const make = (tag, attributes) => {
        const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
        for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
        return node;
      };
      const tint = colour ?? "currentColor";
      const line = make("line", { stroke: tint, "stroke-width": 2, "stroke-linecap": "round", "stroke-dasharray": colour ? "none" : "2 3" });
      const label = make("text", { fill: tint, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 11 });
      label.textContent = name;
      return { line, label, way: new THREE.Vector3(...way), isUp: !colour };
    });
  }

  draw(camera, up) {
    const turn = camera.quaternion.clone().conjugate();
    // Where up is an axis but not z, that axis says so; where it is none, it has an arm of its own.
    const along = AXES.findIndex(([, way]) => up.x * way[0] + up.y * way[1] + up.z * way[2] > 0.9999);
    const tilted = along < 0;
    this.arms.forEach((arm, k) => { if (!arm.isUp) arm.label.textContent = k === along && k < 2 ? `${AXES[k][0]} up` : AXES[k][0]; });
    const shown = this.arms.filter((arm) => !arm.isUp || tilted).map((arm) => {
      const seen = (arm.isUp ? up.clone() : arm.way.clone()).applyQuaternion(turn);
      const length = arm.isUp ? 1.25 * ARM : ARM;
      arm.line.setAttribute("x2", length * seen.x);
      arm.line.setAttribute("y2", -length * seen.y);
      const far = length + (arm.isUp ? 10 : 8);
      const flat = Math.hypot(seen.x, seen.y) || 1;
      // An axis that points at the reader keeps its letter beside the middle.
      const reach = Math.max(far * flat, 9) / flat;
      arm.label.setAttribute("x", reach * seen.x);
      arm.label.setAttribute("y", -reach * seen.y);
      return { arm, depth: seen.z };
    }).sort((a, b) => a.depth - b.depth);
    this.root.replaceChildren(...shown.flatMap(({ arm }) => [arm.line, arm.label]));
  }
}
