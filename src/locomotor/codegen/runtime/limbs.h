/* One instance by several threads, a limb each (`codegen/division.py`). Warp k of a group has limb k of 32 instances, so that all
   threads of a warp run the same code. The groups of a block have nothing to do with each other.

   Every instance has a row in shared memory: what limbs lay out for each other, then the trunk, then a word of each limb. Rows have
   an odd number of places, so that the 32 of a warp are in different banks. The text before defines LM_LIMBS, LM_GROUPS, LM_ROW,
   LM_TRUNK and LM_WORDS (where those begin) and LM_WIDTH. */

#define LM_SAVED LM_WIDTH
#define LM_GOES_ON(m) 1 /* a thread that left would be waited for */

extern __shared__ stored lm_rows[];

LM_INLINE int lm_group() { return threadIdx.x / (32 * LM_LIMBS); }
LM_INLINE stored *lm_row() { return lm_rows + (32 * lm_group() + threadIdx.x % 32) * LM_ROW; }

/* All limbs of the group have come here, and see what the others have laid out. */
LM_INLINE void lm_meet() { asm volatile("bar.sync %0, %1;" ::"r"(lm_group() + 1), "n"(32 * LM_LIMBS) : "memory"); }

/* Called, and not copied in: a tape has some of them in each limb, and long code waits for its instructions. Measured on an H200, a
   tree of four limbs: 1.10 and 1.23 times the speed in single and double precision. */
typedef struct { real sine, cosine; } lm_both;
LM_NOINLINE lm_both lm_sine_and_cosine(real x) {
    lm_both both;
    lm_sincos(x, &both.sine, &both.cosine);
    return both;
}
LM_INLINE void lm_called_sincos(real x, real *sine, real *cosine) {
    const lm_both both = lm_sine_and_cosine(x);
    *sine = both.sine, *cosine = both.cosine;
}
#define lm_sincos lm_called_sincos

/* Whether all limbs say so, for each instance. */
LM_FUNCTION mask lm_all_agree(int limb, mask m) {
    stored *words = lm_row() + LM_WORDS;
    words[limb] = lm_number(m);
    lm_meet();
    mask all = 1;
    for (int k = 0; k < LM_LIMBS; ++k) all = all & lm_truth(words[k]);
    lm_meet();
    return all;
}

/* Every limb moves the trunk along for itself, and a compiler may round it differently in each: they go on with that of the first. */
LM_FUNCTION void lm_one_trunk(int limb, int n, const int32_t *trunk, real *x) {
    stored *kept = lm_row() + LM_TRUNK;
    if (limb == 0)
        for (int i = 0; i < n; ++i) kept[i] = x[trunk[i]];
    lm_meet();
    if (limb != 0)
        for (int i = 0; i < n; ++i) x[trunk[i]] = kept[i];
}
