/* Dialect "cuda": one instance a thread. Text for NVRTC and nvcc; LM_SINGLE chooses single precision. */
#ifdef __CUDACC_RTC__
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

/* Functions: small ones, others, those that must not be copied into their callers, the whole of a short tape, and a part of a
   long one. The last two are called in one place, and their values stay in registers there (measured on an H200: with the parts
   in one function a box with friction takes 0.83 of the time, a tree of 20 joints 0.73, a climbing robot 0.61). */
#define LM_INLINE static __device__ __forceinline__
#define LM_FUNCTION static __device__ __forceinline__
#define LM_NOINLINE static __device__ __noinline__
#define LM_TAPE static __device__ __forceinline__
#define LM_PART static __device__ __forceinline__
#define LM_GLOBAL extern "C" __device__ /* a variable that is set from outside */
#define LM_TABLE static __device__ const /* numbers that do not change */
#define LM_ROLLED _Pragma("unroll 1") /* a loop that must not be unrolled */
#define restrict __restrict__

/* Only Runge-Kutta: the multistep methods keep a history, for which there are no registers. */
#define LM_ONE_STEP_METHOD
#define LM_STEPPER(job) LM_RK4
#define LM_STOPPED(job) 0

#define LM_UNLIKELY(condition) (condition)
#define LM_NAN __int_as_float(0x7fffffff)
#define LM_INFINITY __int_as_float(0x7f800000)
#define LM_SQRT sqrt
#define LM_FLOOR floor
#define LM_CEIL ceil

#ifdef LM_SINGLE
typedef float real; /* a number */
#define LM_STEADY 4e-7 /* repeat.py has it too: how small the last number of a loop is when it ends */
#else
typedef double real;
#define LM_STEADY 1e-12
#endif
typedef real stored;     /* numbers of the arrays outside */
typedef int mask;        /* a truth value, 0 or 1 */
typedef int64_t integer; /* the bits of a number */

#define LANES 1

/* A constant as one number, and as `real`. */
#define LM_K(c) ((stored)(c))
#define LM_CONST(c) ((real)(c))

LM_INLINE integer lm_bits(double a) { return __double_as_longlong(a); }
LM_INLINE double lm_real(integer a) { return __longlong_as_double(a); }
LM_INLINE real lm_select(mask m, real a, real b) { return m ? a : b; }
LM_INLINE mask lm_not(mask m) { return !m; }
LM_INLINE mask lm_truth(real a) { return a != LM_K(0.0); }
LM_INLINE real lm_number(mask m) { return m ? LM_K(1.0) : LM_K(0.0); }
LM_INLINE int lm_any(mask m) { return m; }
LM_INLINE int lm_lane(mask m, int) { return m; }
LM_INLINE stored lm_get(real a, int) { return a; }
LM_INLINE void lm_put(real *a, int, stored value) { *a = value; }
LM_INLINE mask lm_all_true() { return 1; }

#define LM_LANEWISE_1(name, function) \
    LM_INLINE real name(real a) { return function(a); }
#define LM_LANEWISE_2(name, function) \
    LM_INLINE real name(real a, real b) { return function(a, b); }

/* Rows `first` ... of a (batch, n) array as `real` columns: here the row itself, no copy. */
LM_INLINE const real *lm_load_rows(real *, const stored *source, int64_t stride, int64_t first, int64_t, int) {
    return source + first * stride;
}
LM_INLINE real *lm_result_rows(real *, stored *target, int64_t stride, int64_t first) { return target + first * stride; }
LM_INLINE void lm_store_rows(const real *, stored *, int64_t, int64_t, int64_t, int) {}
