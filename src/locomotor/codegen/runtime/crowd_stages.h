/* Rows and impulses of the contacts that act (`crowd_few.h`), on a device: sorted by how many act, so that what is done for so many is
   straight code. The text before defines the sizes of the tree (LM_CONTACTS, LM_CROWD_ROWS, LM_LONGEST: entries of the longest path), where
   numbers begin (LM_POINTS, LM_DIRECTIONS, LM_RUBS, LM_SET, LM_FIRST_MISSING, LM_MISSING_AGAIN, LM_GAPS, LM_LENGTH), LM_SWEEPS, LM_RECORD (the numbers of one), LM_FEW (contacts that are solved by straight
   code), LM_SEEN (instances whose motions a block reads at once), and tables:
   lm_motion_of, lm_path_of (of the motions of contacts), lm_rows_of (their rows) and lm_shared_path (entries that two contacts share).

   With W = Z Z^T, u = missing - W L is what the rows lack: a contact is solved from its three numbers of u, and what it changes is
   taken from all of them. A record of an instance holds W, block by block of the lower triangle: eight numbers of each, then the ninth of
   each. */

#define LM_BINS (LM_FEW + 2)
#define LM_IDLE (LM_LANES / 2) /* threads of a warp without an instance before they take up others */

/* In single precision a sweep that changes impulses by f, the one before by f', is run ahead by the secant of both: f - g (f - f') as small
   as it gets (Anderson 1965, doi:10.1145/321296.321305, with one step of memory), unless it changed more than the one before: a third of
   the sweeps. Sweeps end at the same equations; but where several contacts of a body slide these leave open how they share the load, and
   another share may be found than without. In double precision results are those of the processor: nothing is run ahead. */
#define LM_AHEAD (!LM_CROWD_DOUBLE)
#define LM_FAR LM_K(50.0) /* times the last change that it is run ahead, at most */
#define LM_LESS LM_K(LM_AHEAD ? 0.7 : 0.9) /* of what sweeps change must be left after LM_CROWD_FEW more, or they end */

struct __align__(16) lm_four { stored is[4]; };

/* How many act, and the list of those of which as many do. */
LM_INLINE void lm_stage_rank(const lm_stage &a, int64_t instance) {
    int count = 0;
    for (int c = 0; c < LM_CONTACTS; ++c)
        if (a.alike[(LM_SET + c) * a.pad + instance] > LM_K(0.5)) a.chosen[instance * LM_CONTACTS + count++] = c;
    for (int i = 0; i < LM_CROWD_ROWS; ++i) a.given[i * a.pad + instance] = LM_K(0.0);
    const int bin = count <= LM_FEW ? count : LM_FEW + 1;
    a.lists[bin * a.pad + lm_one_more(a.counts, bin)] = (int32_t)instance;
    a.counts[3 * LM_BINS + instance] = count;
}

/* -- rows and W: a warp an instance ------------------------------------------------------------------------------------------ */

#define LM_SEEN_ROW (LM_SEEN + 1)
#define LM_Z_ROW (3 * LM_LONGEST | 1)

/* A block has the motions of LM_SEEN instances near by, a warp the rows of up to LM_FEW contacts; of more they stand behind the record. */
LM_INLINE void lm_stage_rows(const lm_stage &a, stored *near, int thread, int threads, int64_t first) {
    const int lane = thread % LM_WARP, warp = thread / LM_WARP;
    stored *motions = near, *rows = near + (LM_MOTIONS * LM_SEEN_ROW + 3) / 4 * 4 + warp * (LM_FEW * LM_Z_ROW);
    const lm_four *tile = (const lm_four *)(a.motions + first * LM_MOTIONS); /* LM_SEEN instances stand together */
#pragma unroll 7
    for (int i = thread; i < LM_MOTIONS * LM_SEEN / 4; i += threads) {
        const lm_four four = tile[i];
#pragma unroll
        for (int k = 0; k < 4; ++k) motions[4 * i / LM_SEEN * LM_SEEN_ROW + 4 * i % LM_SEEN + k] = four.is[k];
    }
    lm_block_meets();
    for (int seen = warp; seen < LM_SEEN; seen += threads / LM_WARP) {
        const int64_t instance = first + seen;
        if (instance >= a.batch) break;
        const int count = a.counts[3 * LM_BINS + instance], pairs = count * (count + 1) / 2;
        const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
        stored *record = a.records + instance * LM_RECORD, *z = count <= LM_FEW ? rows : record + (9 * pairs + 3) / 4 * 4;
        for (int i = lane; i < count * LM_LONGEST; i += LM_WARP) {
            const int c = i / LM_LONGEST, e = i % LM_LONGEST, contact = chosen[c];
            if (e >= lm_path_of[contact]) continue;
            stored s[6], p[3], v[3];
            for (int k = 0; k < 6; ++k) s[k] = motions[(lm_motion_of[contact] + 6 * e + k) * LM_SEEN_ROW + seen];
            for (int k = 0; k < 3; ++k) p[k] = a.alike[(LM_POINTS + 3 * contact + k) * a.pad + instance];
            v[0] = s[0] + s[4] * p[2] - s[5] * p[1], v[1] = s[1] + s[5] * p[0] - s[3] * p[2], v[2] = s[2] + s[3] * p[1] - s[4] * p[0];
            for (int r = 0; r < 3; ++r) {
                stored sum = LM_K(0.0);
                if (r < lm_rows_of[contact + 1] - lm_rows_of[contact])
                    for (int k = 0; k < 3; ++k)
                        sum = sum + a.alike[(LM_DIRECTIONS + 3 * (lm_rows_of[contact] + r) + k) * a.pad + instance] * v[k];
                z[c * LM_Z_ROW + 3 * e + r] = sum;
            }
        }
        lm_warp_meets();
        for (int i = lane; i < pairs; i += LM_WARP) {
            int c = (int)((sqrtf(8.0f * i + 1.0f) - 1.0f) * 0.5f);
            c += (c + 1) * (c + 2) / 2 <= i, c -= c * (c + 1) / 2 > i;
            const int d = i - c * (c + 1) / 2, common = lm_shared_path[chosen[c] * LM_CONTACTS + chosen[d]];
            const stored *left = z + c * LM_Z_ROW, *right = z + d * LM_Z_ROW;
            stored w[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 2
            for (int e = 0; e < common; ++e)
                for (int r = 0; r < 3; ++r)
                    for (int k = 0; k < 3; ++k) w[3 * r + k] = w[3 * r + k] + left[3 * e + r] * right[3 * e + k];
            *(lm_four *)(record + 8 * i) = lm_four{w[0], w[1], w[2], w[3]};
            *(lm_four *)(record + 8 * i + 4) = lm_four{w[4], w[5], w[6], w[7]};
            record[8 * pairs + i] = w[8];
        }
        lm_warp_meets();
    }
}

/* -- impulses: a thread an instance ------------------------------------------------------------------------------------------- */

/* What a thread has near by for N contacts: W, then the inverse of each contact's part (00 01 02 11 12 22), 1 / W_00 and 1 / bound of the
   tangents' part; friction; and of the sweep before what it changed, the impulses and u after it. For any number (N = 0) W is read
   where it stands. */
#define LM_QUADS(n) ((n) * ((n) + 1) + 2 * (n))
#define LM_SINGLES(n) ((n) * ((n) + 1) / 2 + (n) + 9 * (n))
#define LM_SEAT(n) (4 * LM_QUADS(n) + LM_SINGLES(n))
#define LM_ROLL(N) _Pragma("unroll")

template <int N> struct lm_seat {
    static constexpr int most = N ? N : LM_CONTACTS;
    stored *near, *record;
    int n, lane;
    stored extra[N ? 1 : 18 * LM_CONTACTS + 1];
    __device__ __forceinline__ stored *quad(int i) { return near + (i * LM_LANES + lane) * 4; }
    __device__ __forceinline__ stored *single(int i) { return near + 4 * LM_QUADS(N) * LM_LANES + i * LM_LANES + lane; }
    __device__ __forceinline__ void block(int pair, stored *w) const {
        if constexpr (N != 0) {
            const lm_four a = *(const lm_four *)(near + (2 * pair * LM_LANES + lane) * 4), b = *(const lm_four *)(near + ((2 * pair + 1) * LM_LANES + lane) * 4);
            for (int k = 0; k < 4; ++k) w[k] = a.is[k], w[4 + k] = b.is[k];
            w[8] = near[4 * LM_QUADS(N) * LM_LANES + pair * LM_LANES + lane];
        } else {
            const lm_four a = *(const lm_four *)(record + 8 * pair), b = *(const lm_four *)(record + 8 * pair + 4);
            for (int k = 0; k < 4; ++k) w[k] = a.is[k], w[4 + k] = b.is[k];
            w[8] = record[4 * n * (n + 1) + pair];
        }
    }
    __device__ __forceinline__ void kept(int c, stored *k) const {
        if constexpr (N != 0) {
            const lm_four a = *(const lm_four *)(near + ((N * (N + 1) + 2 * c) * LM_LANES + lane) * 4);
            const lm_four b = *(const lm_four *)(near + ((N * (N + 1) + 2 * c + 1) * LM_LANES + lane) * 4);
            for (int i = 0; i < 4; ++i) k[i] = a.is[i], k[4 + i] = b.is[i];
            k[8] = near[4 * LM_QUADS(N) * LM_LANES + (N * (N + 1) / 2 + c) * LM_LANES + lane];
        } else
            for (int i = 0; i < 9; ++i) k[i] = extra[9 * c + i];
    }
    __device__ __forceinline__ void keep(int c, const stored *k) {
        if constexpr (N != 0) {
            for (int i = 0; i < 4; ++i) quad(N * (N + 1) + 2 * c)[i] = k[i], quad(N * (N + 1) + 2 * c + 1)[i] = k[4 + i];
            *single(N * (N + 1) / 2 + c) = k[8];
        } else
            for (int i = 0; i < 9; ++i) extra[9 * c + i] = k[i];
    }
    __device__ __forceinline__ stored &past(int i) {
        if constexpr (N != 0)
            return *single(N * (N + 1) / 2 + N + i);
        else
            return extra[9 * LM_CONTACTS + i];
    }
    __device__ __forceinline__ void take() { /* W from its record */
        if constexpr (N != 0) {
            constexpr int pairs = N * (N + 1) / 2;
#pragma unroll 12
            for (int i = 0; i < 2 * pairs; ++i) *(lm_four *)quad(i) = *(const lm_four *)(record + 4 * i);
#pragma unroll 12
            for (int i = 0; i < pairs; ++i) *single(i) = record[8 * pairs + i];
        }
    }
};

/* The inverse of a contact's part of W, and what else is kept of it: `crowd_rows.h` has the same. */
LM_INLINE void lm_stage_invert(const stored *block, stored mu, stored *kept) {
    stored m[9];
    int used[3];
#pragma unroll
    for (int i = 0; i < 9; ++i) m[i] = block[i];
#pragma unroll
    for (int k = 2; k >= 0; --k) {
        used[k] = m[4 * k] > LM_CROWD_PIVOT * block[4 * k] && block[4 * k] > LM_CROWD_TINY;
        const stored inverse = used[k] ? LM_K(1.0) / m[4 * k] : LM_K(0.0);
        if (!used[k]) continue;
#pragma unroll
        for (int j = 0; j < 3; ++j)
            if (j != k) m[3 * k + j] = m[3 * k + j] * inverse;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            if (i == k) continue;
            const stored factor = m[3 * i + k];
#pragma unroll
            for (int j = 0; j < 3; ++j)
                if (j != k) m[3 * i + j] = m[3 * i + j] - factor * m[3 * k + j];
            m[3 * i + k] = -factor * inverse;
        }
        m[4 * k] = inverse;
    }
    int e = 0;
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
        for (int j = i; j < 3; ++j, ++e) kept[e] = used[i] && used[j] ? m[3 * i + j] : LM_K(0.0);
    const stored one = lm_crowd_abs(block[4]) + lm_crowd_abs(block[5]), two = lm_crowd_abs(block[7]) + lm_crowd_abs(block[8]);
    const stored most = one > two ? one : two;
    kept[6] = block[0] > LM_CROWD_TINY ? LM_K(1.0) / block[0] : LM_K(0.0);
    kept[7] = most > LM_CROWD_TINY ? LM_K(1.0) / most : LM_K(0.0);
    kept[8] = mu;
}

/* u changes as impulses of contact c do. */
template <int N> LM_INLINE void lm_stage_move(const lm_seat<N> &seat, int c, const stored *own, const stored *step, stored *u) {
#pragma unroll
    for (int d = 0; d < (N ? N : seat.n); ++d) {
        stored w[9];
        if (d == c)
            for (int i = 0; i < 9; ++i) w[i] = own[i];
        else
            seat.block(d > c ? d * (d + 1) / 2 + c : c * (c + 1) / 2 + d, w);
#pragma unroll
        for (int r = 0; r < 3; ++r)
#pragma unroll
            for (int k = 0; k < 3; ++k) u[3 * d + r] = u[3 * d + r] - (d >= c ? w[3 * r + k] : w[3 * k + r]) * step[k];
    }
}

/* The impulse of a contact that lacks u: it sticks if that is in its cone, else it slips, a step that is projected onto the cone. A
   function of its own: written out for each contact the sweep would outgrow the cache of instructions. */
struct lm_visit { stored is[3]; int slid; };
static __device__ __noinline__ lm_visit lm_stage_visit(stored w3, stored w6, lm_four m, lm_four n, stored mu, stored l0, stored l1, stored l2,
                                                       stored u0, stored u1, stored u2) {
    lm_visit found = {{l0 + m.is[0] * u0 + m.is[1] * u1 + m.is[2] * u2, l1 + m.is[1] * u0 + m.is[3] * u1 + n.is[0] * u2,
                       l2 + m.is[2] * u0 + n.is[0] * u1 + n.is[1] * u2}, 0};
    stored *next = found.is;
    const int holds = mu < LM_K(0.0) || next[1] * next[1] + next[2] * next[2] < mu * mu * next[0] * next[0];
    if (next[0] > LM_K(0.0) && holds) return found;
    next[0] = l0 + u0 * n.is[2];
    if (next[0] < LM_K(0.0)) next[0] = LM_K(0.0);
    const stored pressed = next[0] - l0;
    next[1] = l1 + (u1 - w3 * pressed) * n.is[3];
    next[2] = l2 + (u2 - w6 * pressed) * n.is[3];
    const stored size = next[1] * next[1] + next[2] * next[2], most = mu * next[0];
    const stored share = size > most * most ? most * rsqrt(size) : LM_K(1.0);
    next[1] = next[1] * share, next[2] = next[2] * share;
    found.slid = next[0] > LM_K(0.0) && mu >= LM_K(0.0);
#pragma unroll
    for (int i = 0; i < 3; ++i) next[i] = mu < LM_K(0.0) ? LM_K(0.0) : next[i];
    return found;
}

/* One sweep over the contacts, as `lm_crowd_sweep` has it: whether any slips, what it changed, and of the secant of it and the sweep
   before how far it points along the change, and its square. */
template <int N> LM_INLINE int lm_stage_sweep(lm_seat<N> &seat, stored *u, stored *L, stored *changed, stored *along, stored *squares) {
    stored change = LM_K(0.0), pointing = LM_K(0.0), square = LM_K(0.0);
    int slid = 0;
#pragma unroll
    for (int c = 0; c < (N ? N : seat.n); ++c) {
        stored w[9], m[9], step[3];
        seat.block(c * (c + 1) / 2 + c, w);
        seat.kept(c, m);
        const lm_four one = {m[0], m[1], m[2], m[3]}, two = {m[4], m[5], m[6], m[7]};
        stored *l = L + 3 * c;
        const lm_visit next = lm_stage_visit(w[3], w[6], one, two, m[8], l[0], l[1], l[2], u[3 * c], u[3 * c + 1], u[3 * c + 2]);
        slid |= next.slid;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            step[i] = next.is[i] - l[i];
            const stored turn = step[i] - seat.past(3 * c + i), weighed = w[4 * i] * turn;
            seat.past(3 * c + i) = step[i];
            pointing = pointing + weighed * step[i], square = square + weighed * turn;
            change = change + lm_crowd_abs(step[i]) * w[4 * i];
            l[i] = next.is[i];
        }
        lm_stage_move<N>(seat, c, w, step, u);
    }
    *changed = change, *along = pointing, *squares = square;
    return slid;
}

/* Impulses and u are run ahead of the sweep, or not, and kept for the next. */
template <int N> LM_INLINE void lm_stage_ahead(lm_seat<N> &seat, stored ahead, stored *u, stored *L) {
#pragma unroll
    for (int i = 0; i < 3 * (N ? N : seat.n); ++i) {
        stored &past = seat.past(3 * (N ? N : LM_CONTACTS) + i), &there = seat.past(6 * (N ? N : LM_CONTACTS) + i);
        const stored here = L[i], left = u[i];
        if (ahead != LM_K(0.0)) L[i] = here - ahead * (here - past), u[i] = left - ahead * (left - there);
        past = here, there = left;
    }
}

/* All that press stick, exactly: `lm_crowd_stick` with W. */
template <int N> static __device__ __noinline__ int lm_stage_stick(const lm_seat<N> &seat, stored scale, stored *u, stored *L) {
    constexpr int most = 3 * lm_seat<N>::most;
    stored left[most], along[most], before[most], q[most], there[most];
    const int n = N ? N : seat.n;
    stored rho = LM_K(0.0), rest = LM_K(0.0);
    for (int i = 0; i < 3 * n; ++i) before[i] = L[i], there[i] = u[i], along[i] = q[i] = LM_K(0.0);
    for (int round = -1; round < LM_CROWD_ROUNDS; ++round) {
        stored squares = LM_K(0.0), beside = LM_K(0.0);
        if (round >= 0) {
            for (int i = 0; i < 3 * n; ++i) q[i] = LM_K(0.0);
            for (int c = 0; c < n; ++c)
                for (int d = 0; d <= c; ++d) {
                    stored w[9];
                    seat.block(c * (c + 1) / 2 + d, w);
                    for (int r = 0; r < 3; ++r)
                        for (int k = 0; k < 3; ++k) {
                            q[3 * c + r] = q[3 * c + r] + w[3 * r + k] * along[3 * d + k];
                            if (d < c) q[3 * d + k] = q[3 * d + k] + w[3 * r + k] * along[3 * c + r];
                        }
                }
            for (int i = 0; i < 3 * n; ++i) squares = squares + along[i] * q[i];
        }
        const stored step = round >= 0 && squares > LM_CROWD_TINY ? rho / squares : LM_K(0.0);
        rest = LM_K(0.0);
        for (int c = 0; c < n; ++c) {
            stored m[9];
            seat.kept(c, m);
            const int presses = before[3 * c] > LM_K(0.0);
            stored *l = left + 3 * c;
            for (int i = 0; i < 3; ++i) {
                u[3 * c + i] = u[3 * c + i] - step * q[3 * c + i], L[3 * c + i] = L[3 * c + i] + step * along[3 * c + i];
                l[i] = !presses ? LM_K(0.0) : round < 0 ? u[3 * c + i] : l[i] - step * q[3 * c + i];
                rest = rest + lm_crowd_abs(l[i]);
            }
            const stored weighed[3] = {m[0] * l[0] + m[1] * l[1] + m[2] * l[2], m[1] * l[0] + m[3] * l[1] + m[4] * l[2],
                                       m[2] * l[0] + m[4] * l[1] + m[5] * l[2]};
            beside = beside + l[0] * weighed[0] + l[1] * weighed[1] + l[2] * weighed[2];
        }
        const stored turn = rho > LM_CROWD_TINY ? beside / rho : LM_K(0.0);
        rho = beside;
        for (int c = 0; c < n; ++c) {
            stored m[9];
            seat.kept(c, m);
            const stored *l = left + 3 * c;
            const stored weighed[3] = {m[0] * l[0] + m[1] * l[1] + m[2] * l[2], m[1] * l[0] + m[3] * l[1] + m[4] * l[2],
                                       m[2] * l[0] + m[4] * l[1] + m[5] * l[2]};
            for (int i = 0; i < 3; ++i) along[3 * c + i] = weighed[i] + turn * along[3 * c + i];
        }
        if (!(rest > LM_K(0.1) * LM_CROWD_STEADY * scale)) break;
    }
    stored normal = LM_K(0.0), excess = LM_K(0.0), closing = LM_K(0.0);
    for (int c = 0; c < n; ++c) {
        stored m[9];
        seat.kept(c, m);
        const stored l = L[3 * c], length = LM_SQRT(L[3 * c + 1] * L[3 * c + 1] + L[3 * c + 2] * L[3 * c + 2]);
        normal = normal + lm_crowd_abs(l);
        if (-l > excess) excess = -l;
        if (m[8] >= LM_K(0.0) && length - m[8] * l > excess) excess = length - m[8] * l;
        if (u[3 * c] > closing) closing = u[3 * c];
    }
    const int found = rest < LM_K(1e-7) * scale && excess < LM_CROWD_SLACK * normal + LM_K(2e-15) && closing < LM_K(1e-12) + LM_CROWD_STEADY * scale;
    for (int i = 0; i < 3 * n && !found; ++i) L[i] = before[i], u[i] = there[i];
    return found;
}

/* Gaps are closed apart from velocities, by normals alone: `lm_crowd_close` with W. */
template <int N> LM_INLINE void lm_stage_close(const lm_stage &a, lm_seat<N> &seat, int64_t instance, const stored *u, const stored *L) {
    constexpr int most = lm_seat<N>::most;
    const int n = N ? N : seat.n;
    const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
    const stored h = a.own[LM_LENGTH * a.pad + instance];
    stored lacks[most], l[most], late[most], scale = LM_CROWD_TINY;
    int any = 0;
#pragma unroll
    for (int c = 0; c < n; ++c) {
        const stored set = a.alike[(LM_SET + chosen[c]) * a.pad + instance], approach = set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0);
        const stored open = a.own[(LM_GAPS + chosen[c]) * a.pad + instance] - LM_K(0.5) * h * (u[3 * c] + approach);
        scale = scale + lm_crowd_abs(open), lacks[c] = -open, l[c] = LM_K(0.0);
        late[c] = set < LM_K(1.0) ? LM_K(2.0) * h * (LM_K(1.0) - set) : LM_K(0.0), any |= set < LM_K(1.0);
    }
    if (any) { /* an impulse of one that comes to touch acts from there on */
#pragma unroll
        for (int c = 0; c < n; ++c)
#pragma unroll
            for (int d = 0; d < n; ++d) {
                stored w[9];
                seat.block(d > c ? d * (d + 1) / 2 + c : c * (c + 1) / 2 + d, w);
#pragma unroll
                for (int i = 0; i < 3; ++i) lacks[c] = lacks[c] + late[d] * (d > c ? w[3 * i] : w[i]) * L[3 * d + i];
            }
    }
    LM_ROLLED for (int sweep = 0; sweep < LM_SWEEPS; ++sweep) {
        stored change = LM_K(0.0);
#pragma unroll
        for (int c = 0; c < n; ++c) {
            stored m[9], w[9];
            seat.kept(c, m);
            stored next = l[c] + lacks[c] * m[6];
            if (next < LM_K(0.0)) next = LM_K(0.0);
            const stored step = next - l[c];
            l[c] = next;
#pragma unroll
            for (int d = 0; d < n; ++d) {
                seat.block(d > c ? d * (d + 1) / 2 + c : c * (c + 1) / 2 + d, w);
                if (d == c) change = change + lm_crowd_abs(step) * w[0];
                lacks[d] = lacks[d] - w[0] * step;
            }
        }
        if (!(change > LM_CROWD_CLOSED * scale)) break;
    }
#pragma unroll
    for (int c = 0; c < n; ++c) a.given[(LM_CROWD_ROWS + chosen[c]) * a.pad + instance] = l[c];
}

/* What was found for an instance. */
template <int N> LM_INLINE void lm_stage_tell(const lm_stage &a, lm_seat<N> &seat, int64_t instance, const stored *u, const stored *L) {
    const int n = N ? N : seat.n;
    const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
#pragma unroll
    for (int c = 0; c < n; ++c) {
        const int row = lm_rows_of[chosen[c]], rows = lm_rows_of[chosen[c] + 1] - row;
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (i < rows) a.given[(row + i) * a.pad + instance] = L[3 * c + i];
    }
    if (a.known) lm_stage_close<N>(a, seat, instance, u, L);
}

/* All instances of which N contacts act, or more than LM_FEW: a thread that is done takes up the next, with others that are. */
template <int N> LM_INLINE void lm_stage_solve(const lm_stage &a, int known, stored *near, int lane) {
    constexpr int most = lm_seat<N>::most;
    const int bin = N ? N : LM_FEW + 1;
    const int total = a.counts[bin];
    int32_t *next = a.counts + (known ? 2 : 1) * LM_BINS + bin;
    const stored steady = known ? LM_CROWD_STEADY : LM_CROWD_NEAR;
    const stored *missing = known ? a.own + LM_MISSING_AGAIN * a.pad : a.alike + LM_FIRST_MISSING * a.pad;
    lm_seat<N> seat;
    seat.near = near, seat.lane = lane;
    stored u[3 * most], L[3 * most], scale = LM_K(0.0), before = LM_K(0.0), last = LM_K(0.0), least = LM_K(0.0);
    int64_t instance = -1;
    int taken = 0, left = 0, begun = 0, more = 1, done = 1;
    for (;;) {
        const unsigned idle = lm_ballot(done);
        const int free = lm_bits_set(idle);
        if (free == LM_LANES || (more && free >= LM_IDLE)) { /* those that are done tell what they found together */
            if (done && instance >= 0) {
                lm_stage_tell<N>(a, seat, instance, u, L);
                instance = -1;
            }
            if (!more) break;
            int first = 0;
            if (lane == lm_lowest(idle)) first = lm_add(next, free);
            first = lm_shared_from(first, lm_lowest(idle));
            const int place = first + lm_bits_set(idle & ((1u << lane) - 1u));
            more = first + free < total;
            if (done && place < total) {
                done = 0, instance = a.lists[bin * a.pad + place];
                seat.n = N ? N : a.counts[3 * LM_BINS + instance];
                seat.record = a.records + instance * LM_RECORD;
                seat.take();
                const int n = N ? N : seat.n;
                const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
                scale = LM_CROWD_TINY;
#pragma unroll
                for (int c = 0; c < n; ++c) {
                    const int row = lm_rows_of[chosen[c]], rows = lm_rows_of[chosen[c] + 1] - row;
#pragma unroll
                    for (int i = 0; i < 3; ++i) {
                        u[3 * c + i] = i < rows ? missing[(row + i) * a.pad + instance] : LM_K(0.0);
                        L[3 * c + i] = i < rows && known ? a.before[(row + i) * a.pad + instance] : LM_K(0.0);
                        scale = scale + lm_crowd_abs(u[3 * c + i]);
                    }
                    stored w[9], kept[9];
                    seat.block(c * (c + 1) / 2 + c, w);
                    lm_stage_invert(w, a.alike[(LM_RUBS + chosen[c]) * a.pad + instance], kept);
                    seat.keep(c, kept);
                }
                if (known) {
#pragma unroll
                    for (int c = 0; c < n; ++c) {
                        stored w[9];
                        seat.block(c * (c + 1) / 2 + c, w);
                        lm_stage_move<N>(seat, c, w, L + 3 * c, u);
                    }
                }
                taken = 0, left = LM_CROWD_FEW < LM_SWEEPS ? LM_CROWD_FEW : LM_SWEEPS, begun = 0;
                before = last = least = LM_K(1.0) / LM_CROWD_TINY;
            }
        }
        lm_lanes_meet();
        if (done) continue;
        stored changed, along, squares;
        const int slips = lm_stage_sweep<N>(seat, u, L, &changed, &along, &squares);
        const int settled = !(changed > steady * scale);
        least = LM_AHEAD && least < changed ? least : changed;
        if (!settled && --left) {
            stored ahead = LM_AHEAD && begun && squares > LM_CROWD_TINY * LM_CROWD_TINY && changed < last ? along / squares : LM_K(0.0);
            if (!(lm_crowd_abs(ahead) < LM_FAR)) ahead = LM_K(0.0);
            if (LM_AHEAD) lm_stage_ahead<N>(seat, ahead, u, L);
            last = changed, begun = 1;
            continue;
        }
        const int some = LM_SWEEPS - taken < LM_CROWD_FEW ? LM_SWEEPS - taken : LM_CROWD_FEW;
        taken += some;
        const int ends = settled || taken >= LM_SWEEPS || !(least < LM_LESS * before);
        int stuck = 0;
        if (LM_CROWD_DOUBLE && !slips && (ends || taken == some)) {
            stored v[3 * most], l[3 * most];
            const int n = N ? N : seat.n;
#pragma unroll
            for (int i = 0; i < 3 * n; ++i) v[i] = u[i], l[i] = L[i];
            stuck = lm_stage_stick<N>(seat, scale, v, l);
#pragma unroll
            for (int i = 0; i < 3 * n; ++i) u[i] = v[i], L[i] = l[i];
        }
        before = least, last = least = LM_K(1.0) / LM_CROWD_TINY, begun = 0, left = LM_SWEEPS - taken < LM_CROWD_FEW ? LM_SWEEPS - taken : LM_CROWD_FEW;
        done = ends || stuck;
    }
}
