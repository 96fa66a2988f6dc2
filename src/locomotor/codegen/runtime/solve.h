/* Small linear systems, one at a time (LANES is 1): elimination with partial pivoting. */

enum { LM_SOLVED = 0, LM_SINGULAR = 1 };

/* Solve a x = b in place: a (n * n numbers, row by row) is used up, b becomes x. LM_SINGULAR where a pivot is zero or a number
   is not finite; b is then NaN. */
LM_INLINE int lm_solve(int n, real *a, real *b) {
    real sound = LM_K(1.0);
    for (int k = 0; k < n; ++k) {
        int row = k;
        for (int i = k + 1; i < n; ++i)
            if (lm_fabs(a[i * n + k]) > lm_fabs(a[row * n + k])) row = i;
        for (int j = k; j < n; ++j) {
            const real kept = a[k * n + j];
            a[k * n + j] = a[row * n + j], a[row * n + j] = kept;
        }
        const real kept = b[k];
        b[k] = b[row], b[row] = kept;
        if (!(lm_fabs(a[k * n + k]) > LM_K(0.0))) sound = LM_K(0.0);
        const real inverse = LM_K(1.0) / a[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            const real factor = a[i * n + k] * inverse;
            for (int j = k + 1; j < n; ++j) a[i * n + j] = a[i * n + j] - factor * a[k * n + j];
            b[i] = b[i] - factor * b[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) b[i] = b[i] - a[i * n + j] * b[j];
        b[i] = b[i] / a[i * n + i];
        sound = sound + b[i] * LM_K(0.0);
    }
    if (sound == LM_K(1.0)) return LM_SOLVED;
    for (int i = 0; i < n; ++i) b[i] = LM_K(LM_NAN);
    return LM_SINGULAR;
}
