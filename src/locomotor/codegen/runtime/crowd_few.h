/* Rows and impulses of those contacts of one tree that act, where all else is straight code (`tracing/contacts/straight_steps.py`).

   in: motions of bodies, six numbers for each entry of the path of their last velocity, where the mass is one; points (3 contacts),
       directions (3 rows), mu (contacts), the set of those that act (contacts); then what rows miss (rows), or, where impulses are known to
       begin with: these (rows), what rows miss (rows), gaps (contacts), h
   out: impulses (rows); where some were known also the impulses of normals that close the gaps (contacts) */

typedef struct {
    int motions; /* numbers of all motions */
    const int32_t *at; /* (contacts): where the motion of its body begins, -1 if nothing moves it */
} lm_few;

LM_FUNCTION void lm_few_rows(const lm_crowd *tree, const lm_few *few, lm_numbers in, int who, int count, lm_list which, stored *z) {
    const int n = tree->n;
    for (int i = 0; i < 3 * tree->stride * count; ++i) z[i] = LM_K(0.0);
    for (int c = 0; c < count; ++c) {
        const int contact = LM_WHICH(which, c, who), at = few->at[contact], first = tree->begin[contact];
        if (at < 0) continue;
        const int start = tree->start[tree->last[tree->on[contact]]], length = tree->start[tree->last[tree->on[contact]] + 1] - start;
        stored p[3];
        for (int k = 0; k < 3; ++k) p[k] = LM_AT(in, few->motions + 3 * contact + k, who);
        for (int e = 0; e < length; ++e) {
            stored s[6];
            for (int k = 0; k < 6; ++k) s[k] = LM_AT(in, at + 6 * e + k, who);
            const stored v[3] = {s[0] + s[4] * p[2] - s[5] * p[1], s[1] + s[5] * p[0] - s[3] * p[2], s[2] + s[3] * p[1] - s[4] * p[0]};
            for (int i = first; i < tree->begin[contact + 1]; ++i) {
                stored sum = LM_K(0.0);
                for (int k = 0; k < 3; ++k) sum = sum + LM_AT(in, few->motions + 3 * tree->contacts + 3 * i + k, who) * v[k];
                z[(int64_t)(3 * c + i - first) * tree->stride + tree->path[start + e]] = sum;
            }
        }
    }
    (void)n;
}

/* One instance after the other, by one thread. */
#define LM_FEW_PASS(known, sweeps, count, rows, n)                                                                            \
    stored z[3 * (count) * (n)], kept[(count)*LM_KEPT], moved[n], along[n];                                                   \
    real room[(rows) + (n)];                                                                                                  \
    int32_t which[count];                                                                                                     \
    lm_crowd_parts a;                                                                                                         \
    a.mu = numbers + few.motions + 3 * (count) + 3 * (rows), a.set = a.mu + (count), a.guess = a.set + (count);               \
    a.missing = (known) ? a.guess + (rows) : a.guess, a.gaps = a.missing + (rows), a.h = a.gaps + (count);                    \
    a.impulses = room, a.moved = room + (rows);                                                                               \
    real lifts[count];                                                                                                        \
    for (int i = 0; i < (rows); ++i) room[i] = LM_CONST(0.0);                                                                 \
    for (int i = 0; i < (count); ++i) lifts[i] = LM_CONST(0.0);                                                               \
    for (int lane = 0; lane < LANES; ++lane) {                                                                                \
        const int found = lm_crowd_list(&tree, &a, lane, which);                                                              \
        int going = found > 0, taken = 0;                                                                                     \
        stored changed = LM_K(0.0);                                                                                           \
        lm_few_rows(&tree, &few, numbers, lane, found, which, z);                                                             \
        lm_crowd_keep(&tree, &a, lane, known, found, which, z, kept);                                                         \
        lm_crowd_push(&tree, found, z, kept, moved);                                                                          \
        while (going) lm_crowd_some(&tree, found, &going, &taken, &changed, sweeps, known, z, kept, moved, along);            \
        lm_crowd_tell(&tree, &a, lane, found, which, kept, moved);                                                            \
        if (!(known)) continue;                                                                                               \
        lm_crowd_close(&tree, &a, lane, found, which, z, kept, sweeps, moved, along);                                         \
        for (int c = 0; c < found; ++c) lm_put(&lifts[which[c]], lane, kept[(int64_t)c * LM_KEPT + LM_IMPULSE]);              \
    }                                                                                                                         \
    for (int i = 0; i < (rows); ++i) numbers[i] = room[i];                                                                    \
    for (int i = 0; i < (count) && (known); ++i) numbers[(rows) + i] = lifts[i];
