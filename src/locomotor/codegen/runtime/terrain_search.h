/* The search behind terrain.h: the tree of boxes, the cores of a shape, what is hidden left out, and the list of candidates. */

typedef struct {
    int level, node;
    stored apart; /* squared distance of boxes */
} lm_box_at;

/* Numbers of box `node`: lower corner, upper corner with the opposite sign, and a point of the surface inside. */
LM_INLINE const stored *lm_tree_box(const lm_ground *ground, int level, int node) {
    return ground->numbers + ground->rows[LM_G_LEVELS + level] + (int64_t)node * 9;
}

LM_FUNCTION stored lm_box_apart(const stored *box, const stored *centre, const stored *extent) {
    stored squared = LM_K(0.0);
    for (int i = 0; i < 3; ++i) {
        const stored above = box[i] - (centre[i] + extent[i]), below = box[3 + i] + (centre[i] - extent[i]);
        const stored away = lm_max1(above, below);
        if (away > LM_K(0.0)) squared = squared + away * away;
    }
    return squared;
}

/* Boxes to open next, the nearest last; `low` is where those of one parent begin. */
LM_FUNCTION void lm_push_box(lm_box_at *stack, int low, int *top, int level, int node, stored apart) {
    int i = (*top)++;
    for (; i > low && stack[i - 1].apart < apart; --i) stack[i] = stack[i - 1];
    stack[i].level = level, stack[i].node = node, stack[i].apart = apart;
}

/* Everything of one core: hits up to a limit, and that limit. */
LM_FUNCTION void lm_walk(const lm_ground *ground, const lm_core_at *core, stored reach, lm_found *found) {
    lm_box_at stack[LM_STACK];
    const int32_t *rows = ground->rows;
    const int last = rows[LM_G_DEPTH] - 1;
    stored best = LM_FAR;
    int top = 0;
    found->count = 0;
    for (int node = 0; node < rows[LM_G_COUNTS]; ++node) {
        const stored *box = lm_tree_box(ground, 0, node);
        best = lm_min1(best, lm_core_distance(core, box + 6));
        lm_push_box(stack, 0, &top, 0, node, lm_box_apart(box, core->centre, core->extent));
    }
    while (top > 0) {
        const lm_box_at here = stack[--top];
        const stored limit = lm_max1(best, reach) * LM_SLACK;
        if (!(here.apart <= limit * limit)) continue;
        if (here.level < last) {
            const int low = top, first = here.node * LM_WIDTH, count = rows[LM_G_COUNTS + here.level + 1];
            for (int node = first; node < first + LM_WIDTH && node < count; ++node) {
                const stored *box = lm_tree_box(ground, here.level + 1, node);
                best = lm_min1(best, lm_core_distance(core, box + 6));
                lm_push_box(stack, low, &top, here.level + 1, node, lm_box_apart(box, core->centre, core->extent));
            }
            continue;
        }
        if (!lm_to_face(ground, core, here.node, limit, found)) continue;
        const int32_t *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)here.node * LM_TI_SIZE;
        for (int j = 0; j < 3; ++j)
            if (ti[LM_TI_EDGES + j] >= 0) lm_to_edge(ground, core, ti[LM_TI_EDGES + j], limit, found);
        for (int j = 0; j < 3; ++j)
            if (ti[LM_TI_VERTICES + j] >= 0) lm_to_vertex(ground, core, ti[LM_TI_VERTICES + j], limit, found);
    }
    found->limit = lm_max1(best, reach) * LM_SLACK;
    /* What is beyond the limit that is known now goes; nothing beyond the nearest face is asked for, except within reach. */
    stored beyond = found->limit;
    for (int i = 0; i < found->count; ++i)
        if (found->hit[i].kind == LM_FACE && found->hit[i].key <= found->limit) beyond = lm_min1(beyond, found->hit[i].key * LM_SLACK);
    beyond = lm_max1(beyond, reach);
    int kept = 0;
    for (int i = 0; i < found->count; ++i) {
        const lm_hit *hit = &found->hit[i];
        const stored distance = hit->gap + core->margin;
        const stored away = hit->kind == LM_FACE && core->kind == LM_C_BALL ? lm_abs1(distance) : distance;
        if (away <= (hit->kind == LM_FACE ? found->limit : beyond)) found->hit[kept++] = *hit;
    }
    found->count = kept;
}

/* --- the rule of the source: faces before edges before vertices, triangle by triangle; see source_rule.py ------------ */

/* The edge nearest to the projection of a core on a triangle, where that is on it; else its corners. */
LM_FUNCTION void lm_source_border(const lm_ground *ground, const lm_core_at *core, int row, lm_found *found) {
    const int32_t *rows = ground->rows, *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)row * LM_TI_SIZE;
    const stored *t = ground->numbers + rows[LM_G_TRIANGLES] + (int64_t)row * LM_T_SIZE;
    stored low[3], foot[3], w[3], normal[3], farthest = -LM_FAR;
    int side = 0;
    lm_core_lowest(core, t, low);
    lm_along3(low, t[LM_T_OFFSET] - lm_dot3(t, low), t, foot);
    for (int j = 0; j < 3; ++j) {
        const stored outside = t[LM_T_BOUNDS + j] - lm_dot3(t + LM_T_SIDES + 3 * j, foot);
        if (outside > farthest) farthest = outside, side = j;
    }
    if (ti[LM_TI_SIDES + side] >= 0) {
        const stored *e = ground->numbers + rows[LM_G_EDGES] + (int64_t)ti[LM_TI_SIDES + side] * LM_E_SIZE;
        lm_along3(core->centre, LM_K(-1.0), e, w);
        lm_along3(w, -lm_dot3(w, e + LM_E_DIRECTION), e + LM_E_DIRECTION, w);
        lm_direction3(w, e + LM_E_OUTWARD, normal);
        lm_core_lowest(core, normal, low);
        lm_along3(low, LM_K(-1.0), e, w);
        const stored along = lm_dot3(w, e + LM_E_DIRECTION);
        if (along >= -LM_TOUCH && along <= e[LM_E_LENGTH] + LM_TOUCH) {
            lm_along3(e, along, e + LM_E_DIRECTION, foot);
            lm_add_hit(found, core, LM_EDGE, ti[LM_TI_SIDES + side], -1, normal, low, foot);
            return;
        }
    }
    for (int j = 0; j < 3; ++j) {
        const int number = ti[LM_TI_CORNERS + j];
        if (number < 0) continue;
        const stored *v = ground->numbers + rows[LM_G_VERTICES] + (int64_t)number * LM_V_SIZE;
        lm_along3(core->centre, LM_K(-1.0), v, w);
        lm_direction3(w, v + LM_V_OUTWARD, normal);
        lm_core_lowest(core, normal, low);
        lm_add_hit(found, core, LM_VERTEX, number, -1, normal, low, v);
    }
}

/* Faces in front of which the core is, the nearest at least, however far; without any, edges and corners. Every triangle is
   looked at: for terrains of few of them. */
LM_FUNCTION void lm_source_walk(const lm_ground *ground, const lm_core_at *core, lm_found *found) {
    const int32_t *rows = ground->rows;
    const int last = rows[LM_G_DEPTH] - 1, count = rows[LM_G_COUNTS + last];
    const int round = core->kind == LM_C_DISC || core->margin > LM_K(0.0);
    const stored behind = -lm_max1(LM_TOUCH, core->margin);
    stored best = LM_FAR, reach = LM_K(0.0);
    found->count = 0;
    if (core->kind != LM_C_BALL && core->kind != LM_C_DISC) return;
    for (int node = 0; node < count; ++node) best = lm_min1(best, lm_core_distance(core, lm_tree_box(ground, last, node) + 6));
    for (;;) {
        const stored limit = lm_max1(best, reach) * LM_SLACK;
        stored least = LM_FAR;
        int seen = 0, kept = 0;
        found->count = 0;
        for (int node = 0; node < count; ++node) {
            if (!(lm_box_apart(lm_tree_box(ground, last, node), core->centre, core->extent) <= limit * limit)) continue;
            lm_to_face(ground, core, node, LM_FAR, found), ++seen;
        }
        for (int i = 0; i < found->count; ++i) {
            stored w[3];
            lm_along3(core->centre, LM_K(-1.0), found->hit[i].foot, w);
            if (round && !(lm_dot3(found->hit[i].normal, w) >= behind)) continue;
            least = lm_min1(least, found->hit[i].key), found->hit[kept++] = found->hit[i];
        }
        found->count = kept;
        if (least <= limit || seen == count || !(limit < LM_FAR)) break;
        reach = (least < LM_FAR ? least : LM_K(4.0) * limit) + LM_TOUCH;
    }
    if (found->count) return;
    best = best * LM_SLACK;
    for (int node = 0; node < count; ++node)
        if (lm_box_apart(lm_tree_box(ground, last, node), core->centre, core->extent) <= best * best)
            lm_source_border(ground, core, node, found);
}

/* The triangle nearest to a point, nearer than *distance, which becomes its distance; -1 if there is none. */
LM_FUNCTION int lm_nearest_triangle(const lm_ground *ground, const stored *point, stored *distance, stored *foot) {
    lm_box_at stack[LM_STACK];
    const int32_t *rows = ground->rows;
    const int last = rows[LM_G_DEPTH] - 1;
    const stored nothing[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)}, tie = LM_K(LM_FIND ? 1e-6 : 1e-12);
    stored limit = *distance, seen = LM_K(0.0);
    int found = -1, top = 0;
    for (int node = 0; node < rows[LM_G_COUNTS]; ++node)
        lm_push_box(stack, 0, &top, 0, node, lm_box_apart(lm_tree_box(ground, 0, node), point, nothing));
    while (top > 0) {
        const lm_box_at here = stack[--top];
        if (!(here.apart <= (limit + tie) * (limit + tie))) continue;
        if (here.level < last) {
            const int low = top, first = here.node * LM_WIDTH, count = rows[LM_G_COUNTS + here.level + 1];
            for (int node = first; node < first + LM_WIDTH && node < count; ++node)
                lm_push_box(stack, low, &top, here.level + 1, node,
                            lm_box_apart(lm_tree_box(ground, here.level + 1, node), point, nothing));
            continue;
        }
        const stored *t = ground->numbers + rows[LM_G_TRIANGLES] + (int64_t)here.node * LM_T_SIZE;
        const stored height = lm_dot3(t, point) - t[LM_T_OFFSET];
        stored nearest[3], w[3], away;
        int inside = 1;
        lm_along3(point, -height, t, nearest);
        for (int j = 0; j < 3; ++j) inside &= lm_dot3(t + LM_T_SIDES + 3 * j, nearest) >= t[LM_T_BOUNDS + j];
        away = lm_abs1(height);
        if (!inside) {
            away = LM_FAR;
            for (int j = 0; j < 3; ++j) {
                const stored *start = t + LM_T_CORNERS + 3 * j, *end = t + LM_T_CORNERS + 3 * ((j + 1) % 3);
                stored span[3], on[3];
                lm_along3(end, LM_K(-1.0), start, span);
                lm_along3(point, LM_K(-1.0), start, w);
                const stored size = lm_dot3(span, span), along = size > LM_K(0.0) ? lm_dot3(w, span) / size : LM_K(0.0);
                lm_along3(start, lm_min1(lm_max1(along, LM_K(0.0)), LM_K(1.0)), span, on);
                lm_along3(point, LM_K(-1.0), on, w);
                const stored far = LM_SQRT(lm_dot3(w, w));
                if (far < away) {
                    away = far;
                    for (int i = 0; i < 3; ++i) nearest[i] = on[i];
                }
            }
        }
        /* Of triangles equally near, the one seen most directly tells the side. */
        if (away < limit - tie || (away < limit + tie && lm_abs1(height) > seen && (found >= 0 || away < limit))) {
            limit = lm_min1(away, limit), found = here.node, seen = lm_abs1(height);
            for (int i = 0; i < 3; ++i) foot[i] = nearest[i];
        }
    }
    *distance = limit;
    return found;
}

/* --- a body -------------------------------------------------------------------------------------------------------- */

/* Numbers of a shape: ball (centre, radius), disc (centre, axis, radius, tube), capsule (start, end, radius),
   box (centre, half-lengths, along the axes of the body). */
LM_FUNCTION int lm_core_count(int shape) { return shape == LM_CAPSULE ? 3 : shape == LM_BOX ? 26 : 1; }

LM_FUNCTION void lm_turned(const stored *R, const stored *a, stored *b) {
    for (int i = 0; i < 3; ++i) b[i] = lm_dot3(R + 3 * i, a);
}

LM_FUNCTION void lm_place_core(int shape, const stored *s, const stored *R, const stored *p, int part, lm_core_at *core) {
    stored local[3] = {s[0], s[1], s[2]}, half[3], world[9];
    core->kind = LM_C_BALL, core->part = part, core->guarded = 0;
    core->margin = core->radius = core->size = core->passage = LM_K(0.0);
    for (int i = 0; i < 3; ++i) core->extent[i] = core->axis[i] = LM_K(0.0);
    if (shape == LM_BALL) {
        core->margin = s[3];
    } else if (shape == LM_DISC) {
        core->kind = LM_C_DISC, core->radius = core->size = s[6], core->margin = s[7], core->passage = LM_K(0.05) * s[6];
        lm_turned(R, s + 3, core->axis);
        for (int i = 0; i < 3; ++i)
            core->extent[i] = s[6] * LM_SQRT(lm_max1(LM_K(1.0) - core->axis[i] * core->axis[i], LM_K(0.0)));
    } else if (shape == LM_CAPSULE) {
        core->margin = s[6];
        for (int i = 0; i < 3; ++i) {
            half[i] = LM_K(0.5) * (s[3 + i] - s[i]);
            local[i] = part == 2 ? LM_K(0.5) * (s[i] + s[3 + i]) : s[3 * part + i];
            if (part == 1) half[i] = -half[i];
        }
        lm_turned(R, half, part == 2 ? core->axis : core->guard);
        core->guarded = part < 2;
        if (part == 2) {
            core->kind = LM_C_ROD, core->size = LM_SQRT(lm_dot3(core->axis, core->axis));
            for (int i = 0; i < 3; ++i) core->extent[i] = lm_abs1(core->axis[i]);
        }
    } else {
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < 3; ++i) world[3 * k + i] = core->box_axes[3 * k + i] = R[3 * i + k];
        for (int i = 0; i < 3; ++i) core->box_half[i] = s[3 + i], core->box_centre[i] = lm_dot3(R + 3 * i, s) + p[i];
        if (part < 8) { /* a corner: the signs are the bits, the highest for x */
            for (int i = 0; i < 3; ++i) local[i] = s[i] + (part & (4 >> i) ? s[3 + i] : -s[3 + i]);
        } else if (part < 20) { /* four edges along each axis in turn */
            const int axis = (part - 8) / 4, one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2, bits = (part - 8) % 4;
            const stored first = bits & 2 ? LM_K(1.0) : LM_K(-1.0), second = bits & 1 ? LM_K(1.0) : LM_K(-1.0);
            core->kind = LM_C_BOX_EDGE;
            local[one] = s[one] + first * s[3 + one], local[two] = s[two] + second * s[3 + two];
            for (int i = 0; i < 3; ++i) {
                core->axis[i] = s[3 + axis] * world[3 * axis + i];
                core->outward[i] = first * world[3 * one + i], core->outward[3 + i] = second * world[3 * two + i];
                core->extent[i] = lm_abs1(core->axis[i]);
            }
            core->size = s[3 + axis];
        } else {
            const int axis = (part - 20) / 2, one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
            const stored sign = (part - 20) % 2 ? LM_K(1.0) : LM_K(-1.0);
            core->kind = LM_C_FLAT;
            local[axis] = s[axis] + sign * s[3 + axis];
            for (int i = 0; i < 3; ++i) {
                core->axis[i] = sign * world[3 * axis + i];
                core->spans[i] = s[3 + one] * world[3 * one + i], core->spans[3 + i] = s[3 + two] * world[3 * two + i];
                core->extent[i] = lm_abs1(core->spans[i]) + lm_abs1(core->spans[3 + i]);
            }
            core->size = LM_SQRT(s[3 + one] * s[3 + one] + s[3 + two] * s[3 + two]);
        }
        if (part >= 8) core->passage = LM_K(0.25) * lm_min1(s[3], lm_min1(s[4], s[5]));
    }
    for (int i = 0; i < 3; ++i) core->centre[i] = lm_dot3(R + 3 * i, local) + p[i];
}

/* Whether a candidate of the same part, less deep than `deep`, is on the flat piece of that triangle or at its border. */
LM_FUNCTION int lm_explained(const lm_ground *ground, const lm_found *found, const lm_hit *deep, int row) {
    const int32_t *rows = ground->rows, *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)row * LM_TI_SIZE;
    for (int i = 0; i < found->count; ++i) {
        const lm_hit *hit = &found->hit[i];
        if (hit->part != deep->part || !(hit->gap > deep->gap)) continue;
        if (hit->kind == LM_FACE) {
            if (rows[rows[LM_G_TRIANGLE_ROWS] + (int64_t)hit->row * LM_TI_SIZE + LM_TI_PATCH] == ti[LM_TI_PATCH]) return 1;
        } else if (hit->kind == LM_EDGE) {
            const int32_t *ei = rows + rows[LM_G_EDGE_ROWS] + (int64_t)hit->number * LM_EI_SIZE;
            if (ei[LM_EI_PATCHES] == ti[LM_TI_PATCH] || ei[LM_EI_PATCHES + 1] == ti[LM_TI_PATCH]) return 1;
        } else {
            for (int j = 0; j < 3; ++j)
                if (ti[LM_TI_CORNERS + j] == hit->number) return 1;
        }
    }
    return 0;
}

/* Where a core that can touch nothing is inside: the way out is over the nearest point of the surface. */
LM_FUNCTION void lm_deepest(const lm_ground *ground, const lm_core_at *core, lm_found *found) {
    stored distance = LM_FAR, foot[3], w[3], normal[3], point[3];
    const int row = lm_nearest_triangle(ground, core->centre, &distance, foot);
    if (row < 0) return;
    const stored *t = ground->numbers + ground->rows[LM_G_TRIANGLES] + (int64_t)row * LM_T_SIZE;
    lm_along3(core->centre, LM_K(-1.0), foot, w);
    const stored sign = lm_dot3(t, w) >= LM_K(0.0) ? LM_K(1.0) : LM_K(-1.0);
    for (int i = 0; i < 3; ++i) normal[i] = distance > LM_NO_WAY ? sign * w[i] / distance : t[i];
    lm_core_lowest(core, normal, point);
    lm_add_hit(found, core, LM_FACE, ground->rows[ground->rows[LM_G_TRIANGLE_ROWS] + (int64_t)row * LM_TI_SIZE], row, normal, point,
               foot);
}

LM_FUNCTION int lm_comes_before(const lm_hit *a, const lm_hit *b) {
    const stored apart = a->gap - b->gap, same = LM_K(LM_FIND ? 1e-6 : 5e-13);
    return apart < -same || (apart <= same && a->kind < b->kind);
}

/* Candidates of a shape on a body at a pose, nearest first: those with a gap up to `reach`, and the nearest at least. With
   `distinct`, of those that are one contact, found from both sides of a border, only one is listed; by the rule of the source one
   for each part of the shape. */
LM_NOINLINE void lm_terrain_search(const lm_ground *ground, int shape, const stored *numbers, const stored *R, const stored *p,
                                   stored reach, int distinct, lm_found *found) {
    lm_core_at core;
    lm_found own;
    const int count = lm_core_count(shape);
    found->count = 0;
    for (int part = 0; part < count; ++part) {
        lm_place_core(shape, numbers, R, p, part, &core);
        if (ground->rows[LM_G_SOURCE])
            lm_source_walk(ground, &core, &own);
        else
            lm_walk(ground, &core, lm_max1(reach + core.margin, core.passage), &own);
        for (int i = 0; i < own.count; ++i) {
            if (found->count < LM_HITS) {
                found->hit[found->count++] = own.hit[i];
                continue;
            }
            int farthest = 0;
            for (int j = 1; j < LM_HITS; ++j)
                if (found->hit[j].gap > found->hit[farthest].gap) farthest = j;
            if (own.hit[i].gap < found->hit[farthest].gap) found->hit[farthest] = own.hit[i];
        }
    }
    /* Faces that hide behind others go: the underside of a slab under a wheel on top of it. */
    int hidden[LM_HITS], any = 0, kept = 0;
    for (int i = 0; i < found->count; ++i) {
        lm_hit *hit = &found->hit[i];
        stored distance = -LM_ALIKE * hit->gap, foot[3];
        hidden[i] = 0;
        if (hit->kind != LM_FACE || !(hit->gap < -LM_SHALLOW)) continue;
        const int row = lm_nearest_triangle(ground, hit->point, &distance, foot);
        hidden[i] = row >= 0 && distance < -LM_ALIKE * hit->gap && lm_explained(ground, found, hit, row);
        any |= hidden[i];
    }
    if (any) {
        for (int i = 0; i < found->count; ++i)
            if (!hidden[i]) found->hit[kept++] = found->hit[i];
        found->count = kept;
    }
    if (!found->count)
        for (int part = 0; part < count; ++part) {
            lm_place_core(shape, numbers, R, p, part, &core);
            if (core.kind != LM_C_BOX_EDGE && core.kind != LM_C_FLAT) lm_deepest(ground, &core, found);
        }
    /* In order, and each once. */
    for (int i = 1; i < found->count; ++i) {
        const lm_hit moved = found->hit[i];
        int j = i;
        for (; j > 0 && lm_comes_before(&moved, &found->hit[j - 1]); --j) found->hit[j] = found->hit[j - 1];
        found->hit[j] = moved;
    }
    const int all = found->count;
    const stored most = all ? lm_max1(reach, found->hit[0].gap) : reach;
    kept = 0;
    for (int i = 0; i < all && found->hit[i].gap <= most; ++i) {
        int known = 0;
        for (int j = 0; distinct && j < kept && !known; ++j) {
            known = found->hit[j].part == found->hit[i].part;
            for (int a = 0; a < 3 && !ground->rows[LM_G_SOURCE]; ++a) {
                known &= lm_abs1(found->hit[j].foot[a] - found->hit[i].foot[a]) <= LM_SAME_PLACE;
                known &= lm_abs1(found->hit[j].normal[a] - found->hit[i].normal[a]) <= LM_SAME_NORMAL;
            }
        }
        if (!known) found->hit[kept++] = found->hit[i];
    }
    found->count = kept;
}
