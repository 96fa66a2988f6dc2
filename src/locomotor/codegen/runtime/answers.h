/* What unit forces across slips do there while other rows are held: the largest eigenvalue of the Delassus matrix of each slip, after
   what is along it is taken out. `simulation/events/pace.py` has the readable form.

   With M = L L^T and the held rows H, the columns of L^-1 H^T are made orthonormal, and what is along them is taken out of
   L^-1 C^T: the Delassus matrix of C under the held rows is the product of what is left with itself. */
#define LM_ANSWERING 4 /* rows of a contact at most */

/* In four sums side by side: one after the other each would wait for the last, which is most of the time of an impact. */
typedef double lm_four __attribute__((vector_size(32), aligned(8), may_alias));
static inline double lm_inner(int n, const double *a, const double *b) {
    lm_four sums = {0.0, 0.0, 0.0, 0.0};
    double rest = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) sums += *(const lm_four *)(a + i) * *(const lm_four *)(b + i);
    for (; i < n; ++i) rest += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
}

/* L x = row, in place of x. */
static void lm_forward(int n, const double *l, const double *row, double *x) {
    for (int i = 0; i < n; ++i) x[i] = (row[i] - lm_inner(i, l + i * n, x)) / l[i * n + i];
}

/* L^T x = y, in place. */
static void lm_backward(int n, const double *l, double *x) {
    for (int i = n - 1; i >= 0; --i) {
        x[i] /= l[i * n + i];
        for (int k = 0; k < i; ++k) x[k] -= l[i * n + k] * x[i];
    }
}

/* L of M = L L^T in place; 0 where M is not positive definite. Row by row of L^T, without what limbs do not share. */
static int lm_cholesky(int n, double *a) {
    for (int j = 0; j < n; ++j) {
        const double pivot = a[j * n + j], inverse = 1.0 / sqrt(pivot);
        if (!(pivot > 0.0)) return 0;
        for (int k = j; k < n; ++k) a[j * n + k] *= inverse;
        for (int i = j + 1; i < n; ++i) {
            const double factor = a[i * n + j] = a[j * n + i];
            if (factor == 0.0) continue;
            for (int k = i; k < n; ++k) a[i * n + k] -= factor * a[j * n + k];
        }
    }
    return 1;
}

/* Takes what is along some orthonormal vectors out of x; so many times, twice for round-off. */
static void lm_take_out(int n, int count, const double *basis, double *x, int times) {
    for (int again = 0; again < times; ++again)
        for (int j = 0; j < count; ++j) {
            const double along = lm_inner(n, basis + j * n, x);
            for (int i = 0; i < n; ++i) x[i] -= along * basis[j * n + i];
        }
}

/* Orthonormal vectors along `count` rows in place of them, the largest remainder first; how many there are. Of the others each new
   vector is taken out at once, and all of them again of the one that is next. */
static int lm_orthonormal(int n, int count, double *rows, double share) {
    int found = 0;
    double largest = 0.0;
    for (int j = 0; j < count; ++j) {
        const double own = lm_inner(n, rows + j * n, rows + j * n);
        if (own > largest) largest = own;
    }
    while (found < count) {
        int best = -1;
        double most = share * largest;
        for (int j = found; j < count; ++j) {
            const double own = lm_inner(n, rows + j * n, rows + j * n);
            if (own > most) most = own, best = j;
        }
        if (best < 0) break;
        lm_take_out(n, found, rows, rows + best * n, 1); /* for the second time */
        const double left = lm_inner(n, rows + best * n, rows + best * n);
        if (!(left > share * largest)) { /* only round-off: it is none, and is not asked again */
            for (int i = 0; i < n; ++i) rows[best * n + i] = 0.0;
            continue;
        }
        const double inverse = 1.0 / sqrt(left);
        for (int i = 0; i < n; ++i) {
            const double moved = rows[best * n + i] * inverse;
            rows[best * n + i] = rows[found * n + i], rows[found * n + i] = moved;
        }
        ++found;
        for (int j = found; j < count; ++j) {
            const double along = lm_inner(n, rows + (found - 1) * n, rows + j * n);
            for (int i = 0; i < n; ++i) rows[j * n + i] -= along * rows[(found - 1) * n + i];
        }
    }
    return found;
}

/* The largest eigenvalue of a small symmetric matrix, by Jacobi's rotations. */
static double lm_largest(int k, double w[LM_ANSWERING][LM_ANSWERING]) {
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = 0.0, on = 0.0;
        for (int i = 0; i < k; ++i)
            for (int j = 0; j < k; ++j) *(i == j ? &on : &off) += w[i][j] * w[i][j];
        if (!(off > 1e-30 * on)) break;
        for (int p = 0; p < k; ++p)
            for (int q = p + 1; q < k; ++q) {
                if (w[p][q] == 0.0) continue;
                const double theta = (w[q][q] - w[p][p]) / (2.0 * w[p][q]);
                const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int i = 0; i < k; ++i) {
                    const double a = w[i][p], b = w[i][q];
                    w[i][p] = c * a - s * b, w[i][q] = s * a + c * b;
                }
                for (int i = 0; i < k; ++i) {
                    const double a = w[p][i], b = w[q][i];
                    w[p][i] = c * a - s * b, w[q][i] = s * a + c * b;
                }
            }
    }
    double largest = k ? w[0][0] : 0.0;
    for (int i = 1; i < k; ++i)
        if (w[i][i] > largest) largest = w[i][i];
    return largest;
}

/* The largest answer of k rows x (already L^-1 C^T), without what is along the held ones. */
static double lm_answer(int n, int k, double *x, int held, const double *basis) {
    double w[LM_ANSWERING][LM_ANSWERING];
    for (int i = 0; i < k; ++i) lm_take_out(n, held, basis, x + i * n, 2);
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) w[i][j] = lm_inner(n, x + i * n, x + j * n);
    return lm_largest(k, w);
}

/* Of each contact, `sizes` rows of which the first is the normal, and the unit direction of its slip among the others: what a unit
   force across it does. The first `always` of the held rows are held while a contact is asked alone. What is not more than `nothing`
   of what a force can do there is none. `work` holds (n + held + always + 3 * 4) * n numbers. 0 where masses are not positive. */
int lm_answers(int n, const double *mass, int held, int always, const double *rows, int contacts, const int32_t *sizes,
               const double *own, const double *slips, double nothing, double share, double *work, double *answers) {
    double *l = work, *basis = l + n * n, *fixed = basis + held * n, *turned = fixed + always * n, *across = turned + LM_ANSWERING * n,
           *left = across + LM_ANSWERING * n;
    for (int i = 0; i < n * n; ++i) l[i] = mass[i];
    if (!lm_cholesky(n, l)) return 0;
    for (int j = 0; j < held; ++j) lm_forward(n, l, rows + j * n, basis + j * n);
    for (int i = 0; i < always * n; ++i) fixed[i] = basis[i];
    const int all = lm_orthonormal(n, held, basis, share), few = lm_orthonormal(n, always, fixed, share);
    for (int c = 0; c < contacts; ++c) {
        const int k = sizes[c] - 1;
        double largest = 0.0, most = 0.0;
        for (int i = 0; i < k; ++i)
            for (int a = 0; a < n; ++a) {
                double value = own[(1 + i) * n + a];
                for (int j = 0; j < k; ++j) value -= slips[i] * slips[j] * own[(1 + j) * n + a];
                left[i * n + a] = value;
                if (fabs(value) > largest) largest = fabs(value);
            }
        for (int i = 0; i < sizes[c] * n; ++i)
            if (fabs(own[i]) > most) most = fabs(own[i]);
        answers[c] = 0.0;
        if (largest > nothing * most) { /* else there is nothing across, as in a plane */
            for (int i = 0; i < k; ++i) lm_forward(n, l, left + i * n, across + i * n);
            for (int i = 0; i <= k; ++i) lm_forward(n, l, own + i * n, turned + i * n);
            const double found = lm_answer(n, k, across, all, basis), alone = lm_answer(n, k + 1, turned, few, fixed);
            if (found > nothing * alone) answers[c] = found;
        }
        own += sizes[c] * n, slips += k;
    }
    return 1;
}
