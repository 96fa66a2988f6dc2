/* The run itself: steps, up to where something happens that is not known here. */

/* Where the steps ahead lead to: the next end of bounces, or the next stop of the grid. */
static void lm_look_ahead(lm_run *run, const lm_now *now) {
    run->until = run->next_stop, run->jumps = run->leaps;
    for (int64_t k = 0; k < now->resting; ++k)
        if (now->rests[k] > now->t + LM_SAME_TIME && now->rests[k] < run->until) run->until = now->rests[k], run->jumps = 0;
    run->closes = !run->jumps;
}

/* The largest sizes so far of normal forces, and of reactions; those that are no numbers do not count. */
static void lm_largest_so_far(const lm_run *run, const lm_look *seen, double *normal, double *force) {
    for (int64_t i = 0; i < run->contacts; ++i) {
        const double own = fabs(LM_N(seen, normal_force, i));
        if (own > *normal) *normal = own < LM_LARGEST ? own : LM_LARGEST;
        for (int j = 0; j < 3; ++j) {
            const double part = fabs(LM_V(seen, reaction, i)[j]);
            if (part > *force) *force = part < LM_LARGEST ? part : LM_LARGEST;
        }
    }
}

/* A gap that has been positive comes down to zero, whatever was left of it when it opened. */
static void lm_risen(const lm_run *run, lm_now *now, const lm_look *seen) {
    for (int64_t i = 0; i < run->contacts; ++i)
        if (LM_N(seen, gap, i) > 0.0) now->levels[i] = 0.0;
}

/* Whether a closed contact has left its place, or an open one is deep inside its ground. */
static int lm_is_amiss(const lm_run *run, const lm_now *now, const lm_look *seen) {
    for (int64_t i = 0; i < run->contacts; ++i) {
        const double gap = LM_N(seen, gap, i);
        if (run->way[now->way].holds[i] == LM_LOCKED) continue;
        if (run->way[now->way].holds[i] == LM_OPEN ? gap < -LM_SUNK : !(fabs(gap - now->entered[i]) <= LM_LOOSE)) return 1;
    }
    return 0;
}

/* How fast the contact point of a wheel runs around its rim, of the fastest, squared. */
static double lm_wander(const lm_run *run, const lm_look *seen) {
    double found = 0.0;
    for (int64_t i = 0; i < run->contacts; ++i)
        if (LM_N(seen, wander, i) > found) found = LM_N(seen, wander, i);
    return found;
}

/* Whether pivots before and after a step say that it is too long for them. */
static int lm_wanes(const lm_way *way, const lm_look *a, const lm_look *b) {
    for (int64_t i = 0; i < way->pivots; ++i) {
        const double after = b->pivots[i];
        if (after < LM_COMFORTABLE && fabs(after - a->pivots[i]) > LM_WANES * (after > 0.0 ? after : 0.0)) return 1;
    }
    return 0;
}

/* Lengths, numbers and ends of the next steps, of two kinds at most; 0 where the next one leads to where others decide. */
static int lm_parts_ahead(lm_run *run, lm_now *now, double *length, int64_t *steps, double *target) {
    const int64_t most = lm_is_guided(run, now) ? 1 : now->chunk < now->ahead ? now->chunk : now->ahead;
    int parts = 0;
    double t = now->t, h = 0.0;
    if (run->closes && t >= run->until - LM_SAME_TIME) return 0;
    for (int64_t left = most > 0 ? most : 1; parts < 2 && left > 0 && (!parts || t < run->until);) {
        lm_plan(run, t, left, length + parts, steps + parts, target + parts);
        if (target[parts] == run->until && !run->closes) {
            if (steps[parts] < 2) break;
            --steps[parts], target[parts] = run->start + (lm_place_of(run, t) + (double)steps[parts]) * run->step;
            if (length[parts] > h) h = length[parts];
            ++parts;
            break;
        }
        if (length[parts] > h) h = length[parts];
        left -= steps[parts], t = target[parts++];
    }
    if (!parts || !lm_slips_at(run, now)) return parts;
    lm_look_now(run, now);
    const double longest = lm_longest(run, now);
    if (longest >= h) return parts;
    if (!(longest > 1e-9 * h)) return 0;
    double whole;
    int64_t one;
    lm_plan(run, now->t, 1, &whole, &one, target);
    if (target[0] == run->until && !run->closes) return 0;
    const int64_t total = (int64_t)ceil(whole / longest);
    const int64_t together = lm_is_guided(run, now) ? 1 : LM_TOGETHER;
    length[0] = whole / (double)total, steps[0] = total < together ? total : together;
    if (steps[0] < total) target[0] = now->t + (double)steps[0] * length[0];
    return 1;
}

/* What happens within a step from a sample (t, x) to y, of which `known` is seen: 1 if it is done with, and `now` is beyond it; 0 if others have to look; -1 if it
   was nothing. */
static int lm_happens(lm_run *run, lm_now *now, lm_now *next, double t, const double *x, double h, const double *y, const lm_look *known, lm_triggers *found) {
    const int64_t samples = run->samples, pieces = run->pieces, tolds = run->tolds, triggers = run->triggers, mark = run->used;
    const lm_way *way = run->way + now->way;
    lm_copy_now(run, now, next);
    const double length = lm_locate(run, now, t, x, h, y, known, found, next);
    if (length == LM_NONE) return -1;
    if (length == LM_UNKNOWN) return 0;
    const int64_t fewest = way->handful, half = now->chunk / 2;
    next->chunk = half > fewest ? half : fewest;
    int good = !lm_slips_at(run, now) || lm_is_followed(run, way, t, x, length, known, next->x);
    good = good && lm_ease(way, &next->seen) >= LM_SUSPECT && lm_sample(run, next->t, next->x, way->nx, -2.0);
    for (int k = 0; k < found->count && good; ++k) {
        good = run->triggers < run->most_triggers;
        if (good) run->trigger[run->triggers++] = found->what[k];
    }
    good = good && lm_handle(run, next, found);
    run->used = mark;
    if (good) return 1;
    run->samples = samples, run->pieces = pieces, run->tolds = tolds, run->triggers = triggers;
    lm_directed(run, way, now->slips, now->guided);
    return 0;
}

/* Some steps in one mode, up to where something happens. -1 to go on; else why not. */
static int lm_chunk(lm_run *run, lm_now *now, lm_now *next, lm_look *looks, double *states) {
    const int64_t begin = run->samples, nx = run->way[now->way].nx;
    double length[2], target[2], hmax = 0.0, normal = 0.0, force = 0.0, needed = -1.0, levels[LM_MOST_CONTACTS];
    int64_t steps[2];
    double rates[LM_MOST_CONTACTS]; /* of pushes */
    int rated = 0;
    const double most = (LM_WANDER / run->step) * (LM_WANDER / run->step); /* beyond it steps of the grid are too long */
    lm_triggers found;
    const lm_way *way = run->way + now->way;
    lm_look_ahead(run, now);
    lm_look_now(run, now);
    lm_directed(run, way, now->slips, now->guided);
    if ((run->wander = lm_wander(run, &now->seen)) > most || lm_is_over(way, now->t, now->x)) return LM_ASKS_FROM_START;
    const int slips = lm_slips_at(run, now), parts = lm_parts_ahead(run, now, length, steps, target);
    if (!parts) return LM_ARRIVED;
    for (int k = 0; k < parts; ++k)
        if (length[k] > hmax) hmax = length[k];
    const int shortened = hmax < LM_WHOLE_STEP * run->step;
    lm_directed(run, way, now->slips, now->guided);
    const double slowest = lm_slowest(run, now, &now->seen);
    const lm_look *a = &now->seen;
    double *x = states, *y = states + run->nx, t = now->t, secure_time = now->secure_time;
    int64_t secure = -1, chunk = 2 * now->chunk < LM_LONGEST_CHUNK ? 2 * now->chunk : LM_LONGEST_CHUNK;
    int which = 0, slow = 0;
    for (int64_t i = 0; i < nx; ++i) x[i] = now->x[i];
    for (int64_t i = 0; i < run->contacts; ++i) levels[i] = now->levels[i];
    lm_largest_so_far(run, a, &normal, &force);
    lm_risen(run, now, a);
    for (int part = 0; part < parts && !slow; ++part) {
        const double h = length[part], from = t;
        for (int64_t k = 0; k < steps[part] && !slow; ++k) {
            const double later = k + 1 == steps[part] ? target[part] : from + h * (double)(k + 1);
            const lm_look *b = looks + which;
            int why = -1;
            if (run->samples >= run->most_samples - 8) why = LM_FULL;
            else if (!lm_after(run, way, t, x, h, a, y)) why = LM_ASKS;
            else {
                lm_see(run, way, later, y, b);
                lm_watch(run, now, a, b, h, normal, force, &found);
                if (lm_is_over(way, later, y) || lm_wander(run, b) > most) why = LM_ASKS;
                else if (lm_wanes(way, a, b) || (slips && lm_push_wanes(run, now, t, x, h, a, b, rates, &rated))) why = LM_ASKS;
                else if (slips && lm_is_sudden(run, way, h, a, b) && !lm_is_followed(run, way, t, x, h, a, y)) why = LM_ASKS;
                else if (found.count) {
                    const lm_look known[2] = {*a, *b};
                    const int happens = lm_happens(run, now, next, t, x, h, y, known, &found);
                    if (happens > 0) {
                        const lm_now moved = *now;
                        *now = *next, *next = moved;
                        return -1;
                    }
                    if (!happens) why = run->wants ? LM_WANTS : LM_ASKS;
                }
                if (why < 0 && lm_is_amiss(run, now, b)) {
                    run->samples = begin;
                    for (int64_t i = 0; i < run->contacts; ++i) now->levels[i] = levels[i];
                    return LM_ASKS_FROM_START;
                }
            }
            if (why >= 0) {
                run->wander = lm_wander(run, a);
                now->t = t, now->secure_time = secure_time, now->looked = now->known = now->braked = 0;
                for (int64_t i = 0; i < nx; ++i) now->x[i] = x[i];
                if (secure >= 0)
                    for (int64_t i = 0; i < nx; ++i) now->secure[i] = run->states[secure * run->nx + i];
                return why;
            }
            lm_sample(run, later, y, nx, h);
            double *moved = x;
            x = y, y = moved, t = later, a = b, which = !which;
            lm_largest_so_far(run, a, &normal, &force);
            lm_risen(run, now, a);
            if (lm_ease(way, a) >= LM_COMFORTABLE) secure = run->samples - 1, secure_time = t;
            if (slips && !shortened) {
                const double longest = lm_longest_by_slips(run, now, a);
                if (isfinite(longest) && needed < 0.0) {
                    const double damping = lm_damping(run, now);
                    if (damping < 0.0) {
                        run->samples = begin;
                        for (int64_t i = 0; i < run->contacts; ++i) now->levels[i] = levels[i];
                        return LM_ASKS_FROM_START;
                    }
                    needed = damping * (slowest > LM_STOPPED_SLIP ? slowest : LM_STOPPED_SLIP) * hmax / LM_SHARE;
                }
                slow = isfinite(longest) && (longest < hmax || lm_slowest(run, now, a) < needed);
            }
        }
    }
    now->t = t, now->chunk = slow ? LM_FIRST_CHUNK : chunk, now->secure_time = secure_time;
    for (int64_t i = 0; i < nx; ++i) now->x[i] = x[i];
    if (secure >= 0)
        for (int64_t i = 0; i < nx; ++i) now->secure[i] = run->states[secure * run->nx + i];
    now->ahead = lm_steps_to_touch(run, way, a, hmax), run->wander = lm_wander(run, a);
    const lm_look seen = now->seen;
    now->seen = *a, *(looks + !which) = seen; /* it is that of this moment now */
    now->looked = 1, now->known = now->braked = 0;
    const int64_t samples = run->samples, pieces = run->pieces;
    lm_change change = {0, 0, 0, 0, 0, 0};
    lm_copy_now(run, now, next);
    lm_copy_look(run, way, &now->seen, &next->seen), next->looked = 1;
    if (lm_guide(run, &change, next) < 0) {
        run->samples = samples, run->pieces = pieces;
        return LM_GUIDES;
    }
    const lm_now moved = *now; /* with what has been found out about it: how long the next steps may be depends on it too */
    *now = *next, *next = moved;
    return -1;
}

void lm_follow(lm_run *run) {
    lm_now *now = &run->now, next;
    run->used = 0;
    lm_look looks[2] = {lm_look_room(run), lm_look_room(run)};
    double *states = lm_room(run, 2 * run->nx);
    const lm_now given = run->now;
    lm_now_room(run, now);
    lm_now_room(run, &next);
    lm_copy_now(run, &given, now);
    int64_t crowd = 0, events = 0;
    double since = -INFINITY;
    run->wants = 0;
    for (run->reason = -1; run->reason < 0;) {
        if (*run->stop) run->reason = LM_STOPPED;
        else if (run->samples >= run->most_samples - 16) run->reason = LM_FULL;
        else run->reason = lm_chunk(run, now, &next, looks, states);
        if (run->tolds > events) { /* what goes on without end is for others to judge */
            crowd = now->t - since < LM_CHATTER ? crowd + 1 : 0, since = crowd ? since : now->t, events = run->tolds;
            if (crowd > LM_CROWD && run->reason < 0) run->reason = LM_ASKS;
        }
    }
    lm_now last = *now; /* back to where the caller has its arrays */
    run->now = given;
    lm_copy_now(run, &last, &run->now);
}
