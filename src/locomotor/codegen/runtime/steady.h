/* Solutions of many small systems of equations, and the eigenvalues of the linear systems that follow from their slopes; one
   instance at a time (LANES is 1), everything in local arrays.

   The text before this file defines `lm_equations(x, base, inputs, parameters, asked, residual, slope)` with LM_UNKNOWNS
   unknowns and LM_EQUATIONS equations, and lists of places in braces: LM_ROWS and LM_COLUMNS (LM_SQUARE each), a square regular part;
   LM_RATES (LM_ORDER), the equations whose slope is the linear system, by the unknowns LM_STATES (LM_ORDER);
   LM_CLOSING and LM_DEPENDENT (LM_TIES each), equations that tie these unknowns to the first LM_FREE states. */

#define LM_NEWTON_STEPS 12
#define LM_SETTLED LM_K(sizeof(stored) == 4 ? 1e-4 : 1e-10)
#define LM_RESIDUAL LM_K(sizeof(stored) == 4 ? 1e-3 : 1e-9)

enum { LM_NO_SOLUTION = 4 }; /* beside the results of lm_eigenvalues_of */

/* `start`: where Newton's method starts; `base`: what the equations take that is neither unknown nor given. */
LM_FUNCTION int lm_steady_of(const stored *start, const stored *base, const stored *inputs, const stored *parameters,
                             const stored *asked, stored *values, stored *left) {
    const int rows[] = LM_ROWS, columns[] = LM_COLUMNS, rates[] = LM_RATES, states[] = LM_STATES;
    real x[LM_UNKNOWNS], residual[LM_EQUATIONS], slope[LM_EQUATIONS * LM_UNKNOWNS];
    real size = LM_K(0.0), matrix[LM_ORDER * LM_ORDER];
    int settled = 0;
    for (int i = 0; i < LM_UNKNOWNS; ++i) x[i] = start[i];
    LM_ROLLED for (int n = 0; n < LM_NEWTON_STEPS && !settled; ++n) {
        real a[LM_SQUARE * LM_SQUARE], step[LM_SQUARE], largest = LM_K(1.0), change = LM_K(0.0);
        lm_equations(x, base, inputs, parameters, asked, residual, slope);
        for (int i = 0; i < LM_SQUARE; ++i) {
            step[i] = residual[rows[i]];
            for (int j = 0; j < LM_SQUARE; ++j) a[i * LM_SQUARE + j] = slope[rows[i] * LM_UNKNOWNS + columns[j]];
        }
        if (lm_solve(LM_SQUARE, a, step) != LM_SOLVED) break;
        size = LM_K(0.0);
        for (int i = 0; i < LM_EQUATIONS; ++i) size = lm_fabs(residual[i]) > size ? lm_fabs(residual[i]) : size;
        for (int i = 0; i < LM_UNKNOWNS; ++i) largest = lm_fabs(x[i]) > largest ? lm_fabs(x[i]) : largest;
        for (int i = 0; i < LM_SQUARE; ++i) change = lm_fabs(step[i]) > change ? lm_fabs(step[i]) : change;
        settled = change <= LM_SETTLED * largest;
        if (!settled)
            for (int i = 0; i < LM_SQUARE; ++i) x[columns[i]] = x[columns[i]] - step[i];
    }
    *left = size;
    if (!settled || !(size <= LM_RESIDUAL)) {
        for (int i = 0; i < 2 * LM_REST; ++i) values[i] = LM_NAN;
        return LM_NO_SOLUTION;
    }
    for (int i = 0; i < LM_ORDER; ++i)
        for (int j = 0; j < LM_ORDER; ++j) matrix[i * LM_ORDER + j] = slope[rates[i] * LM_UNKNOWNS + states[j]];
#if LM_TIES > 0
    const int closing[] = LM_CLOSING, dependent[] = LM_DEPENDENT;
    for (int j = 0; j < LM_FREE; ++j) {
        real a[LM_TIES * LM_TIES], follow[LM_TIES];
        for (int i = 0; i < LM_TIES; ++i) {
            follow[i] = slope[closing[i] * LM_UNKNOWNS + states[j]];
            for (int k = 0; k < LM_TIES; ++k) a[i * LM_TIES + k] = slope[closing[i] * LM_UNKNOWNS + dependent[k]];
        }
        lm_solve(LM_TIES, a, follow);
        for (int i = 0; i < LM_ORDER; ++i)
            for (int k = 0; k < LM_TIES; ++k)
                matrix[i * LM_ORDER + j] =
                    matrix[i * LM_ORDER + j] - slope[rates[i] * LM_UNKNOWNS + dependent[k]] * follow[k];
    }
#endif
    return lm_eigenvalues_of(matrix, values);
}
