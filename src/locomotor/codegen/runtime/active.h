/* Contacts that are held as numbers tell, of a tree of bodies (`many.h`, which comes first): accelerations and forces of all rows.

       M a = f + C^T lambda,      C a + bias = 0 along every row that is held,

   with, for each contact, 0: it is open; 1: it is held along all its rows; 2: along its first row, the normal, alone, and its normal
   force N comes with the forces c N along the others. So friction is told by c = -mu e, and which contacts act by numbers, not code.
   Rows that depend on others ask nothing more, and of all forces that do the same the smallest are taken.

   With M = G G^T and w = G^T a, rows are z = G^-1 C^T; those that are held are written as combinations R of orthonormal ones,
   z_i = sum_k R[k][i] q_k, by Gram and Schmidt, twice where little is left, in order: the normals of all contacts first. Once they
   span everything a row is its shares, and nothing is left to look at. Then w = w_free + Q g + friction
   asks for g, and R lambda = g for the forces (docs/theory.md (Q11); (Q2) with Q in the place of the elimination). */

#ifdef __CUDACC__
#define LM_ACTIVE_ROOM
#else
#define LM_ACTIVE_ROOM static __thread /* too much for some stacks */
#endif

#define LM_ACTIVE_DEPENDENT LM_K(1e-8) /* share of a row that those before it leave, below which it depends on them */
#define LM_ACTIVE_PLENTY LM_K(0.5)     /* above which round-off has not been magnified */
#define LM_ACTIVE_AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

typedef struct {
    stored *mass;   /* n * n: G, the inverses of its diagonal on it */
    stored *q;      /* (width + 1) * n: orthonormal rows; width is the smaller of n and the number of rows */
    stored *r;      /* width * rows: R, then orthonormal rows in its place */
    stored *t;      /* width * width: R in terms of these */
    stored *rubs;   /* contacts * n: friction for N = 1, in w */
    stored *pushes; /* 2 * contacts * contacts: what normal forces do to each other, and its inverse */
    stored *room;   /* 10 * bodies + 2 * n + 4 * width + rows + 2 * contacts */
    int32_t *index; /* rows + width + contacts: rows that are held, those that ask for something, contacts that slip */
    int held, rank, slips;
} lm_active;

LM_INLINE void lm_active_add(int n, stored factor, const stored *x, stored *y) {
    for (int i = 0; i < n; ++i) y[i] = y[i] + factor * x[i];
}

/* A line less its shares along orthonormal rows, `stride` apart, which are added to those at shares[k * apart]; what is left of it.
   All shares first: none waits for another. A second time where little is left of its size. */
LM_INLINE stored lm_active_split(int n, int rank, const stored *rows, int stride, stored size, stored *line, stored *along,
                                 stored *shares, int apart) {
    stored left = size;
    for (int again = 0; again < 2; ++again) {
        for (int k = 0; k < rank; ++k) along[k] = lm_many_dot(n, rows + (int64_t)k * stride, line);
        for (int k = 0; k < rank; ++k) {
            shares[(int64_t)k * apart] = shares[(int64_t)k * apart] + along[k];
            lm_active_add(n, -along[k], rows + (int64_t)k * stride, line);
        }
        left = LM_SQRT(lm_many_dot(n, line, line));
        if (left > LM_ACTIVE_PLENTY * size) break;
    }
    return left;
}

/* G, and the rows that are held in terms of orthonormal ones; not `all`: without those that depend on others, where nothing is left to
   move. `made` and `points` as in `many.h`. */
LM_OF_TREE void lm_active_rows(const lm_many *tree, const stored *in, const stored *held, int all, lm_active *s) {
    const int n = tree->n, m = tree->rows, width = n < m ? n : m;
    const stored *inertias = in + 6 * n, *extra = inertias + 10 * tree->bodies, *points = extra + n;
    const stored *made = tree->whole ? in + n * n : in;
    if (tree->whole)
        for (int i = 0; i < n * n; ++i) s->mass[i] = in[i];
    else
        lm_many_mass(tree, in, inertias, extra, s->room, s->mass);
    lm_many_factor(n, s->mass);
    int32_t *which = s->index, *asks = which + m;
    stored *along = s->room + 10 * tree->bodies + 2 * n;
    s->held = s->rank = 0;
    for (int i = 0; i < width * m; ++i) s->r[i] = LM_K(0.0);
    for (int others = 0; others < 2; ++others)
        for (int c = 0; c < tree->contacts; ++c) {
            if (!(held[c] > LM_K(0.5)) || (others && held[c] > LM_K(1.5))) continue;
            const int first = tree->begin[c] + others, last = others ? tree->begin[c + 1] : first + 1;
            for (int i = first; i < last && (all || s->rank < n); ++i) {
                stored *line = s->q + (int64_t)s->rank * n;
                const int a = s->held++;
                which[a] = i;
                lm_many_line(tree, made, points, c, i, line);
                lm_many_forward(n, s->mass, line);
                if (s->rank == n) { /* nothing else is left of it */
                    for (int k = 0; k < n; ++k) s->r[(int64_t)k * m + a] = lm_many_dot(n, s->q + (int64_t)k * n, line);
                    continue;
                }
                const stored size = LM_SQRT(lm_many_dot(n, line, line));
                const stored left = lm_active_split(n, s->rank, s->q, n, size, line, along, s->r + a, m);
                if (s->rank < width && left > LM_ACTIVE_DEPENDENT * size) {
                    s->r[(int64_t)s->rank * m + a] = left;
                    asks[s->rank++] = a;
                    for (int j = 0; j < n; ++j) line[j] = line[j] / left;
                }
            }
        }
}

/* What the orthonormal rows ask of w, for z w = -rates along those that ask for something. */
LM_OF_TREE void lm_active_asked(int m, const lm_active *s, const stored *rates, stored *y) {
    const int32_t *which = s->index, *asks = which + m;
    for (int k = 0; k < s->rank; ++k) {
        stored sum = -rates[which[asks[k]]];
        for (int j = 0; j < k; ++j) sum = sum - s->r[(int64_t)j * m + asks[k]] * y[j];
        y[k] = sum / s->r[(int64_t)k * m + asks[k]];
    }
}

/* Orthonormal rows in the place of R, where some rows depend on others. */
LM_OF_TREE void lm_active_least(int m, int width, stored *along, lm_active *s) {
    if (s->held == s->rank) return;
    for (int k = 0; k < s->rank; ++k) {
        stored *row = s->r + (int64_t)k * m;
        for (int j = 0; j < k; ++j) s->t[(int64_t)j * width + k] = LM_K(0.0);
        const stored size = LM_SQRT(lm_many_dot(s->held, row, row));
        const stored left = lm_active_split(s->held, k, s->r, m, size, row, along, s->t + k, width);
        s->t[(int64_t)k * width + k] = left;
        for (int a = 0; a < s->held; ++a) row[a] = row[a] / left;
    }
}

/* The smallest lambda with R lambda = g; x is room for `rank` numbers. */
LM_OF_TREE void lm_active_forces(int m, int width, const lm_active *s, const stored *g, stored *x, stored *lambda) {
    if (s->held == s->rank) {
        for (int k = s->rank - 1; k >= 0; --k) {
            const stored *row = s->r + (int64_t)k * m;
            stored sum = g[k];
            for (int a = k + 1; a < s->held; ++a) sum = sum - row[a] * lambda[a];
            lambda[k] = sum / row[k];
        }
        return;
    }
    for (int a = 0; a < s->held; ++a) lambda[a] = LM_K(0.0);
    for (int k = 0; k < s->rank; ++k) {
        stored sum = g[k];
        for (int j = 0; j < k; ++j) sum = sum - s->t[(int64_t)j * width + k] * x[j];
        x[k] = sum / s->t[(int64_t)k * width + k];
        lm_active_add(s->held, x[k], s->r + (int64_t)k * m, lambda);
    }
}

LM_INLINE stored lm_active_size(stored value) { return value < LM_K(0.0) ? -value : value; }

/* Normal forces of n contacts that slip, `x`, by Gauss's elimination, the largest of each column first: parts of the matrix may vanish
   where all of it does not. How far it is from singular, sqrt(n) det A / |adj A| (`mechanics.sliding`), where that is `wanted`. */
LM_OF_TREE stored lm_active_pushes(int n, int apart, int wanted, stored *A, stored *right, stored *x) {
    if (n == 1) {
        x[0] = right[0] / A[0];
        return A[0];
    }
    stored *I = A + (int64_t)apart * apart;
    const int more = wanted ? n : 0;
    stored sign = LM_K(1.0), size = LM_K(0.0);
    for (int i = 0; i < more; ++i)
        for (int j = 0; j < n; ++j) I[i * apart + j] = i == j ? LM_K(1.0) : LM_K(0.0);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (lm_active_size(A[i * apart + k]) > lm_active_size(A[best * apart + k])) best = i;
        if (best != k) {
            for (int j = k; j < n; ++j) {
                const stored kept = A[k * apart + j];
                A[k * apart + j] = A[best * apart + j], A[best * apart + j] = kept;
            }
            for (int j = 0; j < more; ++j) {
                const stored kept = I[k * apart + j];
                I[k * apart + j] = I[best * apart + j], I[best * apart + j] = kept;
            }
            const stored kept = right[k];
            right[k] = right[best], right[best] = kept;
            sign = -sign;
        }
        if (A[k * apart + k] < LM_K(0.0)) sign = -sign;
        for (int i = k + 1; i < n; ++i) {
            const stored factor = A[i * apart + k] / A[k * apart + k];
            for (int j = k + 1; j < n; ++j) A[i * apart + j] = A[i * apart + j] - factor * A[k * apart + j];
            for (int j = 0; j < more; ++j) I[i * apart + j] = I[i * apart + j] - factor * I[k * apart + j];
            right[i] = right[i] - factor * right[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        stored sum = right[k];
        for (int j = k + 1; j < n; ++j) sum = sum - A[k * apart + j] * x[j];
        x[k] = sum / A[k * apart + k];
        for (int j = 0; j < more; ++j) {
            sum = I[k * apart + j];
            for (int i = k + 1; i < n; ++i) sum = sum - A[k * apart + i] * I[i * apart + j];
            I[k * apart + j] = sum / A[k * apart + k];
            size = size + I[k * apart + j] * I[k * apart + j];
        }
    }
    return wanted ? sign * LM_SQRT((stored)n / size) : LM_K(1.0);
}

/* Accelerations and, where `all` is wanted, forces: without friction accelerations do not need them.

   in:  masses and rows as in `many.h`; f (n), bias (rows), c (rows), held (contacts)
   out: a (n), forces (rows), pushes (contacts): 1 without friction, not positive where a normal force and its friction together no
        longer push the contact away */
LM_OF_TREE void lm_active_answer(const lm_many *tree, const stored *in, int all, lm_active *s, stored *out) {
    const int n = tree->n, m = tree->rows, contacts = tree->contacts, width = n < m ? n : m;
    const stored *points = in + 6 * n + 10 * tree->bodies + n;
    const stored *made = tree->whole ? in + n * n : in;
    const stored *f = tree->whole ? made + (int64_t)m * n : points + 3 * contacts + 3 * m, *bias = f + n, *c = bias + m;
    const stored *held = c + m;
    stored *w = s->room + 10 * tree->bodies, *line = w + n, *y = line + n, *g = y + width, *x = g + width, *own = x + width;
    stored *lambda = own + width, *normal = lambda + m, *right = normal + contacts;
    stored *a = out, *forces = out + n, *pushes = forces + m;
    int32_t *which = s->index, *slips = which + m + width;
    int slipping = 0;
    const int asked = all;
    for (int k = 0; k < contacts && !slipping; ++k) slipping = held[k] > LM_K(1.5);
    all = all || slipping;
    lm_active_rows(tree, in, held, all, s);
    for (int j = 0; j < n; ++j) w[j] = f[j];
    lm_many_forward(n, s->mass, w);
    for (int i = 0; i < m; ++i) forces[i] = LM_K(0.0);
    for (int k = 0; k < contacts; ++k) pushes[k] = LM_K(1.0);
    lm_active_asked(m, s, bias, y);
    if (all) lm_active_least(m, width, g, s);
    for (int k = 0; k < s->rank; ++k) g[k] = y[k] - lm_many_dot(n, s->q + (int64_t)k * n, w);
    if (slipping) lm_active_forces(m, width, s, g, x, lambda);
    /* Friction of those that slip, N + (forces of their own normals that it takes to bear it) = N without friction. */
    s->slips = 0;
    for (int k = 0, place = 0; k < contacts; ++k) {
        if (!(held[k] > LM_K(0.5))) continue;
        if (held[k] > LM_K(1.5)) {
            const int j = s->slips++;
            stored *rubs = s->rubs + (int64_t)j * n;
            slips[j] = k, normal[j] = lambda[place];
            for (int i = 0; i < n; ++i) rubs[i] = LM_K(0.0);
            for (int i = tree->begin[k] + 1; i < tree->begin[k + 1]; ++i) {
                lm_many_line(tree, made, points, k, i, line);
                lm_active_add(n, c[i], line, rubs);
            }
            lm_many_forward(n, s->mass, rubs);
            which[m + width + contacts + j] = place; /* where its normal force is */
        }
        ++place;
    }
    const int rubbing = s->slips;
    const int32_t *at = which + m + width + contacts;
    for (int j = 0; j < rubbing; ++j) {
        for (int k = 0; k < s->rank; ++k) own[k] = lm_many_dot(n, s->q + (int64_t)k * n, s->rubs + (int64_t)j * n);
        lm_active_forces(m, width, s, own, x, lambda);
        for (int i = 0; i < rubbing; ++i) s->pushes[i * contacts + j] = (i == j ? LM_K(1.0) : LM_K(0.0)) + lambda[at[i]];
    }
    const stored push = rubbing ? lm_active_pushes(rubbing, contacts, asked, s->pushes, normal, right) : LM_K(1.0);
    for (int k = 0; k < rubbing; ++k) {
        pushes[slips[k]] = push;
        lm_active_add(n, right[k], s->rubs + (int64_t)k * n, w);
        for (int i = tree->begin[slips[k]] + 1; i < tree->begin[slips[k] + 1]; ++i) forces[i] = c[i] * right[k];
    }
    for (int k = 0; k < s->rank; ++k) g[k] = y[k] - lm_many_dot(n, s->q + (int64_t)k * n, w);
    if (all) {
        lm_active_forces(m, width, s, g, x, lambda);
        for (int i = 0; i < s->held; ++i) forces[which[i]] = lambda[i];
    }
    for (int k = 0; k < s->rank; ++k) lm_active_add(n, g[k], s->q + (int64_t)k * n, w);
    for (int j = 0; j < n; ++j) a[j] = w[j];
    lm_many_backward(n, s->mass, a);
}

LM_OF_TREE void lm_active_solve(const lm_many *tree, const stored *in, lm_active *s, stored *out) {
    lm_active_answer(tree, in, 1, s, out);
}
LM_OF_TREE void lm_active_move(const lm_many *tree, const stored *in, lm_active *s, stored *out) { /* a alone counts */
    lm_active_answer(tree, in, 0, s, out);
}

/* Velocities that every row which is held allows, C v + rates = 0, as near to given ones as their kinetic energy tells.

   in:  masses and rows as above; v (n), rates (rows), held (contacts)
   out: v (n) */
LM_OF_TREE void lm_active_project(const lm_many *tree, const stored *in, lm_active *s, stored *out) {
    const int n = tree->n, m = tree->rows, width = n < m ? n : m;
    const stored *v = tree->whole ? in + n * n + (int64_t)m * n : in + 7 * n + 10 * tree->bodies + 3 * tree->contacts + 3 * m;
    const stored *rates = v + n, *held = rates + m;
    stored *w = s->room + 10 * tree->bodies, *y = w + 2 * n;
    lm_active_rows(tree, in, held, 0, s);
    lm_active_asked(m, s, rates, y);
    for (int i = 0; i < n; ++i) { /* G^T v */
        w[i] = v[i] / s->mass[i * (n + 1)];
        for (int j = i + 1; j < n; ++j) w[i] = w[i] + s->mass[j * n + i] * v[j];
    }
    (void)width;
    for (int k = 0; k < s->rank; ++k) {
        const stored *q = s->q + (int64_t)k * n;
        y[k] = y[k] - lm_many_dot(n, q, w);
    }
    for (int j = 0; j < n; ++j) out[j] = LM_K(0.0);
    for (int k = 0; k < s->rank; ++k) lm_active_add(n, y[k], s->q + (int64_t)k * n, out);
    lm_many_backward(n, s->mass, out);
    for (int j = 0; j < n; ++j) out[j] = v[j] + out[j];
}
