/* Dialect "simd": LANES instances side by side in vector registers (GCC and Clang vector extensions). */
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

#ifndef LANES
#error "LANES must be defined: 2, 4, 8 or 16"
#endif

typedef double real __attribute__((vector_size(8 * LANES)));     /* LANES numbers */
typedef int64_t integer __attribute__((vector_size(8 * LANES))); /* their bits */
typedef integer mask;                                            /* truth values: all bits set, or none */

typedef double stored;                                           /* numbers of the arrays outside */

/* A constant as one number, and as `real`. Subtracting +0 is the one addition that keeps every constant, -0 included. */
#define LM_K(c) ((stored)(c))
#define LM_CONST(c) ((double)(c) - (real){0})

LM_INLINE integer lm_bits(real a) { return (integer)a; }
LM_INLINE real lm_real(integer a) { return (real)a; }
LM_INLINE real lm_select(mask m, real a, real b) { return (real)((m & (integer)a) | (~m & (integer)b)); }
LM_INLINE mask lm_not(mask m) { return ~m; }
LM_INLINE mask lm_truth(real a) { return a != LM_CONST(0.0); }
LM_INLINE real lm_number(mask m) { return (real)(m & (integer)LM_CONST(1.0)); }
LM_INLINE int lm_any(mask m) {
    int64_t any = 0;
    for (int lane = 0; lane < LANES; ++lane) any |= m[lane];
    return any != 0;
}
LM_INLINE int lm_lane(mask m, int lane) { return m[lane] != 0; }
LM_INLINE stored lm_get(real a, int lane) { return a[lane]; }
LM_INLINE void lm_put(real *a, int lane, stored value) { (*a)[lane] = value; }
LM_INLINE mask lm_all_true(void) { return ~(mask){0}; }

/* Functions without a vector form: one call a lane. Simple ones (square root, floor) the compiler turns into one
   vector instruction. */
#define LM_LANEWISE_1(name, function)                                               \
    LM_INLINE real name(real a) {                                               \
        real result;                                                                \
        for (int lane = 0; lane < LANES; ++lane) result[lane] = function(a[lane]);  \
        return result;                                                              \
    }
#define LM_LANEWISE_2(name, function)                                                        \
    LM_INLINE real name(real a, real b) {                                                \
        real result;                                                                         \
        for (int lane = 0; lane < LANES; ++lane) result[lane] = function(a[lane], b[lane]);  \
        return result;                                                                       \
    }

/* Rows `first` ... `first + LANES - 1` of a (batch, n) array as n columns; lanes past the end repeat the last row. */
LM_INLINE const real *lm_load_rows(real *buffer, const stored *source, int64_t stride, int64_t first, int64_t batch,
                                       int n) {
    for (int lane = 0; lane < LANES; ++lane) {
        const int64_t row = first + lane < batch ? first + lane : batch - 1;
        const stored *values = source + row * stride;
        for (int i = 0; i < n; ++i) buffer[i][lane] = values[i];
    }
    return buffer;
}
LM_INLINE real *lm_result_rows(real *buffer, stored *target, int64_t stride, int64_t first) {
    (void)target, (void)stride, (void)first;
    return buffer;
}
/* Columns of LANES numbers become rows, in registers: blocks beside the diagonal are exchanged, of side 1, 2, 4. One number at a
   time takes four times as long, which for a matrix of derivatives is as long as computing it. */
#if defined(__clang__)
#define LM_MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define LM_MIX(a, b, ...) __builtin_shuffle(a, b, (integer){__VA_ARGS__})
#endif
#define LM_EXCHANGE(side, left, right)                        \
    _Pragma("GCC unroll 8") for (int i = 0; i < LANES; ++i)   \
        if (!(i & side)) {                                    \
            const real above = x[i], below = x[i + side];     \
            x[i] = LM_MIX(above, below, left);                \
            x[i + side] = LM_MIX(above, below, right);        \
        }
#define LM_LIST(...) __VA_ARGS__
LM_INLINE void lm_transpose(real *x) {
#if LANES == 8
    LM_EXCHANGE(1, LM_LIST(0, 8, 2, 10, 4, 12, 6, 14), LM_LIST(1, 9, 3, 11, 5, 13, 7, 15))
    LM_EXCHANGE(2, LM_LIST(0, 1, 8, 9, 4, 5, 12, 13), LM_LIST(2, 3, 10, 11, 6, 7, 14, 15))
    LM_EXCHANGE(4, LM_LIST(0, 1, 2, 3, 8, 9, 10, 11), LM_LIST(4, 5, 6, 7, 12, 13, 14, 15))
#elif LANES == 4
    LM_EXCHANGE(1, LM_LIST(0, 4, 2, 6), LM_LIST(1, 5, 3, 7))
    LM_EXCHANGE(2, LM_LIST(0, 1, 4, 5), LM_LIST(2, 3, 6, 7))
#elif LANES == 2
    LM_EXCHANGE(1, LM_LIST(0, 2), LM_LIST(1, 3))
#else
    for (int i = 0; i < LANES; ++i)
        for (int k = 0; k < i; ++k) {
            const stored above = x[k][i];
            x[k][i] = x[i][k], x[i][k] = above;
        }
#endif
}
LM_INLINE void lm_store_rows(const real *values, stored *target, int64_t stride, int64_t first, int64_t batch,
                                 int n) {
    const int64_t count = batch - first < LANES ? batch - first : LANES;
    stored *rows = target + first * stride;
    int begin = 0;
    for (; count == LANES && begin + LANES <= n; begin += LANES) {
        real block[LANES];
        memcpy(block, values + begin, sizeof block);
        lm_transpose(block);
        for (int lane = 0; lane < LANES; ++lane) memcpy(rows + lane * stride + begin, block + lane, sizeof *block);
    }
    for (int64_t lane = 0; lane < count; ++lane)
        for (int i = begin; i < n; ++i) rows[lane * stride + i] = values[i][lane];
}
