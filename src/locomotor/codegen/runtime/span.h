/* One step: where it begins, its length, and the first and the last instant at which laws of time are looked at in it. At a
   break these lie a little inside, so that a step ends with the limit from the left and the next begins with that from the
   right; the length is not changed. Where it is known, `rate` is that of the state in which it begins, and `watched` the monitors
   there: whoever looks at a state before a step from it has both (`follow.h`). */
typedef struct {
    double t, h, first, last;
    const stored *rate, *watched;
} lm_span;

#ifdef LM_BREAKS
LM_INLINE double lm_instant(const lm_span *step, double t) {
    return t < step->first ? step->first : t > step->last ? step->last : t;
}
#else
#define lm_instant(step, t) (t)
#endif

#define LM_AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

#ifndef LM_IMPLICIT
typedef real *lm_memory; /* what a step remembers for the next: derivatives of the last ones */
#endif

/* Of so many pivots among the monitors, those that are negative elsewhere in a step, in the lanes chosen: a step across a pivot
   that vanishes may come back to where it is positive, with an energy of its own making. */
LM_INLINE void lm_keep_negative(int pivots, mask lanes, const real *watched, real *monitor) {
    for (int i = 0; i < pivots; ++i) monitor[i] = lm_select(lanes & (watched[i] < LM_CONST(0.0)), watched[i], monitor[i]);
}
