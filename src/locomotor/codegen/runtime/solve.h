/* Small linear systems, one at a time (LANES is 1): elimination with partial pivoting in local arrays.

   The text before this file defines LM_ORDER, the number of unknowns. */

enum { LM_SOLVED = 0, LM_SINGULAR = 1 };

/* Solution x of a x = b (row by row); NaN, and LM_SINGULAR, where a pivot is zero or a number is not finite. */
LM_FUNCTION int lm_solve_one(const stored *matrix, const stored *right, stored *solution) {
    real a[LM_ORDER][LM_ORDER], b[LM_ORDER];
    for (int i = 0; i < LM_ORDER; ++i) {
        b[i] = right[i];
        for (int j = 0; j < LM_ORDER; ++j) a[i][j] = matrix[i * LM_ORDER + j];
    }
    real sound = LM_K(1.0);
    for (int k = 0; k < LM_ORDER; ++k) {
        int row = k;
        for (int i = k + 1; i < LM_ORDER; ++i)
            if (lm_fabs(a[i][k]) > lm_fabs(a[row][k])) row = i;
        for (int j = k; j < LM_ORDER; ++j) {
            const real kept = a[k][j];
            a[k][j] = a[row][j], a[row][j] = kept;
        }
        const real kept = b[k];
        b[k] = b[row], b[row] = kept;
        const real inverse = LM_K(1.0) / a[k][k];
        if (!(lm_fabs(a[k][k]) > LM_K(0.0))) sound = LM_K(0.0);
        for (int i = k + 1; i < LM_ORDER; ++i) {
            const real factor = a[i][k] * inverse;
            for (int j = k + 1; j < LM_ORDER; ++j) a[i][j] = a[i][j] - factor * a[k][j];
            b[i] = b[i] - factor * b[k];
        }
    }
    for (int i = LM_ORDER - 1; i >= 0; --i) {
        for (int j = i + 1; j < LM_ORDER; ++j) b[i] = b[i] - a[i][j] * b[j];
        b[i] = b[i] / a[i][i];
        sound = sound + b[i] * LM_K(0.0);
    }
    for (int i = 0; i < LM_ORDER; ++i) solution[i] = sound == LM_K(1.0) ? b[i] : LM_K(LM_NAN);
    return sound == LM_K(1.0) ? LM_SOLVED : LM_SINGULAR;
}
