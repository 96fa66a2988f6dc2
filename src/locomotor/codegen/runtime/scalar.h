/* Dialect "scalar": one instance, real = double. Each dialect header defines the same names. */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Functions: small ones, others, those that must not be copied into their callers, the whole of a short tape, and a part of
   a long one. */
#define LM_INLINE static inline
#define LM_FUNCTION static
#define LM_NOINLINE static __attribute__((noinline))
#define LM_TAPE LM_NOINLINE
#define LM_PART LM_NOINLINE
#define LM_GLOBAL /* a variable that is set from outside */
#define LM_TABLE static const /* numbers that do not change */
#define LM_ROLLED /* a loop that must not be unrolled */
#define LM_STEPPER(job) ((job)->stepper)
#define LM_STOPPED(job) (*(job)->stop)

#define LM_STEADY 1e-12 /* repeat.py has it too: how small the last number of a loop is when it ends */
#define LM_UNLIKELY(condition) __builtin_expect(condition, 0)
#define LM_NAN __builtin_nan("")
#define LM_INFINITY __builtin_inf()
#define LM_SQRT __builtin_sqrt
#define LM_FLOOR __builtin_floor
#define LM_CEIL __builtin_ceil

typedef double real;     /* a number */
typedef int mask;        /* a truth value, 0 or 1 */
typedef int64_t integer; /* the bits of a number */

#define LANES 1
#define LM_ALONE /* one instance at a time */
typedef double stored;   /* numbers of the arrays outside */

/* A constant as one number, and as `real`. */
#define LM_K(c) ((stored)(c))
#define LM_CONST(c) ((real)(c))

LM_INLINE integer lm_bits(real a) { integer i; memcpy(&i, &a, sizeof i); return i; }
LM_INLINE real lm_real(integer a) { real r; memcpy(&r, &a, sizeof r); return r; }
LM_INLINE real lm_select(mask m, real a, real b) { return m ? a : b; }
LM_INLINE mask lm_not(mask m) { return !m; }
LM_INLINE mask lm_truth(real a) { return a != 0.0; }
LM_INLINE real lm_number(mask m) { return m ? 1.0 : 0.0; }
LM_INLINE int lm_any(mask m) { return m; }
LM_INLINE int lm_lane(mask m, int lane) { (void)lane; return m; }
LM_INLINE stored lm_get(real a, int lane) { (void)lane; return a; }
LM_INLINE void lm_put(real *a, int lane, stored value) { (void)lane; *a = value; }
LM_INLINE mask lm_all_true(void) { return 1; }

#define LM_LANEWISE_1(name, function) \
    LM_INLINE real name(real a) { return function(a); }
#define LM_LANEWISE_2(name, function) \
    LM_INLINE real name(real a, real b) { return function(a, b); }

/* Rows `first` ... of a (batch, n) array as `real` columns: here the row itself, no copy. */
LM_INLINE const real *lm_load_rows(real *buffer, const stored *source, int64_t stride, int64_t first, int64_t batch,
                                       int n) {
    (void)buffer, (void)batch, (void)n;
    return source + first * stride;
}
LM_INLINE real *lm_result_rows(real *buffer, stored *target, int64_t stride, int64_t first) {
    (void)buffer;
    return target + first * stride;
}
LM_INLINE void lm_store_rows(const real *values, stored *target, int64_t stride, int64_t first, int64_t batch,
                                 int n) {
    (void)values, (void)target, (void)stride, (void)first, (void)batch, (void)n;
}
