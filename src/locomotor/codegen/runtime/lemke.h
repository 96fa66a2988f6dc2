/* Linear complementarity problems, one at a time (LANES is 1): w = M z + q, w >= 0, z >= 0, w . z = 0.

   The text before this file defines LM_ORDER, the number of rows. Lemke's pivots with the lexicographic rule (Cottle, Pang and Stone 1992, algorithm 4.4.5): no basis returns. `locomotor.complementarity` is the readable
   form, and says what a ray means. */

#define LM_LCP_WIDTH (2 * LM_ORDER + 2) /* columns w (their block is the inverse of the basis), z, z0, q */
#define LM_LCP_PIVOT LM_K(sizeof(stored) == 4 ? 1e-5 : 1e-11)
#define LM_LCP_REFINED 2 /* times that a solution is refined */
#define LM_LCP_TIE LM_K(sizeof(stored) == 4 ? 1e-6 : 1e-12)

enum { LM_LCP_SOLVED = 0, LM_LCP_LIMIT = 1, LM_LCP_RAY = 2 };

/* The row that leaves: the lexicographically smallest of (q, inverse of the basis) / column; z0 first; -1 where none can. */
LM_FUNCTION int lm_lcp_row(const real *t, int column, const int *basis) {
    int rows[LM_ORDER], count = 0;
    real largest = LM_K(1.0);
    for (int i = 0; i < LM_ORDER; ++i)
        if (lm_fabs(t[i * LM_LCP_WIDTH + column]) > largest) largest = lm_fabs(t[i * LM_LCP_WIDTH + column]);
    for (int i = 0; i < LM_ORDER; ++i)
        if (t[i * LM_LCP_WIDTH + column] > LM_LCP_PIVOT * largest) rows[count++] = i;
    if (count == 0) return -1;
    for (int k = -1; k < LM_ORDER; ++k) {
        const int other = k < 0 ? LM_LCP_WIDTH - 1 : k;
        real least = LM_K(LM_INFINITY);
        for (int i = 0; i < count; ++i) {
            const real ratio = t[rows[i] * LM_LCP_WIDTH + other] / t[rows[i] * LM_LCP_WIDTH + column];
            if (ratio < least) least = ratio;
        }
        const real bound = least + LM_LCP_TIE * (lm_fabs(least) > LM_K(1.0) ? lm_fabs(least) : LM_K(1.0));
        int kept = 0;
        for (int i = 0; i < count; ++i)
            if (t[rows[i] * LM_LCP_WIDTH + other] / t[rows[i] * LM_LCP_WIDTH + column] <= bound) rows[kept++] = rows[i];
        count = kept;
        if (k < 0)
            for (int i = 0; i < count; ++i)
                if (basis[rows[i]] == 2 * LM_ORDER) return rows[i];
        if (count <= 1) break;
    }
    return count > 0 ? rows[0] : -1;
}

/* z of the basis, refined with the problem itself: what the pivots left of round-off is gone. The block of w in the tableau is the
   inverse of the basis. */
LM_FUNCTION void lm_lcp_basic(const real *m, const real *q, const real *t, const int *basis, real *z) {
    real x[LM_ORDER], rest[LM_ORDER];
    for (int i = 0; i < LM_ORDER; ++i) x[i] = t[i * LM_LCP_WIDTH + LM_LCP_WIDTH - 1], z[i] = LM_K(0.0);
    for (int again = 0; again < LM_LCP_REFINED; ++again) {
        for (int i = 0; i < LM_ORDER; ++i) rest[i] = q[i];
        for (int j = 0; j < LM_ORDER; ++j) {
            const int b = basis[j];
            if (b < LM_ORDER) {
                rest[b] = rest[b] - x[j];
                continue;
            }
            for (int i = 0; i < LM_ORDER; ++i)
                rest[i] = rest[i] + (b < 2 * LM_ORDER ? m[i * LM_ORDER + b - LM_ORDER] : LM_K(1.0)) * x[j];
        }
        for (int i = 0; i < LM_ORDER; ++i)
            for (int j = 0; j < LM_ORDER; ++j) x[i] = x[i] + t[i * LM_LCP_WIDTH + j] * rest[j];
    }
    for (int j = 0; j < LM_ORDER; ++j)
        if (basis[j] >= LM_ORDER && basis[j] < 2 * LM_ORDER) z[basis[j] - LM_ORDER] = x[j] > LM_K(0.0) ? x[j] : LM_K(0.0);
}

/* A solution z, or LM_LCP_RAY (z is then NaN). */
LM_FUNCTION int lm_lemke(const real *m, const real *q, real *z, int limit) {
    real t[LM_ORDER * LM_LCP_WIDTH];
    int basis[LM_ORDER], row = 0, negative = 0;
    for (int i = 0; i < LM_ORDER; ++i) {
        z[i] = LM_K(0.0), basis[i] = i;
        for (int j = 0; j < LM_ORDER; ++j) {
            t[i * LM_LCP_WIDTH + j] = LM_K(i == j ? 1.0 : 0.0);
            t[i * LM_LCP_WIDTH + LM_ORDER + j] = -m[i * LM_ORDER + j];
        }
        t[i * LM_LCP_WIDTH + 2 * LM_ORDER] = -LM_K(1.0);
        t[i * LM_LCP_WIDTH + 2 * LM_ORDER + 1] = q[i];
        if (q[i] < LM_K(0.0)) negative = 1;
        if (q[i] <= q[row]) row = i; /* of equal rows the last: its unit row is the smallest */
    }
    if (!negative) return LM_LCP_SOLVED;
    int entering = 2 * LM_ORDER;
    for (int pivots = 0; pivots < limit; ++pivots) {
        real *pivot = t + row * LM_LCP_WIDTH;
        const real inverse = LM_K(1.0) / pivot[entering];
        for (int j = 0; j < LM_LCP_WIDTH; ++j) pivot[j] = pivot[j] * inverse;
        for (int i = 0; i < LM_ORDER; ++i) {
            const real factor = t[i * LM_LCP_WIDTH + entering];
            if (i == row || factor == LM_K(0.0)) continue;
            for (int j = 0; j < LM_LCP_WIDTH; ++j) t[i * LM_LCP_WIDTH + j] = t[i * LM_LCP_WIDTH + j] - factor * pivot[j];
        }
        const int leaving = basis[row];
        basis[row] = entering;
        if (leaving == 2 * LM_ORDER) {
            lm_lcp_basic(m, q, t, basis, z);
            return LM_LCP_SOLVED;
        }
        entering = leaving < LM_ORDER ? leaving + LM_ORDER : leaving - LM_ORDER;
        row = lm_lcp_row(t, entering, basis);
        if (row < 0) {
            for (int i = 0; i < LM_ORDER; ++i) z[i] = LM_K(LM_NAN);
            return LM_LCP_RAY;
        }
    }
    lm_lcp_basic(m, q, t, basis, z);
    return LM_LCP_LIMIT;
}

/* max |min(z, w)|, each z relative to itself and each w to the sum of its terms: nothing is forgiven (linear/residual.py). */
LM_FUNCTION real lm_lcp_residual(const real *m, const real *q, const real *z) {
    real worst = LM_K(0.0);
    for (int i = 0; i < LM_ORDER; ++i) {
        real w = q[i], size_w = lm_fabs(q[i]);
        for (int j = 0; j < LM_ORDER; ++j) {
            const real term = m[i * LM_ORDER + j] * z[j];
            w = w + term, size_w = size_w + lm_fabs(term);
        }
        const real a = LM_K((z[i] > LM_K(0.0)) - (z[i] < LM_K(0.0))), b = size_w > LM_K(0.0) ? w / size_w : w;
        const real least = lm_fabs(a < b ? a : b);
        if (!(least <= worst)) worst = least;
    }
    return worst;
}
