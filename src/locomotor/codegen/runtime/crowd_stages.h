/* Rows and impulses of the contacts that act (`crowd_few.h`), on a device: sorted by how many act, and by the
   sweeps that the step before took, so that those that a warp solves together take equally long. The text before defines the sizes of the tree (LM_VELOCITIES, LM_ENTRIES of N, LM_CONTACTS, LM_CROWD_ROWS, LM_LONGEST:
   entries of the longest path), where numbers begin (LM_POINTS and LM_TURNING beside the axes; LM_DIRECTIONS, LM_RUBS, LM_SET, LM_FREE; LM_TURNING_AGAIN,
   LM_FREE_AGAIN, LM_GAPS, LM_LENGTH of the second pass), lm_directions and lm_rubs (functions of a place), LM_SWEEPS, LM_RECORD (the numbers of one), LM_EACH (contacts of a thread that solves), LM_PACES (kinds of
   how long sweeps go on), LM_SEEN (instances whose axes a block reads at once), and tables: lm_start_of (where the path of a contact begins in
   lm_path, the velocities, and lm_base, where their entries of N begin), lm_path_of (how many they are), lm_rows_of (rows of contacts).

   An entry of the rows of a contact is four numbers: one of each row, and which velocity it belongs to; LM_ROW_ENTRIES of them, those that a
   path does not have belong to none. `crowd_share.h` solves. */

#define LM_AHEAD (!LM_CROWD_DOUBLE) /* whether sweeps are run ahead, and begin with impulses of the step before: `crowd_share.h` */
#define LM_FEW (LM_EACH * (LM_LANES < 8 * LM_SHARE ? LM_LANES : 8 * LM_SHARE)) /* contacts whose rows are brought near by */
#define LM_BINS ((LM_FEW + 1) * LM_PACES + 1)
LM_INLINE int lm_pace_of(int sweeps) { return (sweeps > 4) + (sweeps > 8) + (sweeps > 16); } /* less than LM_PACES */
#define LM_ROW_ENTRIES ((LM_LONGEST + 3) / 4 * 4)
#define LM_V_ROOM (((LM_VELOCITIES + 4) / 4 | 1) * 4) /* velocities of an instance near by, so that those of others are in other banks */
#define LM_NEAR_ROWS (4 * (LM_EACH * LM_LANES * LM_ROW_ENTRIES + 4 * (LM_LANES / LM_SHARE)))
#define LM_ORDER(near) ((int32_t *)((near) + LM_NEAR_ROWS + 2 * LM_V_ROOM * (LM_LANES / LM_SHARE)))

struct __align__(16) lm_four { stored is[4]; };
union lm_place_or_number { stored number; int place; };
LM_INLINE stored lm_as_number(int place) {
    lm_place_or_number both;
    both.number = LM_K(0.0), both.place = place;
    return both.number;
}
LM_INLINE int lm_as_place(stored number) {
    lm_place_or_number both;
    both.number = number;
    return both.place;
}

/* A record of an instance: impulses of the first pass, then rows. */
LM_INLINE stored *lm_impulse_of(stored *record, int c) { return record + 4 * c; }
LM_INLINE const stored *lm_impulse_of(const stored *record, int c) { return record + 4 * c; }
LM_INLINE stored *lm_z_of(stored *record) { return record + 4 * LM_CONTACTS; }
LM_INLINE const stored *lm_z_of(const stored *record) { return record + 4 * LM_CONTACTS; }

/* How many act, and the list of those of which as many do and that took as long in the step before. What a contact that does not act had in the step before is forgotten. */
LM_INLINE void lm_stage_rank(const lm_stage &a, int64_t instance) {
    int count = 0;
    unsigned acts[LM_CONTACTS / 32 + 1] = {0}; /* all are read before anything is written */
#pragma unroll
    for (int c = 0; c < LM_CONTACTS; ++c) acts[c / 32] |= (unsigned)(a.alike[(LM_SET + c) * a.pad + instance] > LM_K(0.5)) << (c % 32);
#pragma unroll
    for (int c = 0; c < LM_CONTACTS; ++c)
        if (acts[c / 32] >> (c % 32) & 1)
            a.chosen[instance * LM_CONTACTS + count++] = c;
        else if (LM_AHEAD)
            for (int i = lm_rows_of[c]; i < lm_rows_of[c + 1]; ++i) a.before[i * a.pad + instance] = LM_K(0.0);
    if (!count) { /* nothing is solved, in neither pass */
        for (int i = 0; i < LM_VELOCITIES; ++i) a.given[(LM_CROWD_ROWS + i) * a.pad + instance] = LM_K(0.0);
        for (int i = 0; i < 2 * LM_VELOCITIES; ++i) a.before[(LM_CROWD_ROWS + i) * a.pad + instance] = LM_K(0.0);
    }
    const int bin = count <= LM_FEW ? count * LM_PACES + (count ? a.counts[3 * LM_BINS + a.pad + instance] : 0) : LM_BINS - 1;
    a.lists[bin * a.pad + lm_one_more(a.counts, bin)] = (int32_t)instance;
    a.counts[3 * LM_BINS + instance] = count;
}

/* -- rows: a warp an instance ------------------------------------------------------------------------------------------------ */

#define LM_SEEN_ROW (LM_SEEN + 1)
#define LM_AT_ONCE (LM_ROW_ENTRIES < 32 ? 32 / LM_ROW_ENTRIES : 1) /* contacts whose rows a warp makes together */

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

/* A block has axes and N of LM_SEEN instances near by. */
LM_INLINE void lm_stage_rows(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const int lane = thread % LM_WARP, warp = thread / LM_WARP;
    stored *axes = near, *factors = axes + 6 * LM_VELOCITIES * LM_SEEN_ROW;
    stored *made = factors + LM_ENTRIES * LM_SEEN_ROW + warp * 3 * LM_AT_ONCE * LM_ROW_ENTRIES;
    lm_stage_see(a.axes + first * a.axes_count, 6 * LM_VELOCITIES, axes, thread, threads);
    lm_stage_see(a.factors + first * a.factors_count, LM_ENTRIES, factors, thread, threads);
    lm_block_meets();
    for (int seen = warp; seen < LM_SEEN; seen += threads / LM_WARP) {
        const int64_t instance = first + seen;
        if (instance >= a.batch) break;
        const int count = a.counts[3 * LM_BINS + instance];
        const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
        lm_four *z = (lm_four *)lm_z_of(a.records + instance * LM_RECORD);
        const stored *tile = a.axes + first * a.axes_count + seen;
        for (int begin = 0; begin < count; begin += LM_AT_ONCE) {
            for (int i = lane; i < LM_AT_ONCE * LM_ROW_ENTRIES; i += LM_WARP) {
                const int c = begin + i / LM_ROW_ENTRIES, f = i % LM_ROW_ENTRIES;
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
            for (int i = lane; i < LM_AT_ONCE * LM_ROW_ENTRIES; i += LM_WARP) {
                const int c = begin + i / LM_ROW_ENTRIES, e = i % LM_ROW_ENTRIES;
                if (c >= count) continue;
                const int start = lm_start_of[chosen[c]], entries = lm_path_of[chosen[c]];
                const int32_t *base = lm_base + start;
                const stored *row = made + 3 * (i - e);
                stored sum[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)};
                if (e < entries) {
                    const stored factor = factors[(base[e] + e) * LM_SEEN_ROW + seen];
                    for (int r = 0; r < 3; ++r) sum[r] = factor * row[3 * e + r];
                }
                for (int f = e + 1; f < entries; ++f) { /* entries of N beside its diagonal are kept with the other sign */
                    const stored factor = factors[(base[f] + e) * LM_SEEN_ROW + seen];
                    for (int r = 0; r < 3; ++r) sum[r] = sum[r] - factor * row[3 * f + r];
                }
                z[c * LM_ROW_ENTRIES + e] = lm_four{sum[0], sum[1], sum[2], lm_as_number(e < entries ? lm_path[start + e] : LM_VELOCITIES)};
            }
            lm_warp_meets();
        }
    }
}
