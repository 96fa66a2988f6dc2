/* Rows and impulses of the contacts that act (`crowd_few.h`), on a device: sorted by how many act, so that what is done for so many is
   straight code. The text before defines the sizes of the tree (LM_VELOCITIES, LM_ENTRIES of N, LM_CONTACTS, LM_CROWD_ROWS, LM_LONGEST:
   entries of the longest path), where numbers begin (LM_POINTS and LM_TURNING beside the axes; LM_DIRECTIONS, LM_RUBS, LM_SET, LM_FREE; LM_TURNING_AGAIN,
   LM_FREE_AGAIN, LM_GAPS, LM_LENGTH of the second pass), lm_directions and lm_rubs (functions of a place), LM_SWEEPS, LM_RECORD (the numbers of one), LM_FEW (contacts that are solved by
   straight code), LM_SEEN (instances whose axes a block reads at once), and tables: lm_start_of (where the path of a contact begins in
   lm_path, the velocities, and lm_base, where their entries of N begin), lm_path_of (how many they are), lm_entry_of (the entry of a contact's path that is a velocity, or -1), lm_rows_of (rows of contacts) and
   lm_shared_path (entries that two contacts share).

   With W = Z Z^T, u = missing - W L is what the rows lack: a contact is solved from its three numbers of u, and what it changes is
   taken from all of them. W stands by the blocks of its lower triangle: the first number of each, then the second of each,
   and so on. `crowd_share.h` solves. */

#define LM_BINS (LM_FEW + 2)
#define LM_AHEAD (!LM_CROWD_DOUBLE) /* whether sweeps are run ahead, and begin with impulses of the step before: `crowd_share.h` */

struct __align__(16) lm_four { stored is[4]; };

/* A record of an instance: what each contact lacks and its friction, its impulses and lift, the rows, and W. */
#define LM_Z_ROW (3 * LM_LONGEST | 1)
#define LM_IN_FOURS(count) (((count) + 3) / 4 * 4)
LM_INLINE stored *lm_lacking_of(stored *record, int c) { return record + 4 * c; }
LM_INLINE stored *lm_impulse_of(stored *record, int count, int c) { return record + 4 * (count + c); }
LM_INLINE stored *lm_z_of(stored *record, int count) { return record + 8 * count; }
LM_INLINE stored *lm_w_of(stored *record, int count) { return record + 8 * count + LM_IN_FOURS(count * LM_Z_ROW); }

/* How many act, and the list of those of which as many do. What a contact that does not act had in the step before is forgotten. */
LM_INLINE void lm_stage_rank(const lm_stage &a, int64_t instance) {
    int count = 0;
    for (int c = 0; c < LM_CONTACTS; ++c)
        if (a.alike[(LM_SET + c) * a.pad + instance] > LM_K(0.5))
            a.chosen[instance * LM_CONTACTS + count++] = c;
        else if (LM_AHEAD)
            for (int i = lm_rows_of[c]; i < lm_rows_of[c + 1]; ++i) a.before[i * a.pad + instance] = LM_K(0.0);
    const int bin = count <= LM_FEW ? count : LM_FEW + 1;
    a.lists[bin * a.pad + lm_one_more(a.counts, bin)] = (int32_t)instance;
    a.counts[3 * LM_BINS + instance] = count;
}

/* -- rows and W: a warp an instance ------------------------------------------------------------------------------------------ */

#define LM_SEEN_ROW (LM_SEEN + 1)
#define LM_AT_ONCE (LM_LONGEST < 32 ? 32 / LM_LONGEST : 1) /* contacts whose rows a warp makes together */

/* Numbers of LM_SEEN instances that stand together. */
LM_INLINE void lm_stage_see(const stored *tile, int count, stored *near, int thread, int threads) {
    const lm_four *fours = (const lm_four *)tile;
#pragma unroll 4
    for (int i = thread; i < count * LM_SEEN / 4; i += threads) {
        const lm_four four = fours[i];
#pragma unroll
        for (int k = 0; k < 4; ++k) near[4 * i / LM_SEEN * LM_SEEN_ROW + 4 * i % LM_SEEN + k] = four.is[k];
    }
}

/* Velocities without contacts of the instances of a block. */
LM_INLINE void lm_stage_free(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const stored *free = a.known ? a.own + LM_FREE_AGAIN * a.pad : a.alike + LM_FREE * a.pad;
    for (int i = thread; i < LM_VELOCITIES * LM_SEEN; i += threads)
        near[i % LM_SEEN * LM_VELOCITIES + i / LM_SEEN] = free[i / LM_SEEN * a.pad + first + i % LM_SEEN];
}

/* What the rows of an instance lack, by one warp: z . free + turning, and the speed with which one that others press down may approach. */
LM_INLINE void lm_stage_missing(const lm_stage &a, const stored *z, stored *record, const stored *free, int lane, int64_t instance, int count) {
    const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
    const stored *tile = a.axes + instance / LM_SEEN * LM_SEEN * a.axes_count + instance % LM_SEEN;
    for (int i = lane; i < 4 * count; i += LM_WARP) {
        const int c = i / 4, r = i % 4, contact = chosen[c], row = lm_rows_of[contact] + r;
        stored sum = LM_K(0.0);
        if (r == 3)
            sum = lm_rubs(contact);
        else if (row < lm_rows_of[contact + 1]) {
            sum = a.known ? a.own[(LM_TURNING_AGAIN + row) * a.pad + instance] : tile[(LM_TURNING + row) * LM_SEEN];
            for (int e = 0; e < lm_path_of[contact]; ++e) sum = sum + z[c * LM_Z_ROW + 3 * e + r] * free[lm_path[lm_start_of[contact] + e]];
            const stored set = r == 0 ? a.alike[(LM_SET + contact) * a.pad + instance] : LM_K(0.0);
            sum = -sum - (set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0));
        }
        record[i] = sum;
    }
}

/* A block has axes and N of LM_SEEN instances near by, a warp the rows of up to LM_FEW contacts. */
LM_INLINE void lm_stage_rows(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const int lane = thread % LM_WARP, warp = thread / LM_WARP;
    stored *axes = near, *factors = axes + 6 * LM_VELOCITIES * LM_SEEN_ROW, *own = factors + LM_ENTRIES * LM_SEEN_ROW;
    stored *free = own, *few = free + LM_SEEN * LM_VELOCITIES + warp * (LM_FEW * LM_Z_ROW + 3 * LM_AT_ONCE * LM_LONGEST);
    stored *made = few + LM_FEW * LM_Z_ROW;
    lm_stage_see(a.axes + first * a.axes_count, 6 * LM_VELOCITIES, axes, thread, threads);
    lm_stage_see(a.factors + first * a.factors_count, LM_ENTRIES, factors, thread, threads);
    lm_stage_free(a, free, thread, threads, first);
    lm_block_meets();
    for (int seen = warp; seen < LM_SEEN; seen += threads / LM_WARP) {
        const int64_t instance = first + seen;
        if (instance >= a.batch) break;
        const int count = a.counts[3 * LM_BINS + instance], pairs = count * (count + 1) / 2;
        const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
        stored *record = a.records + instance * LM_RECORD, *w = lm_w_of(record, count), *z = count <= LM_FEW ? few : lm_z_of(record, count);
        const stored *tile = a.axes + first * a.axes_count + seen;
        for (int begin = 0; begin < count; begin += LM_AT_ONCE) {
            for (int i = lane; i < LM_AT_ONCE * LM_LONGEST; i += LM_WARP) {
                const int c = begin + i / LM_LONGEST, f = i % LM_LONGEST;
                if (c >= count || f >= lm_path_of[chosen[c]]) continue;
                const int contact = chosen[c], axis = 6 * lm_path[lm_start_of[contact] + f];
                stored s[6], p[3], v[3];
                for (int k = 0; k < 6; ++k) s[k] = axes[(axis + k) * LM_SEEN_ROW + seen];
                for (int k = 0; k < 3; ++k) p[k] = tile[(LM_POINTS + 3 * contact + k) * LM_SEEN];
                v[0] = s[0] + s[4] * p[2] - s[5] * p[1], v[1] = s[1] + s[5] * p[0] - s[3] * p[2], v[2] = s[2] + s[3] * p[1] - s[4] * p[0];
                for (int r = 0; r < 3; ++r) {
                    stored sum = LM_K(0.0);
                    if (r < lm_rows_of[contact + 1] - lm_rows_of[contact])
                        for (int k = 0; k < 3; ++k)
                            sum = sum + lm_directions(3 * (lm_rows_of[contact] + r) + k) * v[k];
                    made[3 * i + r] = sum;
                }
            }
            lm_warp_meets();
            for (int i = lane; i < LM_AT_ONCE * LM_LONGEST; i += LM_WARP) {
                const int c = begin + i / LM_LONGEST, e = i % LM_LONGEST;
                if (c >= count || e >= lm_path_of[chosen[c]]) continue;
                const int32_t *base = lm_base + lm_start_of[chosen[c]];
                const stored *row = made + 3 * (c - begin) * LM_LONGEST;
                stored sum[3], factor = factors[(base[e] + e) * LM_SEEN_ROW + seen];
                for (int r = 0; r < 3; ++r) sum[r] = factor * row[3 * e + r];
                for (int f = e + 1; f < lm_path_of[chosen[c]]; ++f) { /* entries of N beside its diagonal are kept with the other sign */
                    factor = factors[(base[f] + e) * LM_SEEN_ROW + seen];
                    for (int r = 0; r < 3; ++r) sum[r] = sum[r] - factor * row[3 * f + r];
                }
                for (int r = 0; r < 3; ++r) z[c * LM_Z_ROW + 3 * e + r] = sum[r];
            }
            lm_warp_meets();
        }
        lm_stage_missing(a, z, record, free + seen * LM_VELOCITIES, lane, instance, count);
        if (count <= LM_FEW)
            for (int i = lane; i < count * LM_Z_ROW; i += LM_WARP) lm_z_of(record, count)[i] = z[i];
        for (int i = lane; i < pairs; i += LM_WARP) {
            int c = (int)((sqrtf(8.0f * i + 1.0f) - 1.0f) * 0.5f);
            c += (c + 1) * (c + 2) / 2 <= i, c -= c * (c + 1) / 2 > i;
            const int d = i - c * (c + 1) / 2, common = lm_shared_path[chosen[c] * LM_CONTACTS + chosen[d]];
            const stored *left = z + c * LM_Z_ROW, *right = z + d * LM_Z_ROW;
            stored b[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 2
            for (int e = 0; e < common; ++e)
                for (int r = 0; r < 3; ++r)
                    for (int k = 0; k < 3; ++k) b[3 * r + k] = b[3 * r + k] + left[3 * e + r] * right[3 * e + k];
            for (int k = 0; k < 9; ++k) w[k * pairs + i] = b[k];
        }
        lm_warp_meets();
    }
}

/* What rows lack in the second pass. */
LM_INLINE void lm_stage_lack(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const int lane = thread % LM_WARP, warp = thread / LM_WARP;
    lm_stage_free(a, near, thread, threads, first);
    lm_block_meets();
    for (int seen = warp; seen < LM_SEEN && first + seen < a.batch; seen += threads / LM_WARP) {
        const int count = a.counts[3 * LM_BINS + first + seen];
        stored *record = a.records + (first + seen) * LM_RECORD;
        lm_stage_missing(a, lm_z_of(record, count), record, near + seen * LM_VELOCITIES, lane, first + seen, count);
    }
}

/* What impulses change, and in the second pass what closes gaps: normals are lifted, and the impulse of a contact that comes to touch
   acts from there on. */
LM_INLINE void lm_stage_push(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const int lane = thread % LM_WARP, warp = thread / LM_WARP;
    for (int seen = warp; seen < LM_SEEN && first + seen < a.batch; seen += threads / LM_WARP) {
        const int64_t instance = first + seen;
        const int count = a.counts[3 * LM_BINS + instance];
        const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
        stored *record = a.records + instance * LM_RECORD;
        const stored *z = lm_z_of(record, count), h = a.known ? a.own[LM_LENGTH * a.pad + instance] : LM_K(0.0);
        for (int j = lane; j < LM_VELOCITIES; j += LM_WARP) {
            stored pushes = LM_K(0.0), closes = LM_K(0.0);
#pragma unroll 4
            for (int c = 0; c < count; ++c) {
                const int contact = chosen[c], e = lm_entry_of[contact * LM_VELOCITIES + j];
                const lm_four l = *(const lm_four *)lm_impulse_of(record, count, c);
                if (e < 0) continue;
                const stored set = a.known ? a.alike[(LM_SET + contact) * a.pad + instance] : LM_K(1.0);
                const stored late = set < LM_K(1.0) ? LM_K(-2.0) * h * (LM_K(1.0) - set) : LM_K(0.0);
                const stored *row = z + c * LM_Z_ROW + 3 * e, one = row[0] * l.is[0] + row[1] * l.is[1] + row[2] * l.is[2];
                pushes = pushes + one, closes = closes + late * one + row[0] * l.is[3];
            }
            near[seen * 2 * LM_VELOCITIES + j] = pushes, near[(seen * 2 + 1) * LM_VELOCITIES + j] = closes;
        }
    }
    lm_block_meets();
    for (int i = thread; i < (a.known ? 2 : 1) * LM_VELOCITIES * LM_SEEN; i += threads)
        a.given[(LM_CROWD_ROWS + i / LM_SEEN) * a.pad + first + i % LM_SEEN] = near[i % LM_SEEN * 2 * LM_VELOCITIES + i / LM_SEEN];
}
