/* Implicit steps, LANES instances at a time: Newton's method on the displacement d of a step y = x exp(d),

       d = h ((1 - c) r + c f(t + a_f h, x exp(a_f d))),      c = gamma / a_m,

   with matrices of slopes A (d rate / d state, both tangent vectors) that are kept as long as they serve. a_m, a_f and gamma are those
   of the generalised alpha method of Jansen, Whiting and Hulbert; r is its rate, remembered from step to step. With
   a_m = a_f = gamma = 1/2 it is the implicit midpoint rule, c = 1, and r is not looked at.

   The text before this file defines ND, NX, ..., the maps of the manifold, `lm_dynamics`, `lm_slopes_at` (all entries of A), and the
   places of these entries: NK tangent numbers are kept in a dense system, NE, whose rates depend on kept ones only, are
   eliminated. Tables: lm_kept, lm_gone, lm_kk (entry, row, column among the kept), lm_ke (entry, row, column among the
   eliminated), lm_ek (entry, column) with lm_ek_first for each eliminated row, and lm_turns (first of three entries that belong
   to a quaternion, place of its turn). Every lane decides for itself: what one does has no influence on another. */

enum { LM_ROUNDS = 20, LM_MOST_PARTS = 64 };
#define LM_SLOW 0.3       /* corrections that shrink less from round to round want new slopes */
/* Corrections this small that no longer shrink are round-off; a thousandth, with old slopes. */
#define LM_ROUND_OFF (sizeof(stored) == 4 ? 1e-4 : 1e-9)
#define LM_GROWING 1.0    /* corrections that grow, with slopes of this step, lead elsewhere */
#define LM_SMALL 1e-3     /* changes of this size are measured by themselves, smaller ones by this */

typedef struct {
    double a_m, a_f, gamma, tolerance;
    mask alive;                            /* in: lanes that matter */
    mask failed;                           /* out: lanes whose step has no solution */
    real rate[ND];                         /* r */
    real weight;                           /* h c a_f of the factors, 0 before there are any */
    real sign;                             /* of their determinant */
    mask tired;                            /* lanes that want new slopes at the next step */
    real *slopes, *new_slopes;             /* LM_ENTRIES each */
    real *factors, *new_factors;           /* NK * NK each */
    int32_t pivots[LM_AT_LEAST_ONE(NK) * LANES], new_pivots[LM_AT_LEAST_ONE(NK) * LANES];
} lm_memory;

#define LM_WORK (2 * LM_ENTRIES + 2 * NK * NK + 1)

/* Nothing is known yet, neither slopes nor rates. */
LM_FUNCTION void lm_begin(lm_memory *m, real *work, double a_m, double a_f, double gamma, double tolerance) {
    m->a_m = a_m, m->a_f = a_f, m->gamma = gamma, m->tolerance = tolerance;
    m->weight = LM_CONST(0.0), m->sign = LM_CONST(1.0), m->tired = lm_all_true(), m->failed = lm_not(lm_all_true());
    m->slopes = work, m->new_slopes = work + LM_ENTRIES;
    m->factors = work + 2 * LM_ENTRIES, m->new_factors = m->factors + NK * NK;
    for (int i = 0; i < ND; ++i) m->rate[i] = LM_CONST(0.0);
    for (int i = 0; i < LM_WORK; ++i) work[i] = LM_CONST(0.0);
    for (int i = 0; i < NK * LANES; ++i) m->pivots[i] = 0;
}

/* Entries of A become those of A J, J the derivative of exp(theta) at theta: a row of three becomes
   a + b theta x a + d theta x (theta x a). */
LM_FUNCTION void lm_turn_slopes(const real *theta_of, real *slopes) {
#if LM_TURNED > 0
    for (int k = 0; k < LM_TURNED; ++k) {
        const real *theta = theta_of + lm_turns[k][1];
        real *entry = slopes + lm_turns[k][0], once[3], twice[3], a, b, d, c, slope;
        lm_tangent_factors(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], &a, &b, &d, &c, &slope);
        lm_cross(theta, entry, once), lm_cross(theta, once, twice);
        for (int i = 0; i < 3; ++i) entry[i] = entry[i] + b * once[i] + d * twice[i];
    }
#else
    (void)theta_of, (void)slopes;
#endif
}

/* What is left of 1 - w A when the eliminated numbers are gone: 1 - w A_kk - w^2 A_ke A_ek. */
LM_FUNCTION void lm_newton_matrix(double w, const real *slopes, real *matrix) {
    for (int i = 0; i < NK * NK; ++i) matrix[i] = LM_CONST(0.0);
    for (int i = 0; i < NK; ++i) matrix[i * NK + i] = LM_CONST(1.0);
    for (int k = 0; k < LM_KK; ++k) {
        real *entry = matrix + lm_kk[k][1] * NK + lm_kk[k][2];
        *entry = *entry - LM_K(w) * slopes[lm_kk[k][0]];
    }
    for (int k = 0; k < LM_KE; ++k) {
        const real factor = LM_K(w * w) * slopes[lm_ke[k][0]];
        real *row = matrix + lm_ke[k][1] * NK;
        for (int m = lm_ek_first[lm_ke[k][2]]; m < lm_ek_first[lm_ke[k][2] + 1]; ++m)
            row[lm_ek[m][1]] = row[lm_ek[m][1]] - factor * slopes[lm_ek[m][0]];
    }
}

/* LU factors in place, rows exchanged where another pivot is ten times larger; the diagonal holds the inverses of the pivots.
   The sign of the determinant: it is that of 1 where h is small, and changes where h is too long for a growing mode. */
LM_FUNCTION real lm_factor(real *matrix, int32_t *pivots) {
    real sign = LM_CONST(1.0);
    for (int k = 0; k < NK; ++k) {
        real best = LM_K(10.0) * lm_fabs(matrix[k * NK + k]), at = LM_CONST(k);
        for (int i = k + 1; i < NK; ++i) {
            const real size = lm_fabs(matrix[i * NK + k]);
            const mask larger = size > best;
            best = lm_select(larger, size, best);
            at = lm_select(larger, LM_CONST(i), at);
        }
        for (int lane = 0; lane < LANES; ++lane) {
            const int row = (int)lm_get(at, lane);
            pivots[k * LANES + lane] = row;
            if (row != k) {
                for (int j = 0; j < NK; ++j) {
                    const stored kept = lm_get(matrix[k * NK + j], lane);
                    lm_put(matrix + k * NK + j, lane, lm_get(matrix[row * NK + j], lane));
                    lm_put(matrix + row * NK + j, lane, kept);
                }
                lm_put(&sign, lane, -lm_get(sign, lane));
            }
        }
        const real *restrict above = matrix + k * NK;
        const real inverse = LM_K(1.0) / above[k];
        for (int i = k + 1; i < NK; ++i) {
            real *restrict row = matrix + i * NK;
            const real factor = row[k] * inverse;
            row[k] = factor;
            for (int j = k + 1; j < NK; ++j) row[j] = row[j] - factor * above[j];
        }
        sign = lm_select(inverse < LM_CONST(0.0), -sign, sign);
        matrix[k * NK + k] = inverse;
    }
    return sign;
}

/* Solve (1 - w A) d = g in place. */
LM_FUNCTION void lm_newton_solve(double w, const lm_memory *m, real *g) {
    real b[LM_AT_LEAST_ONE(NK)];
    const real *factors = m->factors;
    for (int i = 0; i < NK; ++i) b[i] = g[lm_kept[i]];
    for (int k = 0; k < LM_KE; ++k)
        b[lm_ke[k][1]] = b[lm_ke[k][1]] + LM_K(w) * m->slopes[lm_ke[k][0]] * g[lm_gone[lm_ke[k][2]]];
    for (int k = 0; k < NK; ++k)
        for (int lane = 0; lane < LANES; ++lane) {
            const int row = m->pivots[k * LANES + lane];
            if (row != k) {
                const stored kept = lm_get(b[k], lane);
                lm_put(b + k, lane, lm_get(b[row], lane));
                lm_put(b + row, lane, kept);
            }
        }
    for (int i = 1; i < NK; ++i)
        for (int j = 0; j < i; ++j) b[i] = b[i] - factors[i * NK + j] * b[j];
    for (int i = NK - 1; i >= 0; --i) {
        for (int j = i + 1; j < NK; ++j) b[i] = b[i] - factors[i * NK + j] * b[j];
        b[i] = b[i] * factors[i * NK + i];
    }
    for (int i = 0; i < NK; ++i) g[lm_kept[i]] = b[i];
    for (int s = 0; s < NE; ++s)
        for (int k = lm_ek_first[s]; k < lm_ek_first[s + 1]; ++k)
            g[lm_gone[s]] = g[lm_gone[s]] + LM_K(w) * m->slopes[lm_ek[k][0]] * b[lm_ek[k][1]];
}

/* New slopes and factors for some lanes, at a stage x exp(theta). */
LM_FUNCTION void lm_renew(lm_memory *m, mask lanes, double w, const real *time, const real *stage, const real *theta,
                          const real *u, const real *p) {
    lm_slopes_at(time, stage, u, p, m->new_slopes);
    lm_turn_slopes(theta, m->new_slopes);
    lm_newton_matrix(w, m->new_slopes, m->new_factors);
    const real sign = lm_factor(m->new_factors, m->new_pivots);
    m->sign = lm_select(lanes, sign, m->sign);
    for (int i = 0; i < LM_ENTRIES; ++i) m->slopes[i] = lm_select(lanes, m->new_slopes[i], m->slopes[i]);
    for (int i = 0; i < NK * NK; ++i) m->factors[i] = lm_select(lanes, m->new_factors[i], m->factors[i]);
    for (int lane = 0; lane < LANES; ++lane)
        if (lm_lane(lanes, lane))
            for (int k = 0; k < NK; ++k) m->pivots[k * LANES + lane] = m->new_pivots[k * LANES + lane];
    m->weight = lm_select(lanes, LM_CONST(w), m->weight);
}

/* The displacement of one step of the lanes `tried` from x, with the remembered rate r; those of them that have found it. `monitor`
   is that at x; those of the pivots are those of the stage that was found, where they are negative there. */
LM_FUNCTION mask lm_displacement(lm_memory *m, const lm_span *step, mask tried, const real *x, const real *r, const real *u,
                                 const real *p, real *delta, real *monitor) {
    const double h = step->h, c = m->gamma / m->a_m, w = h * c * m->a_f;
    const real time = LM_CONST(lm_instant(step, step->t + m->a_f * h));
    real stage[NX], theta[ND], g[ND], watched[LM_AT_LEAST_ONE(NM)], before = LM_CONST(0.0);
    mask open = tried, found = lm_not(lm_all_true()), renewed = found;
    mask wanted = m->tired | lm_not(m->weight == LM_CONST(w));
    real rounds = LM_CONST(0.0), largest = LM_CONST(LM_SMALL); /* of the first displacement: a scale that stays */
    for (int i = 0; i < ND; ++i) delta[i] = LM_CONST(0.0);
    LM_ROLLED for (int n = 0; n < LM_ROUNDS && lm_any(open); ++n) {
        for (int i = 0; i < ND; ++i) theta[i] = delta[i] * LM_K(m->a_f);
        lm_retract(x, theta, stage);
        lm_dynamics(&time, stage, u, p, g, watched);
        if (n == 0)
            for (int i = 0; i < NM; ++i) monitor[i] = watched[i];
#ifdef LM_SENSE
        if (lm_host.failed) break;
#endif
        for (int i = 0; i < ND; ++i) {
            g[i] = g[i] * LM_K(h * c) - delta[i];
            if (c != 1.0) g[i] = g[i] + r[i] * LM_K(h * (1.0 - c));
        }
        const mask known = renewed; /* lanes whose slopes were made in this step, before this round */
        wanted = wanted & open;
        if (lm_any(wanted)) {
            lm_renew(m, wanted, w, &time, stage, theta, u, p);
            renewed = renewed | wanted;
        }
        open = open & (m->sign > LM_CONST(0.0));
        lm_newton_solve(w, m, g);
        real size = LM_CONST(0.0);
        for (int i = 0; i < ND; ++i) {
            delta[i] = lm_select(open, delta[i] + g[i], delta[i]);
            if (n == 0) largest = lm_select(lm_fabs(delta[i]) > largest, lm_fabs(delta[i]), largest);
        }
        for (int i = 0; i < ND; ++i) {
            const real part = lm_fabs(g[i]) / (lm_size_of(x, i) + largest);
            size = lm_select(part <= size, size, part); /* a part that is no number stays */
        }
        rounds = lm_select(open, LM_CONST(n + 1), rounds);
        const real ratio = size / before;
        mask small = size <= LM_CONST(m->tolerance);
        if (n > 0) {
            small = small | ((ratio < LM_CONST(1.0)) & (size * ratio <= LM_K(m->tolerance) * (LM_K(1.0) - ratio)));
            const real floor = lm_select(renewed, LM_CONST(LM_ROUND_OFF), LM_CONST(1e-3 * LM_ROUND_OFF));
            small = small | ((size <= floor) & (ratio > LM_CONST(0.5)));
            wanted = lm_not(ratio <= LM_CONST(LM_SLOW));
            /* It grows: what it may find in the end is another solution than that which continues the motion. */
            open = open & lm_not(known & (ratio > LM_CONST(LM_GROWING)) & lm_not(small));
        } else {
            wanted = lm_not(lm_all_true());
        }
        found = found | (open & small);
        lm_keep_negative(NW, open & small, watched, monitor);
        open = open & lm_not(small) & (size < LM_CONST(1e12));
        before = size;
    }
    m->tired = (tried & (rounds > LM_CONST(LM_PATIENCE))) | (lm_not(tried) & m->tired);
    return found;
}

/* A step of the implicit method, in as many parts as it takes. Step number n since the start or the last break. */
LM_FUNCTION void lm_step_implicit(int64_t n, const lm_span *step, const real *x, const real *u, const real *p, lm_memory *m,
                                  real *y, real *monitor) {
    const double c = m->gamma / m->a_m;
    real start[NX], next[NX], r[ND], delta[ND], watched[LM_AT_LEAST_ONE(NM)];
    mask open = m->alive & lm_not(m->failed);
    if (n == 0 && c != 1.0) {
        const real time = LM_CONST(lm_instant(step, step->t));
        lm_dynamics(&time, x, u, p, m->rate, watched);
    }
    for (int i = 0; i < NX; ++i) y[i] = x[i];
    LM_ROLLED for (int parts = 1; parts <= LM_MOST_PARTS && lm_any(open); parts *= 2) {
        const double part = step->h / parts;
        mask good = open;
        for (int i = 0; i < NX; ++i) start[i] = x[i];
        for (int i = 0; i < ND; ++i) r[i] = c != 1.0 ? m->rate[i] : LM_CONST(0.0);
        for (int k = 0; k < parts && lm_any(good); ++k) {
            const lm_span one = {step->t + k * part, part, step->first, step->last, 0, 0};
            good = good & lm_displacement(m, &one, good, start, r, u, p, delta, parts == 1 ? monitor : watched);
            if (parts > 1) lm_keep_negative(NW, good, watched, monitor);
            lm_retract(start, delta, next);
            lm_normalise(next);
            for (int i = 0; i < NX; ++i) start[i] = next[i];
            if (c != 1.0)
                for (int i = 0; i < ND; ++i) {
                    const real mean = (delta[i] * LM_K(1.0 / part) - r[i] * LM_K(1.0 - c)) * LM_K(1.0 / c);
                    r[i] = r[i] + (mean - r[i]) * LM_K(1.0 / m->a_m);
                }
        }
        for (int i = 0; i < NX; ++i) y[i] = lm_select(good, start[i], y[i]);
        for (int i = 0; i < ND; ++i) m->rate[i] = lm_select(good, r[i], m->rate[i]);
        open = open & lm_not(good);
    }
    m->failed = m->failed | open;
}
