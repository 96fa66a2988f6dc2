/* One pass of a step of time-stepping (`tracing/contacts/many_steps.py`): velocities after it, and in the last what closes the gaps. A
   pass may be the first and the last of its step.

   first pass, in: axes (6 n), inertias (10 bodies), extra (n), points (3 contacts), directions (3 rows), or if `whole` rows (rows * n),
        mass matrix (n * n); v (n), force (n), turning (rows), gaps (contacts), mu (contacts), h
   out: velocity (n), impulses (rows), the set of those that act (contacts), reach (contacts), N (its paths)
   second, in: axes, N, points, directions, or rows, N; then as above, and the set, impulses
   out: velocity (n), closing (n), impulses (rows), normal velocities before (contacts)
   only pass, in: as the first; out: as the second, then reach (contacts) */
LM_FUNCTION lm_crowd_parts lm_crowd_places(const lm_crowd *tree, lm_numbers in, lm_numbers room, int known) {
    const int n = tree->n, along = tree->start[n], contacts = tree->contacts, rows = tree->rows;
    lm_crowd_parts a;
    a.made = in, a.mass = a.N = in + (tree->whole ? (int64_t)rows * n : 6 * n);
    a.extra = a.mass + 10 * tree->bodies;
    a.points = known ? a.N + along : a.extra + n;
    a.directions = a.points + 3 * contacts;
    a.v = !tree->whole ? a.directions + 3 * rows : known ? a.N + along : a.mass + n * n;
    a.force = a.v + n, a.turning = a.force + n, a.gaps = a.turning + rows, a.mu = a.gaps + contacts, a.h = a.mu + contacts;
    a.given = a.h + 1, a.guess = a.given + contacts;
    a.free = room, a.missing = a.free + n, a.set = a.missing + rows, a.reach = a.set + contacts, a.before = a.reach + contacts;
    a.impulses = a.before + contacts, a.moved = a.impulses + rows, a.closing = a.moved + n;
    if (!known) a.N = a.closing + n;
    return a;
}

/* Contacts that act; how many. */
LM_FUNCTION int lm_crowd_list(const lm_crowd *tree, const lm_crowd_parts *a, int who, int32_t *which) {
    int count = 0;
    for (int c = 0; c < tree->contacts; ++c)
        if (LM_AT(a->set, c, who) > LM_K(0.5)) which[count++] = c;
    return count;
}

LM_FUNCTION void lm_crowd_end(const lm_crowd *tree, const lm_crowd_parts *a, int known, int last, lm_numbers out, real *work) {
    const int n = tree->n;
    real *velocity = work, *closing = work + n;
    for (int k = 0; k < n; ++k) velocity[k] = a->free[k] + lm_crowd_entry(tree, a->N, k, a->moved);
    for (int k = 0; k < n && last; ++k) closing[k] = lm_crowd_entry(tree, a->N, k, a->closing);
    for (int k = 0; k < n; ++k) out[k] = velocity[k];
    int at = n;
    for (int k = 0; k < n && last; ++k) out[at++] = closing[k];
    for (int i = 0; i < tree->rows; ++i) out[at++] = a->impulses[i];
    for (int c = 0; c < tree->contacts; ++c) out[at++] = last ? a->before[c] : a->set[c];
    if (known) return;
    for (int c = 0; c < tree->contacts; ++c) out[at++] = a->reach[c];
    if (last) return;
    for (int e = 0; e < tree->start[n]; ++e) out[at++] = a->N[e];
}

#ifdef LM_CROWD_ALONE
/* The whole of a pass: `size` are the numbers it takes or gives, `count` the contacts. */
#define LM_CROWD_PASS(known, last, sweeps, size, rooms, works, count, n)                                                             \
    real room[rooms], work[works];                                                                                            \
    stored z[3 * (count) * (n)], kept[(count)*LM_KEPT], moved[n], along[n];                                                   \
    int32_t which[count];                                                                                                     \
    const lm_crowd_parts a = lm_crowd_places(&tree, numbers, room, known);                                                      \
    lm_crowd_begin(&tree, &a, known, last, work);                                                                                    \
    for (int lane = 0; lane < LANES; ++lane) {                                                                                \
        const int found = lm_crowd_list(&tree, &a, lane, which);                                                               \
        int going = found > 0, taken = 0;                                                                                     \
        stored changed = LM_K(0.0);                                                                                           \
        lm_crowd_rows(&tree, &a, lane, found, which, z);                                                                       \
        lm_crowd_keep(&tree, &a, lane, known, found, which, z, kept);                                                          \
        lm_crowd_push(&tree, found, z, kept, moved);                                                                           \
        while (going) lm_crowd_some(&tree, found, &going, &taken, &changed, sweeps, last, z, kept, moved, along);                       \
        lm_crowd_tell(&tree, &a, lane, found, which, kept, moved);                                                             \
        if (!(last)) continue;                                                                                               \
        lm_crowd_close(&tree, &a, lane, found, which, z, kept, sweeps, moved, along);                                          \
        lm_crowd_tell_closing(&tree, &a, lane, along);                                                                         \
    }                                                                                                                         \
    lm_crowd_end(&tree, &a, known, last, numbers, work);
#endif
