/* How long steps are: the grid of instants (`timeline.py`), and slips that fade or turn (`pace.py`, `guide.py`). */

/* An instant in steps from the start, a whole number on the grid. */
static double lm_place_of(const lm_run *run, double t) {
    const double k = (t - run->start) / run->step, whole = rint(k);
    return fabs(k - whole) <= LM_ON_GRID ? whole : k;
}

/* Length and number of the next steps from an instant, at most so many, and where they lead. */
static void lm_plan(const lm_run *run, double t, int64_t most, double *length, int64_t *steps, double *target) {
    const double step = run->step, place = lm_place_of(run, t), until = run->until, near = LM_ON_GRID * step;
    const int64_t whole = (int64_t)floor((until - t) / step + LM_ON_GRID);
    if (place == floor(place) && whole > (run->jumps ? 1 : 0)) {
        const int64_t left = run->jumps ? whole - 1 : whole;
        *steps = most < left ? most : left, *length = step;
        const double reached = run->start + (place + (double)*steps) * step;
        *target = fabs(until - reached) <= near ? until : reached;
        return;
    }
    double there = run->start + (floor(place) + 1.0) * step;
    if (until < there) there = until;
    if (until - there < near) there = until;
    *length = there - t, *steps = 1, *target = there;
}

/* Whether a slip of a contact has one line in its body, as that of a keel. */
static int lm_slips_one_way(const lm_run *run, int64_t i) { return run->source[i].directions == 2; }

/* Whether a contact slips where its velocity says, in directions that may turn. */
static int lm_is_free(const lm_run *run, const lm_now *now, int64_t i) {
    return run->way[now->way].holds[i] == LM_SLIPS && now->guided[i] == 0.0 && !lm_slips_one_way(run, i);
}

static int lm_is_guided(const lm_run *run, const lm_now *now) {
    for (int64_t i = 0; i < run->contacts; ++i)
        if (now->guided[i] != 0.0) return 1;
    return 0;
}

/* By the slips alone: how long a step may be from a sample. */
static double lm_longest_by_slips(const lm_run *run, const lm_now *now, const lm_look *seen) {
    double found = INFINITY;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (!lm_is_free(run, now, i)) continue;
        const double *slip = LM_V(seen, slip, i), *rate = LM_V(seen, slip_rate, i), *noted = now->slips + 3 * i;
        const double speed = lm_norm3(slip), size = lm_norm3(rate), across = lm_across3(slip, rate), aside = lm_across3(slip, noted);
        if (!(speed > LM_STOPPED_SLIP)) continue;
        if (across > LM_STRAIGHT * speed * size && LM_TURN * speed * speed / across < found) found = LM_TURN * speed * speed / across;
        if (aside > LM_ALIGNED * speed && 0.5 / LM_TOGETHER * speed / size < found) found = 0.5 / LM_TOGETHER * speed / size;
    }
    return found;
}

static double lm_slowest(const lm_run *run, const lm_now *now, const lm_look *seen) {
    double found = INFINITY;
    for (int64_t i = 0; i < run->contacts; ++i)
        if (lm_is_free(run, now, i)) {
            const double speed = lm_norm3(LM_V(seen, slip, i));
            if (speed < found) found = speed;
        }
    return found;
}

/* Of each contact that slips: what its friction would do (m/s^2) across its slip. 0 where that could not be found. */
static int lm_braking(lm_run *run, lm_now *now) {
    if (now->braked) return 1;
    lm_look_now(run, now);
    lm_know_now(run, now);
    const int64_t mark = run->used, n = run->nv;
    const int32_t *holds = run->way[now->way].holds;
    lm_rows at;
    double answers[LM_MOST_CONTACTS];
    int32_t sizes[LM_MOST_CONTACTS];
    int64_t most = run->held_rows + 3 * run->contacts;
    double *held = lm_room(run, (most + 1) * n), *own = lm_room(run, 3 * run->contacts * n), *slips = lm_room(run, 2 * run->contacts);
    double *work = lm_room(run, (n + 2 * most + 3 * LM_ANSWERING) * n);
    if (!work || !lm_rows_at(run, now->t, now->q, &at)) return run->used = mark, 0;
    int rows = at.held_rows, of = 0, count = 0, along = 0;
    for (int64_t j = 0; j < rows * n; ++j) held[j] = at.held[j];
    for (int64_t i = 0; i < run->contacts; ++i) {
        now->strengths[i] = 0.0;
        if (holds[i] == LM_OPEN) continue;
        const double *mine = at.rows + 3 * i * n;
        const int kept = holds[i] == LM_SLIPS ? 1 : at.count[i];
        for (int64_t j = 0; j < kept * n; ++j) held[rows * n + j] = mine[j];
        rows += kept;
        if (holds[i] != LM_SLIPS) continue;
        for (int64_t j = 0; j < at.count[i] * n; ++j) own[of * n + j] = mine[j];
        of += at.count[i], sizes[count++] = at.count[i];
        const double *slip = LM_V(&now->seen, slip, i), speed = lm_norm3(slip);
        for (int k = 1; k < at.count[i]; ++k) {
            const double *direction = at.frames + 9 * i + 3 * k;
            slips[along++] = speed <= LM_STOPPED_SLIP ? lm_dot3(direction, now->slips + 3 * i) : lm_dot3(direction, slip) / speed;
        }
    }
    const int solved = lm_answers((int)n, run->mass, rows, at.held_rows, held, count, sizes, own, slips, LM_VOID_ACROSS, LM_ROUND_OFF, work, answers);
    for (int64_t i = 0, k = 0; i < run->contacts && solved; ++i)
        if (holds[i] == LM_SLIPS) {
            const double force = LM_N(&now->seen, normal_force, i), friction = answers[k] != 0.0 ? run->sliding[i] : 0.0;
            now->strengths[i] = friction * (force > 0.0 ? force : 0.0) * answers[k++];
        }
    run->used = mark;
    return now->braked = solved;
}

/* A bound on the rate (1/s) at which friction damps what is across the slips; negative where it could not be found. */
static double lm_damping(lm_run *run, lm_now *now) {
    if (!lm_braking(run, now)) return -1.0;
    double found = 0.0;
    for (int64_t i = 0; i < run->contacts; ++i)
        if (lm_is_free(run, now, i)) {
            const double speed = lm_norm3(LM_V(&now->seen, slip, i));
            found += now->strengths[i] / (speed > LM_STOPPED_SLIP ? speed : LM_STOPPED_SLIP);
        }
    return found > 1e-300 ? found : 1e-300;
}

/* Length (s) of the longest step from a moment; infinite where slips need no short one, negative where that is not known. */
static double lm_longest(lm_run *run, lm_now *now) {
    double led = INFINITY;
    for (int64_t i = 0; i < run->contacts; ++i) { /* those that are guided and braked turn as they fade */
        const double *slip = LM_V(&now->seen, slip, i), speed = lm_norm3(slip), braked = -lm_dot3(slip, LM_V(&now->seen, slip_rate, i));
        if (now->guided[i] != 0.0 && speed > LM_FADED && braked > 0.0 && 0.5 * speed * speed / braked < led) led = 0.5 * speed * speed / braked;
    }
    const double found = lm_longest_by_slips(run, now, &now->seen);
    if (!isfinite(found)) return led;
    const double damping = lm_damping(run, now), least = found < led ? found : led;
    if (damping < 0.0) return -1.0;
    return LM_SHARE / damping < least ? LM_SHARE / damping : least;
}

/* Whether something slips in directions that may turn. */
static int lm_slips_at(const lm_run *run, const lm_now *now) {
    for (int64_t i = 0; i < run->contacts; ++i)
        if (run->way[now->way].holds[i] == LM_SLIPS && !lm_slips_one_way(run, i)) return 1;
    return 0;
}

/* Steps until the first open gap would close with its acceleration, and some more; many if none would. */
static int64_t lm_steps_to_touch(const lm_run *run, const lm_way *way, const lm_look *seen, double h) {
    double soonest = INFINITY;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (way->holds[i] != LM_OPEN) continue;
        const double own = LM_N(seen, gap, i), gap = own > 0.0 ? own : 0.0, rate = LM_N(seen, gap_rate, i);
        const double pull = -LM_N(seen, gap_acceleration, i), under = rate * rate + 2.0 * gap * pull;
        if (rate > 0.0 && pull > 0.0) {
            const double time = (rate + sqrt(under)) / pull;
            if (time < soonest) soonest = time;
        } else if (gap > 0.0 && under >= 0.0 && sqrt(under) - rate > 0.0) {
            const double time = 2.0 * gap / (sqrt(under) - rate);
            if (time < soonest) soonest = time;
        }
    }
    if (!(soonest < LM_LONGEST_CHUNK * h)) return LM_LONGEST_CHUNK;
    const int64_t fewest = way->handful / LM_QUARTER, found = (int64_t)(LM_SPARE * soonest / h) + 2;
    const int64_t most = found < LM_LONGEST_CHUNK ? found : LM_LONGEST_CHUNK;
    return most > fewest ? most : fewest;
}
