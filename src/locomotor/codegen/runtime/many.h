/* Masses and rows of one tree of bodies, made here from the axes of the joints: numbers are `stored`, one instance.

   Velocity j moves body `of[j]` and all that it carries: by axes[6 j ...], linear at the origin of the world, then angular, world
   axes. Bodies come after their parents (-1: the world).

   What no axes describe, such as bodies that bend, gives its mass matrix and its rows instead (`whole`). */

typedef struct {
    int n, bodies, contacts, rows;
    const int32_t *parent; /* (bodies) */
    const int32_t *first;  /* (bodies + 1): its velocities */
    const int32_t *on;     /* (contacts): the body */
    const int32_t *begin;  /* (contacts + 1): its rows, the normal first */
    int whole;             /* whether the mass matrix and the rows are given */
} lm_many;

#ifndef LM_OF_TREE /* see `few.h` */
#define LM_OF_TREE LM_FUNCTION
#define LM_UNROLL
#endif

LM_INLINE stored lm_many_abs(stored a) { return a < LM_K(0.0) ? -a : a; }

/* Lower triangle of the mass matrix, row by row in full (n * n), from the inertias of the bodies about the origin of the world:
   mass, mass times centre, and xx yy zz xy xz yz; `extra` is added on the diagonal. `work` holds 10 numbers a body. */
LM_OF_TREE void lm_many_mass(const lm_many *tree, const stored *axes, const stored *inertias, const stored *extra, stored *work,
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

/* A = G G^T in place, G in the lower triangle and G^T in the upper one, with the inverses of its diagonal on it: whoever divides by them
   waits. Rows of the upper triangle are eliminated without a root, one below the other, and all roots taken at the end: none waits for
   another. */
LM_OF_TREE void lm_many_factor(int n, stored *a) {
    LM_UNROLL
    for (int k = 0; k < n; ++k) {
        stored *row = a + k * n;
        const stored inverse = LM_K(1.0) / row[k];
        row[k] = inverse;
        LM_UNROLL
        for (int i = k + 1; i < n; ++i) {
            const stored factor = row[i] * inverse;
            stored *below = a + i * n;
            LM_UNROLL
            for (int j = i; j < n; ++j) below[j] = below[j] - factor * row[j];
        }
    }
    LM_UNROLL
    for (int k = 0; k < n; ++k) a[k * (n + 1)] = LM_SQRT(a[k * (n + 1)]);
    LM_UNROLL
    for (int k = 0; k < n; ++k) {
        LM_UNROLL
        for (int j = k + 1; j < n; ++j) a[j * n + k] = a[k * n + j] = a[k * n + j] * a[k * (n + 1)];
    }
}
LM_OF_TREE void lm_many_forward(int n, const stored *g, stored *x) { /* G^-1 x, a column of G after the other: none of its sums waits */
    LM_UNROLL
    for (int i = 0; i < n; ++i) {
        x[i] = x[i] * g[i * (n + 1)];
        LM_UNROLL
        for (int k = i + 1; k < n; ++k) x[k] = x[k] - g[i * n + k] * x[i];
    }
}
LM_OF_TREE void lm_many_backward(int n, const stored *g, stored *x) { /* G^-T x */
    LM_UNROLL
    for (int i = n - 1; i >= 0; --i) {
        x[i] = x[i] * g[i * (n + 1)];
        LM_UNROLL
        for (int k = 0; k < i; ++k) x[k] = x[k] - g[i * n + k] * x[i];
    }
}

/* Row of a unit direction at a point that body b carries. */
LM_OF_TREE void lm_many_row(const lm_many *tree, const stored *axes, int b, const stored *point, const stored *d, stored *row) {
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
LM_OF_TREE void lm_many_line(const lm_many *tree, const stored *rows, const stored *points, int c, int i, stored *row) {
    if (!tree->whole) {
        lm_many_row(tree, rows, tree->on[c], points + 3 * c, points + 3 * tree->contacts + 3 * i, row);
        return;
    }
    for (int j = 0; j < tree->n; ++j) row[j] = rows[(int64_t)i * tree->n + j];
}
