/* One step: where it begins, its length, and the first and the last instant at which laws of time are looked at in it. At a
   break these lie a little inside, so that a step ends with the limit from the left and the next begins with that from the
   right; the length is not changed. */
typedef struct {
    double t, h, first, last;
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
