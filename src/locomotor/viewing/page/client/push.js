// Pushing on the live page: drag a body, and where one lets go it has been hit there, at this instant, that way.

import * as THREE from "three";
import { shown, words } from "./data.js";

const PUSH = 1.2;  // change of speed (m/s) of the whole system for a drag as long as the system

export class Push {
  constructor(stage, clock, notice, strike) {
    Object.assign(this, { stage, clock, notice, strike });
    this.ray = new THREE.Raycaster();
    const { canvas } = stage;
    // Before the camera gets it: what begins on a body is a push, what begins beside it turns the camera.
    canvas.parentElement.addEventListener("pointerdown", (event) => this.press(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.release(event, name === "pointerup"));
  }

  aim(event) {
    const box = this.stage.canvas.getBoundingClientRect();
    const at = new THREE.Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    this.ray.setFromCamera(at, this.stage.orbit.camera);
  }

  press(event) {
    if (event.target !== this.stage.canvas || event.button !== 0 || event.shiftKey || this.held) return;
    this.aim(event);
    this.stage.bodies.root.updateMatrixWorld(true);
    const hit = this.ray.intersectObjects(this.stage.bodies.groups, true).find(({ object }) => object.visible);
    if (!hit) return;
    const group = this.stage.bodies.groups.find((entry) => entry === hit.object.parent);
    event.stopPropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.wasPlaying = this.clock.playing;
    this.clock.play(false);
    const towards = this.stage.orbit.camera.getWorldDirection(new THREE.Vector3());
    this.held = {
      id: event.pointerId, body: group.name, from: hit.point, at: group.worldToLocal(hit.point.clone()), drag: new THREE.Vector3(),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(towards, hit.point), time: this.clock.time,
    };
    this.arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), hit.point, 1e-6, "#ff5a36");
    this.stage.world.add(this.arrow);
  }

  // As heavy as the system is, so hard is it pushed.
  get impulse() {
    const { bodies, size } = this.stage.recording.scene;
    const mass = bodies.reduce((sum, body) => sum + body.mass, 0);
    return this.held.drag.clone().multiplyScalar(PUSH * mass / size);
  }

  move(event) {
    if (this.held?.id !== event.pointerId) return;
    this.aim(event);
    const now = this.ray.ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (!now) return;
    this.held.drag.subVectors(now, this.held.from);
    const length = this.held.drag.length();
    if (length > 1e-9) {
      this.arrow.setDirection(this.held.drag.clone().divideScalar(length));
      this.arrow.setLength(length, 0.15 * length, 0.08 * length);
    }
    this.notice(`push the ${words(this.held.body)} with ${shown(this.impulse.length(), 3)} N s`, true);
    this.stage.dirty = true;
  }

  release(event, struck) {
    if (this.held?.id !== event.pointerId) return;
    const { body, at, time } = this.held;
    const impulse = this.impulse;
    this.stage.world.remove(this.arrow);
    this.stage.dirty = true;
    this.held = null;
    this.notice("");
    if (struck && impulse.length() > 0) this.strike({ time, body, at: at.toArray(), impulse: impulse.toArray() });
    else if (this.wasPlaying) this.clock.play();
  }
}
