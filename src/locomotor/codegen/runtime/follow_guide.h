/* Slips that are slow beside what friction does, whose directions follow the forces: `guide.py`. */

/* Acceleration across a direction of contact k, with the others as they are chosen. */
static double lm_across_at(lm_run *run, const lm_ground *ground, int k, double angle, double *A, double *b, double *r, double *work) {
    const int m = ground->m, t = ground->sides[k].start + 1;
    lm_choose(ground->chosen + k, LM_SLIPS, cos(angle), sin(angle), 0);
    lm_equations(m, ground->W, ground->q, ground->count, ground->sides, ground->chosen, A, b);
    lm_least(m, A, 1, b, 1e-11, r, work, run->whole_numbers, 0);
    const double x = lm_inner(m, ground->W + t * m, r) + ground->q[t], y = lm_inner(m, ground->W + (t + 1) * m, r) + ground->q[t + 1];
    return -sin(angle) * x + cos(angle) * y;
}

/* Where nothing accelerates a slip across its direction, by Newton's method; the given angle where it leads nowhere. */
static double lm_angle(lm_run *run, const lm_ground *ground, int k, double angle, double *A, double *b, double *r, double *work) {
    double found = angle;
    for (int i = 0; i < LM_GUIDE_ITERATIONS; ++i) {
        const double value = lm_across_at(run, ground, k, found, A, b, r, work);
        const double slope = (lm_across_at(run, ground, k, found + 1e-6, A, b, r, work) - lm_across_at(run, ground, k, found - 1e-6, A, b, r, work)) / 2e-6;
        if (!(slope < 0.0)) return angle;
        const double step = -value / slope > 0.3 ? 0.3 : -value / slope < -0.3 ? -0.3 : -value / slope;
        found += step;
        if (fabs(step) < 0.01 * LM_GUIDE_TURNED) return found;
    }
    return angle;
}

/* Directions, in world axes, along which guided slips accelerate; 0 where that could not be found. */
static int lm_following(lm_run *run, lm_now *now, const lm_rows *at, const double *guided, double *directions) {
    const lm_change none = {0, 0, 0, 0, 0, 0};
    const int64_t mark = run->used;
    lm_ground ground;
    double angles[LM_MOST_CONTACTS];
    if (!lm_ground_at(run, &none, now, at, &ground)) return run->used = mark, 0;
    const int m = ground.m;
    double *A = lm_room(run, m * m + 1), *b = lm_room(run, m + 1), *r = lm_room(run, m + 1), *work = lm_room(run, 2 * m * m + m);
    if (!work) return run->used = mark, 0;
    for (int k = 0; k < ground.count; ++k) {
        const lm_side *side = ground.sides + k;
        if (side->tangents && !lm_is_moving(side) && !lm_is_frictionless(side)) lm_choose(ground.chosen + k, LM_STICKS, 0.0, 0.0, 0);
        else lm_choose(ground.chosen + k, LM_SLIPS, side->slip[0], side->slip[1], 0);
        angles[k] = atan2(side->slip[1], side->slip[0]);
    }
    for (int sweep = 0; sweep < LM_GUIDE_SWEEPS; ++sweep) {
        double moved = 0.0;
        for (int k = 0; k < ground.count; ++k) {
            if (guided[ground.contact[k]] == 0.0 || ground.sides[k].tangents != 2) continue;
            const double before = angles[k];
            angles[k] = lm_angle(run, &ground, k, before, A, b, r, work);
            lm_choose(ground.chosen + k, LM_SLIPS, cos(angles[k]), sin(angles[k]), 0);
            if (fabs(angles[k] - before) > moved) moved = fabs(angles[k] - before);
        }
        if (moved < 0.1 * LM_GUIDE_TURNED) break;
    }
    for (int k = 0; k < ground.count; ++k) {
        const int64_t i = ground.contact[k];
        if (guided[i] == 0.0 || ground.sides[k].tangents != 2) continue;
        const double *frame = at->frames + 9 * i, c = cos(angles[k]), s = sin(angles[k]);
        for (int j = 0; j < 3; ++j) directions[3 * i + j] = c * frame[3 * ground.row[k][0] + j] + s * frame[3 * ground.row[k][1] + j];
    }
    run->used = mark;
    return 1;
}

/* Length (s) of the next step with slips guided so; negative where it is not known. */
static double lm_length_ahead(lm_run *run, lm_now *now, const double *guided) {
    double h, target, kept[LM_MOST_CONTACTS];
    int64_t one;
    lm_plan(run, now->t, 1, &h, &one, &target);
    for (int64_t i = 0; i < run->contacts; ++i) kept[i] = now->guided[i], now->guided[i] = guided[i];
    const double longest = lm_longest(run, now);
    for (int64_t i = 0; i < run->contacts; ++i) now->guided[i] = kept[i];
    if (!(longest > 1e-9 * h)) return -1.0;
    return longest < h ? h / ceil(h / longest) : h;
}

/* The slip of a contact after a step with slips in some directions. */
static void lm_slip_after(lm_run *run, const lm_now *now, const double *slips, const double *guided, double h, int64_t contact, double *x, const lm_look *seen, double *slip) {
    const lm_way *way = run->way + now->way;
    lm_directed(run, way, slips, guided);
    lm_after(run, way, now->t, now->x, h, 0, x);
    lm_see(run, way, now->t + h, x, seen);
    for (int j = 0; j < 3; ++j) slip[j] = LM_V(seen, slip, contact)[j];
}

/* The direction of a slip that has none yet: such that the slip after the next step is along it. It replaces that in `slips`; 0 where
   the length of the step is not known. */
static int lm_aim(lm_run *run, lm_now *now, double *slips, const double *guided, int64_t contact) {
    const int64_t mark = run->used;
    const double h = lm_length_ahead(run, now, guided);
    double *x = lm_room(run, run->nx), first[3], given[3], side[3], slip[3], *own = slips + 3 * contact;
    lm_look seen = lm_look_room(run);
    if (!seen.pivots || h < 0.0) return run->used = mark, 0;
    for (int j = 0; j < 3; ++j) first[j] = given[j] = own[j];
#define LM_TOWARDS(angle) \
    do { \
        for (int j = 0; j < 3; ++j) own[j] = cos(angle) * first[j] + sin(angle) * side[j]; \
        lm_slip_after(run, now, slips, guided, h, contact, x, &seen, slip); \
    } while (0)
#define LM_ACROSS(angle) ((-sin(angle) * lm_dot3(slip, first) + cos(angle) * lm_dot3(slip, side)) / h)
    for (int attempt = 0; attempt < LM_SECANTS; ++attempt) {
        for (int j = 0; j < 3; ++j) own[j] = first[j], side[j] = 0.0;
        lm_slip_after(run, now, slips, guided, h, contact, x, &seen, slip);
        const double across = lm_across3(first, slip);
        int found = 0;
        if (!(across > 0.0)) found = lm_dot3(slip, first) > 0.0;
        else {
            /* (first x slip) x first / |first x slip|: in this order it is across even where the two are along each other to round-off */
            double normal[3];
            for (int j = 0; j < 3; ++j) {
                const int k = (j + 1) % 3, l = (j + 2) % 3;
                normal[j] = (first[k] * slip[l] - first[l] * slip[k]) / across;
            }
            for (int j = 0; j < 3; ++j) {
                const int k = (j + 1) % 3, l = (j + 2) % 3;
                side[j] = normal[k] * first[l] - normal[l] * first[k];
            }
            double low = 0.0, high = 1e-3, at_low, at_high;
            LM_TOWARDS(low);
            at_low = LM_ACROSS(low);
            LM_TOWARDS(high);
            at_high = LM_ACROSS(high);
            int k = 0;
            for (; k < LM_SECANTS; ++k) {
                if (!isfinite(at_low) || !isfinite(at_high) || at_low == at_high) break;
                const double next = high - at_high * (high - low) / (at_high - at_low);
                low = high, high = next;
                if (!(fabs(high) < LM_MOST_AIMED)) break;
                at_low = at_high;
                LM_TOWARDS(high);
                at_high = LM_ACROSS(high);
            }
            found = k == LM_SECANTS && lm_dot3(slip, own) > 0.0;
        }
        if (found) return run->used = mark, 1;
        for (int j = 0; j < 3; ++j) own[j] = first[j];
        lm_slip_after(run, now, slips, guided, h, contact, x, &seen, slip);
        const double speed = lm_norm3(slip);
        if (!(isfinite(speed) && speed > 0.0)) break;
        for (int j = 0; j < 3; ++j) first[j] = slip[j] / speed;
    }
#undef LM_TOWARDS
#undef LM_ACROSS
    for (int j = 0; j < 3; ++j) own[j] = given[j];
    run->used = mark;
    return 1;
}

/* Whether a slip that begins at rest, if guided, goes backwards in the next step; -1 where that is not known. */
static int lm_goes_back(lm_run *run, lm_now *now, int64_t contact) {
    if (lm_norm3(LM_V(&now->seen, slip, contact)) > LM_AT_REST) return 0;
    const int64_t mark = run->used;
    double guided[LM_MOST_CONTACTS], slip[3], *x = lm_room(run, run->nx);
    lm_look seen = lm_look_room(run);
    for (int64_t i = 0; i < run->contacts; ++i) guided[i] = i == contact ? 1.0 : now->guided[i];
    const double h = lm_length_ahead(run, now, guided);
    if (!seen.pivots || h < 0.0) return run->used = mark, -1;
    lm_slip_after(run, now, now->slips, guided, h, contact, x, &seen, slip);
    run->used = mark;
    return lm_dot3(slip, now->slips + 3 * contact) < 0.0;
}

/* Slips guided that are to be, in the directions they are to have: 1 where the moment is another one for it, 0 where all is as it
   should be, -1 where others have to decide. */
static int lm_guide(lm_run *run, lm_change *change, lm_now *now) {
    if (!lm_slips_at(run, now)) return 0;
    lm_look_now(run, now);
    if (!lm_braking(run, now)) return -1;
    const int64_t mark = run->used, n = run->nv, count = run->contacts;
    const int32_t *holds = run->way[now->way].holds;
    double guided[LM_MOST_CONTACTS];
    int some = lm_is_guided(run, now), marginal = 0;
    int64_t which = -1;
    for (int64_t i = 0; i < count; ++i) {
        const double strength = now->strengths[i], speed = lm_norm3(LM_V(&now->seen, slip, i)), rate = lm_norm3(LM_V(&now->seen, slip_rate, i));
        const double times = now->guided[i] != 0.0 ? LM_LEAVES : 1.0;
        guided[i] = 0.0;
        if (holds[i] != LM_SLIPS || !(strength > 0.0) || !(speed < times * strength * run->step / (LM_RESOLVED * LM_SHARE))) continue;
        if (!(rate < times * LM_SLUGGISH * strength)) continue;
        guided[i] = some = 1;
        int aims = now->guided[i] == 0.0 && rate < LM_MARGINAL * strength;
        if (!aims && (aims = lm_goes_back(run, now, i)) < 0) return run->used = mark, -1;
        if (aims) ++marginal, which = i;
    }
    if (!some) return 0;
    lm_know_now(run, now);
    lm_rows at;
    double *slips = lm_room(run, 3 * count), *directions = lm_room(run, 3 * count), *v = lm_room(run, n), *x = lm_room(run, run->nx);
    double *rows = lm_room(run, (6 * count + run->held_rows + 1) * n);
    if (!rows || !lm_rows_at(run, now->t, now->q, &at)) return run->used = mark, -1;
    for (int64_t i = 0; i < 3 * count; ++i) slips[i] = now->slips[i], directions[i] = NAN;
    for (int64_t i = 0; i < count; ++i) {
        const double *slip = LM_V(&now->seen, slip, i), speed = lm_norm3(slip);
        for (int j = 0; j < 3 && holds[i] == LM_SLIPS && now->guided[i] != 0.0 && guided[i] == 0.0; ++j)
            slips[3 * i + j] = slip[j] / (speed > 1e-300 ? speed : 1e-300);
    }
    if (!lm_following(run, now, &at, guided, directions)) return run->used = mark, -1;
    for (int64_t i = 0; i < count; ++i) {
        double apart = 0.0;
        for (int j = 0; j < 3; ++j) apart += (directions[3 * i + j] - slips[3 * i + j]) * (directions[3 * i + j] - slips[3 * i + j]);
        if (isnan(directions[3 * i]) || (now->guided[i] != 0.0 && !(sqrt(apart) > LM_GUIDE_TURNED))) continue;
        for (int j = 0; j < 3; ++j) slips[3 * i + j] = directions[3 * i + j];
    }
    if (marginal == 1) {
        const int aimed = lm_aim(run, now, slips, guided, which);
        lm_directed(run, run->way + now->way, now->slips, now->guided);
        if (!aimed) return run->used = mark, -1;
    }
    int same = 1, first = 0;
    for (int64_t i = 0; i < count && same; ++i) {
        same = guided[i] == now->guided[i];
        for (int j = 0; j < 3 && same && holds[i] == LM_SLIPS; ++j) same = slips[3 * i + j] == now->slips[3 * i + j];
    }
    if (same) return run->used = mark, 0;
    for (int64_t i = 0; i < count; ++i) { /* what is across, friction has damped */
        if (guided[i] == 0.0) continue;
        if (at.count[i] != 3) return run->used = mark, -1;
        const double *frame = at.frames + 9 * i, one = lm_dot3(frame + 3, slips + 3 * i), other = lm_dot3(frame + 6, slips + 3 * i);
        for (int64_t j = 0; j < n; ++j) rows[first * n + j] = one * at.rows[(3 * i + 2) * n + j] - other * at.rows[(3 * i + 1) * n + j];
        ++first;
    }
    for (int64_t j = 0; j < n; ++j) v[j] = now->v[j];
    if (first && !lm_without(run, now, &at, lm_add_closed(run, now, &at, 0, first, rows), first, rows, v)) return run->used = mark, -1;
    const lm_way *way = run->way + now->way;
    lm_state_of(way, now->q, v, now->x + way->moved + way->frees, x);
    const int entered = lm_enter(run, change, now, now->way, x, slips, guided, 0);
    run->used = mark;
    return entered ? 1 : -1;
}
