/* Many contacts of one tree of bodies: masses and rows made here from the axes of the joints, and solved for those contacts that
   act. Which do is a set of bits, not code: numbers are `stored`, one instance.

   Velocity j moves body `of[j]` and all that it carries: by axes[6 j ...], linear at the origin of the world, then angular, world
   axes. Bodies come after their parents (-1: the world). Impulses follow `mechanics/impacts/friction.py` and `sticking.py`, which
   say why; with M = G G^T everything is written in z = G^T v, where the mass is one: rows are Z = G^-1 C^T.

   What no axes describe, such as bodies that bend, gives its mass matrix and its rows instead (`whole`). */

typedef struct {
    int n, bodies, contacts, rows;
    const int32_t *parent; /* (bodies) */
    const int32_t *first;  /* (bodies + 1): its velocities */
    const int32_t *on;     /* (contacts): the body */
    const int32_t *begin;  /* (contacts + 1): its rows, the normal first */
    int whole;             /* whether the mass matrix and the rows are given */
} lm_many;

#define LM_MANY_COMPLIANCE LM_K(1e-4)
#define LM_MANY_ROUNDS 16
#define LM_MANY_INSIDE LM_K(0.999)
#define LM_MANY_SLACK LM_K(1e-9)
#define LM_MANY_SLOW LM_K(0.8)
#define LM_MANY_FAR LM_K(2.0)
#define LM_MANY_FOUND LM_K(1e-5)
#define LM_MANY_TINY LM_K(1e-30)
#define LM_MANY_CLOSED LM_K(1e-6) /* share of the gaps that may stay open until the next step */
#define LM_MANY_STEADY LM_K(sizeof(stored) == 4 ? 4e-7 : 1e-12)

LM_INLINE stored lm_many_abs(stored a) { return a < LM_K(0.0) ? -a : a; }

/* Lower triangle of the mass matrix, row by row in full (n * n), from the inertias of the bodies about the origin of the world:
   mass, mass times centre, and xx yy zz xy xz yz; `extra` is added on the diagonal. `work` holds 10 numbers a body. */
LM_FUNCTION void lm_many_mass(const lm_many *tree, const stored *axes, const stored *inertias, const stored *extra, stored *work,
                              stored *mass) {
    const int n = tree->n;
    for (int i = 0; i < 10 * tree->bodies; ++i) work[i] = inertias[i];
    for (int i = 0; i < n * n; ++i) mass[i] = LM_K(0.0);
    for (int b = tree->bodies - 1; b > 0; --b)
        if (tree->parent[b] >= 0)
            for (int i = 0; i < 10; ++i) work[10 * tree->parent[b] + i] = work[10 * tree->parent[b] + i] + work[10 * b + i];
    for (int b = 0; b < tree->bodies; ++b)
        for (int j = tree->first[b]; j < tree->first[b + 1]; ++j) {
            const stored *I = work + 10 * b, *v = axes + 6 * j, *w = v + 3, m = I[0], *c = I + 1;
            const stored p[3] = {m * v[0] + w[1] * c[2] - w[2] * c[1], m * v[1] + w[2] * c[0] - w[0] * c[2],
                                 m * v[2] + w[0] * c[1] - w[1] * c[0]};
            const stored l[3] = {c[1] * v[2] - c[2] * v[1] + I[4] * w[0] + I[7] * w[1] + I[8] * w[2],
                                 c[2] * v[0] - c[0] * v[2] + I[7] * w[0] + I[5] * w[1] + I[9] * w[2],
                                 c[0] * v[1] - c[1] * v[0] + I[8] * w[0] + I[9] * w[1] + I[6] * w[2]};
            for (int a = b; a >= 0; a = tree->parent[a])
                for (int i = tree->first[a]; i < tree->first[a + 1]; ++i) {
                    const stored *u = axes + 6 * i;
                    const stored value = u[0] * p[0] + u[1] * p[1] + u[2] * p[2] + u[3] * l[0] + u[4] * l[1] + u[5] * l[2];
                    mass[i * n + j] = mass[j * n + i] = value;
                }
        }
    for (int i = 0; i < n; ++i) mass[i * (n + 1)] = mass[i * (n + 1)] + extra[i];
}

/* Four sums side by side: one would wait for itself at every addition. */
LM_INLINE stored lm_many_dot(int n, const stored *a, const stored *b) {
    stored s[4] = {LM_K(0.0), LM_K(0.0), LM_K(0.0), LM_K(0.0)};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k) s[k] = s[k] + a[i + k] * b[i + k];
    for (; i < n; ++i) s[0] = s[0] + a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* A = G G^T in place, the lower triangle. */
LM_FUNCTION void lm_many_factor(int n, stored *a) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            const stored sum = a[i * n + j] - lm_many_dot(j, a + i * n, a + j * n);
            a[i * n + j] = i == j ? LM_SQRT(sum) : sum / a[j * n + j];
        }
}
LM_FUNCTION void lm_many_forward(int n, const stored *g, stored *x) { /* G^-1 x */
    for (int i = 0; i < n; ++i) {
        x[i] = (x[i] - lm_many_dot(i, g + i * n, x)) / g[i * (n + 1)];
    }
}
LM_FUNCTION void lm_many_backward(int n, const stored *g, stored *x) { /* G^-T x */
    for (int i = n - 1; i >= 0; --i) {
        x[i] = x[i] / g[i * (n + 1)];
        for (int k = 0; k < i; ++k) x[k] = x[k] - g[i * n + k] * x[i];
    }
}

/* Row of a unit direction at a point that body b carries. */
LM_FUNCTION void lm_many_row(const lm_many *tree, const stored *axes, int b, const stored *point, const stored *d, stored *row) {
    for (int i = 0; i < tree->n; ++i) row[i] = LM_K(0.0);
    const stored turn[3] = {point[1] * d[2] - point[2] * d[1], point[2] * d[0] - point[0] * d[2],
                            point[0] * d[1] - point[1] * d[0]}; /* d . (w x p) = w . (p x d) */
    for (; b >= 0; b = tree->parent[b])
        for (int j = tree->first[b]; j < tree->first[b + 1]; ++j) {
            const stored *v = axes + 6 * j;
            row[j] = d[0] * v[0] + d[1] * v[1] + d[2] * v[2] + turn[0] * v[3] + turn[1] * v[4] + turn[2] * v[5];
        }
}

/* Row i, which belongs to contact c: as it is given, or made. `rows` are all rows, or the axes, points and directions. */
LM_FUNCTION void lm_many_line(const lm_many *tree, const stored *rows, const stored *points, int c, int i, stored *row) {
    if (!tree->whole) {
        lm_many_row(tree, rows, tree->on[c], points + 3 * c, points + 3 * tree->contacts + 3 * i, row);
        return;
    }
    for (int j = 0; j < tree->n; ++j) row[j] = rows[(int64_t)i * tree->n + j];
}

/* A problem: those contacts that act, their rows Z one after the other; one with mu < 0 sticks whatever it takes. */
typedef struct {
    int n, contacts, rows;
    const int32_t *begin;
    const stored *z, *own, *mu, *missing, *blocks; /* blocks: nine numbers of each contact, its part of W */
} lm_many_problem;

/* Impulses with which all stick, if there are any in the cones; sought from those given. 0 where some slip. */
LM_FUNCTION int lm_many_stick(const lm_many_problem *p, const stored *factor, stored *L, stored *moved, stored *right) {
    const int n = p->n;
    stored scale = LM_MANY_TINY, before = LM_K(1.0) / LM_MANY_TINY;
    int inside = 1;
    for (int i = 0; i < p->rows; ++i) scale = scale + lm_many_abs(p->missing[i]);
    for (int round = 0; round < LM_MANY_ROUNDS; ++round) {
        stored normal = LM_K(0.0), tangential = LM_K(0.0), most = LM_K(0.0), excess = LM_K(0.0), missed = LM_K(0.0);
        for (int j = 0; j < n; ++j) right[j] = LM_K(0.0);
        for (int c = 0; c < p->contacts; ++c) {
            const int first = p->begin[c], last = p->begin[c + 1];
            if (L[first] < LM_K(0.0)) L[first] = LM_K(0.0);
            if (p->mu[c] >= LM_K(0.0)) {
                stored squares = LM_K(0.0);
                const stored bound = p->mu[c] * L[first];
                for (int i = first + 1; i < last; ++i) squares = squares + L[i] * L[i];
                const stored share = bound * bound < squares ? LM_MANY_INSIDE * bound / LM_SQRT(squares) : LM_K(1.0);
                for (int i = first + 1; i < last; ++i) L[i] = L[i] * share;
            }
            for (int i = first; i < last; ++i) {
                const stored stiff = p->own[i] > LM_MANY_TINY ? LM_K(1.0) / (LM_MANY_COMPLIANCE * p->own[i]) : LM_K(0.0);
                const stored pressed = stiff * p->missing[i] + L[i], *z = p->z + (int64_t)i * n;
                for (int j = 0; j < n; ++j) right[j] = right[j] + z[j] * pressed;
            }
        }
        for (int j = 0; j < n; ++j) moved[j] = right[j];
        lm_many_forward(n, factor, moved);
        lm_many_backward(n, factor, moved);
        for (int c = 0; c < p->contacts; ++c) {
            const int first = p->begin[c], last = p->begin[c + 1];
            stored squares = LM_K(0.0);
            for (int i = first; i < last; ++i) {
                const stored left = p->missing[i] - lm_many_dot(n, p->z + (int64_t)i * n, moved);
                const stored stiff = p->own[i] > LM_MANY_TINY ? LM_K(1.0) / (LM_MANY_COMPLIANCE * p->own[i]) : LM_K(0.0);
                L[i] = L[i] + stiff * left, missed = missed + lm_many_abs(left);
                if (i > first) squares = squares + L[i] * L[i];
            }
            normal = normal + lm_many_abs(L[first]);
            if (-L[first] > excess) excess = -L[first];
            if (p->mu[c] >= LM_K(0.0)) {
                const stored length = LM_SQRT(squares), bound = p->mu[c] * (L[first] > LM_K(0.0) ? L[first] : LM_K(0.0));
                tangential = tangential + length, most = most + bound;
                if (length - bound > excess) excess = length - bound;
            }
        }
        missed = missed / scale;
        inside = excess < LM_MANY_SLACK * normal + LM_K(2e-15);
        if (!(missed == missed)) return 0;
        const int outside = !(LM_MANY_SLOW * before < missed) && !(LM_MANY_FAR * most < tangential);
        before = missed;
        if (inside ? !(missed > LM_MANY_STEADY) : !outside) break;
    }
    return inside && before < LM_MANY_FOUND;
}

/* One contact after the other: it sticks if that is in its cone, else it slips, until nothing changes by more than `steady` of what is
   missing. `moved` belongs to L. */
LM_FUNCTION void lm_many_sweep(const lm_many_problem *p, int sweeps, stored steady, stored *L, stored *moved) {
    const int n = p->n;
    stored scale = LM_MANY_TINY;
    for (int i = 0; i < p->rows; ++i) scale = scale + lm_many_abs(p->missing[i]);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        stored change = LM_K(0.0);
        for (int c = 0; c < p->contacts; ++c) {
            const int first = p->begin[c], count = p->begin[c + 1] - first;
            const stored *z = p->z + (int64_t)first * n, mu = p->mu[c];
            const stored *block = p->blocks + 9 * c;
            stored lacking[3], stick[3], next[3];
            for (int i = 0; i < count; ++i) lacking[i] = p->missing[first + i] - lm_many_dot(n, z + (int64_t)i * n, moved);
            /* Elimination, tangents last first: the normal stays where they depend on each other. */
            stored a[9], right[3];
            int used[3] = {0, 0, 0};
            for (int i = 0; i < 9; ++i) a[i] = block[i];
            for (int i = 0; i < 3; ++i) right[i] = i < count ? lacking[i] : LM_K(0.0), stick[i] = LM_K(0.0);
            for (int k = count - 1; k >= 0; --k) {
                if (!(a[4 * k] > LM_K(1e-9) * block[4 * k]) || !(block[4 * k] > LM_MANY_TINY)) continue;
                used[k] = 1;
                for (int i = 0; i < k; ++i) {
                    const stored factor = a[3 * i + k] / a[4 * k];
                    for (int j = 0; j < k; ++j) a[3 * i + j] = a[3 * i + j] - factor * a[3 * k + j];
                    right[i] = right[i] - factor * right[k];
                }
            }
            for (int k = 0; k < count; ++k) {
                stored sum = right[k];
                if (!used[k]) continue;
                for (int j = 0; j < k; ++j) sum = sum - a[3 * k + j] * stick[j];
                stick[k] = sum / a[4 * k];
            }
            stored squares = LM_K(0.0);
            for (int i = 0; i < count; ++i) {
                stick[i] = stick[i] + L[first + i];
                if (i) squares = squares + stick[i] * stick[i];
            }
            const int pushes = stick[0] > LM_K(0.0), holds = mu < LM_K(0.0) || squares < mu * mu * stick[0] * stick[0];
            if (pushes && (holds || count == 1)) {
                for (int i = 0; i < count; ++i) next[i] = stick[i];
            } else if (mu < LM_K(0.0) || count == 1) {
                for (int i = 0; i < count; ++i) next[i] = LM_K(0.0);
            } else {
                next[0] = block[0] > LM_MANY_TINY ? L[first] + lacking[0] / block[0] : L[first];
                if (next[0] < LM_K(0.0)) next[0] = LM_K(0.0);
                stored bound = LM_MANY_TINY, length = LM_K(0.0);
                for (int i = 1; i < count; ++i) {
                    stored sum = LM_K(0.0);
                    for (int j = 1; j < count; ++j) sum = sum + lm_many_abs(block[3 * i + j]);
                    if (sum > bound) bound = sum;
                }
                for (int i = 1; i < count; ++i) {
                    next[i] = L[first + i] + (lacking[i] - block[3 * i] * (next[0] - L[first])) / bound;
                    length = length + next[i] * next[i];
                }
                length = LM_SQRT(length);
                if (length > mu * next[0])
                    for (int i = 1; i < count; ++i) next[i] = next[i] * (mu * next[0] / length);
            }
            for (int i = 0; i < count; ++i) {
                const stored step = next[i] - L[first + i];
                if (step == LM_K(0.0)) continue;
                for (int j = 0; j < n; ++j) moved[j] = moved[j] + z[(int64_t)i * n + j] * step;
                L[first + i] = next[i], change = change + lm_many_abs(step) * block[4 * i];
            }
        }
        if (!(change > steady * scale)) break;
    }
}

/* Stick first, exactly; then sweeps, and stick once more when they have shared the load out. */
LM_FUNCTION void lm_many_impulses(const lm_many_problem *p, const stored *factor, int sweeps, stored *L, stored *moved, stored *work) {
    const int n = p->n;
    stored *tried = work + n;
    for (int attempt = 0; attempt < 2; ++attempt) {
        for (int i = 0; i < p->rows; ++i) tried[i] = L[i];
        if (lm_many_stick(p, factor, tried, moved, work)) {
            for (int i = 0; i < p->rows; ++i) L[i] = tried[i];
            return;
        }
        for (int j = 0; j < n; ++j) moved[j] = LM_K(0.0);
        for (int i = 0; i < p->rows; ++i)
            for (int j = 0; j < n; ++j) moved[j] = moved[j] + p->z[(int64_t)i * n + j] * L[i];
        if (attempt == 0) lm_many_sweep(p, sweeps, LM_MANY_STEADY, L, moved);
    }
}

/* One pass of a step of time-stepping (`tracing/contacts/many_steps.py`): velocities after it, and what closes the gaps.

   in:  axes (6 n), inertias (10 bodies), extra (n), points (3 contacts), directions (3 rows), or if `whole` mass matrix (n * n),
        rows (rows * n); v (n), force (n), turning (rows), gaps (contacts), mu (contacts), h, whether the set of those that act is
        given, that set (contacts), impulses (rows)
   out: velocity (n), closing (n), impulses (rows), the set (contacts), normal velocities before (contacts), reach (contacts)

   `mass` and `factor` hold n * n numbers, `z` rows * n, `room` 10 * bodies + 4 * n + 4 * rows + 10 * contacts, `index` 2 * contacts + 2. */
LM_FUNCTION void lm_many_pass(const lm_many *tree, const stored *in, int sweeps, stored *mass, stored *factor, stored *z,
                              stored *room, int32_t *index, stored *out) {
    const int n = tree->n, contacts = tree->contacts, rows = tree->rows;
    const stored *axes = in, *inertias = axes + 6 * n, *extra = inertias + 10 * tree->bodies, *points = extra + n;
    const stored *made = tree->whole ? in + n * n : axes;
    const stored *v = tree->whole ? made + (int64_t)rows * n : points + 3 * contacts + 3 * rows, *force = v + n, *turning = force + n;
    const stored *gaps = turning + rows, *mu = gaps + contacts, h = mu[contacts], known = mu[contacts + 1];
    const stored *given = mu + contacts + 2, *guess = given + contacts;
    stored *velocity = out, *closing = out + n, *impulses = closing + n, *set = impulses + rows, *before = set + contacts;
    stored *reach = before + contacts;
    stored *a = room + 10 * tree->bodies, *row = a + n, *moved = row + n, *own = moved + n, *missing = own + rows;
    stored *L = missing + rows, *friction = L + rows, *blocks = friction + contacts;
    stored *work = blocks + 9 * contacts; /* n + rows */
    int32_t *begin = index, *which = index + contacts + 1;
    int acting = 0, m = 0;

    if (tree->whole)
        for (int i = 0; i < n * n; ++i) mass[i] = in[i];
    else
        lm_many_mass(tree, axes, inertias, extra, room, mass);
    lm_many_factor(n, mass);
    for (int i = 0; i < n; ++i) a[i] = force[i];
    lm_many_forward(n, mass, a);
    lm_many_backward(n, mass, a);
    for (int c = 0; c < contacts; ++c) {
        const int first = tree->begin[c];
        set[c] = given[c], reach[c] = before[c] = LM_K(0.0);
        if (known > LM_K(0.5) && !(given[c] > LM_K(0.5))) continue;
        lm_many_line(tree, made, points, c, first, row);
        const stored bias = LM_K(2.0) * turning[first] / h;
        stored fallen = bias, size = lm_many_abs(bias);
        for (int j = 0; j < n; ++j) fallen = fallen + row[j] * a[j], size = size + lm_many_abs(row[j] * a[j]);
        fallen = lm_many_abs(fallen), size = LM_K(0.1) * size;
        reach[c] = LM_K(0.125) * h * h * (fallen > size ? fallen : size);
        if (!(known > LM_K(0.5))) set[c] = gaps[c] - reach[c] < LM_K(1e-30) ? LM_K(1.0) : LM_K(0.0);
    }
    /* Velocities without contacts, and the rows of those that act. */
    for (int j = 0; j < n; ++j) velocity[j] = v[j] + h * a[j], closing[j] = LM_K(0.0);
    for (int i = 0; i < rows; ++i) impulses[i] = LM_K(0.0);
    for (int c = 0; c < contacts; ++c) {
        if (!(set[c] > LM_K(0.5))) continue;
        begin[acting] = m, which[acting] = c, friction[acting++] = mu[c];
        for (int i = tree->begin[c]; i < tree->begin[c + 1]; ++i, ++m) {
            stored *line = z + (int64_t)m * n;
            lm_many_line(tree, made, points, c, i, line);
            if (i == tree->begin[c]) before[c] = lm_many_dot(n, line, v) - turning[i];
            missing[m] = -(lm_many_dot(n, line, velocity) + turning[i]);
            lm_many_forward(n, mass, line);
            own[m] = lm_many_dot(n, line, line), L[m] = guess[i];
        }
    }
    begin[acting] = m;
    if (!acting) return;
    for (int i = 0; i < n * n; ++i) factor[i] = LM_K(0.0);
    for (int i = 0; i < n; ++i) factor[i * (n + 1)] = LM_K(1.0);
    for (int r = 0; r < m; ++r) {
        if (!(own[r] > LM_MANY_TINY)) continue;
        const stored stiff = LM_K(1.0) / (LM_MANY_COMPLIANCE * own[r]), *line = z + (int64_t)r * n;
        for (int i = 0; i < n; ++i) {
            const stored factored = stiff * line[i];
            if (factored == LM_K(0.0)) continue;
            for (int j = 0; j <= i; ++j) factor[i * n + j] = factor[i * n + j] + factored * line[j];
        }
    }
    lm_many_factor(n, factor);
    for (int c = 0; c < acting; ++c) {
        const stored *line = z + (int64_t)begin[c] * n;
        const int count = begin[c + 1] - begin[c];
        for (int i = 0; i < 9; ++i) blocks[9 * c + i] = LM_K(0.0);
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < count; ++j)
                blocks[9 * c + 3 * i + j] = lm_many_dot(n, line + (int64_t)i * n, line + (int64_t)j * n);
    }
    lm_many_problem p = {n, acting, m, begin, z, own, friction, missing, blocks};
    lm_many_impulses(&p, factor, sweeps, L, moved, work);
    for (int c = 0; c < acting; ++c)
        for (int i = 0; i < begin[c + 1] - begin[c]; ++i) impulses[tree->begin[which[c]] + i] = L[begin[c] + i];
    /* Gaps are closed apart from velocities, by normals alone: rows of Z are moved together. */
    for (int c = 0; c < acting; ++c) {
        const stored after = lm_many_dot(n, z + (int64_t)begin[c] * n, moved) - missing[begin[c]];
        missing[c] = -(gaps[which[c]] + LM_K(0.5) * h * after); /* begin[c] >= c: what is overwritten has been read */
        if (begin[c] != c)
            for (int j = 0; j < n; ++j) z[(int64_t)c * n + j] = z[(int64_t)begin[c] * n + j];
        L[c] = LM_K(0.0), friction[c] = LM_K(-1.0);
    }
    lm_many_backward(n, mass, moved);
    for (int j = 0; j < n; ++j) velocity[j] = velocity[j] + moved[j], moved[j] = LM_K(0.0);
    if (!(known > LM_K(0.5))) return;
    for (int c = 0; c <= acting; ++c) begin[c] = c;
    p.rows = acting;
    lm_many_sweep(&p, sweeps, LM_MANY_CLOSED, L, moved);
    lm_many_backward(n, mass, moved);
    for (int j = 0; j < n; ++j) closing[j] = moved[j];
}
