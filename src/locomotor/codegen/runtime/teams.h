/* One instance by a team of threads where a function of the runtime has use for one (`crowd.h`), by one thread elsewhere. The 32 threads
   of a warp come to such a function together, each with its instance; its teams then take these up one after the other, as many at
   once as there are teams, and all threads take the same way through loops: who has nothing to do goes along.

   Numbers of the instances of a warp stand side by side, so that each thread reads and writes beside its neighbours. The text before
   defines LM_SCRATCH, the numbers of an instance that stand so, and LM_SPARE, those beside them that its team keeps together. */

#define LM_TEAMS
#ifndef LM_TEAM
#define LM_TEAM 8
#endif
#ifndef LM_CROWD_SEATS
#define LM_CROWD_SEATS 12 /* contacts for whose rows a team has room near by */
#endif
#define LM_GOES_ON(m) 1  /* a thread that left would be waited for */
#define LM_EVERYONE 0xffffffffu

extern "C" __device__ stored *lm_scratch;
__device__ stored *lm_scratch;
extern __shared__ __align__(16) stored lm_near[];

struct lm_column { /* numbers of one instance */
    stored *at;
    __device__ __forceinline__ stored &operator[](int64_t i) const { return at[32 * i]; }
    __device__ __forceinline__ lm_column operator+(int64_t i) const { return lm_column{at + 32 * i}; }
};
typedef lm_column lm_numbers;
typedef lm_column lm_list;
#define LM_WHICH(which, c, who) ((int)LM_AT(which, c, who))

LM_INLINE int64_t lm_warp() { return ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32; }
LM_INLINE lm_column lm_columns(int64_t first) {
    return lm_column{lm_scratch + lm_warp() * (32 * (LM_SCRATCH + LM_SPARE)) + 32 * first + threadIdx.x % 32};
}
#define LM_AT(numbers, i, who) (numbers).at[32 * (int64_t)(i) + (who) - (int)(threadIdx.x % 32)]
#define LM_PUT(numbers, i, who, value) LM_AT(numbers, i, who) = (value)

LM_INLINE stored *lm_stash(int who) { return lm_columns(LM_SCRATCH).at - threadIdx.x % 32 + who * (LM_SPARE); }

LM_INLINE int lm_member() { return threadIdx.x % LM_TEAM; }
LM_INLINE void lm_team_meet() { __syncwarp(); }
LM_INLINE stored lm_team_sum(stored a) {
#pragma unroll
    for (int k = LM_TEAM / 2; k > 0; k /= 2) a = a + __shfl_xor_sync(LM_EVERYONE, a, k);
    return a;
}
LM_INLINE int lm_teams_most(int i) { return __reduce_max_sync(LM_EVERYONE, i); }
LM_INLINE int lm_teams_any(int m) { return __any_sync(LM_EVERYONE, m); }

#define LM_CROWD_ROOT(a) rsqrt(a)
#define LM_CROWD_OVER(a, b) ((a) / (b))
struct __align__(16) lm_four { stored is[4]; };
LM_INLINE void lm_take_four(const stored *from, stored *to) {
    const lm_four four = *(const lm_four *)from;
    for (int k = 0; k < 4; ++k) to[k] = four.is[k];
}

/* A multiple of four numbers, by all of a team. */
LM_INLINE void lm_copy(const stored *from, stored *to, int count) {
    for (int i = 4 * lm_member(); i < count; i += 4 * LM_TEAM) *(lm_four *)(to + i) = *(const lm_four *)(from + i);
}

/* Velocities of a member: four are read at once. */
#define LM_CROWD_WIDTH(n) (((n) + 4 * LM_TEAM - 1) / (4 * LM_TEAM) * 4)
#define LM_CROWD_SEAT(n) (3 * LM_TEAM * LM_CROWD_WIDTH(n) + LM_KEPT)
/* Teams that read the same place of theirs find it in different banks. */
#define LM_CROWD_DESK(n) ((LM_CROWD_SEATS * LM_CROWD_SEAT(n) + 31) / 32 * 32 + LM_TEAM)

#define LM_CROWD_PASS(known, last, sweeps, size, rooms, works, count, n)                                                             \
    real work[works];                                                                                                         \
    const lm_crowd_parts a = lm_crowd_places(&tree, numbers, numbers + (size), known);                                          \
    lm_crowd_begin(&tree, &a, known, last, work);                                                                                    \
    const lm_numbers list = numbers + (size) + (rooms);                                                                       \
    int acting = 0;                                                                                                           \
    for (int c = 0; c < (count); ++c)                                                                                         \
        if (a.set[c] > LM_K(0.5)) list[++acting] = LM_K(c);                                                                   \
    list[0] = LM_K(acting);                                                                                                   \
    __syncwarp();                                                                                                             \
    const int team = threadIdx.x % 32 / LM_TEAM;                                                                              \
    /* Rows, which the second pass finds as the first left them. */                                                           \
    _Pragma("unroll 1") for (int round = 0; round < LM_TEAM; ++round) {                                                       \
        const int who = round * (32 / LM_TEAM) + team, found = (int)LM_AT(list, 0, who);                                      \
        const int far = found > LM_CROWD_SEATS;                                                                                \
        stored *stash = lm_stash(who), *near = lm_near + (threadIdx.x / LM_TEAM) * LM_CROWD_DESK(n);                           \
        stored *kept = far || (known) ? stash : near, *z = kept + (far ? found : LM_CROWD_SEATS) * LM_KEPT;                    \
        if (known) {                                                                                                          \
            lm_crowd_renew(&tree, &a, who, found, list + 1, kept);                                                             \
        } else {                                                                                                              \
            lm_crowd_rows(&tree, &a, who, found, list + 1, z);                                                                 \
            lm_crowd_keep(&tree, &a, who, known, found, list + 1, z, kept);                                                    \
            if (!far) {                                                                                                       \
                lm_copy(kept, stash, found * LM_KEPT);                                                                        \
                lm_copy(z, stash + found * LM_KEPT, 3 * found * LM_TEAM * LM_CROWD_WIDTH(n));                                  \
            }                                                                                                                 \
            __syncwarp();                                                                                                     \
        }                                                                                                                     \
    }                                                                                                                         \
    /* A team that is done with an instance takes up its next. */                                                             \
    stored moved[LM_CROWD_WIDTH(n)], along[LM_CROWD_WIDTH(n)], changed = LM_K(0.0);                                             \
    int round = 0, taken = 0, going = 0;                                                                                      \
    _Pragma("unroll 1") while (lm_teams_any(round < LM_TEAM)) {                                                               \
        const int busy = round < LM_TEAM, who = (busy ? round : 0) * (32 / LM_TEAM) + team;                                   \
        const int found = busy ? (int)LM_AT(list, 0, who) : 0, far = found > LM_CROWD_SEATS;                                   \
        stored *stash = lm_stash(who), *near = lm_near + (threadIdx.x / LM_TEAM) * LM_CROWD_DESK(n);                           \
        stored *kept = far ? stash : near, *z = kept + (far ? found : LM_CROWD_SEATS) * LM_KEPT;                               \
        if (!going) {                                                                                                         \
            if (!far) {                                                                                                       \
                lm_copy(stash, kept, found * LM_KEPT);                                                                        \
                lm_copy(stash + found * LM_KEPT, z, 3 * found * LM_TEAM * LM_CROWD_WIDTH(n));                                  \
            }                                                                                                                 \
            going = found > 0, taken = 0;                                                                                     \
        }                                                                                                                     \
        __syncwarp();                                                                                                         \
        if (taken == 0) lm_crowd_push(&tree, found, z, kept, moved);                                                           \
        lm_crowd_some(&tree, found, &going, &taken, &changed, sweeps, last, z, kept, moved, along);                                   \
        const int done = busy && !going;                                                                                      \
        if (done) lm_crowd_tell(&tree, &a, who, found, list + 1, kept, moved);                                                 \
        if ((last) && lm_teams_any(done)) {                                                                                  \
            lm_crowd_close(&tree, &a, who, done ? found : 0, list + 1, z, kept, sweeps, moved, along);                         \
            if (done) lm_crowd_tell_closing(&tree, &a, who, along);                                                            \
        }                                                                                                                     \
        __syncwarp();                                                                                                         \
        round += done;                                                                                                        \
    }                                                                                                                         \
    __syncwarp();                                                                                                             \
    lm_crowd_end(&tree, &a, known, last, numbers, work);
