/* Many contacts of one tree of bodies: masses and rows made here from the axes of the joints, and solved for those contacts that
   act. Which do is a set of bits, not code.

   Velocity j moves body `of[j]` and all that it carries: by axes[6 j ...], linear at the origin of the world, then angular, world
   axes. Bodies come after their parents (-1: the world). The velocities that move a body are a path: those of its parents, then its
   own. With M = L^T D L along the paths (Featherstone 2005, doi:10.1177/0278364905054928) and N = L^-1 D^-1/2, which has no more
   entries than that, M^-1 = N N^T, and everything is written in z = N^-1 v, where the mass is one: rows are Z = C N.

   What all instances do alike (masses, factors, which contacts act) is done for all of them at once, in `real`; what depends on the
   set of contacts (rows, impulses) for one instance after the other, in `stored`, by a team of LM_TEAM members, who share its rows
   and each have some of its velocities.

   What no axes describe, such as bodies that bend, gives its mass matrix and its rows instead (`whole`): one path of all. */

#ifndef LM_TEAM /* one alone; `teams.h` says otherwise */
#define LM_TEAM 1
typedef real *lm_numbers; /* numbers of all instances side by side */
#define LM_AT(numbers, i, who) lm_get((numbers)[i], who)
#define LM_PUT(numbers, i, who, value) lm_put(&(numbers)[i], who, value)
#define lm_member() 0
#define lm_team_meet()
#define lm_team_sum(a) (a)
#define lm_teams_most(i) (i)
#define lm_teams_any(m) (m)
#define LM_CROWD_WIDTH(n) (n)
#ifndef LM_CROWD_ROOT /* `stages.h` has quicker ones */
#define LM_CROWD_ROOT(a) (LM_K(1.0) / LM_SQRT(a))
#define LM_CROWD_OVER(a, b) ((a) / (b))
#endif
#define LM_CROWD_ALONE
LM_INLINE void lm_take_four(const stored *from, stored *to) {
    for (int k = 0; k < 4; ++k) to[k] = from[k];
}
typedef const int32_t *lm_list; /* contacts of one instance */
#define LM_WHICH(which, c, who) (which)[c]
#endif

typedef struct {
    int n, bodies, contacts, rows;
    const int32_t *parent; /* (bodies) */
    const int32_t *first;  /* (bodies + 1): its velocities */
    const int32_t *last;   /* (bodies): the last velocity that moves it, -1 if none does */
    const int32_t *start;  /* (n + 1): where the path of each velocity begins in `path`; it ends with that velocity */
    const int32_t *path;
    const int32_t *base;   /* where the path of each of these begins itself */
    const int32_t *on;     /* (contacts): the body */
    const int32_t *begin;  /* (contacts + 1): its rows, the normal first, at most three */
    int whole;             /* whether the mass matrix and the rows are given */
    int width, stride;     /* velocities of a member of the team, and of all: at least n */
} lm_crowd;

#define LM_CROWD_TINY LM_K(1e-30)
#define LM_CROWD_SLACK LM_K(1e-9)
#define LM_CROWD_CLOSED LM_K(1e-6) /* share of the gaps that may stay open until the next step */
#define LM_CROWD_FEW 12            /* sweeps after which it is tried whether all stick */
#define LM_CROWD_NEARBY LM_K(1.0)  /* share of what stops and lifts others, by which it may close a contact beside them */
#define LM_CROWD_FAST LM_K(16.0)   /* so many times what one at rest may be open is the way of what is closed before it touches */
#define LM_CROWD_LESS LM_K(0.9)    /* of what they change must be left after as many more */
#define LM_CROWD_DOUBLE (sizeof(stored) == 8)
#ifndef LM_CROWD_STEADY
#define LM_CROWD_STEADY LM_K(LM_CROWD_DOUBLE ? 1e-12 : 1e-5)
#endif
#ifndef LM_CROWD_NEAR
#define LM_CROWD_NEAR LM_K(LM_CROWD_DOUBLE ? 1e-9 : 3e-4) /* the same in the first pass, which only tells the mean velocities */
#endif
#define LM_CROWD_PIVOT LM_K(LM_CROWD_DOUBLE ? 1e-9 : 1e-5)
#define LM_CROWD_ROUNDS 60
#define LM_CROWD_UNEVEN LM_K(50.0) /* so many times as far one tangent gives way than another, and a slip is found by its own equation */
#define LM_CROWD_NEARER 2          /* steps towards it in each sweep, which goes on from where the sweep before has come */
#define LM_CROWD_LIFTED LM_K(0.75) /* of what a normal impulse and the friction that it brings lift is taken into account */

/* What is kept of a contact that acts: inverse of its part of W (00 01 02 11 12 22), 1 / W_00, 1 / bound of the tangents' part, below zero where they are uneven, W_10,
   W_20, friction, what is missing (3), W_11, W_22, impulse (3), W_00, and when it is tried whether all stick: what is left (3), the
   direction (3), the impulse before (3). */
enum { LM_INVERSE = 0, LM_OWN = 6, LM_BOUND = 7, LM_CROSS = 8, LM_RUB = 10, LM_MISSING = 11, LM_SIZES = 14, LM_IMPULSE = 16, LM_SIZE = 19,
       LM_LEFT = 20, LM_ALONG = 23, LM_BEFORE = 26, LM_KEPT = sizeof(stored) == 8 ? 32 : 20 };

LM_INLINE stored lm_crowd_abs(stored a) { return a < LM_K(0.0) ? -a : a; }
/* 1 / W_00 where it slips, with friction along what is wanted of the tangents: where that lifts, a step without it goes too far, and where it
   lifts more than the normal does sweeps come to no end. A third too far is left (`mechanics/impacts/block.py`). */
LM_INLINE stored lm_crowd_yields(stored own, stored mu, stored cross_1, stored cross_2, stored along_1, stored along_2) {
    const stored size = along_1 * along_1 + along_2 * along_2, lifts = own * mu * (cross_1 * along_1 + cross_2 * along_2);
    if (!(lifts > LM_K(0.0) && LM_K(9.0) * lifts * lifts > size)) return own; /* by less than a third: no root, no division */
    return LM_CROWD_OVER(own, LM_CROWD_LIFTED * (LM_K(1.0) + lifts * LM_CROWD_ROOT(size)));
}
/* 1 / bound of the tangents' part of W, its largest eigenvalue; below zero where the other one is far smaller. */
LM_INLINE stored lm_crowd_bound(stored w_11, stored w_12, stored w_22, int used) {
    const stored most = (w_11 > w_22 ? w_11 : w_22) + lm_crowd_abs(w_12);
    if (!(most > LM_CROWD_TINY)) return LM_K(0.0);
    const int uneven = used && LM_CROWD_UNEVEN * (w_11 * w_22 - w_12 * w_12) < most * most;
    return uneven ? -LM_K(1.0) / most : LM_K(1.0) / most;
}
/* The impulse along the ground of what slips, exactly: (W + a) r = u + W l with |r| = bound, `u` what it lacks with the impulse l (`_slid` of
   `mechanics/impacts/block.py`). Steps down the slip would be as short as the stiffest tangent needs: heavy things on light wheels were
   braked too little sideways. With P the inverse of the tangents' part, from the inverse m of all of it, (1 + a P) r = l + P u: what does not change any more is
   right whatever the round-off of P, and what sticks along the ground has a = 0. Newton's method for a, on bound/|r| - 1, which is concave. */
LM_INLINE void lm_crowd_slide(const stored *m, stored bound, const stored *l, const stored *u, stored *next) {
    const stored share_1 = LM_CROWD_OVER(m[1], m[0]), share_2 = LM_CROWD_OVER(m[2], m[0]);
    const stored p_11 = m[3] - m[1] * share_1, p_12 = m[4] - m[1] * share_2, p_22 = m[5] - m[2] * share_2;
    const stored both = p_11 * p_22 - p_12 * p_12, det = both > LM_K(0.0) ? both : LM_K(0.0), length = l[0] * l[0] + l[1] * l[1];
    const stored r_1 = l[0] + p_11 * u[0] + p_12 * u[1], r_2 = l[1] + p_12 * u[0] + p_22 * u[1];
    next[0] = next[1] = LM_K(0.0);
    if (!(bound > LM_CROWD_TINY)) return;
    stored a = length > LM_CROWD_TINY ? LM_CROWD_OVER(l[0] * u[0] + l[1] * u[1], length) : LM_K(0.0), squares = LM_K(0.0);
    for (int step = 0; step <= LM_CROWD_NEARER; ++step) {
        if (a < LM_K(0.0)) a = LM_K(0.0);
        const stored over = LM_CROWD_OVER(LM_K(1.0), LM_K(1.0) + a * (p_11 + p_22) + a * a * det);
        next[0] = ((LM_K(1.0) + a * p_22) * r_1 - a * p_12 * r_2) * over;
        next[1] = ((LM_K(1.0) + a * p_11) * r_2 - a * p_12 * r_1) * over;
        squares = next[0] * next[0] + next[1] * next[1];
        if (step == LM_CROWD_NEARER || !(squares > LM_CROWD_TINY)) break;
        /* How fast r falls: (1 + a P)^-1 P r. */
        const stored x = p_11 * next[0] + p_12 * next[1], y = p_12 * next[0] + p_22 * next[1];
        const stored falls = (next[0] * ((LM_K(1.0) + a * p_22) * x - a * p_12 * y) + next[1] * ((LM_K(1.0) + a * p_11) * y - a * p_12 * x)) * over;
        if (!(falls > LM_CROWD_TINY)) break;
        a = a + (LM_CROWD_OVER(LM_K(1.0), LM_CROWD_ROOT(squares) * bound) - LM_K(1.0)) * LM_CROWD_OVER(squares, falls);
    }
    const stored share = squares > bound * bound ? bound * LM_CROWD_ROOT(squares) : LM_K(1.0);
    next[0] = next[0] * share, next[1] = next[1] * share;
}
LM_INLINE real lm_crowd_size(real a) { return lm_select(a < LM_CONST(0.0), -a, a); }

/* -- all instances -------------------------------------------------------------------------------------------------------- */

/* Masses along the paths, from the inertias of the bodies about the origin of the world: mass, mass times centre, and xx yy zz xy xz
   yz; `extra` is added on the diagonal. `work` holds 10 numbers a body. */
LM_FUNCTION void lm_crowd_mass(const lm_crowd *tree, lm_numbers axes, lm_numbers inertias, lm_numbers extra, real *work, real *mass) {
    for (int i = 0; i < 10 * tree->bodies; ++i) work[i] = inertias[i];
    for (int b = tree->bodies - 1; b > 0; --b)
        if (tree->parent[b] >= 0)
            for (int i = 0; i < 10; ++i) work[10 * tree->parent[b] + i] = work[10 * tree->parent[b] + i] + work[10 * b + i];
    for (int b = 0; b < tree->bodies; ++b)
        for (int j = tree->first[b]; j < tree->first[b + 1]; ++j) {
            real I[10], v[3], w[3];
            for (int i = 0; i < 10; ++i) I[i] = work[10 * b + i];
            for (int i = 0; i < 3; ++i) v[i] = axes[6 * j + i], w[i] = axes[6 * j + 3 + i];
            const real m = I[0], *c = I + 1;
            const real p[3] = {m * v[0] + w[1] * c[2] - w[2] * c[1], m * v[1] + w[2] * c[0] - w[0] * c[2],
                               m * v[2] + w[0] * c[1] - w[1] * c[0]};
            const real l[3] = {c[1] * v[2] - c[2] * v[1] + I[4] * w[0] + I[7] * w[1] + I[8] * w[2],
                               c[2] * v[0] - c[0] * v[2] + I[7] * w[0] + I[5] * w[1] + I[9] * w[2],
                               c[0] * v[1] - c[1] * v[0] + I[8] * w[0] + I[9] * w[1] + I[6] * w[2]};
            for (int e = tree->start[j]; e < tree->start[j + 1]; ++e) {
                const int u = 6 * tree->path[e];
                mass[e] = axes[u] * p[0] + axes[u + 1] * p[1] + axes[u + 2] * p[2] + axes[u + 3] * l[0] + axes[u + 4] * l[1] +
                          axes[u + 5] * l[2];
            }
            mass[tree->start[j + 1] - 1] = mass[tree->start[j + 1] - 1] + extra[j];
        }
}

/* M = L^T D L in place, from the tips to the root, then N = L^-1 D^-1/2. */
LM_FUNCTION void lm_crowd_factor(const lm_crowd *tree, real *mass, lm_numbers N) {
    for (int k = tree->n - 1; k >= 0; --k) {
        const int row = tree->start[k], own = tree->start[k + 1] - 1 - row;
        const real inverse = LM_K(1.0) / mass[row + own];
        for (int d = own - 1; d >= 0; --d) {
            const real share = mass[row + d] * inverse;
            const int above = tree->base[row + d];
            for (int e = 0; e <= d; ++e) mass[above + e] = mass[above + e] - share * mass[row + e];
            mass[row + d] = share;
        }
    }
    for (int k = 0; k < tree->n; ++k) {
        const int row = tree->start[k], own = tree->start[k + 1] - 1 - row;
        for (int e = 0; e < own; ++e) {
            real sum = LM_CONST(0.0);
            for (int d = e; d < own; ++d) sum = sum - mass[row + d] * N[tree->base[row + d] + e];
            N[row + e] = sum;
        }
        N[row + own] = LM_K(1.0) / lm_sqrt(mass[row + own]);
    }
}

/* N^T x and N x. */
LM_FUNCTION void lm_crowd_reduced(const lm_crowd *tree, lm_numbers N, const real *x, real *y) {
    for (int k = 0; k < tree->n; ++k) y[k] = LM_CONST(0.0);
    for (int k = 0; k < tree->n; ++k)
        for (int e = tree->start[k]; e < tree->start[k + 1]; ++e) y[tree->path[e]] = y[tree->path[e]] + N[e] * x[k];
}
LM_FUNCTION real lm_crowd_entry(const lm_crowd *tree, lm_numbers N, int k, lm_numbers x) {
    real sum = LM_CONST(0.0);
    for (int e = tree->start[k]; e < tree->start[k + 1]; ++e) sum = sum + N[e] * x[tree->path[e]];
    return sum;
}

/* Motion of the bodies, six numbers each, linear at the origin of the world. */
LM_FUNCTION void lm_crowd_twists(const lm_crowd *tree, lm_numbers axes, const real *x, real *twists) {
    for (int b = 0; b < tree->bodies; ++b) {
        real sum[6];
        for (int i = 0; i < 6; ++i) sum[i] = tree->parent[b] < 0 ? LM_CONST(0.0) : twists[6 * tree->parent[b] + i];
        for (int j = tree->first[b]; j < tree->first[b + 1]; ++j)
            for (int i = 0; i < 6; ++i) sum[i] = sum[i] + axes[6 * j + i] * x[j];
        for (int i = 0; i < 6; ++i) twists[6 * b + i] = sum[i];
    }
}

/* Where the parts of what a pass takes begin; `made` are the axes, or the rows. */
typedef struct {
    lm_numbers made, mass, extra, N, points, directions, v, force, turning, gaps, mu, h, given, guess;
    lm_numbers free, missing, set, reach, before, impulses, moved, closing;
} lm_crowd_parts;

/* Row i, which belongs to contact c, along a motion: twists of the bodies, or velocities themselves. */
LM_FUNCTION real lm_crowd_rate(const lm_crowd *tree, const lm_crowd_parts *a, int c, int i, const real *x, const real *twists) {
    real sum = LM_CONST(0.0);
    if (tree->whole) {
        for (int j = 0; j < tree->n; ++j) sum = sum + a->made[(int64_t)i * tree->n + j] * x[j];
        return sum;
    }
    real d[3], p[3];
    const real *t = twists + 6 * tree->on[c];
    for (int k = 0; k < 3; ++k) d[k] = a->directions[3 * i + k], p[k] = a->points[3 * c + k];
    return d[0] * (t[0] + t[4] * p[2] - t[5] * p[1]) + d[1] * (t[1] + t[5] * p[0] - t[3] * p[2]) +
           d[2] * (t[2] + t[3] * p[1] - t[4] * p[0]);
}

/* Sum of what the velocities add to a row, each with its size. */
LM_FUNCTION real lm_crowd_sizes(const lm_crowd *tree, const lm_crowd_parts *a, int c, int i, const real *x) {
    real sum = LM_CONST(0.0);
    if (tree->whole) {
        for (int j = 0; j < tree->n; ++j) sum = sum + lm_crowd_size(a->made[(int64_t)i * tree->n + j] * x[j]);
        return sum;
    }
    if (tree->last[tree->on[c]] < 0) return sum;
    real d[3], p[3];
    for (int k = 0; k < 3; ++k) d[k] = a->directions[3 * i + k], p[k] = a->points[3 * c + k];
    const real turn[3] = {p[1] * d[2] - p[2] * d[1], p[2] * d[0] - p[0] * d[2], p[0] * d[1] - p[1] * d[0]}; /* w . (p x d) */
    for (int e = tree->start[tree->last[tree->on[c]]]; e < tree->start[tree->last[tree->on[c]] + 1]; ++e) {
        const int j = 6 * tree->path[e];
        const real row = d[0] * a->made[j] + d[1] * a->made[j + 1] + d[2] * a->made[j + 2] + turn[0] * a->made[j + 3] +
                         turn[1] * a->made[j + 4] + turn[2] * a->made[j + 5];
        sum = sum + lm_crowd_size(row * x[tree->path[e]]);
    }
    return sum;
}

/* Which contacts act (`tracing/contacts/nearing.py`): those that touch in the middle of the step, `set` is 1; those with friction that come to
   touch in the rest of it, less than 1 by a quarter of the share of the rest before they do; and those that others may press down, more than 1 by
   the speed with which they may approach. */
LM_FUNCTION void lm_crowd_choose(const lm_crowd *tree, const lm_crowd_parts *a) {
    const real half = LM_K(0.5) * a->h[0], none = LM_CONST(0.0);
    real most = none;
    for (int c = 0; c < tree->contacts; ++c) {
        const real open = a->gaps[c] - a->reach[c], falls = half * a->missing[tree->begin[c]];
        const real enters = lm_select(falls > none, falls, none), lifted = lm_select(open < none, -open, none);
        const real moved = lm_select(open < enters, enters + lifted, none);
        most = lm_select(moved > most, moved, most);
    }
    for (int c = 0; c < tree->contacts; ++c) {
        const real open = a->gaps[c] - a->reach[c], falls = half * a->missing[tree->begin[c]];
        const real way = lm_select(falls > none, falls, none) + LM_CROWD_NEARBY * most;
        real set = lm_select(open < way, LM_CONST(1.0) + a->gaps[c] / half, none);
        set = lm_select(way > LM_CROWD_FAST * a->reach[c], set, none);
        set = lm_select(a->gaps[c] < falls, LM_CONST(1.0) - LM_K(0.25) * a->gaps[c] / falls, set);
        set = lm_select(a->mu[c] < none, none, set);
        a->set[c] = lm_select(open < LM_CONST(1e-30), LM_CONST(1.0), set);
    }
}

/* Velocities without contacts, which contacts act, and what their rows miss. `work` holds room for what is local: the larger of 10
   a body and those of the paths, then 6 a body twice and 3 n. */
LM_FUNCTION void lm_crowd_begin(const lm_crowd *tree, const lm_crowd_parts *a, int known, int last, real *work) {
    const int n = tree->n, along = tree->start[n];
    real *mass = work, *inertia = work + along, *twists = inertia + 10 * tree->bodies, *x = twists + 6 * tree->bodies, *y = x + n, *v = y + n;
    const real h = a->h[0];
    if (!known) {
        if (tree->whole)
            for (int k = 0; k < n; ++k)
                for (int e = 0; e <= k; ++e) mass[tree->start[k] + e] = a->mass[k * n + e];
        else
            lm_crowd_mass(tree, a->made, a->mass, a->extra, inertia, mass);
        lm_crowd_factor(tree, mass, a->N);
    }
    for (int k = 0; k < n; ++k) v[k] = a->force[k];
    lm_crowd_reduced(tree, a->N, v, y);
    for (int k = 0; k < n; ++k) { /* accelerations */
        real sum = LM_CONST(0.0);
        for (int e = tree->start[k]; e < tree->start[k + 1]; ++e) sum = sum + a->N[e] * y[tree->path[e]];
        x[k] = sum, v[k] = a->v[k];
    }
    if (!known) {
        if (!tree->whole) lm_crowd_twists(tree, a->made, x, twists);
        for (int c = 0; c < tree->contacts; ++c) {
            const int i = tree->begin[c];
            const real bias = LM_K(2.0) * a->turning[i] / h, fallen = lm_crowd_size(bias + lm_crowd_rate(tree, a, c, i, x, twists));
            const real size = LM_K(0.1) * (lm_crowd_size(bias) + lm_crowd_sizes(tree, a, c, i, x));
            const real reach = LM_K(0.125) * h * h * lm_select(fallen > size, fallen, size);
            a->reach[c] = reach;
        }
    } else {
        for (int c = 0; c < tree->contacts; ++c) a->set[c] = a->given[c];
    }
    if (last) {
        if (!tree->whole) lm_crowd_twists(tree, a->made, v, twists);
        for (int c = 0; c < tree->contacts; ++c) a->before[c] = lm_crowd_rate(tree, a, c, tree->begin[c], v, twists) - a->turning[tree->begin[c]];
    }
    for (int k = 0; k < n; ++k) v[k] = v[k] + h * x[k], a->free[k] = v[k];
    if (!tree->whole) lm_crowd_twists(tree, a->made, v, twists);
    for (int c = 0; c < tree->contacts; ++c)
        for (int i = tree->begin[c]; i < tree->begin[c + 1]; ++i) {
            a->missing[i] = -(lm_crowd_rate(tree, a, c, i, v, twists) + a->turning[i]);
            a->impulses[i] = LM_CONST(0.0);
        }
    if (!known) lm_crowd_choose(tree, a);
    for (int c = 0; c < tree->contacts; ++c) {
        const real set = a->set[c];
        if (last) a->before[c] = lm_select(set > LM_CONST(0.5), a->before[c], LM_CONST(0.0));
        a->missing[tree->begin[c]] = a->missing[tree->begin[c]] - lm_select(set > LM_CONST(1.0), set - LM_CONST(1.0), LM_CONST(0.0));
    }
}
