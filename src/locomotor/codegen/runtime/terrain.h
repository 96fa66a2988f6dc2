/* Where a body can touch a terrain: the closest points of its core and of faces, edges and corners, one pose at a time.

   Numbers are `stored`, one instance. `locomotor.geometry` is the readable form, and says why; names are the same.
   What a terrain is made of lies in two arrays, laid out by `geometry/tables.py`; indices begin with LM_G_... below.

   A body is a list of cores (a point, a disc, a segment, an edge or a face of a box), each with a margin around it. The tree of
   boxes is walked once for each core; hits are kept in a short list, the nearest ones where there are too many. */

#define LM_FIND (sizeof(stored) == 4)
#define LM_TOUCH LM_K(LM_FIND ? 2e-6 : 1e-9)   /* feet this far outside of a face are on it */
#define LM_LEVEL LM_K(LM_FIND ? 1e-5 : 1e-8)   /* a vertex this near to the plane of a disc is in it */
#define LM_DEEPEST LM_K(0.5)                   /* part of the radius of a disc */
#define LM_CAME_IN LM_K(LM_FIND ? 1e-5 : 1e-7) /* another face of a box is as good */
#define LM_NO_WAY LM_K(LM_FIND ? 1e-7 : 1e-13) /* below this a difference has no direction */
#define LM_FLAT_DISC LM_K(LM_FIND ? 1e-5 : 1e-9)
#define LM_SLACK LM_K(LM_FIND ? 1.00001 : 1.000000001)
#define LM_SHALLOW LM_K(LM_FIND ? 1e-5 : 1e-7) /* faces entered by less are not in doubt */
#define LM_ALIKE LM_K(0.999)
#define LM_SAME_PLACE LM_K(LM_FIND ? 1e-5 : 1e-7)
#define LM_SAME_NORMAL LM_K(LM_FIND ? 1e-4 : 1e-6)
#define LM_PARALLEL LM_K(LM_FIND ? 1e-5 : 1e-9)
#define LM_THIN LM_K(0.1)
#define LM_FAR LM_K(1e30)

#define LM_WIDTH 16 /* boxes in a box, as in broad_phase.py */
#define LM_HITS 40
#define LM_STACK 160 /* of boxes to be opened: eight levels of fifteen, and some more */

enum { LM_FACE = 0, LM_EDGE = 1, LM_VERTEX = 2 };
enum { LM_BALL = 0, LM_DISC = 1, LM_CAPSULE = 2, LM_BOX = 3 };                           /* shapes */
enum { LM_C_BALL = 0, LM_C_DISC = 1, LM_C_ROD = 2, LM_C_BOX_EDGE = 3, LM_C_FLAT = 4 }; /* cores */

/* Places in the head of the indices: counts, where parts begin, and the levels of the tree, coarsest first. */
enum {
    LM_G_DEPTH = 0, LM_G_TRIANGLES, LM_G_EDGES, LM_G_VERTICES, LM_G_DIRECTIONS, /* first number of each */
    LM_G_TRIANGLE_ROWS, LM_G_EDGE_ROWS, LM_G_VERTEX_ROWS,                       /* first index of each */
    LM_G_COUNTS = 8, LM_G_LEVELS = 16, LM_G_SOURCE = 24 /* 1: the rule of the source, see source_rule.py */
};
/* Numbers of a triangle: normal, offset, sides, bounds, corners; of an edge: start, direction, length, inward, normals, outward. */
enum { LM_T_OFFSET = 3, LM_T_SIDES = 4, LM_T_BOUNDS = 13, LM_T_CORNERS = 16, LM_T_SIZE = 25 };
enum { LM_E_DIRECTION = 3, LM_E_LENGTH = 6, LM_E_INWARD = 7, LM_E_NORMALS = 13, LM_E_OUTWARD = 19, LM_E_SIZE = 22 };
enum { LM_V_OUTWARD = 3, LM_V_SIZE = 6 };
/* Indices of a triangle: number, flat piece, edges and vertices it looks after, its corners, its sides; of an edge: border, flat
   pieces. */
enum { LM_TI_PATCH = 1, LM_TI_EDGES = 2, LM_TI_VERTICES = 5, LM_TI_CORNERS = 8, LM_TI_SIDES = 11, LM_TI_SIZE = 14 };
enum { LM_EI_BORDER = 0, LM_EI_PATCHES = 1, LM_EI_SIZE = 3 };
enum { LM_VI_FIRST = 0, LM_VI_COUNT = 1, LM_VI_BORDER = 2, LM_VI_SIZE = 3 };

typedef struct {
    const stored *numbers;
    const int32_t *rows;
} lm_ground;

typedef struct {
    stored gap, key; /* key: distance of the core, for what is kept */
    stored normal[3], point[3], foot[3];
    int kind, number, part, row; /* row: of the triangle in its table */
} lm_hit;

typedef struct {
    int count;
    stored limit; /* distance of cores up to which nothing is missing, for the core that is being looked at */
    lm_hit hit[LM_HITS];
} lm_found;

typedef struct {
    int kind, part, guarded;
    stored margin, radius, size, passage;
    stored centre[3], axis[3]; /* of a rod `axis` is half of it; of a face its outward normal */
    stored guard[3], extent[3];
    stored outward[6]; /* of an edge of a box */
    stored spans[6];   /* of a face of a box */
    stored box_centre[3], box_axes[9], box_half[3];
} lm_core_at;

LM_INLINE stored lm_abs1(stored a) { return a < LM_K(0.0) ? -a : a; }
LM_INLINE stored lm_max1(stored a, stored b) { return a > b ? a : b; }
LM_INLINE stored lm_min1(stored a, stored b) { return a < b ? a : b; }
LM_INLINE stored lm_dot3(const stored *a, const stored *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
LM_INLINE void lm_cross3(const stored *a, const stored *b, stored *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
LM_INLINE void lm_along3(const stored *a, stored s, const stored *b, stored *c) { /* c = a + s b */
    for (int i = 0; i < 3; ++i) c[i] = a[i] + s * b[i];
}
LM_INLINE stored lm_copysign1(stored size, stored sign) { return sign < LM_K(0.0) ? -size : size; }

/* Some unit vector normal to a unit vector. */
LM_FUNCTION void lm_across3(const stored *axis, stored *found) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (lm_abs1(axis[i]) < lm_abs1(axis[least])) least = i;
    stored unit[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)};
    unit[least] = LM_K(1.0);
    lm_cross3(axis, unit, found);
    const stored inverse = LM_K(1.0) / LM_SQRT(lm_dot3(found, found));
    for (int i = 0; i < 3; ++i) found[i] = found[i] * inverse;
}

/* The unit vector along a difference, another one where there is none; gives its length. */
LM_FUNCTION stored lm_direction3(const stored *difference, const stored *otherwise, stored *unit) {
    const stored distance = LM_SQRT(lm_dot3(difference, difference));
    const int none = distance <= LM_NO_WAY;
    for (int i = 0; i < 3; ++i) unit[i] = none ? otherwise[i] : difference[i] / distance;
    return distance;
}

/* --- hits ---------------------------------------------------------------------------------------------------------- */

LM_FUNCTION void lm_add_hit(lm_found *found, const lm_core_at *core, int kind, int number, int row, const stored *normal,
                            const stored *point, const stored *foot) {
    stored away[3];
    lm_along3(point, LM_K(-1.0), foot, away);
    const stored distance = lm_dot3(normal, away), key = lm_abs1(distance);
    int place = found->count;
    if (place == LM_HITS) { /* the farthest one goes */
        int farthest = 0;
        for (int i = 1; i < LM_HITS; ++i)
            if (found->hit[i].key > found->hit[farthest].key) farthest = i;
        if (!(key < found->hit[farthest].key)) return;
        place = farthest;
    } else {
        found->count = place + 1;
    }
    lm_hit *hit = &found->hit[place];
    hit->gap = distance - core->margin, hit->key = key;
    hit->kind = kind, hit->number = number, hit->part = core->part, hit->row = row;
    for (int i = 0; i < 3; ++i) hit->normal[i] = normal[i], hit->foot[i] = foot[i];
    lm_along3(point, -core->margin, normal, hit->point);
}

/* --- cores --------------------------------------------------------------------------------------------------------- */

LM_FUNCTION stored lm_core_distance(const lm_core_at *core, const stored *point) {
    stored w[3];
    lm_along3(point, LM_K(-1.0), core->centre, w);
    if (core->kind == LM_C_DISC) {
        const stored height = lm_dot3(w, core->axis), squared = height * height;
        const stored beyond = lm_max1(LM_SQRT(lm_max1(lm_dot3(w, w) - squared, LM_K(0.0))) - core->radius, LM_K(0.0));
        return LM_SQRT(squared + beyond * beyond);
    }
    if (core->kind == LM_C_ROD || core->kind == LM_C_BOX_EDGE) {
        const stored along = lm_dot3(w, core->axis) / lm_dot3(core->axis, core->axis);
        lm_along3(w, -lm_min1(lm_max1(along, LM_K(-1.0)), LM_K(1.0)), core->axis, w);
    } else if (core->kind == LM_C_FLAT) {
        for (int k = 0; k < 2; ++k) {
            const stored *span = core->spans + 3 * k;
            const stored along = lm_dot3(w, span) / lm_dot3(span, span);
            lm_along3(w, -lm_min1(lm_max1(along, LM_K(-1.0)), LM_K(1.0)), span, w);
        }
    }
    return LM_SQRT(lm_dot3(w, w));
}

/* The point of a core farthest against a unit normal. */
LM_FUNCTION void lm_core_lowest(const lm_core_at *core, const stored *normal, stored *point) {
    for (int i = 0; i < 3; ++i) point[i] = core->centre[i];
    if (core->kind == LM_C_DISC) {
        stored u[3];
        lm_along3(normal, -lm_dot3(normal, core->axis), core->axis, u);
        stored length = LM_SQRT(lm_dot3(u, u));
        if (length <= LM_FLAT_DISC) lm_across3(core->axis, u), length = LM_K(1.0);
        lm_along3(core->centre, -core->radius / length, u, point);
    } else if (core->kind == LM_C_ROD || core->kind == LM_C_BOX_EDGE) {
        const stored rise = lm_dot3(normal, core->axis);
        if (rise != LM_K(0.0)) lm_along3(core->centre, rise > LM_K(0.0) ? LM_K(-1.0) : LM_K(1.0), core->axis, point);
    } else if (core->kind == LM_C_FLAT) {
        for (int k = 0; k < 2; ++k) {
            const stored rise = lm_dot3(normal, core->spans + 3 * k);
            if (rise != LM_K(0.0)) lm_along3(point, rise > LM_K(0.0) ? LM_K(-1.0) : LM_K(1.0), core->spans + 3 * k, point);
        }
    }
}

/* Depth of a point inside a box below its nearest face, those apart whose outward normals are in `but` (count of them). */
LM_FUNCTION stored lm_least_depth(const lm_core_at *core, const stored *point, const stored *but, int count) {
    stored w[3], least = LM_FAR;
    lm_along3(point, LM_K(-1.0), core->box_centre, w);
    for (int i = 0; i < 3; ++i) {
        const stored *axis = core->box_axes + 3 * i, local = lm_dot3(axis, w);
        int above = 0, below = 0;
        for (int k = 0; k < count; ++k) {
            const stored out = lm_dot3(axis, but + 3 * k);
            above |= out > LM_K(0.5), below |= out < LM_K(-0.5);
        }
        if (!above) least = lm_min1(least, core->box_half[i] - local);
        if (!below) least = lm_min1(least, core->box_half[i] + local);
    }
    return least;
}

/* --- faces --------------------------------------------------------------------------------------------------------- */

/* Whether the plane of the triangle is near enough for its edges and vertices to matter. */
LM_FUNCTION int lm_to_face(const lm_ground *ground, const lm_core_at *core, int row, stored limit, lm_found *found) {
    const stored *t = ground->numbers + ground->rows[LM_G_TRIANGLES] + (int64_t)row * LM_T_SIZE;
    stored point[3], foot[3];
    lm_core_lowest(core, t, point);
    const stored gap = lm_dot3(t, point) - t[LM_T_OFFSET];
    if (!((core->kind == LM_C_BALL ? lm_abs1(gap) : gap) <= limit)) return 0;
    if (core->kind == LM_C_ROD || core->kind == LM_C_BOX_EDGE || core->kind == LM_C_FLAT) return 1;
    lm_along3(point, -gap, t, foot);
    for (int j = 0; j < 3; ++j)
        if (!(lm_dot3(t + LM_T_SIDES + 3 * j, foot) >= t[LM_T_BOUNDS + j] - LM_TOUCH)) return 1;
    const int32_t *ti = ground->rows + ground->rows[LM_G_TRIANGLE_ROWS] + (int64_t)row * LM_TI_SIZE;
    lm_add_hit(found, core, LM_FACE, ti[0], row, t, point, foot);
    return 1;
}

/* --- edges --------------------------------------------------------------------------------------------------------- */

LM_FUNCTION int lm_between(const stored *e, const stored *normal) {
    return lm_dot3(e + LM_E_INWARD, normal) <= LM_TOUCH && lm_dot3(e + LM_E_INWARD + 3, normal) <= LM_TOUCH;
}

/* Where rod and edge cross, seen along their common normal, of either sign; 0 where they do not. */
LM_FUNCTION int lm_crossing(const lm_core_at *core, const stored *e, stored *normal, stored *point, stored *foot) {
    stored w[3], turn[3];
    const stored *direction = e + LM_E_DIRECTION;
    lm_cross3(direction, core->axis, normal);
    const stored size = LM_SQRT(lm_dot3(normal, normal));
    if (!(size > LM_K(LM_FIND ? 1e-6 : 1e-12) * LM_SQRT(lm_dot3(core->axis, core->axis)))) return 0;
    for (int i = 0; i < 3; ++i) normal[i] = normal[i] / size;
    lm_along3(core->centre, LM_K(-1.0), e, w);
    lm_cross3(w, direction, turn);
    const stored above = -lm_dot3(turn, normal);
    lm_cross3(core->axis, direction, turn);
    const stored place = above / lm_dot3(turn, normal);
    lm_along3(core->centre, place, core->axis, point);
    lm_along3(point, LM_K(-1.0), e, w);
    const stored along = lm_dot3(w, direction);
    lm_along3(e, along, direction, foot);
    return lm_abs1(place) < LM_K(1.0) && along >= -LM_TOUCH && along <= e[LM_E_LENGTH] + LM_TOUCH;
}

/* A disc and a line, seen along the line; see disc_edge.py. */
typedef struct {
    stored k[3], b[3], along[3], x, y, tilt;
} lm_view;

LM_FUNCTION void lm_look(const lm_core_at *core, const stored *e, lm_view *view) {
    const stored *direction = e + LM_E_DIRECTION;
    stored w[3];
    lm_cross3(direction, core->axis, view->k);
    const stored size = LM_SQRT(lm_dot3(view->k, view->k));
    if (size < LM_K(LM_FIND ? 1e-6 : 1e-12))
        lm_across3(direction, view->k);
    else
        for (int i = 0; i < 3; ++i) view->k[i] = view->k[i] / size;
    lm_cross3(view->k, direction, view->b);
    lm_cross3(core->axis, view->k, view->along);
    lm_along3(e, LM_K(-1.0), core->centre, w);
    view->x = lm_dot3(w, view->k), view->y = lm_dot3(w, view->b), view->tilt = lm_dot3(core->axis, direction);
}

LM_FUNCTION void lm_on_ellipse(const lm_core_at *core, const lm_view *view, stored b, stored c, stored s, stored *normal,
                               stored *point) {
    const stored h = core->radius, across = -lm_copysign1(h, view->tilt) * s;
    for (int i = 0; i < 3; ++i) {
        normal[i] = -(b * c * view->k[i] + h * s * view->b[i]);
        point[i] = core->centre[i] + h * c * view->k[i] + across * view->along[i];
    }
    const stored inverse = LM_K(1.0) / LM_SQRT(lm_dot3(normal, normal));
    for (int i = 0; i < 3; ++i) normal[i] = normal[i] * inverse;
}

/* (cos, sin) of the point (a cos, b sin) of an ellipse nearest to (x, y), for a >= b >= 0 and x, y >= 0. */
LM_FUNCTION void lm_nearest_on_ellipse(stored a, stored b, stored x, stored y, stored *c, stored *s) {
    const stored tiny = LM_K(LM_FIND ? 1e-30 : 1e-120), enough = LM_K(LM_FIND ? 1e-6 : 2e-15);
    const stored ax = a * x, by = lm_max1(b * y, tiny), d = lm_max1(a * a - b * b, LM_K(LM_FIND ? 1e-9 : 1e-20) * a * a);
    stored most = LM_SQRT(ax * ax + by * by), t = lm_max1(by, most - d), q = ax / d;
    most = lm_min1(most, by / LM_SQRT(lm_max1(LM_K(1.0) - q * q, tiny)));
    q = ax / (most + d);
    t = lm_min1(lm_max1(t, by / LM_SQRT(lm_max1(LM_K(1.0) - q * q, tiny))), most);
    for (int k = 0; k < 60; ++k) {
        const stored total = t + d, u = (ax / total) * (ax / total), w = (by / t) * (by / t);
        const stored step = LM_K(0.5) * (u + w - LM_K(1.0)) / (u / total + w / t);
        t = lm_max1(t + step, LM_K(0.25) * t);
        if (lm_abs1(step) <= enough * t) break;
    }
    const stored u = ax / (t + d), w = by / t, size = LM_SQRT(u * u + w * w);
    *c = u / size, *s = w / size;
}

/* The common normal on the other flat side, where the edge has come through a thin disc; 0 where there is none. */
LM_FUNCTION int lm_opposite(const lm_core_at *core, const lm_view *view, stored *normal, stored *point) {
    const stored h = core->radius, b = h * lm_abs1(view->tilt), x = lm_abs1(view->x), y = -lm_abs1(view->y);
    const stored d = h * h - b * b;
    stored c = lm_min1(x / h, LM_K(1.0)), s = LM_SQRT(lm_max1(LM_K(1.0) - c * c, LM_K(0.0))), value = LM_FAR, slope = LM_FAR;
    for (int k = 0; k < 12; ++k) { /* Newton's method on the angle, the turn made on the circle */
        value = d * c * s - x * h * s + y * b * c;
        slope = d * (c * c - s * s) - x * h * c - y * b * s;
        const stored turn = -value / slope, cc = c - turn * s, ss = s + turn * c, size = LM_SQRT(cc * cc + ss * ss);
        c = cc / size, s = ss / size;
    }
    if (!(lm_abs1(value) <= LM_K(LM_FIND ? 1e-6 : 1e-12) * h * h && s > LM_K(0.0) && slope < LM_K(0.0))) return 0;
    lm_on_ellipse(core, view, b, lm_copysign1(c, view->x), lm_copysign1(s, view->y) * LM_K(-1.0), normal, point);
    return 1;
}

/* A disc parallel to an edge: beside a chord of its flat side, or beyond its rim. 0 without a common stretch. */
LM_FUNCTION int lm_beside(const lm_core_at *core, const stored *e, const lm_view *view, stored *normal, stored *other,
                          stored *point) {
    const stored h = core->radius, *direction = e + LM_E_DIRECTION;
    const int inside = lm_abs1(view->x) < h;
    const stored half = LM_SQRT(lm_max1(h * h - view->x * view->x, LM_K(0.0)));
    stored foot[3], w[3];
    lm_along3(core->centre, lm_min1(lm_max1(view->x, -h), h), view->k, foot);
    lm_along3(foot, LM_K(-1.0), e, w);
    const stored middle = lm_dot3(w, direction), low = lm_max1(middle - half, LM_K(0.0));
    const stored high = lm_min1(middle + half, e[LM_E_LENGTH]);
    if (!(low <= high + LM_TOUCH)) return 0;
    const stored place = lm_min1(lm_max1(LM_K(0.5) * (low + high), middle - half), middle + half);
    lm_along3(foot, place - middle, direction, point);
    if (inside) {
        for (int i = 0; i < 3; ++i) normal[i] = view->y > LM_K(0.0) ? -view->b[i] : view->b[i], other[i] = -normal[i];
        return 1;
    }
    lm_along3(point, LM_K(-1.0), e, w);
    lm_along3(w, -lm_dot3(w, direction), direction, w);
    const stored size = LM_SQRT(lm_dot3(w, w)), sign = -lm_copysign1(LM_K(1.0), view->x);
    for (int i = 0; i < 3; ++i) normal[i] = other[i] = size <= LM_NO_WAY ? sign * view->k[i] : w[i] / size;
    return 1;
}

/* One common normal of a disc and an edge, kept where both are there. */
LM_FUNCTION int lm_disc_hit(const lm_core_at *core, const stored *e, int number, const stored *normal, const stored *point,
                            stored limit, stored least, int through, int border, lm_found *found) {
    stored w[3], foot[3];
    lm_along3(point, LM_K(-1.0), e, w);
    const stored along = lm_dot3(w, e + LM_E_DIRECTION);
    lm_along3(e, along, e + LM_E_DIRECTION, foot);
    lm_along3(point, LM_K(-1.0), foot, w);
    const stored gap = lm_dot3(normal, w);
    if (!(along >= -LM_TOUCH && along <= e[LM_E_LENGTH] + LM_TOUCH && gap <= limit && gap >= least)) return 0;
    if (!lm_between(e, normal)) return 0;
    if (through) { /* only through a solid: in front of both faces, which a sheet that ends has not got */
        if (border || !(lm_dot3(e + LM_E_NORMALS, normal) >= -LM_TOUCH)) return 0;
        if (!(lm_dot3(e + LM_E_NORMALS + 3, normal) >= -LM_TOUCH) || !(gap < LM_K(0.0))) return 0;
    }
    lm_add_hit(found, core, LM_EDGE, number, -1, normal, point, foot);
    return 1;
}

LM_FUNCTION void lm_disc_to_edge(const lm_core_at *core, const stored *e, int number, int border, stored limit, lm_found *found) {
    stored normal[3], other[3], point[3];
    const stored least = -LM_DEEPEST * core->radius;
    lm_view view;
    lm_look(core, e, &view);
    const stored tilt = lm_abs1(view.tilt);
    if (tilt < LM_PARALLEL) {
        if (!lm_beside(core, e, &view, normal, other, point)) return;
        if (lm_disc_hit(core, e, number, normal, point, limit, least, 0, border, found)) return;
        lm_disc_hit(core, e, number, other, point, limit, -core->passage, 1, border, found);
        return;
    }
    stored c, s;
    const stored b = core->radius * tilt;
    lm_nearest_on_ellipse(core->radius, b, lm_abs1(view.x), lm_abs1(view.y), &c, &s);
    lm_on_ellipse(core, &view, b, lm_copysign1(c, view.x), lm_copysign1(s, view.y), normal, point);
    if (lm_disc_hit(core, e, number, normal, point, limit, least, 0, border, found)) return;
    if (tilt < LM_THIN && lm_opposite(core, &view, normal, point))
        lm_disc_hit(core, e, number, normal, point, limit, -core->passage, 1, border, found);
}

LM_FUNCTION void lm_to_edge(const lm_ground *ground, const lm_core_at *core, int number, stored limit, lm_found *found) {
    const stored *e = ground->numbers + ground->rows[LM_G_EDGES] + (int64_t)number * LM_E_SIZE;
    const int border = ground->rows[ground->rows[LM_G_EDGE_ROWS] + (int64_t)number * LM_EI_SIZE + LM_EI_BORDER];
    const stored *direction = e + LM_E_DIRECTION, length = e[LM_E_LENGTH];
    stored w[3], normal[3], point[3], foot[3];
    if (core->kind == LM_C_FLAT) return; /* an edge that lies on a face crosses its sides, or ends on it */
    /* The nearest point of the edge is within reach of the ball that holds the core. */
    lm_along3(core->centre, LM_K(-1.0), e, w);
    const stored along = lm_dot3(w, direction);
    lm_along3(w, -lm_min1(lm_max1(along, LM_K(0.0)), length), direction, foot);
    const stored room = lm_max1(limit, LM_K(0.0)) + core->size;
    if (!(lm_dot3(foot, foot) <= room * room)) return;
    if (core->kind == LM_C_BALL) {
        lm_along3(e, along, direction, foot);
        lm_along3(core->centre, LM_K(-1.0), foot, w);
        const stored distance = lm_direction3(w, e + LM_E_OUTWARD, normal);
        if (!(along >= -LM_TOUCH && along <= length + LM_TOUCH && distance <= limit) || !lm_between(e, normal)) return;
        if (core->guarded && !(lm_dot3(normal, core->guard) >= LM_K(0.0))) return;
        lm_add_hit(found, core, LM_EDGE, number, -1, normal, core->centre, foot);
    } else if (core->kind == LM_C_DISC) {
        /* And its ends are not both far to the same side of the disc. */
        const stored one = -lm_dot3(w, core->axis), two = one + length * lm_dot3(direction, core->axis);
        if (one * two > LM_K(0.0) && !(lm_min1(lm_abs1(one), lm_abs1(two)) <= limit)) return;
        lm_disc_to_edge(core, e, number, border, limit, found);
    } else if (core->kind == LM_C_ROD) {
        if (!lm_crossing(core, e, normal, point, foot)) return;
        if (!(lm_dot3(normal, w) >= LM_K(0.0)))
            for (int i = 0; i < 3; ++i) normal[i] = -normal[i];
        if (!(lm_dot3(normal, w) <= limit) || !lm_between(e, normal)) return;
        lm_add_hit(found, core, LM_EDGE, number, -1, normal, point, foot);
    } else {
        /* Two sharp edges: the normal is from the ground into the box, against the normals of both faces that meet there. */
        if (!lm_crossing(core, e, normal, point, foot)) return;
        const stored sum = lm_dot3(core->outward, normal) + lm_dot3(core->outward + 3, normal);
        if (sum > LM_K(0.0))
            for (int i = 0; i < 3; ++i) normal[i] = -normal[i];
        if (!(lm_dot3(core->outward, normal) <= LM_TOUCH && lm_dot3(core->outward + 3, normal) <= LM_TOUCH)) return;
        lm_along3(point, LM_K(-1.0), foot, w);
        const stored gap = lm_dot3(normal, w);
        if (!(gap <= limit && gap >= -core->passage) || !lm_between(e, normal)) return;
        if (!(lm_least_depth(core, foot, core->outward, 2) >= -gap - LM_CAME_IN)) return;
        lm_add_hit(found, core, LM_EDGE, number, -1, normal, point, foot);
    }
}

/* --- vertices ------------------------------------------------------------------------------------------------------ */

/* How much the steepest edge of a vertex rises along its normal: at most zero for a normal of its cone. */
LM_FUNCTION stored lm_rise(const lm_ground *ground, int number, const stored *normal) {
    const int32_t *vi = ground->rows + ground->rows[LM_G_VERTEX_ROWS] + (int64_t)number * LM_VI_SIZE;
    const stored *v = ground->numbers + ground->rows[LM_G_VERTICES] + (int64_t)number * LM_V_SIZE;
    const stored *directions = ground->numbers + ground->rows[LM_G_DIRECTIONS] + (int64_t)vi[LM_VI_FIRST] * 3;
    if (!vi[LM_VI_BORDER] && !(lm_dot3(v + LM_V_OUTWARD, normal) > LM_K(0.0))) return LM_FAR; /* a pit, from the inside */
    stored rise = -LM_FAR;
    for (int i = 0; i < vi[LM_VI_COUNT]; ++i) {
        const stored up = lm_dot3(directions + 3 * i, normal);
        if (!(up <= rise)) rise = up;
    }
    return rise == rise ? rise : LM_FAR;
}

LM_FUNCTION void lm_disc_to_vertex(const lm_ground *ground, const lm_core_at *core, int number, int border, const stored *foot,
                                   lm_found *found) {
    stored w[3], out[3], rim[3], apart[3], by_rim[3], above[3], behind[3], side[3], sideways[3], back[3];
    lm_along3(foot, LM_K(-1.0), core->centre, w);
    const stored height = lm_dot3(w, core->axis);
    lm_along3(w, -height, core->axis, w);
    const stored distance = LM_SQRT(lm_dot3(w, w));
    lm_across3(core->axis, sideways);
    lm_direction3(w, sideways, out);
    lm_along3(core->centre, core->radius, out, rim);
    const int level = lm_abs1(height) <= LM_LEVEL && distance >= (LM_K(1.0) - LM_DEEPEST) * core->radius;
    for (int i = 0; i < 3; ++i) back[i] = -out[i], apart[i] = rim[i] - foot[i];
    if (level)
        for (int i = 0; i < 3; ++i) by_rim[i] = back[i];
    else
        lm_direction3(apart, back, by_rim);
    const stored rise = lm_rise(ground, number, by_rim);
    const int over = distance < core->radius;
    if (!over) {
        if (rise <= LM_TOUCH) lm_add_hit(found, core, LM_VERTEX, number, -1, by_rim, rim, foot);
        return;
    }
    for (int i = 0; i < 3; ++i) above[i] = height > LM_K(0.0) ? -core->axis[i] : core->axis[i], behind[i] = -above[i];
    const stored near_side = lm_rise(ground, number, above);
    const stored far_side = !border && lm_abs1(height) <= core->passage ? lm_rise(ground, number, behind) : LM_FAR;
    if (rise <= LM_TOUCH && level && rise <= lm_min1(near_side, far_side)) {
        lm_add_hit(found, core, LM_VERTEX, number, -1, by_rim, rim, foot);
        return;
    }
    if (!(lm_min1(near_side, far_side) <= LM_TOUCH)) return;
    for (int i = 0; i < 3; ++i) side[i] = core->centre[i] + w[i];
    lm_add_hit(found, core, LM_VERTEX, number, -1, near_side <= LM_TOUCH ? above : behind, side, foot);
}

LM_FUNCTION void lm_to_vertex(const lm_ground *ground, const lm_core_at *core, int number, stored limit, lm_found *found) {
    const stored *foot = ground->numbers + ground->rows[LM_G_VERTICES] + (int64_t)number * LM_V_SIZE;
    const int border = ground->rows[ground->rows[LM_G_VERTEX_ROWS] + (int64_t)number * LM_VI_SIZE + LM_VI_BORDER];
    stored w[3], normal[3], point[3];
    if (core->kind == LM_C_BOX_EDGE) return; /* a vertex that has come to an edge of a box is on one of its faces */
    if (!(lm_core_distance(core, foot) <= limit)) return;
    if (core->kind == LM_C_DISC) {
        lm_disc_to_vertex(ground, core, number, border, foot, found);
        return;
    }
    for (int i = 0; i < 3; ++i) point[i] = core->centre[i];
    if (core->kind == LM_C_FLAT) {
        const stored *out = core->axis;
        lm_along3(foot, LM_K(-1.0), core->centre, w);
        const stored gap = lm_dot3(w, out);
        for (int k = 0; k < 2; ++k) {
            const stored *span = core->spans + 3 * k;
            if (!(lm_abs1(lm_dot3(span, w)) < lm_dot3(span, span))) return;
        }
        for (int i = 0; i < 3; ++i) normal[i] = -out[i];
        if (!(gap >= -core->passage) || !(lm_rise(ground, number, normal) <= LM_TOUCH)) return;
        if (!(lm_least_depth(core, foot, out, 1) >= -gap - LM_CAME_IN)) return;
        lm_along3(foot, -gap, out, point);
    } else {
        if (core->kind == LM_C_ROD) {
            lm_along3(foot, LM_K(-1.0), core->centre, w);
            const stored place = lm_dot3(w, core->axis) / lm_dot3(core->axis, core->axis);
            if (!(lm_abs1(place) < LM_K(1.0))) return;
            lm_along3(core->centre, place, core->axis, point);
        }
        lm_along3(point, LM_K(-1.0), foot, w);
        lm_direction3(w, foot + LM_V_OUTWARD, normal);
        if (!(lm_rise(ground, number, normal) <= LM_TOUCH)) return;
        if (core->guarded && !(lm_dot3(normal, core->guard) >= LM_K(0.0))) return;
    }
    lm_add_hit(found, core, LM_VERTEX, number, -1, normal, point, foot);
}
