/* A step in stages (`codegen/stages.py`): kernels one after the other, each of which does its part for all instances. Numbers of an
   instance stand in columns beside those of its neighbours, so that threads read and write side by side.

   `lm_stage` says where: of `pad` instances that there is room for, `batch` are there. A function of the runtime has what all of its
   kernels share after that. Where LM_WARP is 1 the text also runs on a processor, thread by thread. */

#ifndef LM_WARP
#define LM_WARP 32
#ifndef LM_LANES
#define LM_LANES (sizeof(stored) == 4 ? 32 : 16) /* threads of a warp in kernels where each has much near by */
#endif
#define LM_ALL_LANES (0xffffffffu >> (32 - LM_LANES))
#ifndef LM_SHARE
#define LM_SHARE 4 /* of these that share an instance */
#endif
#define lm_from_across(value, by) __shfl_xor_sync(LM_ALL_LANES, value, by)
#define lm_lanes_most(i) __reduce_max_sync(LM_ALL_LANES, i)
#define lm_ballot(m) __ballot_sync(LM_ALL_LANES, m)
#define lm_shared_from(value, lane) __shfl_sync(LM_ALL_LANES, value, lane)
#define lm_lanes_meet() __syncwarp(LM_ALL_LANES)
#define lm_bits_set(bits) __popc(bits)
#define lm_lowest(bits) (__ffs(bits) - 1)
#define lm_warp_meets() __syncwarp()
#define lm_block_meets() __syncthreads()
#define lm_add(at, by) atomicAdd(at, by)
#define LM_SHARED extern __shared__ __align__(16)
LM_INLINE float lm_over(float a, float b) { return __fdividef(a, b); }
LM_INLINE double lm_over(double a, double b) { return a / b; }
#else
LM_INLINE stored lm_over(stored a, stored b) { return a / b; }
#endif
#define LM_CROWD_OVER(a, b) lm_over(a, b)
#define LM_CROWD_ROOT(a) rsqrt(a)

struct lm_column { /* numbers of one instance */
    stored *at;
    int64_t pad;
    __device__ __forceinline__ stored &operator[](int64_t i) const { return at[pad * i]; }
};
/* The same where `together` instances have their numbers, `count` each, in one place. */
LM_INLINE lm_column lm_column_in(stored *table, int64_t count, int together, int64_t instance) {
    return lm_column{table + instance / together * count * together + instance % together, together};
}
LM_INLINE lm_column lm_column_of(stored *table, int64_t pad, int64_t instance) { return lm_column{table + instance, pad}; }

/* What the kernels of a call know: numbers that were kept in the two places before the first call of a step, and how many of an instance
   they are; the numbers of that call, and its own; what the last call gave in the step before; what it gives; and room. */
typedef struct {
    const stored *axes;
    int64_t axes_count;
    const stored *factors;
    int64_t factors_count;
    const stored *alike, *own;
    stored *before, *given;
    stored *records;
    int32_t *counts, *lists, *chosen;
    int64_t batch, pad, known, last; /* whether the first call has been made, and whether this is the last one */
} lm_stage;

/* One more of its kind: how many there were before. */
LM_INLINE int lm_one_more(int32_t *counts, int kind) {
#if LM_WARP == 1
    return counts[kind]++;
#else
    const unsigned same = __match_any_sync(__activemask(), kind);
    const int lane = threadIdx.x % LM_WARP;
    int first = 0;
    if (lane == lm_lowest(same)) first = lm_add(counts + kind, lm_bits_set(same));
    return __shfl_sync(same, first, lm_lowest(same)) + lm_bits_set(same & ((1u << lane) - 1u));
#endif
}
