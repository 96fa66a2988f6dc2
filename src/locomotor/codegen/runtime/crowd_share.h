/* Impulses of the contacts that act (`crowd_stages.h`): T threads an instance, which a warp has several of. Of its contacts thread t has
   those that leave t when divided by T: their impulses and the inverses of their parts of W = Z Z^T are its own. Rows stand near by, and so do
   the velocities v where the mass is one, what impulses change of them: what a row lacks is asked of all threads together, each of which has some entries of it; the thread
   that has the contact solves it, and all change the v of their entries. W itself is never made.

   LM_SHARE threads solve up to LM_EACH contacts each, twice as many threads those that have more, and so on: every warp has room for
   the rows of LM_EACH LM_LANES contacts, and the same few instructions serve all. Instances with more than LM_FEW leave their rows in memory. Those with most
   contacts come first, so that nothing waits for them in the end. */

/* In single precision a sweep that changes impulses by f, the one before by f', is run ahead by the secant of both: f - g (f - f') as small
   as it gets (Anderson 1965, doi:10.1145/321296.321305, with one step of memory), unless it changed more than the one before: a third of
   the sweeps. Sweeps end at the same equations; but where several contacts of a body slide these leave open how they share the load, and
   another share may be found than without. The same is true of the impulses that a step begins with, those of
   the step before: it takes half the sweeps. In double precision results are those of the processor: nothing is run ahead, and each step begins
   without impulses. */
#define LM_FAR LM_K(50.0) /* times the last change that it is run ahead, at most */
#define LM_STAGE_FEW (LM_AHEAD ? 10 : LM_CROWD_FEW) /* sweeps after which it is asked whether they come to an end */
#define LM_LESS LM_K(LM_AHEAD ? 0.5 : 0.9) /* of what sweeps change must be left after as many more, or they end */

/* NEAR: rows are brought near by, and the fourth number of an entry is where its velocity stands there, in bytes from `base`. */
template <int T, int MINE, int NEAR> struct lm_seat {
    static constexpr int per = (LM_ROW_ENTRIES + T - 1) / T; /* entries of a row that a thread has */
    const lm_four *rows;  /* of the contacts, LM_ROW_ENTRIES each */
    stored *base, *v;     /* what is near by; the velocities, and after LM_V_ROOM others; the last of each belongs to entries that no row has */
    int count, own, team; /* contacts that act; which thread of those that share an instance, and the first of them */
    stored L[3 * MINE], lack[3 * MINE], m[9 * MINE], cross[2 * MINE], size[3 * MINE];
    stored step[3 * MINE], past[3 * MINE]; /* of the sweep before: what it changed, and the impulses after it */
    __device__ __forceinline__ int contact(int j) const { return own + T * j; }
    __device__ __forceinline__ int place_of(int velocity) const {
        return NEAR ? (int)(v - base + velocity) * (int)sizeof(stored) : velocity;
    }
    /* The velocity of an entry; `other` are those after LM_V_ROOM. */
    __device__ __forceinline__ stored &at(const lm_four &entry, int other) const {
        if constexpr (NEAR) return *(stored *)((char *)(base + other * LM_V_ROOM) + lm_as_place(entry.is[3]));
        return v[other * LM_V_ROOM + lm_as_place(entry.is[3])];
    }
    /* An entry of a row that the thread has; nothing where there is none. What stands near by for contacts that are not there may be read. */
    __device__ __forceinline__ lm_four entry(int c, int i) const {
        if ((NEAR || c < count) && (LM_ROW_ENTRIES % T == 0 || own + T * i < LM_ROW_ENTRIES)) return rows[c * LM_ROW_ENTRIES + own + T * i];
        return lm_four{LM_K(0.0), LM_K(0.0), LM_K(0.0), lm_as_number(place_of(LM_VELOCITIES))};
    }
};

/* Sums over the threads that share an instance. */
template <int T> LM_INLINE stored lm_seat_sum(stored x) {
#pragma unroll
    for (int by = 1; by < T; by *= 2) x = x + lm_from_across(x, by);
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
    kept[6] = block[0] > LM_CROWD_TINY ? LM_K(1.0) / block[0] : LM_K(0.0);
    kept[7] = lm_crowd_bound(block[4], block[5], block[8], used[0] && used[1] && used[2]);
    kept[8] = mu;
}

/* The impulse of a contact that lacks u: it sticks if that is in its cone, else it slips, a step that is projected onto the cone, or exactly. */
LM_INLINE int lm_seat_visit(const stored *m, const stored *cross, const stored *l, const stored *u, stored *next) {
    const stored mu = m[8], inverse = lm_crowd_abs(m[7]);
    next[0] = l[0] + m[0] * u[0] + m[1] * u[1] + m[2] * u[2];
    next[1] = l[1] + m[1] * u[0] + m[3] * u[1] + m[4] * u[2];
    next[2] = l[2] + m[2] * u[0] + m[4] * u[1] + m[5] * u[2];
    const int holds = mu < LM_K(0.0) || next[1] * next[1] + next[2] * next[2] < mu * mu * next[0] * next[0];
    if (next[0] > LM_K(0.0) && holds) return 0;
    next[0] = l[0] + u[0] * lm_crowd_yields(m[6], mu, cross[0], cross[1], l[1] + u[1] * inverse, l[2] + u[2] * inverse);
    if (next[0] < LM_K(0.0)) next[0] = LM_K(0.0);
    const stored pressed = next[0] - l[0], most = mu * next[0], left[2] = {u[1] - cross[0] * pressed, u[2] - cross[1] * pressed};
    if (m[7] < LM_K(0.0))
        lm_crowd_slide(m, most, l + 1, left, next + 1);
    else {
        next[1] = l[1] + left[0] * inverse;
        next[2] = l[2] + left[1] * inverse;
        const stored size = next[1] * next[1] + next[2] * next[2];
        const stored share = size > most * most ? most * rsqrt(size) : LM_K(1.0);
        next[1] = next[1] * share, next[2] = next[2] * share;
    }
    const int slid = next[0] > LM_K(0.0) && mu >= LM_K(0.0);
#pragma unroll
    for (int i = 0; i < 3; ++i) next[i] = mu < LM_K(0.0) ? LM_K(0.0) : next[i];
    return slid;
}

/* Numbers of all contacts, one after the other, change velocities: Z^T of what each has. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_seat_apply(const lm_seat<T, MINE, NEAR> &s, int most, const stored *has, int other) {
#pragma unroll
    for (int j = 0; j < MINE; ++j)
        LM_ROLLED for (int turn = 0; turn < T; ++turn) {
            const int c = T * j + turn;
            if (c >= most) break;
            stored of[3];
#pragma unroll
            for (int r = 0; r < 3; ++r) of[r] = lm_shared_from(has[3 * j + r], s.team + turn);
#pragma unroll
            for (int i = 0; i < s.per; ++i) {
                const lm_four e = s.entry(c, i);
                if (c < s.count) s.at(e, other) = s.at(e, other) + (e.is[0] * of[0] + e.is[1] * of[1] + e.is[2] * of[2]);
            }
            lm_lanes_meet();
        }
}

/* Rows of a contact that the thread has, along velocities. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_seat_rates(const lm_seat<T, MINE, NEAR> &s, int j, int other, stored *rates) {
    rates[0] = rates[1] = rates[2] = LM_K(0.0);
    if (s.contact(j) >= s.count) return;
    const lm_four *row = s.rows + s.contact(j) * LM_ROW_ENTRIES;
#pragma unroll 4
    for (int e = 0; e < LM_ROW_ENTRIES; ++e) {
        const lm_four four = row[e];
        const stored at = s.at(four, other);
#pragma unroll
        for (int r = 0; r < 3; ++r) rates[r] = rates[r] + four.is[r] * at;
    }
}

/* One sweep over the contacts, as `lm_crowd_sweep` has it: whether any slips, what it changed, and of the secant of it and the sweep
   before how far it points along the change, and its square. Instances that are done come along: threads of a warp do all at once. */
template <int T, int MINE, int NEAR>
LM_INLINE stored lm_seat_sweep(lm_seat<T, MINE, NEAR> &s, int done, int most, stored *changed, stored *along, stored *squares) {
    stored change = LM_K(0.0), pointing = LM_K(0.0), square = LM_K(0.0), slid = LM_K(0.0), from[3 * MINE];
#pragma unroll
    for (int i = 0; i < 3 * MINE; ++i) from[i] = s.L[i];
#pragma unroll
    for (int j = 0; j < MINE; ++j)
        LM_ROLLED for (int turn = 0; turn < T; ++turn) {
            const int c = T * j + turn, solves = turn == s.own && c < s.count && !done;
            if (c >= most) break;
            lm_four e[lm_seat<T, MINE, NEAR>::per];
            stored at[lm_seat<T, MINE, NEAR>::per], u[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)}, next[3], step[3];
#pragma unroll
            for (int i = 0; i < s.per; ++i) {
                e[i] = s.entry(c, i), at[i] = s.at(e[i], 0);
#pragma unroll
                for (int r = 0; r < 3; ++r) u[r] = u[r] + e[i].is[r] * at[i];
            }
#pragma unroll
            for (int r = 0; r < 3; ++r) u[r] = s.lack[3 * j + r] - lm_seat_sum<T>(u[r]);
            step[0] = step[1] = step[2] = LM_K(0.0);
            if (solves) { /* nobody else: where contacts stick, threads are spared the way of those that slip */
                if (lm_seat_visit(s.m + 9 * j, s.cross + 2 * j, s.L + 3 * j, u, next)) slid = LM_K(1.0);
#pragma unroll
                for (int r = 0; r < 3; ++r) step[r] = next[r] - s.L[3 * j + r], s.L[3 * j + r] = next[r];
            }
#pragma unroll
            for (int r = 0; r < 3; ++r) step[r] = lm_shared_from(step[r], s.team + turn);
            if (c < s.count)
#pragma unroll
                for (int i = 0; i < s.per; ++i)
                    s.at(e[i], 0) = at[i] + (e[i].is[0] * step[0] + e[i].is[1] * step[1] + e[i].is[2] * step[2]);
            lm_lanes_meet();
        }
#pragma unroll
    for (int i = 0; i < 3 * MINE; ++i) {
        const stored step = s.L[i] - from[i], turned = step - s.step[i], weighed = s.size[i] * turned;
        s.step[i] = step;
        pointing = pointing + weighed * step, square = square + weighed * turned, change = change + lm_crowd_abs(step) * s.size[i];
    }
    *changed = lm_seat_sum<T>(change), *along = lm_seat_sum<T>(pointing), *squares = lm_seat_sum<T>(square);
    return LM_CROWD_DOUBLE ? lm_seat_sum<T>(slid) : slid; /* in single precision nobody asks */
}

/* Impulses and velocities are run ahead of the sweep, or not, and kept for the next. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_seat_ahead(lm_seat<T, MINE, NEAR> &s, stored ahead) {
#pragma unroll
    for (int i = 0; i < 3 * MINE; ++i) {
        const stored here = s.L[i];
        if (ahead != LM_K(0.0)) s.L[i] = here - ahead * (here - s.past[i]);
        s.past[i] = here;
    }
    for (int i = s.own; i < LM_VELOCITIES; i += T) {
        const stored here = s.v[i];
        if (ahead != LM_K(0.0)) s.v[i] = here - ahead * (here - s.v[LM_V_ROOM + i]);
        s.v[LM_V_ROOM + i] = here;
    }
}

/* All that press stick, exactly: `lm_crowd_stick`, for those instances that ask. */
template <int T, int MINE, int NEAR> static __device__ __noinline__ int lm_seat_stick(lm_seat<T, MINE, NEAR> &s, int asked, int most, stored scale) {
    stored left[3 * MINE], along[3 * MINE], before[3 * MINE], q[3 * MINE], *y = s.v + LM_V_ROOM;
    stored rho = LM_K(0.0), rest = LM_K(0.0);
    for (int i = 0; i < 3 * MINE; ++i) before[i] = s.L[i], along[i] = LM_K(0.0);
    int going = asked;
    for (int round = -1; round < LM_CROWD_ROUNDS && lm_ballot(going); ++round) {
        stored squares = LM_K(0.0), beside = LM_K(0.0), size = LM_K(0.0);
        for (int i = s.own; i < LM_VELOCITIES; i += T) y[i] = LM_K(0.0);
        lm_lanes_meet();
        lm_seat_apply<T, MINE, NEAR>(s, most, along, 1);
        for (int i = s.own; i < LM_VELOCITIES; i += T) squares = squares + y[i] * y[i];
        squares = lm_seat_sum<T>(squares);
        const stored step = going && round >= 0 && squares > LM_CROWD_TINY ? rho / squares : LM_K(0.0);
        for (int i = s.own; i < LM_VELOCITIES; i += T) s.v[i] = s.v[i] + step * y[i];
        lm_lanes_meet();
        for (int j = 0; j < MINE; ++j) {
            const stored *m = s.m + 9 * j;
            stored *l = left + 3 * j, rates[3];
            lm_seat_rates<T, MINE, NEAR>(s, j, round >= 0, rates);
            for (int i = 0; i < 3; ++i) {
                s.L[3 * j + i] = s.L[3 * j + i] + step * along[3 * j + i];
                l[i] = !(before[3 * j] > LM_K(0.0)) || s.contact(j) >= s.count ? LM_K(0.0) : round < 0 ? s.lack[3 * j + i] - rates[i] : l[i] - step * rates[i];
                size = size + lm_crowd_abs(l[i]);
            }
            q[3 * j] = m[0] * l[0] + m[1] * l[1] + m[2] * l[2];
            q[3 * j + 1] = m[1] * l[0] + m[3] * l[1] + m[4] * l[2];
            q[3 * j + 2] = m[2] * l[0] + m[4] * l[1] + m[5] * l[2];
            for (int i = 0; i < 3; ++i) beside = beside + l[i] * q[3 * j + i];
        }
        size = lm_seat_sum<T>(size), beside = lm_seat_sum<T>(beside);
        if (going) rest = size;
        const stored turn = rho > LM_CROWD_TINY ? beside / rho : LM_K(0.0);
        rho = beside;
        for (int i = 0; i < 3 * MINE; ++i) along[i] = q[i] + turn * along[i];
        if (!(rest > LM_K(0.1) * LM_CROWD_STEADY * scale)) going = 0;
        lm_lanes_meet();
    }
    stored normal = LM_K(0.0), outside = LM_K(0.0);
    for (int j = 0; j < MINE; ++j)
        if (s.contact(j) < s.count) normal = normal + lm_crowd_abs(s.L[3 * j]);
    const stored slack = LM_CROWD_SLACK * lm_seat_sum<T>(normal) + LM_K(2e-15);
    for (int j = 0; j < MINE; ++j) {
        if (s.contact(j) >= s.count) continue;
        stored rates[3];
        lm_seat_rates<T, MINE, NEAR>(s, j, 0, rates);
        const stored l = s.L[3 * j], mu = s.m[9 * j + 8], length = LM_SQRT(s.L[3 * j + 1] * s.L[3 * j + 1] + s.L[3 * j + 2] * s.L[3 * j + 2]);
        const int inside = -l < slack && (mu < LM_K(0.0) || length - mu * l < slack) && s.lack[3 * j] - rates[0] < LM_K(1e-12) + LM_CROWD_STEADY * scale;
        if (!inside) outside = LM_K(1.0);
    }
    const int found = lm_seat_sum<T>(outside) < LM_K(0.5) && asked && rest < LM_K(1e-7) * scale;
    lm_lanes_meet();
    for (int i = 0; i < 3 * MINE; ++i) { /* back to where it was */
        along[i] = found || !asked ? LM_K(0.0) : before[i] - s.L[i];
        if (!found) s.L[i] = before[i];
    }
    lm_seat_apply<T, MINE, NEAR>(s, most, along, 0);
    return found;
}

/* Gaps are closed apart from velocities, by normals alone: `lm_crowd_close`. What that changes is told. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_seat_close(const lm_stage &a, lm_seat<T, MINE, NEAR> &s, int asked, int most, int64_t instance) {
    const int32_t *chosen = a.chosen + instance * LM_CONTACTS;
    const stored h = asked ? a.own[LM_LENGTH * a.pad + instance] : LM_K(0.0);
    stored lacks[MINE], l[MINE], late[3 * MINE], scale = LM_K(0.0), *v = s.v + LM_V_ROOM;
    int any = 0;
    if (asked)
        for (int i = s.own; i < LM_VELOCITIES; i += T) v[i] = LM_K(0.0);
#pragma unroll
    for (int j = 0; j < MINE; ++j) {
        lacks[j] = l[j] = late[3 * j] = late[3 * j + 1] = late[3 * j + 2] = LM_K(0.0);
        if (!asked || s.contact(j) >= s.count) continue;
        const int contact = chosen[s.contact(j)];
        stored rates[3];
        lm_seat_rates<T, MINE, NEAR>(s, j, 0, rates);
        const stored set = a.alike[(LM_SET + contact) * a.pad + instance], approach = set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0);
        const stored open = a.own[(LM_GAPS + contact) * a.pad + instance] - LM_K(0.5) * h * (s.lack[3 * j] - rates[0] + approach);
        scale = scale + lm_crowd_abs(open), lacks[j] = -open;
        if (set < LM_K(1.0)) {
            any = 1;
#pragma unroll
            for (int i = 0; i < 3; ++i) late[3 * j + i] = LM_K(-2.0) * h * (LM_K(1.0) - set) * s.L[3 * j + i];
        }
    }
    scale = lm_seat_sum<T>(scale) + LM_CROWD_TINY;
    lm_lanes_meet();
    if (lm_ballot(any)) lm_seat_apply<T, MINE, NEAR>(s, most, late, 1); /* an impulse of one that comes to touch acts from there on */
    int going = asked;
    LM_ROLLED for (int sweep = 0; sweep < LM_SWEEPS && lm_ballot(going); ++sweep) {
        stored change = LM_K(0.0);
#pragma unroll
        for (int j = 0; j < MINE; ++j)
            LM_ROLLED for (int turn = 0; turn < T; ++turn) {
                const int c = T * j + turn;
                if (c >= most) break;
                lm_four e[lm_seat<T, MINE, NEAR>::per];
                stored at[lm_seat<T, MINE, NEAR>::per], rate = LM_K(0.0);
#pragma unroll
                for (int i = 0; i < s.per; ++i) e[i] = s.entry(c, i), at[i] = s.at(e[i], 1), rate = rate + e[i].is[0] * at[i];
                rate = lm_seat_sum<T>(rate);
                stored next = l[j] + (lacks[j] - rate) * s.m[9 * j + 6], step = LM_K(0.0);
                if (next < LM_K(0.0)) next = LM_K(0.0);
                if (turn == s.own && c < s.count && going) step = next - l[j], l[j] = next, change = change + lm_crowd_abs(step) * s.size[3 * j];
                step = lm_shared_from(step, s.team + turn);
                if (going && c < s.count)
#pragma unroll
                    for (int i = 0; i < s.per; ++i) s.at(e[i], 1) = at[i] + e[i].is[0] * step;
                lm_lanes_meet();
            }
        if (!(lm_seat_sum<T>(change) > LM_CROWD_CLOSED * scale)) going = 0;
    }
    if (asked)
        for (int i = s.own; i < LM_VELOCITIES; i += T) a.given[(LM_CROWD_ROWS + LM_VELOCITIES + i) * a.pad + instance] = v[i];
}

/* What was found for instances that are done: impulses, and what they change. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_seat_tell(const lm_stage &a, lm_seat<T, MINE, NEAR> &s, int done, int most, int64_t instance) {
#pragma unroll
    for (int j = 0; j < MINE; ++j) {
        const int c = s.contact(j);
        if (!done || c >= s.count) continue;
        const stored *l = s.L + 3 * j;
        if (!a.last) *(lm_four *)lm_impulse_of(a.records + instance * LM_RECORD, c) = lm_four{l[0], l[1], l[2], LM_K(0.0)};
        if (!LM_AHEAD || !a.last) continue;
        const int contact = a.chosen[instance * LM_CONTACTS + c], row = lm_rows_of[contact], rows = lm_rows_of[contact + 1] - row;
#pragma unroll
        for (int i = 0; i < 3; ++i) /* where the next step begins */
            if (i < rows) a.given[(row + i) * a.pad + instance] = l[i];
    }
    if (done)
        for (int i = s.own; i < LM_VELOCITIES; i += T) a.given[(LM_CROWD_ROWS + i) * a.pad + instance] = s.v[i];
    if (a.last) lm_seat_close<T, MINE, NEAR>(a, s, done, most, instance);
}

/* An instance is taken up: its rows, velocities without contacts, and the impulses that it begins with. `near` is room for rows, if it
   has any. What all rows lack, added up. */
template <int T, int MINE, int NEAR>
LM_INLINE stored lm_seat_take(const lm_stage &a, lm_seat<T, MINE, NEAR> &s, lm_four *near, int takes, int most, int64_t instance) {
    const stored *record = a.records + instance * LM_RECORD;
    stored scale = LM_K(0.0);
    if (takes) {
        const lm_four *from = (const lm_four *)lm_z_of(record);
        if constexpr (NEAR) {
#pragma unroll 4
            for (int i = s.own; i < s.count * LM_ROW_ENTRIES; i += T) {
                lm_four four = from[i];
                four.is[3] = lm_as_number(s.place_of(lm_as_place(four.is[3]))), near[i] = four;
            }
        } else
            s.rows = from;
        const stored *free = (a.known ? a.own + LM_FREE_AGAIN * a.pad : a.alike + LM_FREE * a.pad) + instance;
#pragma unroll
        for (int i = 0; i < LM_VELOCITIES; i += T) /* without contacts, to begin with */
            if (i + s.own < LM_VELOCITIES) s.v[i + s.own] = free[(i + s.own) * a.pad];
        /* That of entries that no row has may be no number any more, after an instance that became infinite. */
        if (s.own == 0) s.v[LM_VELOCITIES] = s.v[LM_V_ROOM + LM_VELOCITIES] = LM_K(0.0);
    }
    lm_lanes_meet();
#pragma unroll
    for (int j = 0; j < MINE; ++j) {
        const int c = s.contact(j);
        if (!takes) continue;
        stored w[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, mu = LM_K(0.0);
#pragma unroll
        for (int i = 0; i < 3; ++i) s.L[3 * j + i] = s.lack[3 * j + i] = s.step[3 * j + i] = s.past[3 * j + i] = LM_K(0.0);
        if (c < s.count) {
            const int contact = a.chosen[instance * LM_CONTACTS + c], row = lm_rows_of[contact], rows = lm_rows_of[contact + 1] - row;
            const stored set = a.alike[(LM_SET + contact) * a.pad + instance];
            const stored *tile = a.axes + instance / LM_SEEN * LM_SEEN * a.axes_count + instance % LM_SEEN;
            stored rates[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)};
            mu = lm_rubs(contact);
#pragma unroll
            for (int i = 0; i < 3; ++i) /* one that others press down may approach */
                if (i < rows)
                    s.lack[3 * j + i] = -(a.known ? a.own[(LM_TURNING_AGAIN + row + i) * a.pad + instance] : tile[(LM_TURNING + row + i) * LM_SEEN]) -
                                        (i == 0 && set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0));
            if (a.known) {
                const lm_four guess = *(const lm_four *)lm_impulse_of(record, c);
#pragma unroll
                for (int i = 0; i < 3; ++i) s.L[3 * j + i] = guess.is[i];
            } else if (LM_AHEAD)
#pragma unroll
                for (int i = 0; i < 3; ++i) s.L[3 * j + i] = i < rows ? a.before[(row + i) * a.pad + instance] : LM_K(0.0);
            const lm_four *at = s.rows + c * LM_ROW_ENTRIES;
#pragma unroll 4
            for (int e = 0; e < LM_ROW_ENTRIES; ++e) {
                const lm_four four = at[e];
                const stored v = s.at(four, 0);
#pragma unroll
                for (int r = 0; r < 3; ++r) {
                    rates[r] = rates[r] + four.is[r] * v;
#pragma unroll
                    for (int k = r; k < 3; ++k) w[3 * r + k] = w[3 * r + k] + four.is[r] * four.is[k];
                }
            }
            w[3] = w[1], w[6] = w[2], w[7] = w[5];
#pragma unroll
            for (int r = 0; r < 3; ++r) s.lack[3 * j + r] = s.lack[3 * j + r] - rates[r], scale = scale + lm_crowd_abs(s.lack[3 * j + r]);
        }
        lm_seat_invert(w, mu, s.m + 9 * j);
        s.cross[2 * j] = w[3], s.cross[2 * j + 1] = w[6];
#pragma unroll
        for (int r = 0; r < 3; ++r) s.size[3 * j + r] = w[4 * r];
    }
    lm_lanes_meet();
    if (takes)
        for (int i = s.own; i < LM_VELOCITIES; i += T) s.v[i] = LM_K(0.0);
    lm_lanes_meet();
    if (a.known || LM_AHEAD) {
        stored taken[3 * MINE]; /* of those that take up an instance */
#pragma unroll
        for (int i = 0; i < 3 * MINE; ++i) taken[i] = takes ? s.L[i] : LM_K(0.0);
        lm_seat_apply<T, MINE, NEAR>(s, most, taken, 0);
    }
    return lm_seat_sum<T>(scale) + LM_CROWD_TINY;
}

/* Kinds of instances follow each other, the last first: how many come before each. */
LM_INLINE void lm_stage_order(const lm_stage &a, int32_t *before, int lane) {
    int all = 0;
    for (int last = LM_BINS - 1; last > 0; last -= LM_LANES) {
        const int kind = last - lane, own = kind > 0 ? a.counts[kind] : 0;
        int sum = own;
#pragma unroll
        for (int by = 1; by < LM_LANES; by *= 2) {
            const int other = lm_shared_from(sum, lane < by ? lane : lane - by);
            if (lane >= by) sum += other;
        }
        if (kind > 0) before[kind] = all + sum - own;
        all += lm_shared_from(sum, LM_LANES - 1);
    }
    lm_lanes_meet();
}

/* All instances of which `low` to `high` contacts act, T threads each: when all of a warp are done they take up the next together, since that
   takes as long for one as for all. `number` tells these calls apart. */
template <int T, int MINE, int NEAR> LM_INLINE void lm_stage_solve(const lm_stage &a, stored *near, int lane, int low, int high, int number) {
    const stored steady = a.last ? LM_CROWD_STEADY : LM_CROWD_NEAR;
    const int seat = lane / T;
    lm_four *room = (lm_four *)near + seat * (T * MINE * LM_ROW_ENTRIES + 4); /* four more: seats are in different banks */
    lm_seat<T, MINE, NEAR> s;
    s.own = lane % T, s.team = lane - s.own, s.count = 0, s.rows = room, s.base = near;
    s.v = near + LM_NEAR_ROWS + seat * 2 * LM_V_ROOM;
#pragma unroll
    for (int i = 0; i < 3 * MINE; ++i)
        s.L[i] = s.lack[i] = s.m[3 * i] = s.m[3 * i + 1] = s.m[3 * i + 2] = s.size[i] = s.step[i] = s.past[i] = s.cross[i % (2 * MINE)] = LM_K(0.0);
    stored scale = LM_K(0.0), before = LM_K(0.0), last = LM_K(0.0), least = LM_K(0.0);
    int64_t instance = -1;
    int taken = 0, left = 0, begun = 0, done = 1, most = 0, swept = 0;
    const int32_t *order = LM_ORDER(near);
    const int lowest = low * LM_PACES, highest = high > LM_FEW ? LM_BINS - 1 : high * LM_PACES + LM_PACES - 1;
    const int first = order[highest], end = order[lowest] + a.counts[lowest];
    int32_t *next = a.counts + (a.known ? 2 : 1) * LM_BINS + number;
    if (first == end) return;
    for (;;) {
        if (!lm_ballot(!done)) { /* what all found is told together */
            lm_seat_tell<T, MINE, NEAR>(a, s, instance >= 0, most, instance);
            if (a.last && instance >= 0 && s.own == 0) a.counts[3 * LM_BINS + a.pad + instance] = lm_pace_of(swept);
            instance = -1, s.count = 0;
            lm_lanes_meet();
            int place = 0;
            if (lane == 0) place = first + lm_add(next, LM_LANES / T);
            place = lm_shared_from(place, 0) + seat;
            const int takes = place < end;
            if (takes) {
                int kind = lowest, above = highest; /* the lowest that begins at its place or before */
                while (kind < above) {
                    const int middle = (kind + above) / 2;
                    if (order[middle] <= place)
                        above = middle;
                    else
                        kind = middle + 1;
                }
                instance = a.lists[kind * a.pad + place - order[kind]], s.count = a.counts[3 * LM_BINS + instance];
            }
            if (takes) done = 0;
            if (!lm_ballot(!done)) break;
            most = lm_lanes_most(s.count);
            const stored size = lm_seat_take<T, MINE, NEAR>(a, s, room, takes, most, takes ? instance : 0);
            if (takes) {
                scale = size, taken = swept = 0, left = LM_STAGE_FEW < LM_SWEEPS ? LM_STAGE_FEW : LM_SWEEPS, begun = 0;
                before = last = least = LM_K(1.0) / LM_CROWD_TINY;
            }
        }
        stored changed, along, squares;
        const int slips = lm_seat_sweep<T, MINE, NEAR>(s, done, most, &changed, &along, &squares) > LM_K(0.5);
        /* What the next one would change: as much less as this one changed less than the one before, but no more than ten times. */
        const stored rate = LM_AHEAD && begun && changed < last ? lm_over(changed, last) : LM_K(1.0);
        const int settled = !(changed * (rate < LM_K(0.1) ? LM_K(0.1) : rate) > steady * scale);
        swept += !done;
        if (!done) least = LM_AHEAD && least < changed ? least : changed;
        const int further = !done && !settled && --left;
        if (LM_AHEAD && further) {
            stored ahead = begun && squares > LM_CROWD_TINY * LM_CROWD_TINY && changed < last ? along / squares : LM_K(0.0);
            if (!(lm_crowd_abs(ahead) < LM_FAR)) ahead = LM_K(0.0);
            lm_seat_ahead<T, MINE, NEAR>(s, ahead);
            last = changed, begun = 1;
        }
        lm_lanes_meet();
        const int asks = !done && !further;
        if (!lm_ballot(asks)) continue;
        const int some = LM_SWEEPS - taken < LM_STAGE_FEW ? LM_SWEEPS - taken : LM_STAGE_FEW;
        const int ends = settled || taken + some >= LM_SWEEPS || !(least < LM_LESS * before);
        int stuck = 0;
        if (LM_CROWD_DOUBLE) stuck = lm_seat_stick<T, MINE, NEAR>(s, asks && !slips && (ends || taken == 0), most, scale);
        if (asks) {
            taken += some;
            before = least, last = least = LM_K(1.0) / LM_CROWD_TINY, begun = 0;
            left = LM_SWEEPS - taken < LM_STAGE_FEW ? LM_SWEEPS - taken : LM_STAGE_FEW;
            done = ends || stuck;
        }
    }
}

/* All instances: those with most contacts first. */
LM_INLINE void lm_stage_solve_all(const lm_stage &a, stored *near, int lane) {
    constexpr int own = LM_EACH, share = LM_SHARE, two = 2 * share, four = 4 * share, eight = 8 * share;
    for (int i = lane; i < LM_NEAR_ROWS / 4; i += LM_LANES) /* what is read there before anything was written */
        ((lm_four *)near)[i] = lm_four{LM_K(0.0), LM_K(0.0), LM_K(0.0), lm_as_number(0)};
    lm_stage_order(a, LM_ORDER(near), lane);
    if constexpr (LM_CONTACTS > LM_FEW) lm_stage_solve<LM_LANES, (LM_CONTACTS + LM_LANES - 1) / LM_LANES, 0>(a, near, lane, LM_FEW + 1, LM_FEW + 1, 0);
    if constexpr (eight <= LM_LANES && LM_CONTACTS > own * four) lm_stage_solve<eight, own, 1>(a, near, lane, own * four + 1, own * eight, 1);
    if constexpr (four <= LM_LANES && LM_CONTACTS > own * two) lm_stage_solve<four, own, 1>(a, near, lane, own * two + 1, own * four, 2);
    if constexpr (two <= LM_LANES && LM_CONTACTS > own * share) lm_stage_solve<two, own, 1>(a, near, lane, own * share + 1, own * two, 3);
    lm_stage_solve<share, own, 1>(a, near, lane, 1, own * share, 4);
}
