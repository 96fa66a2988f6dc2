/* What comes down together where a disc, or a face of a box, is level with what it touches; `geometry/settled.py` has the readable
   form, and says why. Parts of the hits of a disc become 1 where it is level with what it touches, else 0. */
#define LM_LEVEL_MOST LM_K(0.1)
#define LM_ALONG_A_CHORD LM_K(0.9)
#define LM_SHORTEST_CHORD LM_K(0.01)
#define LM_SPREAD LM_K(0.5)
#define LM_ONE_WAY LM_K(0.999)
#define LM_STRETCH LM_K(0.1)

typedef struct {
    stored reach, level; /* squared sine of the angle to what the disc is level with */
    stored rim[12];      /* directions to four points of the rim */
} lm_settling;

LM_FUNCTION int lm_is_level(const lm_core_at *core, const stored *normal, stored level) {
    stored across[3];
    lm_along3(normal, -lm_dot3(normal, core->axis), core->axis, across);
    return lm_dot3(across, across) <= level;
}

/* A point of the core above a foot, kept where that is near. */
LM_FUNCTION void lm_settle(const lm_core_at *core, const lm_settling *how, const stored *normal, const stored *point,
                           const stored *foot, lm_found *found) {
    stored w[3];
    lm_along3(point, LM_K(-1.0), foot, w);
    const stored gap = lm_dot3(normal, w) - core->margin;
    if (gap <= how->reach && gap >= -core->passage) lm_add_hit(found, core, LM_FACE, 0, -1, normal, point, foot);
}

LM_FUNCTION void lm_settle_on_face(const lm_ground *ground, const lm_core_at *core, const lm_settling *how, int row,
                                   lm_found *found) {
    const stored *t = ground->numbers + ground->rows[LM_G_TRIANGLES] + (int64_t)row * LM_T_SIZE;
    if (!lm_is_level(core, t, how->level)) return;
    for (int k = 0; k < 4; ++k) {
        stored point[3], foot[3];
        int inside = 1;
        lm_along3(core->centre, core->radius, how->rim + 3 * k, point);
        lm_along3(point, t[LM_T_OFFSET] - lm_dot3(t, point), t, foot);
        for (int j = 0; j < 3; ++j) inside &= lm_dot3(t + LM_T_SIDES + 3 * j, foot) >= t[LM_T_BOUNDS + j] - LM_TOUCH;
        if (inside) lm_settle(core, how, t, point, foot, found);
    }
}

/* Both ends of the chord above an edge. */
LM_FUNCTION void lm_settle_on_edge(const lm_ground *ground, const lm_core_at *core, const lm_settling *how, int number,
                                   lm_found *found) {
    const stored *e = ground->numbers + ground->rows[LM_G_EDGES] + (int64_t)number * LM_E_SIZE, *direction = e + LM_E_DIRECTION;
    stored k[3], beside[3], w[3], out[3], normal[3], point[3], foot[3];
    const stored tilt = lm_dot3(core->axis, direction);
    if (!(tilt * tilt <= how->level)) return;
    lm_cross3(direction, core->axis, k);
    const stored size = LM_SQRT(lm_dot3(k, k));
    for (int i = 0; i < 3; ++i) k[i] = k[i] / size;
    lm_cross3(core->axis, k, beside);
    lm_along3(e, LM_K(-1.0), core->centre, w);
    const stored x = lm_dot3(w, k), half = LM_SQRT(lm_max1(core->radius * core->radius - x * x, LM_K(0.0)));
    if (!(half > LM_SHORTEST_CHORD * core->radius)) return;
    for (int end = -1; end <= 1; end += 2) {
        for (int i = 0; i < 3; ++i) out[i] = x * k[i] + (stored)end * half * beside[i], point[i] = core->centre[i] + out[i];
        const stored ahead = lm_dot3(out, direction);
        for (int i = 0; i < 3; ++i) normal[i] = ahead * core->axis[i] - tilt * out[i];
        stored length = LM_SQRT(lm_dot3(normal, normal));
        if (lm_dot3(normal, e + LM_E_OUTWARD) < LM_K(0.0)) length = -length;
        for (int i = 0; i < 3; ++i) normal[i] = normal[i] / length;
        if (!(lm_abs1(lm_dot3(normal, core->axis)) >= LM_ALONG_A_CHORD) || !lm_between(e, normal)) continue;
        lm_along3(point, LM_K(-1.0), e, w);
        const stored along = lm_dot3(w, direction);
        if (!(along >= -LM_TOUCH && along <= e[LM_E_LENGTH] + LM_TOUCH)) continue;
        lm_along3(e, along, direction, foot);
        lm_settle(core, how, normal, point, foot, found);
    }
}

/* Directions to four points of the rim, the first over what is nearest. */
LM_FUNCTION void lm_rim_points(const lm_core_at *core, const lm_hit *nearest, stored *rim) {
    stored low[3], across[3];
    lm_core_lowest(core, nearest->normal, low);
    lm_along3(low, LM_K(-1.0), core->centre, low);
    for (int i = 0; i < 3; ++i) rim[i] = low[i] / core->radius;
    lm_cross3(core->axis, rim, across);
    for (int i = 0; i < 3; ++i) rim[3 + i] = across[i], rim[6 + i] = -rim[i], rim[9 + i] = -across[i];
}

/* Both ends of the stretch of an edge beneath a face of a box. */
LM_FUNCTION void lm_settle_box_on_edge(const lm_ground *ground, const lm_core_at *face, stored reach, int number, lm_found *found) {
    const stored *e = ground->numbers + ground->rows[LM_G_EDGES] + (int64_t)number * LM_E_SIZE, *direction = e + LM_E_DIRECTION;
    const stored rise = lm_dot3(direction, face->axis);
    stored w[3], back[3], low = LM_K(0.0), high = e[LM_E_LENGTH];
    if (!(rise * rise <= LM_LEVEL_MOST * LM_LEVEL_MOST)) return;
    for (int i = 0; i < 3; ++i) back[i] = -face->axis[i];
    if (!lm_between(e, back)) return;
    lm_along3(e, LM_K(-1.0), face->centre, w);
    for (int k = 0; k < 2; ++k) {
        const stored *span = face->spans + 3 * k, size = lm_dot3(span, span), at = lm_dot3(w, span), speed = lm_dot3(direction, span);
        if (lm_abs1(speed) <= LM_NO_WAY) {
            if (!(lm_abs1(at) <= size)) return;
            continue;
        }
        const stored one = (-size - at) / speed, two = (size - at) / speed;
        low = lm_max1(low, lm_min1(one, two)), high = lm_min1(high, lm_max1(one, two));
    }
    if (!(high - low >= LM_STRETCH * lm_min1(face->box_half[0], lm_min1(face->box_half[1], face->box_half[2])))) return;
    for (int end = 0; end < 2; ++end) {
        stored foot[3], point[3];
        lm_along3(e, end ? high : low, direction, foot);
        lm_along3(foot, LM_K(-1.0), face->centre, w);
        const stored gap = lm_dot3(w, face->axis);
        if (!(gap <= reach && gap >= -face->passage)) continue;
        lm_along3(foot, -gap, face->axis, point);
        int known = 0;
        for (int j = 0; j < found->count && !known; ++j) {
            lm_along3(point, LM_K(-1.0), found->hit[j].point, w);
            const stored near = LM_STRETCH * face->box_half[0];
            known = lm_dot3(back, found->hit[j].normal) >= LM_ONE_WAY && lm_dot3(w, w) <= near * near;
        }
        if (!known) lm_add_hit(found, face, LM_EDGE, number, -1, back, point, foot);
    }
}

LM_FUNCTION void lm_in_order(lm_found *found) {
    for (int i = 1; i < found->count; ++i) {
        const lm_hit moved = found->hit[i];
        int j = i;
        for (; j > 0 && lm_comes_before(&moved, &found->hit[j - 1]); --j) found->hit[j] = found->hit[j - 1];
        found->hit[j] = moved;
    }
}

/* Hits of a search, and what else of a disc comes down with them, nearest first; hits of one flat part that are close together
   count once. */
LM_NOINLINE void lm_settled(const lm_ground *ground, const stored *of_shape, const stored *R, const stored *p, stored reach,
                            lm_found *found) {
    lm_core_at core;
    lm_settling how;
    lm_box_at stack[LM_STACK];
    int first = -1, top = 0, kept = 0;
    lm_place_core(LM_DISC, of_shape, R, p, 0, &core);
    how.reach = reach, how.level = lm_min1(LM_K(0.5) * reach / core.radius, LM_LEVEL_MOST);
    how.level = how.level * how.level;
    for (int i = 0; i < found->count; ++i) {
        lm_hit *hit = &found->hit[i];
        hit->part = hit->gap <= reach && lm_is_level(&core, hit->normal, how.level);
        if (hit->part && first < 0) first = i;
    }
    if (first < 0) return;
    lm_rim_points(&core, &found->hit[first], how.rim);
    core.part = 1;
    const int32_t *rows = ground->rows;
    const int last = rows[LM_G_DEPTH] - 1;
    const stored near = reach + core.margin;
    for (int node = 0; node < rows[LM_G_COUNTS]; ++node)
        lm_push_box(stack, 0, &top, 0, node, lm_box_apart(lm_tree_box(ground, 0, node), core.centre, core.extent));
    while (top > 0) {
        const lm_box_at here = stack[--top];
        if (!(here.apart <= near * near)) continue;
        if (here.level < last) {
            const int low = top, begin = here.node * LM_WIDTH, count = rows[LM_G_COUNTS + here.level + 1];
            for (int node = begin; node < begin + LM_WIDTH && node < count; ++node)
                lm_push_box(stack, low, &top, here.level + 1, node,
                            lm_box_apart(lm_tree_box(ground, here.level + 1, node), core.centre, core.extent));
            continue;
        }
        const int32_t *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)here.node * LM_TI_SIZE;
        lm_settle_on_face(ground, &core, &how, here.node, found);
        for (int j = 0; j < 3; ++j)
            if (ti[LM_TI_EDGES + j] >= 0) lm_settle_on_edge(ground, &core, &how, ti[LM_TI_EDGES + j], found);
    }
    lm_in_order(found);
    for (int i = 0; i < found->count; ++i) {
        const lm_hit *hit = &found->hit[i];
        int known = 0;
        for (int j = 0; hit->part && j < kept && !known; ++j) {
            stored w[3];
            lm_along3(hit->point, LM_K(-1.0), found->hit[j].point, w);
            known = found->hit[j].part && lm_dot3(hit->normal, found->hit[j].normal) >= LM_ONE_WAY &&
                    lm_dot3(w, w) <= LM_SPREAD * LM_SPREAD * core.radius * core.radius;
        }
        if (!known) found->hit[kept++] = *hit;
    }
    found->count = kept;
}

/* The same of a box: ends of edges that are level with one of its faces. */
LM_NOINLINE void lm_settled_box(const lm_ground *ground, const stored *of_shape, const stored *R, const stored *p, stored reach,
                                lm_found *found) {
    lm_core_at faces[6];
    lm_box_at stack[LM_STACK];
    stored extent[3];
    int top = 0;
    if (!(found->hit[0].gap <= reach)) return;
    for (int k = 0; k < 6; ++k) lm_place_core(LM_BOX, of_shape, R, p, 20 + k, &faces[k]);
    for (int i = 0; i < 3; ++i) {
        extent[i] = LM_K(0.0);
        for (int k = 0; k < 3; ++k) extent[i] = extent[i] + faces[0].box_half[k] * lm_abs1(faces[0].box_axes[3 * k + i]);
    }
    const int32_t *rows = ground->rows;
    const int last = rows[LM_G_DEPTH] - 1;
    const stored *centre = faces[0].box_centre;
    for (int node = 0; node < rows[LM_G_COUNTS]; ++node)
        lm_push_box(stack, 0, &top, 0, node, lm_box_apart(lm_tree_box(ground, 0, node), centre, extent));
    while (top > 0) {
        const lm_box_at here = stack[--top];
        if (!(here.apart <= reach * reach)) continue;
        if (here.level < last) {
            const int low = top, begin = here.node * LM_WIDTH, count = rows[LM_G_COUNTS + here.level + 1];
            for (int node = begin; node < begin + LM_WIDTH && node < count; ++node)
                lm_push_box(stack, low, &top, here.level + 1, node,
                            lm_box_apart(lm_tree_box(ground, here.level + 1, node), centre, extent));
            continue;
        }
        const int32_t *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)here.node * LM_TI_SIZE;
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 6 && ti[LM_TI_EDGES + j] >= 0; ++k)
                lm_settle_box_on_edge(ground, &faces[k], reach, ti[LM_TI_EDGES + j], found);
    }
    lm_in_order(found);
}
