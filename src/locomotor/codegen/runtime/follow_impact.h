/* Impacts: `impacts.py`, `collisions.py` and `frictional_impact.py`. */

/* With the open contacts to collide that touch the ground and move into it. */
static void lm_approaching(lm_run *run, lm_change *change, lm_now *now) {
    lm_look_now(run, now);
    for (int64_t i = 0; i < run->contacts; ++i)
        if (run->way[now->way].holds[i] == LM_OPEN && fabs(LM_N(&now->seen, gap, i) - now->levels[i]) <= run->near &&
            LM_N(&now->seen, gap_rate, i) < -LM_APPROACHES)
            change->closing |= LM_BIT(i);
}

/* Open contacts that touch, whose next bounces are brief and shrink, and how long until the last of them. */
static uint64_t lm_coming_to_rest(lm_run *run, const lm_now *now, const lm_rows *at, const double *v, uint64_t closing, double *delays) {
    const double last = now->struck[1] < now->t ? now->struck[1] : now->struck[0];
    uint64_t found = 0;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (run->way[now->way].holds[i] != LM_OPEN) continue;
        const double speed = LM_N(&now->seen, gap_rate, i), pull = -LM_N(&now->seen, gap_acceleration, i);
        if (fabs(LM_N(&now->seen, gap, i) - now->levels[i]) > LM_NEAR || speed < 0.0 || pull <= 0.0) continue;
        const double approach = -lm_inner((int)run->nv, at->rows + 3 * i * run->nv, v), flight = 2.0 * speed / pull;
        const double ratio = closing & LM_BIT(i) && approach > 0.0 ? speed / approach : flight / (now->t - last);
        if (ratio < 1.0 && flight < LM_BRIEF) found |= LM_BIT(i), delays[i] = flight / (1.0 - ratio);
    }
    return found;
}

/* Impulses of an impact by Newton's law along the normals and Coulomb's along the ground. `part` are its `count` contacts. */
static int lm_impulses(lm_run *run, const lm_rows *at, const lm_collision *of, int count, const int32_t *part, const double *before, uint64_t bounce, double *least, double *given, double *v, double *velocity) {
    const int f = of->first, m = of->m;
    const double *W = of->W;
    double *small = lm_room(run, f * f + 1), *q = lm_room(run, f + 1), *r = lm_room(run, f + 1), *u = lm_room(run, f + 1);
    lm_side *sides = (lm_side *)lm_room(run, (int64_t)(count + 1) * sizeof(lm_side) / 8);
    lm_choice *chosen = (lm_choice *)lm_room(run, (int64_t)(count + 1) * sizeof(lm_choice) / 8);
    if (!u || !sides || !chosen || f > 3 * LM_MOST_CONTACTS) return 0;
    int32_t rows[3 * LM_MOST_CONTACTS];
    for (int i = 0; i < m; ++i) given[i] = 0.0;
    lm_respond(of, given, before, v, velocity);
    double scale = 0.0, largest = 0.0;
    for (int i = 0; i < f; ++i)
        if (fabs(W[i * f + i]) > scale) scale = fabs(W[i * f + i]);
    if (scale == 0.0) scale = 1.0;
    int own = 0, first = 0;
    for (int k = 0; k < count; ++k) {
        const int64_t i = part[k];
        lm_side *side = sides + k;
        side->start = own, side->tangents = 0, side->mu = side->bound = run->sliding[i], side->slip[0] = side->slip[1] = 0.0;
        least[k] = bounce & LM_BIT(i) ? -run->restitution[i] * of->before[first] : 0.0;
        rows[own] = first, q[own++] = velocity[first] - least[k];
        for (int j = first + 1; j < first + at->count[i]; ++j)
            if (W[j * f + j] > LM_VOID * scale) rows[own] = j, q[own++] = velocity[j], ++side->tangents;
        const int slides = side->tangents == 0 || lm_is_frictionless(side);
        lm_choose(chosen + k, slides ? LM_SLIPS : LM_STICKS, 0.0, 0.0, 0), chosen[k].loose = LM_SIGN, chosen[k].floor = 0.0;
        first += at->count[i];
    }
    for (int i = 0; i < own; ++i)
        for (int j = 0; j < own; ++j) small[i * own + j] = W[rows[i] * f + rows[j]];
    if (!lm_one_way(run, own, small, q, count, sides, chosen, r, u)) return 0;
    for (int i = 0; i < own; ++i)
        if (fabs(r[i]) > largest) largest = fabs(r[i]);
    for (int i = 0; i < m; ++i) given[i] = 0.0;
    for (int i = 0; i < own; ++i) given[rows[i]] = fabs(r[i]) > LM_NOTHING * largest ? r[i] : 0.0;
    lm_respond(of, given, before, v, velocity);
    return 1;
}

/* Whether several contacts meet of which none has friction: what they do is another law's (`unilateral_impact`). */
static int lm_all_slide(const lm_rows *at, int count, const int32_t *part) {
    for (int k = 0; k < count; ++k)
        if (at->count[part[k]] > 1) return 0;
    return count > 1;
}

/* What an impact leaves behind: who takes part, where their rows are, and impulses along these; who is held how, where to, and velocities. */
typedef struct {
    int count, first; /* first: rows of those that are not held whatever comes, which are followed by those that are */
    int32_t part[LM_MOST_CONTACTS], row[LM_MOST_CONTACTS], holds[LM_MOST_CONTACTS];
    int own; /* where the rows of what is always held begin */
    double *given, *v, *slips, lost;
} lm_blow;

/* Impact of those that are closing while `before` are held so. The `resting` ones do not bounce: they stay closed, along their normals where
   they are `lifted` otherwise, as `_collide` of collisions.py. */
static int lm_strike(lm_run *run, const lm_now *now, const lm_rows *at, uint64_t closing, uint64_t resting, uint64_t lifted, lm_blow *found) {
    const int64_t n = run->nv;
    const int32_t *before = run->way[now->way].holds;
    int free = 0, m = 0;
    found->count = 0;
    for (int holding = 0; holding < 2; ++holding) {
        for (int64_t i = 0; i < run->contacts; ++i) {
            found->holds[i] = LM_OPEN;
            if (!((closing | resting) & LM_BIT(i)) && before[i] == LM_OPEN) continue;
            const int smooth = at->count[i] == 1 && resting & LM_BIT(i), keeps = smooth || lifted & LM_BIT(i);
            if (keeps != holding) continue;
            found->part[found->count] = (int32_t)i, found->row[found->count++] = m;
            m += holding && !smooth ? 1 : at->count[i];
        }
        if (!holding) free = found->count, found->first = m;
    }
    if (lm_all_slide(at, free, found->part)) return 0;
    const int first = found->first, blocked = m - first, own = found->own = m;
    m += at->held_rows;
    double *rows = lm_room(run, (m + 1) * n), *kept = lm_room(run, m - first + 1), *given = found->given = lm_room(run, m + 1);
    double *velocity = lm_room(run, m + 1), *least = lm_room(run, free + 1), *v = found->v = lm_room(run, n);
    found->slips = lm_room(run, 3 * run->contacts);
    if (!found->slips || !rows || !least) return 0;
    for (int k = 0; k < found->count; ++k) {
        const int last = k + 1 < found->count ? found->row[k + 1] : own;
        for (int64_t j = 0; j < (last - found->row[k]) * n; ++j) rows[found->row[k] * n + j] = at->rows[3 * found->part[k] * n + j];
    }
    for (int64_t j = 0; j < at->held_rows * n; ++j) rows[own * n + j] = at->held[j];
    for (int i = 0; i < blocked; ++i) kept[i] = 0.0;
    for (int i = 0; i < at->held_rows; ++i) kept[blocked + i] = i < run->still ? 0.0 : lm_inner((int)n, at->held + i * n, now->v);
    lm_collision of;
    if (!lm_collide(run, at, m, first, rows, now->v, kept, &of)) return 0;
    if (!lm_impulses(run, at, &of, free, found->part, now->v, closing & ~resting, least, given, v, velocity)) return 0;
    double speed = 1e-300;
    found->lost = 0.0;
    for (int i = 0; i < first; ++i)
        if (fabs(of.before[i]) > speed) speed = fabs(of.before[i]);
    for (int64_t j = 0; j < n; ++j)
        for (int64_t k = 0; k < n; ++k) found->lost += 0.5 * (now->v[j] - v[j]) * run->mass[j * n + k] * (now->v[k] + v[k]);
    for (int i = 0; i < m - first; ++i) found->lost += given[first + i] * kept[i];
    for (int k = 0; k < found->count; ++k)
        if (k >= free || (least[k] == 0.0 && fabs(velocity[found->row[k]]) <= LM_STAYS * speed)) found->holds[found->part[k]] = LM_STICKS;
    for (int k = free; k < found->count; ++k) /* one that leaves is stopped by what presses it down: no ground pulls */
        if (resting & LM_BIT(found->part[k]) && given[found->row[k]] < 0.0) given[found->row[k]] = 0.0;
    lm_by_velocity(run, at, v, found->holds, found->slips);
    return 1;
}

/* Of what is told of an impulse along some rows: its parts, and all of it in the world. */
static void lm_tell_impulse(lm_told *told, const double *given, int count, const double *frame, double lost) {
    told->lost = lost;
    for (int j = 0; j < count; ++j) {
        told->own[j] = given[j];
        for (int a = 0; a < 3; ++a) told->world[a] += frame[3 * j + a] * given[j];
    }
}

/* A collision of those that are closing: new velocities, the contacts that stay closed or come to rest, and what is told of it. */
static int lm_impact(lm_run *run, lm_change *change, lm_now *now) {
    const int64_t mark = run->used, samples = run->samples, pieces = run->pieces;
    const int32_t entered = change->entered;
    const uint64_t closing = change->closing;
    int32_t before[LM_MOST_CONTACTS];
    double delays[LM_MOST_CONTACTS];
    lm_rows at;
    lm_blow blow;
    lm_now kept;
    lm_look_now(run, now);
    lm_know_now(run, now);
    if (!lm_rows_at(run, now->t, now->q, &at)) return 0;
    for (int64_t i = 0; i < run->contacts; ++i) {
        before[i] = run->way[now->way].holds[i];
        /* A joint may begin to slide, and a wheel come to lie: that is for the readable form. */
        if (before[i] == LM_LOCKED || (closing & LM_BIT(i) && run->lies[i])) return run->used = mark, 0;
    }
    const double energy = now->energy;
    double *old = lm_room(run, run->nv);
    lm_now_room(run, &kept);
    if (!kept.seen.pivots || !old) return run->used = mark, 0;
    lm_copy_now(run, now, &kept);
    for (int64_t j = 0; j < run->nv; ++j) old[j] = now->v[j];
    change->closing = 0;
    if (!lm_strike(run, now, &at, closing, 0, 0, &blow) || !lm_switch(run, change, now, blow.holds, blow.slips, blow.v)) return 0;
    const uint64_t resting = lm_coming_to_rest(run, now, &at, old, closing, delays);
    if (resting) { /* from before the impact once more */
        uint64_t lifted = 0;
        lm_copy_now(run, &kept, now);
        lm_know_now(run, now);
        run->samples = samples, run->pieces = pieces, change->entered = entered;
        for (int64_t i = 0; i < run->contacts; ++i)
            if (resting & LM_BIT(i) && run->lies[i]) return 0;
        if (!lm_strike(run, now, &at, closing, resting, 0, &blow)) return 0;
        for (int64_t i = 0; i < run->contacts; ++i)
            if (resting & LM_BIT(i) && blow.holds[i] == LM_OPEN) lifted |= LM_BIT(i);
        if (lifted && !lm_strike(run, now, &at, closing, resting, lifted, &blow)) return 0;
        if (!lm_switch(run, change, now, blow.holds, blow.slips, blow.v)) return 0;
    }
    for (int others = 0; others < 2; ++others) /* those that have collided first */
        for (int k = 0; k < blow.count; ++k) {
            const int64_t i = blow.part[k];
            const int rows = (k + 1 < blow.count ? blow.row[k + 1] : blow.own) - blow.row[k], rests = !!(resting & LM_BIT(i));
            double any = 0.0;
            for (int j = 0; j < rows; ++j) any += fabs(blow.given[blow.row[k] + j]);
            if (!(closing & LM_BIT(i)) != others || (others && !rests && any == 0.0)) continue;
            lm_told *told = lm_tell(run, change, now, rests ? LM_REST : LM_IMPACT, i, -1, energy);
            if (!told || (rests && !lm_rests(run, now, told, delays[i]))) return 0;
            lm_tell_impulse(told, blow.given + blow.row[k], rows, at.frames + 9 * i, blow.lost);
        }
    double frame[9], *line = lm_room(run, 3 * run->nv);
    if (!line) return 0;
    for (int64_t k = 0, row = blow.own; k < run->held_contacts; ++k) {
        const int own = lm_rows_of(run, run->held + k, frame, line);
        double any = 0.0;
        for (int j = 0; j < own; ++j) any += fabs(blow.given[row + j]);
        if (any != 0.0) {
            lm_told *told = lm_tell(run, change, now, LM_IMPACT, -1, k, energy);
            if (!told) return 0;
            lm_tell_impulse(told, blow.given + row, own, frame, blow.lost);
        }
        row += own;
    }
    for (int64_t k = 0; k < run->contacts; ++k) {
        const int32_t i = run->by_name[k];
        if (before[i] != LM_OPEN && run->way[now->way].holds[i] == LM_OPEN && !lm_tell(run, change, now, LM_LIFT_OFF, i, -1, energy)) return 0;
    }
    run->used = mark;
    return 1;
}
