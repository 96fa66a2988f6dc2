/* The first event of a body along samples of its motion over a terrain; `simulation/terrain/watch.py` has the readable form.

   What can be touched is known by a code: (number * parts + part) * 3 + kind, the number that of a flat piece, of a straight edge
   or of a corner. */
#define LM_PLACE 18 /* numbers of a place: rotation, position, velocity and angular velocity, in world axes */
#define LM_EVENTS (2 * LM_HITS)
#define LM_SPAN 16 /* samples that are looked at together at least */

enum { LM_TOUCHES = 0, LM_GRAZES = 1, LM_ENDS = 2 };

typedef struct {
    const double *numbers;
    const int32_t *rows;
    const int32_t *patch; /* of each triangle, the flat piece; of each edge, the straight one */
    const int32_t *chain;
    const double *of_shape;
    const double *places; /* n of them, and the lengths of the n - 1 steps between */
    const double *lengths;
    const int64_t *known; /* what the contact stands on, and whether its end is looked for */
    const int32_t *ends;
    const int64_t *leveled; /* what has been entered by round-off or drift, and the gaps that count as zero there */
    const double *levels;
    int64_t *codes; /* of the events at the sample that is returned, and what they are */
    int32_t *what;
    int64_t n;
    double reach, inside, same_place, same_normal; /* a gap below -inside is negative; what is as near as that is the same */
    double centre[3], size;                        /* of a ball around the body */
    int32_t shape, parts, gated, known_count, level_count, events;
    int32_t flat; /* the flat piece that a body of one part stands on, -1 where it stands on nothing, -2 otherwise */
    int64_t searches;
} lm_watch;

typedef struct {
    int64_t code;
    double gap, rate;
} lm_noted;

LM_FUNCTION int64_t lm_code(const lm_watch *watch, const lm_hit *hit) {
    int64_t number = hit->number;
    if (hit->kind == LM_FACE) number = watch->patch[number];
    if (hit->kind == LM_EDGE) number = watch->chain[number];
    return (number * watch->parts + hit->part) * 3 + hit->kind;
}

/* By the rule of the source each part of a body touches at one place: the nearest, and a face before an edge before a corner. */
LM_FUNCTION void lm_one_each(lm_found *found) {
    int kept = 0;
    for (int i = 0; i < found->count; ++i) {
        const lm_hit *hit = &found->hit[i];
        int best = 1;
        for (int j = 0; j < found->count && best; ++j) {
            const lm_hit *other = &found->hit[j];
            if (j == i || other->part != hit->part) continue;
            if (other->gap == hit->gap)
                best = other->kind == hit->kind ? i < j : hit->kind < other->kind;
            else
                best = !(other->gap < hit->gap);
        }
        found->hit[i].key = best;
    }
    for (int i = 0; i < found->count; ++i)
        if (found->hit[i].key > 0.0) found->hit[kept++] = found->hit[i];
    found->count = kept;
}

/* Whether a hit is where the contact stands already: the edge that its face ends at. `at` has the hit of each known support. */
LM_FUNCTION int lm_is_border(const lm_watch *watch, const lm_found *found, const int *at, const lm_hit *hit) {
    for (int j = 0; j < watch->known_count; ++j) {
        if (at[j] < 0) continue;
        const lm_hit *other = &found->hit[at[j]];
        int same = 1;
        for (int a = 0; a < 3; ++a) {
            same &= lm_abs1(hit->foot[a] - other->foot[a]) <= watch->same_place;
            same &= lm_abs1(hit->normal[a] - other->normal[a]) <= watch->same_normal;
        }
        if (same) return 1;
    }
    return 0;
}

/* What the contact does not stand on at one sample, each with its gap and rate; `at` becomes where what it stands on is found. */
LM_FUNCTION int lm_note(lm_watch *watch, int64_t sample, lm_found *found, int *at, lm_noted *noted) {
    const lm_ground ground = {watch->numbers, watch->rows};
    const double *place = watch->places + LM_PLACE * sample;
    int64_t codes[LM_HITS];
    int count = 0;
    ++watch->searches;
    lm_terrain_search(&ground, watch->shape, watch->of_shape, place, place + 9, watch->reach, 0, found);
    if (watch->rows[LM_G_SOURCE]) lm_one_each(found);
    for (int j = 0; j < watch->known_count; ++j) at[j] = -1;
    for (int i = 0; i < found->count; ++i) {
        codes[i] = lm_code(watch, &found->hit[i]);
        for (int j = 0; j < watch->known_count; ++j)
            if (watch->known[j] == codes[i]) at[j] = i;
    }
    for (int i = 0; i < found->count; ++i) {
        const lm_hit *hit = &found->hit[i];
        int other = 0; /* one hit a sample is enough: coplanar triangles have the same gap */
        for (int j = 0; j < watch->known_count; ++j) other |= watch->known[j] == codes[i];
        for (int j = 0; j < i; ++j) other |= codes[j] == codes[i];
        if (other || lm_is_border(watch, found, at, hit)) continue;
        const double *v = place + 12, *w = place + 15;
        const double r[3] = {hit->point[0] - place[9], hit->point[1] - place[10], hit->point[2] - place[11]};
        const double speed[3] = {v[0] + (w[1] * r[2] - w[2] * r[1]), v[1] + (w[2] * r[0] - w[0] * r[2]), v[2] + (w[0] * r[1] - w[1] * r[0])};
        noted[count].code = codes[i];
        noted[count].gap = hit->gap;
        for (int j = 0; j < watch->level_count; ++j)
            if (watch->leveled[j] == codes[i]) noted[count].gap = hit->gap - watch->levels[j];
        noted[count++].rate = lm_dot3(hit->normal, speed);
    }
    return count;
}

LM_FUNCTION void lm_tell(lm_watch *watch, int64_t code, int what) {
    if (watch->events == LM_EVENTS) return;
    watch->codes[watch->events] = code;
    watch->what[watch->events++] = what;
}

LM_FUNCTION void lm_centre(const lm_watch *watch, int64_t sample, double *centre) {
    const double *R = watch->places + LM_PLACE * sample, *p = R + 9;
    for (int i = 0; i < 3; ++i) centre[i] = p[i] + lm_dot3(R + 3 * i, watch->centre);
}

/* How far any point of the body comes in a step at most. */
LM_FUNCTION double lm_hop(const lm_watch *watch) {
    double fastest = 0.0, longest = 0.0;
    for (int64_t k = 0; k < watch->n; ++k) {
        const double *v = watch->places + LM_PLACE * k + 12, *w = v + 3;
        const double speed = LM_SQRT(lm_dot3(v, v)) + watch->size * LM_SQRT(lm_dot3(w, w));
        if (!(speed <= fastest)) fastest = speed;
        if (k + 1 < watch->n && !(watch->lengths[k] <= longest)) longest = watch->lengths[k];
    }
    return longest * fastest;
}

/* Whether an edge is within a distance of a point. */
LM_FUNCTION int lm_edge_near(const lm_ground *ground, int number, const double *point, double distance) {
    const stored *e = ground->numbers + ground->rows[LM_G_EDGES] + (int64_t)number * LM_E_SIZE;
    double w[3];
    lm_along3(point, -1.0, e, w);
    const double along = lm_min1(lm_max1(lm_dot3(w, e + LM_E_DIRECTION), 0.0), e[LM_E_LENGTH]);
    lm_along3(w, -along, e + LM_E_DIRECTION, w);
    return !(lm_dot3(w, w) > distance * distance);
}

/* Whether there is nothing within a distance of a point but the flat piece that a body stands on, far from its edges. */
LM_FUNCTION int lm_is_alone(const lm_watch *watch, const double *point, double distance) {
    const lm_ground ground = {watch->numbers, watch->rows};
    const int32_t *rows = watch->rows;
    const int last = rows[LM_G_DEPTH] - 1;
    const double nothing[3] = {0.0, 0.0, 0.0};
    lm_box_at stack[LM_STACK];
    int top = 0, seen = watch->flat < 0;
    if (watch->flat < -1 || !(distance < LM_FAR)) return 0;
    for (int node = 0; node < rows[LM_G_COUNTS]; ++node)
        lm_push_box(stack, 0, &top, 0, node, lm_box_apart(lm_tree_box(&ground, 0, node), point, nothing));
    while (top > 0) {
        const lm_box_at here = stack[--top];
        if (here.apart > distance * distance) continue;
        if (here.level < last) {
            const int low = top, first = here.node * LM_WIDTH, count = rows[LM_G_COUNTS + here.level + 1];
            for (int node = first; node < first + LM_WIDTH && node < count; ++node)
                lm_push_box(stack, low, &top, here.level + 1, node,
                            lm_box_apart(lm_tree_box(&ground, here.level + 1, node), point, nothing));
            continue;
        }
        const int32_t *ti = rows + rows[LM_G_TRIANGLE_ROWS] + (int64_t)here.node * LM_TI_SIZE;
        if (watch->flat < 0 || ti[LM_TI_PATCH] != watch->flat) return 0;
        seen = 1;
        for (int j = 0; j < 3; ++j)
            if (ti[LM_TI_SIDES + j] >= 0 && lm_edge_near(&ground, ti[LM_TI_SIDES + j], point, distance)) return 0;
    }
    return seen;
}

/* Whether nothing can happen from one sample to another: however far the body comes on the way, there is nothing. */
LM_FUNCTION int lm_is_idle(const lm_watch *watch, int64_t first, int64_t last, double hop) {
    double middle[3], other[3], way = 0.0;
    lm_centre(watch, (first + last) / 2, middle);
    for (int64_t k = first; k <= last; ++k) {
        lm_centre(watch, k, other);
        lm_along3(other, -1.0, middle, other);
        const double far = lm_dot3(other, other);
        if (!(far <= way)) way = far;
    }
    return lm_is_alone(watch, middle, watch->size + LM_SQRT(way) + hop);
}

/* The first sample after `first`, up to `end`, by which the body has touched something, may have touched it and gone, or has lost
   what it stands on; 0 where nothing happens. */
LM_FUNCTION int64_t lm_first_event(lm_watch *watch, int64_t first, int64_t end) {
    lm_noted noted[2][LM_HITS];
    int counts[2], at[LM_HITS];
    lm_found found;
    counts[first & 1] = lm_note(watch, first, &found, at, noted[first & 1]);
    for (int64_t k = first + 1; k <= end; ++k) {
        const int here = k & 1;
        const lm_noted *last = noted[1 - here];
        counts[here] = lm_note(watch, k, &found, at, noted[here]);
        for (int j = 0; j < watch->known_count; ++j)
            if (watch->ends[j] && at[j] < 0) lm_tell(watch, watch->known[j], LM_ENDS);
        for (int i = 0; i < counts[here]; ++i) {
            const lm_noted *now = &noted[here][i];
            double g0 = LM_FAR, r0 = 0.0;
            for (int j = 0; j < counts[1 - here]; ++j)
                if (last[j].code == now->code) g0 = last[j].gap, r0 = last[j].rate;
            const double g1 = now->gap, r1 = now->rate;
            /* What is inside from the first sample on is entered by its step; unless it was passed by while it did not count. */
            if (g1 < -watch->inside && (g0 >= -watch->inside || (k == first + 1 && !watch->gated)))
                lm_tell(watch, now->code, LM_TOUCHES);
            else if (r0 < 0.0 && r1 > 0.0 && g0 > watch->inside && g1 >= -watch->inside &&
                     g0 + r0 * (g1 - g0 - r1 * watch->lengths[k - 1]) / (r0 - r1) < 0.0)
                lm_tell(watch, now->code, LM_GRAZES); /* the tangents at both ends meet below zero */
        }
        if (watch->events) return k;
    }
    return 0;
}

/* The same from the first sample on; spans where nothing can happen are left out. `reach` is what counts as near. */
int64_t lm_terrain_watch(lm_watch *watch) {
    const double reach = watch->reach, hop = reach + lm_hop(watch);
    watch->events = 0, watch->searches = 0;
    if (watch->known_count > LM_HITS) return 0;
    watch->reach = watch->rows[LM_G_SOURCE] ? LM_INFINITY : hop;
    int64_t found = 0, first = 0, span = LM_SPAN;
    while (first < watch->n - 1 && !found) {
        const int64_t left = watch->n - 1 - first, end = first + (span < left ? span : left);
        if (lm_is_idle(watch, first, end, hop)) {
            first = end, span = 2 * span;
        } else if (span > LM_SPAN) {
            span = span / 4 > LM_SPAN ? span / 4 : LM_SPAN;
        } else {
            found = lm_first_event(watch, first, end), first = end;
        }
    }
    watch->reach = reach;
    return found;
}
