/* Rows and impulses of those contacts of one tree that act, where all else is straight code (`tracing/contacts/straight_steps.py`).

   in: axes (6 n), N along the paths, points (3 contacts), turning (rows), directions (3 rows), mu (contacts), the set of those that act
       (contacts), velocities without contacts where the mass is one (n); and where impulses are known to begin with: these (rows), turning
       (rows) and velocities (n) anew, gaps (contacts), h; where the first pass is the last one, these two alone
   out: impulses (rows); what they change where the mass is one (n); in the last pass also what closes the gaps (n) */

/* What rows of contacts that act lack: z . free + turning, and the speed with which one that others press down may approach. */
LM_FUNCTION void lm_few_missing(const lm_crowd *tree, const lm_crowd_parts *a, int who, int count, lm_list which, const stored *z) {
    for (int c = 0; c < count; ++c) {
        const int contact = LM_WHICH(which, c, who), first = tree->begin[contact];
        const stored set = LM_AT(a->set, contact, who), approach = set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0);
        for (int i = first; i < tree->begin[contact + 1]; ++i) {
            stored sum = LM_AT(a->turning, i, who);
            for (int j = 0; j < tree->n; ++j) sum = sum + z[(int64_t)(3 * c + i - first) * tree->stride + j] * LM_AT(a->free, j, who);
            LM_PUT(a->missing, i, who, -sum - (i == first ? approach : LM_K(0.0)));
        }
    }
}

/* One instance after the other, by one thread. */
#define LM_FEW_PASS(known, last, sweeps, count, rows, n, entries)                                                             \
    stored z[3 * (count) * (n)], kept[(count)*LM_KEPT], moved[n], along[n];                                                   \
    real room[2 * (rows) + 2 * (n)];                                                                                          \
    int32_t which[count];                                                                                                     \
    lm_crowd_parts a;                                                                                                         \
    a.made = numbers, a.N = a.made + 6 * (n), a.points = a.N + (entries), a.turning = a.points + 3 * (count);                 \
    a.directions = a.turning + (rows), a.mu = a.directions + 3 * (rows), a.set = a.mu + (count), a.free = a.set + (count);    \
    a.guess = a.free + (n), a.gaps = a.guess + ((known) ? 2 * (rows) + (n) : 0), a.h = a.gaps + (count);                      \
    if (known) a.turning = a.guess + (rows), a.free = a.turning + (rows);                                                     \
    a.impulses = room, a.moved = room + (rows), a.closing = a.moved + (n), a.missing = a.closing + (n);                       \
    for (int i = 0; i < 2 * (rows) + 2 * (n); ++i) room[i] = LM_CONST(0.0);                                                   \
    for (int lane = 0; lane < LANES; ++lane) {                                                                                \
        const int found = lm_crowd_list(&tree, &a, lane, which);                                                              \
        int going = found > 0, taken = 0;                                                                                     \
        stored changed = LM_K(0.0);                                                                                           \
        lm_crowd_rows(&tree, &a, lane, found, which, z);                                                                      \
        lm_few_missing(&tree, &a, lane, found, which, z);                                                                     \
        lm_crowd_keep(&tree, &a, lane, known, found, which, z, kept);                                                         \
        lm_crowd_push(&tree, found, z, kept, moved);                                                                          \
        while (going) lm_crowd_some(&tree, found, &going, &taken, &changed, sweeps, last, z, kept, moved, along);            \
        lm_crowd_tell(&tree, &a, lane, found, which, kept, moved);                                                            \
        if (!(last)) continue;                                                                                               \
        lm_crowd_close(&tree, &a, lane, found, which, z, kept, sweeps, moved, along);                                         \
        lm_crowd_tell_closing(&tree, &a, lane, along);                                                                        \
    }                                                                                                                         \
    for (int i = 0; i < (rows) + (1 + (last)) * (n); ++i) numbers[i] = room[i];
