/* Reductions of a roll-out: what becomes of `result` when an instance has reached another state, where the measure is
   `value` (`before` at the last state). `starts` is 1 at the first state; results are NaN beforehand. */

#define LM_MAXIMUM(i) result[i] = lm_select(alive, starts ? value[i] : lm_fmax(result[i], value[i]), result[i]);
#define LM_MINIMUM(i) result[i] = lm_select(alive, starts ? value[i] : lm_fmin(result[i], value[i]), result[i]);
#define LM_FINAL(i) result[i] = lm_select(alive, value[i], result[i]);
#define LM_INTEGRAL(i)                                                                                      \
    result[i] = starts ? lm_select(alive, LM_CONST(0.0), result[i])                                         \
                       : lm_select(alive, result[i] + (before[i] + value[i]) * LM_K(0.5 * h), result[i]);
/* The time when the value was >= 0 first, by linear interpolation. */
#define LM_FIRST_TIME(i)                                                                                    \
    result[i] = lm_select(alive & (value[i] >= LM_CONST(0.0)) & (result[i] != result[i]),                   \
                          starts ? LM_CONST(t) : LM_CONST(t) - value[i] / (value[i] - before[i]) * LM_K(h), \
                          result[i]);
