/* Impulses of the contacts that act (`crowd_stages.h`): LM_SHARE threads an instance. Of its contacts thread t has those that leave t when
   divided by LM_SHARE: their u, their impulses and the inverses of their parts of W are its own, and W stands near by, shared. In turn
   each contact is solved by the thread that has it, and all take what it changes from the u that they have. N is the number of contacts, so
   that places of W are known as the text is compiled; 0: any number, W where its record is.

   One thread an instance has no room for W but near by, for so few instances that nothing hides how long each number takes; with a thread
   for each contact, most would wait for the one that solves. */

#define LM_TEAMS (LM_LANES / LM_SHARE)
#define LM_IDLE (LM_LANES / 2) /* threads of a warp without an instance before they take up others */

/* In single precision a sweep that changes impulses by f, the one before by f', is run ahead by the secant of both: f - g (f - f') as small
   as it gets (Anderson 1965, doi:10.1145/321296.321305, with one step of memory), unless it changed more than the one before: a third of
   the sweeps. Sweeps end at the same equations; but where several contacts of a body slide these leave open how they share the load, and
   another share may be found than without. The same is true of the impulses that a step begins with, those of
   the step before: it takes half the sweeps. In double precision results are those of the processor: nothing is run ahead, and each step begins
   without impulses. */
#define LM_FAR LM_K(50.0) /* times the last change that it is run ahead, at most */
#define LM_LESS LM_K(LM_AHEAD ? 0.5 : 0.9) /* of what sweeps change must be left after LM_CROWD_FEW more, or they end */


template <int N> struct lm_seat {
    static constexpr int most = N ? N : LM_CONTACTS, mine = (most + LM_SHARE - 1) / LM_SHARE; /* contacts of an instance, and of a thread */
    static constexpr int stride = N ? LM_TEAMS : 1; /* near by, W of the instances of a warp stands side by side */
    stored *w;
    int count, own, team; /* contacts that act; which thread of those that share an instance, and the first of them */
    int row[mine];        /* blocks before those of the row of each of its contacts */
    stored u[3 * mine], L[3 * mine], m[9 * mine], cross[2 * mine];
    stored step[3 * mine], past[3 * mine], there[3 * mine]; /* of the sweep before: what it changed, the impulses and u after it */
    __device__ __forceinline__ int n() const { return N ? N : count; }
    __device__ __forceinline__ int contact(int j) const { return own + LM_SHARE * j; }
    __device__ __forceinline__ stored entry(int pair, int e) const { return w[(e * (n() * (n() + 1) / 2) + pair) * stride]; }
    __device__ __forceinline__ stored size(int j, int i) const { return entry(row[j] + contact(j), 4 * i); }
};

/* Sums over the threads that share an instance. */
LM_INLINE stored lm_seat_sum(stored x) {
#pragma unroll
    for (int by = 1; by < LM_SHARE; by *= 2) x = x + lm_from_across(x, by);
    return x;
}

/* The inverse of a contact's part of W, and what else is kept of it: `crowd_rows.h` has the same. */
LM_INLINE void lm_seat_invert(const stored *block, stored mu, stored *kept) {
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

/* The part of W of contact j of a thread and contact c, times what c has: added to what is there. */
template <int N> LM_INLINE void lm_seat_add(const lm_seat<N> &s, int j, int c, int rows, const stored *of, stored sign, stored *to) {
    const int d = s.contact(j), below = LM_SHARE * j > c || (LM_SHARE * j + LM_SHARE > c && d >= c);
    if (d >= s.n()) return;
    const int pair = below ? s.row[j] + c : c * (c + 1) / 2 + d, down = below ? 3 : 1, right = below ? 1 : 3;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int k = 0; k < 3; ++k) to[r] = to[r] + sign * s.entry(pair, down * r + right * k) * of[k];
}

/* u changes as impulses of contact c do. */
template <int N> LM_INLINE void lm_seat_move(lm_seat<N> &s, int c, const stored *step) {
#pragma unroll
    for (int j = 0; j < s.mine; ++j) lm_seat_add<N>(s, j, c, 3, step, LM_K(-1.0), s.u + 3 * j);
}

/* The impulse of a contact that lacks u: it sticks if that is in its cone, else it slips, a step that is projected onto the cone. */
LM_INLINE int lm_seat_visit(const stored *m, const stored *cross, const stored *l, const stored *u, stored *next) {
    const stored mu = m[8];
    next[0] = l[0] + m[0] * u[0] + m[1] * u[1] + m[2] * u[2];
    next[1] = l[1] + m[1] * u[0] + m[3] * u[1] + m[4] * u[2];
    next[2] = l[2] + m[2] * u[0] + m[4] * u[1] + m[5] * u[2];
    const int holds = mu < LM_K(0.0) || next[1] * next[1] + next[2] * next[2] < mu * mu * next[0] * next[0];
    if (next[0] > LM_K(0.0) && holds) return 0;
    next[0] = l[0] + u[0] * m[6];
    if (next[0] < LM_K(0.0)) next[0] = LM_K(0.0);
    const stored pressed = next[0] - l[0];
    next[1] = l[1] + (u[1] - cross[0] * pressed) * m[7];
    next[2] = l[2] + (u[2] - cross[1] * pressed) * m[7];
    const stored size = next[1] * next[1] + next[2] * next[2], most = mu * next[0];
    const stored share = size > most * most ? most * rsqrt(size) : LM_K(1.0);
    next[1] = next[1] * share, next[2] = next[2] * share;
    const int slid = next[0] > LM_K(0.0) && mu >= LM_K(0.0);
#pragma unroll
    for (int i = 0; i < 3; ++i) next[i] = mu < LM_K(0.0) ? LM_K(0.0) : next[i];
    return slid;
}

/* One sweep over the contacts, as `lm_crowd_sweep` has it: whether any slips, what it changed, and of the secant of it and the sweep
   before how far it points along the change, and its square. Instances that are done come along: threads of a warp do all at once. */
template <int N> LM_INLINE stored lm_seat_sweep(lm_seat<N> &s, int done, int most, stored *changed, stored *along, stored *squares) {
    stored change = LM_K(0.0), pointing = LM_K(0.0), square = LM_K(0.0), slid = LM_K(0.0);
#pragma unroll
    for (int c = 0; c < s.most; ++c) {
        if (!N && c >= most) break;
        const int j = c / LM_SHARE, turn = c % LM_SHARE, solves = turn == s.own && c < s.n() && !done;
        stored next[3], step[3];
        const int slips = lm_seat_visit(s.m + 9 * j, s.cross + 2 * j, s.L + 3 * j, s.u + 3 * j, next);
        if (solves && slips) slid = LM_K(1.0);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            step[i] = solves ? next[i] - s.L[3 * j + i] : LM_K(0.0);
            if (solves) {
                const stored size = s.size(j, i), turned = step[i] - s.step[3 * j + i], weighed = size * turned;
                s.step[3 * j + i] = step[i], s.L[3 * j + i] = next[i];
                pointing = pointing + weighed * step[i], square = square + weighed * turned;
                change = change + lm_crowd_abs(step[i]) * size;
            }
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) step[i] = lm_shared_from(step[i], s.team + turn);
        if (N || c < s.n()) lm_seat_move<N>(s, c, step);
    }
    *changed = lm_seat_sum(change), *along = lm_seat_sum(pointing), *squares = lm_seat_sum(square);
    return lm_seat_sum(slid);
}

/* Impulses and u are run ahead of the sweep, or not, and kept for the next. */
template <int N> LM_INLINE void lm_seat_ahead(lm_seat<N> &s, stored ahead) {
#pragma unroll
    for (int i = 0; i < 3 * s.mine; ++i) {
        const stored here = s.L[i], left = s.u[i];
        if (ahead != LM_K(0.0)) s.L[i] = here - ahead * (here - s.past[i]), s.u[i] = left - ahead * (left - s.there[i]);
        s.past[i] = here, s.there[i] = left;
    }
}

/* Of all contacts, one after the other, what each has, times W: added to what is there. */
template <int N> LM_INLINE void lm_seat_all(const lm_seat<N> &s, int most, int rows, const stored *has, stored sign, stored *to) {
#pragma unroll
    for (int c = 0; c < s.most; ++c) {
        if (!N && c >= most) break;
        stored of[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) of[i] = lm_shared_from(has[3 * (c / LM_SHARE) + i], s.team + c % LM_SHARE);
#pragma unroll
        for (int j = 0; j < s.mine; ++j)
            if (c < s.n()) lm_seat_add<N>(s, j, c, rows, of, sign, to + rows * j);
    }
}

/* All that press stick, exactly: `lm_crowd_stick` with W, for those instances that ask. */
template <int N> static __device__ __noinline__ int lm_seat_stick(lm_seat<N> &s, int asked, int most, stored scale) {
    constexpr int mine = lm_seat<N>::mine;
    stored left[3 * mine], along[3 * mine], before[3 * mine], q[3 * mine], there[3 * mine];
    stored rho = LM_K(0.0), rest = LM_K(0.0);
    for (int i = 0; i < 3 * mine; ++i) before[i] = s.L[i], there[i] = s.u[i], along[i] = q[i] = LM_K(0.0);
    int going = asked;
    for (int round = -1; round < LM_CROWD_ROUNDS && lm_ballot(going); ++round) {
        stored squares = LM_K(0.0), beside = LM_K(0.0), size = LM_K(0.0);
        for (int i = 0; i < 3 * mine; ++i) q[i] = LM_K(0.0);
        lm_seat_all<N>(s, most, 3, along, LM_K(1.0), q);
        for (int i = 0; i < 3 * mine; ++i) squares = squares + along[i] * q[i];
        squares = lm_seat_sum(squares);
        const stored step = going && round >= 0 && squares > LM_CROWD_TINY ? rho / squares : LM_K(0.0);
        for (int j = 0; j < mine; ++j) {
            const stored *m = s.m + 9 * j;
            stored *l = left + 3 * j;
            for (int i = 0; i < 3; ++i) {
                s.u[3 * j + i] = s.u[3 * j + i] - step * q[3 * j + i], s.L[3 * j + i] = s.L[3 * j + i] + step * along[3 * j + i];
                l[i] = !(before[3 * j] > LM_K(0.0)) ? LM_K(0.0) : round < 0 ? s.u[3 * j + i] : l[i] - step * q[3 * j + i];
                size = size + lm_crowd_abs(l[i]);
            }
            q[3 * j] = m[0] * l[0] + m[1] * l[1] + m[2] * l[2]; /* what was there is done with */
            q[3 * j + 1] = m[1] * l[0] + m[3] * l[1] + m[4] * l[2];
            q[3 * j + 2] = m[2] * l[0] + m[4] * l[1] + m[5] * l[2];
            for (int i = 0; i < 3; ++i) beside = beside + l[i] * q[3 * j + i];
        }
        size = lm_seat_sum(size), beside = lm_seat_sum(beside);
        if (going) rest = size;
        const stored turn = rho > LM_CROWD_TINY ? beside / rho : LM_K(0.0);
        rho = beside;
        for (int i = 0; i < 3 * mine; ++i) along[i] = q[i] + turn * along[i];
        if (!(rest > LM_K(0.1) * LM_CROWD_STEADY * scale)) going = 0;
    }
    stored normal = LM_K(0.0), outside = LM_K(0.0);
    for (int j = 0; j < mine; ++j) normal = normal + lm_crowd_abs(s.L[3 * j]);
    const stored slack = LM_CROWD_SLACK * lm_seat_sum(normal) + LM_K(2e-15);
    for (int j = 0; j < mine; ++j) {
        const stored l = s.L[3 * j], mu = s.m[9 * j + 8], length = LM_SQRT(s.L[3 * j + 1] * s.L[3 * j + 1] + s.L[3 * j + 2] * s.L[3 * j + 2]);
        const int inside = -l < slack && (mu < LM_K(0.0) || length - mu * l < slack) && s.u[3 * j] < LM_K(1e-12) + LM_CROWD_STEADY * scale;
        if (!inside) outside = LM_K(1.0);
    }
    const int found = lm_seat_sum(outside) < LM_K(0.5) && asked && rest < LM_K(1e-7) * scale;
    for (int i = 0; i < 3 * mine && !found; ++i) s.L[i] = before[i], s.u[i] = there[i];
    return found;
}

/* Gaps are closed apart from velocities, by normals alone: `lm_crowd_close` with W. */
template <int N> LM_INLINE void lm_seat_close(const lm_stage &a, lm_seat<N> &s, int asked, int most, int64_t instance) {
    constexpr int mine = lm_seat<N>::mine;
    const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
    const stored h = asked ? a.own[LM_LENGTH * a.pad + instance] : LM_K(0.0);
    stored lacks[mine], l[mine], late[3 * mine], scale = LM_K(0.0);
    int any = 0;
#pragma unroll
    for (int j = 0; j < mine; ++j) {
        lacks[j] = l[j] = late[3 * j] = late[3 * j + 1] = late[3 * j + 2] = LM_K(0.0);
        if (!asked || s.contact(j) >= s.n()) continue;
        const int contact = chosen[s.contact(j)];
        const stored set = a.alike[(LM_SET + contact) * a.pad + instance], approach = set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0);
        const stored open = a.own[(LM_GAPS + contact) * a.pad + instance] - LM_K(0.5) * h * (s.u[3 * j] + approach);
        scale = scale + lm_crowd_abs(open), lacks[j] = -open;
        if (set < LM_K(1.0)) {
            any = 1;
#pragma unroll
            for (int i = 0; i < 3; ++i) late[3 * j + i] = LM_K(2.0) * h * (LM_K(1.0) - set) * s.L[3 * j + i];
        }
    }
    scale = lm_seat_sum(scale) + LM_CROWD_TINY;
    if (lm_ballot(any)) lm_seat_all<N>(s, most, 1, late, LM_K(1.0), lacks); /* an impulse of one that comes to touch acts from there on */
    int going = asked;
    LM_ROLLED for (int sweep = 0; sweep < LM_SWEEPS && lm_ballot(going); ++sweep) {
        stored change = LM_K(0.0);
#pragma unroll
        for (int c = 0; c < s.most; ++c) {
            if (!N && c >= most) break;
            const int j = c / LM_SHARE, turn = c % LM_SHARE;
            stored next = l[j] + lacks[j] * s.m[9 * j + 6], step = LM_K(0.0);
            if (next < LM_K(0.0)) next = LM_K(0.0);
            if (turn == s.own && c < s.n() && going) step = next - l[j], l[j] = next, change = change + lm_crowd_abs(step) * s.size(j, 0);
            step = lm_shared_from(step, s.team + turn);
#pragma unroll
            for (int k = 0; k < mine; ++k) {
                const int d = s.contact(k);
                if (d < s.n() && c < s.n()) lacks[k] = lacks[k] - s.entry(d >= c ? s.row[k] + c : c * (c + 1) / 2 + d, 0) * step;
            }
        }
        if (!(lm_seat_sum(change) > LM_CROWD_CLOSED * scale)) going = 0;
    }
#pragma unroll
    for (int j = 0; j < mine; ++j)
        if (asked && s.contact(j) < s.n()) lm_impulse_of(a.records + instance * LM_RECORD, s.n(), s.contact(j))[3] = l[j];
}

/* What was found for instances that are done. */
template <int N> LM_INLINE void lm_seat_tell(const lm_stage &a, lm_seat<N> &s, int done, int most, int64_t instance) {
#pragma unroll
    for (int j = 0; j < s.mine; ++j) {
        const int c = s.contact(j);
        if (!done || c >= s.n()) continue;
        const stored *l = s.L + 3 * j;
        *(lm_four *)lm_impulse_of(a.records + instance * LM_RECORD, s.n(), c) = lm_four{l[0], l[1], l[2], LM_K(0.0)};
        if (!LM_AHEAD || !a.known) continue;
        const int contact = a.chosen[instance * LM_CONTACTS + c], row = lm_rows_of[contact], rows = lm_rows_of[contact + 1] - row;
#pragma unroll
        for (int i = 0; i < 3; ++i) /* where the next step begins */
            if (i < rows) a.given[(row + i) * a.pad + instance] = l[i];
    }
    if (a.known) lm_seat_close<N>(a, s, done, most, instance);
}

/* An instance is taken up: W, what its rows miss, and the impulses that it begins with. */
template <int N> LM_INLINE stored lm_seat_take(const lm_stage &a, lm_seat<N> &s, int takes, int most, int64_t instance) {
    stored *record = a.records + instance * LM_RECORD, scale = LM_K(0.0);
    if (takes) {
        if constexpr (N != 0) {
            const stored *w = lm_w_of(record, N);
#pragma unroll 4
            for (int i = 4 * s.own; i < 9 * N * (N + 1) / 2; i += 4 * LM_SHARE) {
                const lm_four four = *(const lm_four *)(w + i);
#pragma unroll
                for (int k = 0; k < 4; ++k) s.w[(i + k) * s.stride] = four.is[k];
            }
        } else
            s.w = lm_w_of(record, s.count);
    }
    lm_lanes_meet();
#pragma unroll
    for (int j = 0; j < s.mine; ++j) {
        const int c = s.contact(j);
        if (!takes) continue;
        s.row[j] = c * (c + 1) / 2;
        lm_four lacks = {0, 0, 0, 0};
        stored w[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < 3; ++i) s.L[3 * j + i] = s.step[3 * j + i] = s.past[3 * j + i] = s.there[3 * j + i] = LM_K(0.0);
        if (c < s.n()) {
            lacks = *(const lm_four *)lm_lacking_of(record, c);
            if (a.known) {
                const lm_four guess = *(const lm_four *)lm_impulse_of(record, s.n(), c);
#pragma unroll
                for (int i = 0; i < 3; ++i) s.L[3 * j + i] = guess.is[i];
            } else if (LM_AHEAD) {
                const int contact = a.chosen[instance * LM_CONTACTS + c], row = lm_rows_of[contact], rows = lm_rows_of[contact + 1] - row;
#pragma unroll
                for (int i = 0; i < 3; ++i) s.L[3 * j + i] = i < rows ? a.before[(row + i) * a.pad + instance] : LM_K(0.0);
            }
#pragma unroll
            for (int e = 0; e < 9; ++e) w[e] = s.entry(s.row[j] + c, e);
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) s.u[3 * j + i] = lacks.is[i], scale = scale + lm_crowd_abs(lacks.is[i]);
        lm_seat_invert(w, lacks.is[3], s.m + 9 * j);
        s.cross[2 * j] = w[3], s.cross[2 * j + 1] = w[6];
    }
    if (a.known || LM_AHEAD) {
        stored taken[3 * lm_seat<N>::mine]; /* of those that take up an instance */
#pragma unroll
        for (int i = 0; i < 3 * s.mine; ++i) taken[i] = takes ? s.L[i] : LM_K(0.0);
        lm_seat_all<N>(s, most, 3, taken, LM_K(-1.0), s.u);
    }
    return lm_seat_sum(scale) + LM_CROWD_TINY;
}

/* All instances of one list, N contacts of which act, or any number: those that are done take up the next together. */
template <int N> LM_INLINE void lm_stage_solve(const lm_stage &a, stored *near, int lane) {
    const int bin = N ? N : LM_FEW + 1, total = a.counts[bin];
    int32_t *next = a.counts + (a.known ? 2 : 1) * LM_BINS + bin;
    const stored steady = a.known ? LM_CROWD_STEADY : LM_CROWD_NEAR;
    lm_seat<N> s;
    s.own = lane % LM_SHARE, s.team = lane - s.own, s.count = 0, s.w = near + lane / LM_SHARE;
#pragma unroll
    for (int i = 0; i < 3 * s.mine; ++i) s.u[i] = s.L[i] = s.m[3 * i] = s.m[3 * i + 1] = s.m[3 * i + 2] = LM_K(0.0);
#pragma unroll
    for (int i = 0; i < 3 * s.mine; ++i) s.cross[i % (2 * s.mine)] = s.step[i] = s.past[i] = s.there[i] = LM_K(0.0), s.row[i / 3] = 0;
    stored scale = LM_K(0.0), before = LM_K(0.0), last = LM_K(0.0), least = LM_K(0.0);
    int64_t instance = -1;
    int taken = 0, left = 0, begun = 0, more = 1, done = 1, most = N;
    for (;;) {
        const unsigned idle = lm_ballot(done);
        const int free = lm_bits_set(idle);
        if (free == LM_LANES || (more && free >= LM_IDLE)) { /* those that are done tell what they found together */
            lm_seat_tell<N>(a, s, done && instance >= 0, most, instance);
            if (done) instance = -1;
            if (!more) break;
            int first = 0;
            if (lane == lm_lowest(idle)) first = lm_add(next, free / LM_SHARE);
            first = lm_shared_from(first, lm_lowest(idle));
            const int place = first + lm_bits_set(idle & ((1u << s.team) - 1u)) / LM_SHARE, takes = done && place < total;
            more = first + free / LM_SHARE < total;
            if (takes) done = 0, instance = a.lists[bin * a.pad + place], s.count = N ? N : a.counts[3 * LM_BINS + instance];
            if (!N) most = lm_lanes_most(s.count);
            const stored size = lm_seat_take<N>(a, s, takes, most, instance);
            if (takes) {
                scale = size, taken = 0, left = LM_CROWD_FEW < LM_SWEEPS ? LM_CROWD_FEW : LM_SWEEPS, begun = 0;
                before = last = least = LM_K(1.0) / LM_CROWD_TINY;
            }
        }
        stored changed, along, squares;
        const int slips = lm_seat_sweep<N>(s, done, most, &changed, &along, &squares) > LM_K(0.5), settled = !(changed > steady * scale);
        if (!done) least = LM_AHEAD && least < changed ? least : changed;
        const int further = !done && !settled && --left;
        if (further) {
            stored ahead = LM_AHEAD && begun && squares > LM_CROWD_TINY * LM_CROWD_TINY && changed < last ? along / squares : LM_K(0.0);
            if (!(lm_crowd_abs(ahead) < LM_FAR)) ahead = LM_K(0.0);
            if (LM_AHEAD) lm_seat_ahead<N>(s, ahead);
            last = changed, begun = 1;
        }
        const int asks = !done && !further;
        if (!lm_ballot(asks)) continue;
        const int some = LM_SWEEPS - taken < LM_CROWD_FEW ? LM_SWEEPS - taken : LM_CROWD_FEW;
        const int ends = settled || taken + some >= LM_SWEEPS || !(least < LM_LESS * before);
        int stuck = 0;
        if (LM_CROWD_DOUBLE) stuck = lm_seat_stick<N>(s, asks && !slips && (ends || taken == 0), most, scale);
        if (asks) {
            taken += some;
            before = least, last = least = LM_K(1.0) / LM_CROWD_TINY, begun = 0;
            left = LM_SWEEPS - taken < LM_CROWD_FEW ? LM_SWEEPS - taken : LM_CROWD_FEW;
            done = ends || stuck;
        }
    }
}
