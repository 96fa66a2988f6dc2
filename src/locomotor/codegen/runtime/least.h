/* Small linear equations that may be singular, in the least-squares sense with the smallest unknowns: A X = B. Singular values
   below `share` of the largest count as zero, as in numpy.linalg.lstsq, whose answers these are to round-off. */
#define LM_PLAINLY 1e-6 /* pivots above this share of the largest: elimination is as good as anything */
#define LM_ROTATIONS 60

/* By elimination with the largest pivots, those of a symmetric matrix on its diagonal, in place; 0 where they get small. `order` holds
   n numbers. */
static int lm_eliminated(int n, double *a, int k, double *b, int32_t *order, int symmetric) {
    double largest = 0.0;
    for (int j = 0; j < n; ++j) order[j] = j;
    for (int p = 0; p < n; ++p) {
        int row = p, column = p;
        double most = -1.0;
        for (int i = p; i < n; ++i)
            for (int j = symmetric ? i : p; j < (symmetric ? i + 1 : n); ++j)
                if (fabs(a[i * n + j]) > most) most = fabs(a[i * n + j]), row = i, column = j;
        if (p == 0) largest = most;
        if (!(most > LM_PLAINLY * largest)) return 0;
        for (int j = 0; j < n && row != p; ++j) {
            const double moved = a[row * n + j];
            a[row * n + j] = a[p * n + j], a[p * n + j] = moved;
        }
        for (int j = 0; j < k && row != p; ++j) {
            const double moved = b[row * k + j];
            b[row * k + j] = b[p * k + j], b[p * k + j] = moved;
        }
        if (column != p) {
            const int32_t moved = order[column];
            order[column] = order[p], order[p] = moved;
            for (int i = 0; i < n; ++i) {
                const double value = a[i * n + column];
                a[i * n + column] = a[i * n + p], a[i * n + p] = value;
            }
        }
        for (int i = p + 1; i < n; ++i) {
            const double factor = a[i * n + p] / a[p * n + p];
            if (factor == 0.0) continue;
            for (int j = p; j < n; ++j) a[i * n + j] -= factor * a[p * n + j];
            for (int j = 0; j < k; ++j) b[i * k + j] -= factor * b[p * k + j];
        }
    }
    for (int p = n - 1; p >= 0; --p)
        for (int j = 0; j < k; ++j) {
            double sum = b[p * k + j];
            for (int i = p + 1; i < n; ++i) sum -= a[p * n + i] * b[i * k + j];
            b[p * k + j] = sum / a[p * n + p];
        }
    return 1;
}

/* By singular values, of which one-sided rotations make the columns of A orthogonal: A V = U S. Uses n n numbers for V. */
static int lm_by_singular_values(int n, const double *a, int k, const double *b, double share, double *x, double *u, double *v) {
    for (int i = 0; i < n * n; ++i) u[i] = a[i], v[i] = 0.0;
    for (int i = 0; i < n; ++i) v[i * n + i] = 1.0;
    for (int sweep = 0; sweep < LM_ROTATIONS; ++sweep) {
        int turned = 0;
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                double aa = 0.0, bb = 0.0, ab = 0.0;
                for (int i = 0; i < n; ++i) {
                    aa += u[i * n + p] * u[i * n + p], bb += u[i * n + q] * u[i * n + q], ab += u[i * n + p] * u[i * n + q];
                }
                if (!(fabs(ab) > 1e-16 * sqrt(aa * bb)) || ab == 0.0) continue;
                turned = 1;
                const double zeta = (bb - aa) / (2.0 * ab);
                const double t = (zeta >= 0.0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
                for (int i = 0; i < n; ++i) {
                    const double one = u[i * n + p], other = u[i * n + q];
                    u[i * n + p] = c * one - s * other, u[i * n + q] = s * one + c * other;
                    const double first = v[i * n + p], second = v[i * n + q];
                    v[i * n + p] = c * first - s * second, v[i * n + q] = s * first + c * second;
                }
            }
        if (!turned) break;
    }
    double largest = 0.0;
    int rank = 0;
    for (int p = 0; p < n; ++p) {
        double own = 0.0;
        for (int i = 0; i < n; ++i) own += u[i * n + p] * u[i * n + p];
        if (own > largest) largest = own;
    }
    for (int i = 0; i < n * k; ++i) x[i] = 0.0;
    for (int p = 0; p < n; ++p) {
        double own = 0.0;
        for (int i = 0; i < n; ++i) own += u[i * n + p] * u[i * n + p];
        if (!(own > share * share * largest)) continue;
        ++rank;
        for (int j = 0; j < k; ++j) {
            double along = 0.0;
            for (int i = 0; i < n; ++i) along += u[i * n + p] * b[i * k + j];
            along /= own;
            for (int i = 0; i < n; ++i) x[i * k + j] += v[i * n + p] * along;
        }
    }
    return rank;
}

/* X of A X = B (n x k); `work` holds 2 n n + n k numbers, `order` n. `symmetric`: A is, and has no negative eigenvalues. The rank is
   returned. */
int lm_least(int n, const double *a, int k, const double *b, double share, double *x, double *work, int32_t *order, int symmetric) {
    double *copy = work, *right = work + n * n;
    for (int i = 0; i < n * n; ++i) copy[i] = a[i];
    for (int i = 0; i < n * k; ++i) right[i] = b[i];
    if (lm_eliminated(n, copy, k, right, order, symmetric)) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < k; ++j) x[order[i] * k + j] = right[i * k + j];
        return n;
    }
    return lm_by_singular_values(n, a, k, b, share, x, work, work + n * n);
}
