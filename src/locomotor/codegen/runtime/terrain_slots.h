/* The nearest candidates of a body as planes: normal and a point of each, of a body of several parts also where in the body its
   core touches, of a disc then whether it all but lies flat there; after them the least gap. Slots without a candidate have a
   plane far below. */
#define LM_NOWHERE LM_K(1e6)

LM_NOINLINE void lm_terrain_slots(const lm_ground *ground, int shape, const stored *of_shape, const stored *R, const stored *p,
                                  stored reach, int slots, int width, stored *made) {
    lm_found found;
    const stored margin = shape == LM_BALL ? of_shape[3] : shape == LM_DISC ? of_shape[7] : shape == LM_CAPSULE ? of_shape[6] : LM_K(0.0);
    stored sum = LM_K(0.0), least = LM_K(LM_NAN);
    for (int i = 0; i < 9; ++i) sum = sum + R[i] * LM_K(0.0);
    for (int i = 0; i < 3; ++i) sum = sum + p[i] * LM_K(0.0);
    found.count = 0;
    if (sum == LM_K(0.0)) lm_terrain_search(ground, shape, of_shape, R, p, reach, 1, &found);
    if (found.count) least = found.hit[0].gap;
    if (shape == LM_BOX && found.count) lm_settled_box(ground, of_shape, R, p, reach, &found);
    if (shape == LM_DISC && found.count) lm_settled(ground, of_shape, R, p, reach, &found);
    for (int k = 0; k < slots; ++k) {
        stored *slot = made + k * width;
        if (k >= found.count) {
            for (int i = 0; i < width; ++i) slot[i] = LM_K(0.0);
            slot[2] = LM_K(1.0), slot[3] = p[0], slot[4] = p[1], slot[5] = p[2] - LM_NOWHERE;
            continue;
        }
        const lm_hit *hit = &found.hit[k];
        for (int i = 0; i < 3; ++i) slot[i] = hit->normal[i], slot[3 + i] = hit->foot[i];
        if (width > 6) {
            stored w[3];
            for (int i = 0; i < 3; ++i) w[i] = hit->point[i] + margin * hit->normal[i] - p[i];
            for (int i = 0; i < 3; ++i) slot[6 + i] = R[i] * w[0] + R[3 + i] * w[1] + R[6 + i] * w[2];
        }
        if (width > 9) slot[9] = hit->part ? LM_K(1.0) : LM_K(0.0);
    }
    made[slots * width] = least;
}
