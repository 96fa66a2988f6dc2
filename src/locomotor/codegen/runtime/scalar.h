/* Dialect "scalar": one instance, real = double. Each dialect header defines the same names. */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef double real;     /* a number */
typedef int mask;        /* a truth value, 0 or 1 */
typedef int64_t integer; /* the bits of a number */

#define LANES 1
#define LM_CONST(c) ((real)(c))

static inline integer lm_bits(real a) { integer i; memcpy(&i, &a, sizeof i); return i; }
static inline real lm_real(integer a) { real r; memcpy(&r, &a, sizeof r); return r; }
static inline real lm_select(mask m, real a, real b) { return m ? a : b; }
static inline mask lm_not(mask m) { return !m; }
static inline mask lm_truth(real a) { return a != 0.0; }
static inline real lm_number(mask m) { return m ? 1.0 : 0.0; }
static inline int lm_any(mask m) { return m; }
static inline int lm_lane(mask m, int lane) { (void)lane; return m; }
static inline double lm_get(real a, int lane) { (void)lane; return a; }
static inline mask lm_all_true(void) { return 1; }

#define LM_LANEWISE_1(name, function) \
    static inline real name(real a) { return function(a); }
#define LM_LANEWISE_2(name, function) \
    static inline real name(real a, real b) { return function(a, b); }

/* Rows `first` ... of a (batch, n) array as `real` columns: here the row itself, no copy. */
static inline const real *lm_load_rows(real *buffer, const double *source, int64_t stride, int64_t first, int64_t batch,
                                       int n) {
    (void)buffer, (void)batch, (void)n;
    return source + first * stride;
}
static inline real *lm_result_rows(real *buffer, double *target, int64_t stride, int64_t first) {
    (void)buffer;
    return target + first * stride;
}
static inline void lm_store_rows(const real *values, double *target, int64_t stride, int64_t first, int64_t batch,
                                 int n) {
    (void)values, (void)target, (void)stride, (void)first, (void)batch, (void)n;
}
