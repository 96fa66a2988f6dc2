/* What comes of an event: `friction.py` and `pivots.py`; impacts are in `follow_impact.h`. Each function gives 0 for what is left
   to the readable form; nothing that was recorded of the event counts then. */

/* Everything that has happened at an instant so far; masks have a bit for each contact. */
typedef struct {
    uint64_t closing, opening, yielding, stopped;
    int entered, told;
} lm_change;

#define LM_BIT(i) ((uint64_t)1 << (i))

/* -- the record -------------------------------------------------------------------------------------------- */

static int lm_sample(lm_run *run, double t, const double *x, int64_t nx, double length) {
    if (run->samples >= run->most_samples) return 0;
    run->times[run->samples] = t, run->lengths[run->samples] = length;
    for (int64_t i = 0; i < nx; ++i) run->states[run->samples * run->nx + i] = x[i];
    return (int)++run->samples;
}

static int lm_begin_piece(lm_run *run, const lm_now *now) {
    if (run->pieces >= run->most_pieces) return 0;
    const lm_way *way = run->way + now->way;
    lm_directed(run, way, now->slips, now->guided);
    lm_piece *piece = run->piece + run->pieces;
    piece->way = now->way, piece->first = run->samples, piece->triggers = run->triggers, piece->told = run->tolds;
    for (int64_t i = 0; i < way->np; ++i) run->piece_parameters[run->pieces * run->parameters + i] = way->parameters[i];
    ++run->pieces;
    return lm_sample(run, now->t, now->x, way->nx, -1.0);
}

static lm_told *lm_tell(lm_run *run, lm_change *change, lm_now *now, int kind, int64_t contact, int64_t held, double before) {
    if (run->tolds >= run->most_tolds) return 0;
    lm_know_now(run, now);
    lm_told *told = run->told + run->tolds++;
    ++change->told;
    told->time = now->t, told->before = before, told->after = now->energy, told->lost = 0.0;
    told->contact = (int32_t)contact, told->held = (int32_t)held, told->kind = kind, told->turned = 0;
    for (int j = 0; j < 3; ++j) told->own[j] = told->world[j] = 0.0;
    if (kind == LM_IMPACT && now->t > now->struck[1]) now->struck[0] = now->struck[1], now->struck[1] = now->t;
    return told;
}

/* Its time is that at which it rests, a sample of its own. */
static int lm_rests(const lm_run *run, lm_now *now, lm_told *told, double delay) {
    const double ends = now->t + delay < run->end ? now->t + delay : run->end;
    int64_t ahead = 0;
    told->time = ends > now->t + LM_SAME_TIME ? ends : now->t;
    for (int64_t k = 0; k < now->resting; ++k)
        if (now->rests[k] > now->t) now->rests[ahead++] = now->rests[k];
    now->resting = ahead;
    if (ahead == LM_MOST_RESTS) return 0;
    now->rests[now->resting++] = told->time;
    return 1;
}

/* -- modes -------------------------------------------------------------------------------------------------- */

/* Go on in a mode whose state is `x`, with directions of slip: the moment is another one. What is `seen` there, if anything, is known. */
static int lm_enter(lm_run *run, lm_change *change, lm_now *now, int64_t to, const double *x, const double *slips, const double *guided, const lm_look *seen) {
    const lm_way *way = run->way + to;
    now->way = to;
    for (int64_t i = 0; i < way->nx; ++i) now->x[i] = x[i];
    for (int64_t i = 0; i < run->contacts; ++i) {
        for (int j = 0; j < 3; ++j) now->slips[3 * i + j] = way->holds[i] == LM_SLIPS ? slips[3 * i + j] : 0.0;
        now->guided[i] = guided && way->holds[i] == LM_SLIPS ? guided[i] : 0.0;
    }
    now->looked = now->known = now->braked = 0;
    if (seen) lm_copy_look(run, way, seen, &now->seen), now->looked = 1;
    lm_look_now(run, now);
    for (int64_t i = 0; i < run->contacts; ++i) {
        const double gap = LM_N(&now->seen, gap, i);
        now->levels[i] = gap < 0.0 ? gap : 0.0, now->entered[i] = gap;
    }
    now->secure_time = now->t;
    for (int64_t i = 0; i < way->nx; ++i) now->secure[i] = now->x[i];
    now->ahead = lm_steps_to_touch(run, way, &now->seen, run->step);
    ++change->entered;
    return lm_begin_piece(run, now);
}

/* Continue with contacts held so, with velocities that the mode must be able to hold. */
static int lm_switch(lm_run *run, lm_change *change, lm_now *now, const int32_t *holds, const double *slips, const double *v) {
    const int64_t mark = run->used;
    int64_t to = 0;
    for (; to < run->ways; ++to) {
        int64_t i = run->way[to].usual ? 0 : run->contacts + 1;
        while (i < run->contacts && run->way[to].holds[i] == holds[i]) ++i;
        if (i == run->contacts) break;
    }
    if (to == run->ways) { /* it has not been met yet */
        lm_know_now(run, now);
        run->wanted_at[0] = now->t;
        for (int64_t i = 0; i < run->nq; ++i) run->wanted_at[1 + i] = now->q[i];
        for (int64_t i = 0; i < run->contacts; ++i) run->wanted[i] = holds[i];
        return run->wants = 1, 0;
    }
    lm_know_now(run, now);
    const lm_way *way = run->way + to, *old = run->way + now->way;
    double *x = lm_room(run, run->nx), *q = lm_room(run, run->nq), *found = lm_room(run, run->nv), energy, most = 1.0, miss = 0.0;
    lm_look seen = lm_look_room(run);
    if (!seen.pivots) return run->used = mark, 0;
    lm_state_of(way, now->q, v, now->x + old->moved + old->frees, x);
    lm_directed(run, way, slips, 0);
    lm_see(run, way, now->t, x, &seen);
    lm_whole(run, way, now->t, x, q, found, &energy);
    for (int64_t i = 0; i < run->nv; ++i) {
        if (fabs(v[i]) > most) most = fabs(v[i]);
        if (!(fabs(found[i] - v[i]) <= miss)) miss = fabs(found[i] - v[i]);
    }
    const int good = lm_ease(way, &seen) >= LM_SUSPECT && miss <= LM_SAME_VELOCITY * most && lm_enter(run, change, now, to, x, slips, 0, &seen);
    run->used = mark;
    return good;
}

/* Closed contacts that slip with some velocities, and where to. */
static void lm_by_velocity(const lm_run *run, const lm_rows *at, const double *v, int32_t *holds, double *slips) {
    const int64_t n = run->nv;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (holds[i] == LM_OPEN) continue;
        double slip[3] = {0.0, 0.0, 0.0};
        for (int k = 1; k < at->count[i]; ++k) {
            const double along = lm_inner((int)n, at->rows + (3 * i + k) * n, v);
            for (int j = 0; j < 3; ++j) slip[j] += at->frames[9 * i + 3 * k + j] * along;
        }
        const double speed = lm_norm3(slip);
        holds[i] = speed > LM_AT_REST ? LM_SLIPS : LM_STICKS;
        for (int j = 0; j < 3; ++j) slips[3 * i + j] = speed > LM_AT_REST ? slip[j] / speed : 0.0;
    }
}

/* -- who opens, sticks and slips ---------------------------------------------------------------------------- */

/* The least acceleration along the ground of a contact that is driven, by an imposed motion. */
static double lm_driving(const lm_run *run, const lm_now *now) {
    double most = 1.0;
    for (int64_t i = 0; i < 3 * run->contacts; ++i) {
        const double own = fabs(LM_V(&now->seen, slip_rate, 0)[i]);
        if (own > most) most = own;
    }
    return LM_DRIVEN * most;
}

/* Whether nobody has to pull, nobody sticks beyond friction or is driven where it sticks, and nobody slips against it. */
static int lm_fits(const lm_run *run, const lm_now *now) {
    double force = 0.0;
    const double least = lm_driving(run, now);
    for (int64_t i = 0; i < 3 * run->contacts; ++i) {
        const double own = fabs(LM_V(&now->seen, reaction, 0)[i]);
        if (own > force) force = own;
    }
    for (int64_t i = 0; i < run->contacts; ++i) {
        const int32_t held = run->way[now->way].holds[i];
        if (held == LM_OPEN || held == LM_LOCKED) continue;
        if (LM_N(&now->seen, hold, i) < -LM_EXHAUSTED * force) return 0;
        if (held == LM_STICKS && LM_N(&now->seen, friction_left, i) < -LM_EXHAUSTED * force) return 0;
        for (int j = 0; j < 3 && held == LM_STICKS; ++j)
            if (fabs(LM_V(&now->seen, slip_rate, i)[j]) > least) return 0;
        if (held == LM_SLIPS && !(LM_N(&now->seen, push, i) > 0.0)) return 0;
    }
    return 1;
}

/* Whether friction holds every joint that is locked. */
static int lm_joints_hold(const lm_run *run, const lm_now *now) {
    double force = 0.0;
    for (int64_t i = 0; i < 3 * run->contacts; ++i) {
        const double own = fabs(LM_V(&now->seen, reaction, 0)[i]);
        if (own > force) force = own;
    }
    for (int64_t i = 0; i < run->contacts; ++i)
        if (run->way[now->way].holds[i] == LM_LOCKED && LM_N(&now->seen, friction_left, i) < -LM_EXHAUSTED * force) return 0;
    return 1;
}

/* The closed contacts of a moment as a problem of accelerations, u = W r + q. */
typedef struct {
    int count, m;
    int32_t contact[LM_MOST_CONTACTS], row[LM_MOST_CONTACTS][2]; /* which rows of its frame its tangents are */
    double *W, *q;
    lm_side *sides;
    lm_choice *chosen;
} lm_ground;

static int lm_ground_at(lm_run *run, const lm_change *change, const lm_now *now, const lm_rows *at, lm_ground *found) {
    const int64_t n = run->nv;
    const int32_t *holds = run->way[now->way].holds;
    lm_collision of;
    int f = 0, own = 0, first = 0, locked = 0;
    found->count = 0;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (holds[i] == LM_LOCKED) locked += at->count[i];
        else if (holds[i] != LM_OPEN) found->contact[found->count++] = (int32_t)i, f += at->count[i];
    }
    const int m = f + at->held_rows + locked;
    double *rows = lm_room(run, (m + 1) * n), *r = lm_room(run, f + 1);
    found->W = lm_room(run, f * f + 1), found->q = lm_room(run, f + 1);
    found->sides = (lm_side *)lm_room(run, (int64_t)(found->count + 1) * sizeof(lm_side) / 8);
    found->chosen = (lm_choice *)lm_room(run, (int64_t)(found->count + 1) * sizeof(lm_choice) / 8);
    if (!found->chosen || !found->sides || !found->q) return 0;
    for (int k = 0, row = 0; k < found->count; ++k) {
        const int64_t i = found->contact[k];
        for (int64_t j = 0; j < at->count[i] * n; ++j) rows[row * n + j] = at->rows[3 * i * n + j];
        row += at->count[i];
    }
    for (int64_t j = 0; j < at->held_rows * n; ++j) rows[f * n + j] = at->held[j];
    for (int64_t i = 0, row = f + at->held_rows; i < run->contacts; ++i) {
        if (holds[i] != LM_LOCKED) continue;
        for (int64_t j = 0; j < at->count[i] * n; ++j) rows[row * n + j] = at->rows[3 * i * n + j];
        row += at->count[i];
    }
    if (!lm_collide(run, at, m, f, rows, 0, 0, &of)) return 0;
    const double *all = of.W;
    double scale = 0.0;
    const double least = lm_driving(run, now);
    int32_t part[3 * LM_MOST_CONTACTS];
    for (int i = 0; i < f; ++i)
        if (fabs(all[i * f + i]) > scale) scale = fabs(all[i * f + i]);
    if (scale == 0.0) scale = 1.0;
    for (int k = 0; k < found->count; ++k) {
        const int64_t i = found->contact[k];
        const double *frame = at->frames + 9 * i, *force = LM_V(&now->seen, reaction, i);
        const int loosened = !!(change->yielding & LM_BIT(i)), rests = !!(change->stopped & LM_BIT(i));
        lm_side *side = found->sides + k;
        double along[2] = {0.0, 0.0}, told[2] = {0.0, 0.0};
        side->start = own, side->tangents = 0, side->slip[0] = side->slip[1] = 0.0;
        side->mu = run->sliding[i], side->bound = loosened ? -1.0 : run->resting[i];
        const int gone = run->smooth && change->opening & LM_BIT(i); /* with all its pull, as in `releases` of collisions.py */
        const double pull = gone ? 0.0 : LM_N(&now->seen, hold, i) - LM_N(&now->seen, normal_force, i);
        part[own] = first, found->q[own] = 0.0, r[own++] = lm_dot3(frame, force) + pull;
        for (int j = 1; j < at->count[i]; ++j) {
            const double *direction = frame + 3 * j;
            if (!(all[(first + j) * f + first + j] > LM_VOID * scale) && !(fabs(lm_dot3(direction, LM_V(&now->seen, slip_rate, i))) > least)) continue;
            along[side->tangents] = lm_dot3(direction, LM_V(&now->seen, slip, i)), told[side->tangents] = lm_dot3(direction, now->slips + 3 * i);
            found->row[k][side->tangents++] = j;
            part[own] = first + j, found->q[own] = lm_dot3(direction, LM_V(&now->seen, slip_rate, i)), r[own++] = lm_dot3(direction, force);
        }
        if (holds[i] == LM_SLIPS && !rests && !loosened) {
            const double speed = sqrt(along[0] * along[0] + along[1] * along[1]);
            const int as_told = speed < LM_AT_REST || now->guided[i] != 0.0 || along[0] * told[0] + along[1] * told[1] < 0.0;
            for (int j = 0; j < side->tangents; ++j) side->slip[j] = as_told ? told[j] : along[j] / speed;
        }
        first += at->count[i];
    }
    found->m = own;
    for (int i = 0; i < own; ++i)
        for (int j = 0; j < own; ++j) found->W[i * own + j] = all[part[i] * f + part[j]];
    for (int i = 0; i < own; ++i) found->q[i] -= lm_inner(own, found->W + i * own, r);
    return 1;
}

/* Acceleration away from the ground by a unit normal force with the friction of a slip. */
static double lm_pushes(const lm_ground *ground, const lm_side *side, const double *slip) {
    const double *row = ground->W + side->start * ground->m + side->start;
    double push = row[0];
    for (int j = 0; j < side->tangents; ++j) push -= side->mu * row[1 + j] * slip[j];
    return push;
}

/* Approach (m/s^2) of a contact whose force has just vanished that is no more than round-off. */
static double lm_least_approach(const lm_ground *ground) {
    double found = 1.0;
    for (int i = 0; i < ground->m; ++i)
        if (fabs(ground->q[i]) > found) found = fabs(ground->q[i]);
    return LM_OPENS * found;
}

/* The one way to go on, in `chosen`; 0 where it is not found so simply. */
static int lm_solved(lm_run *run, const lm_change *change, const lm_now *now, const lm_rows *at, lm_ground *ground, double *r, double *u) {
    const int m = ground->m;
    const double floor = lm_least_approach(ground);
    for (int k = 0; k < ground->count; ++k) {
        const int64_t i = ground->contact[k];
        const lm_side *side = ground->sides + k;
        lm_choice *guess = ground->chosen + k;
        guess->loose = LM_SIGN, guess->floor = 0.0;
        if (change->opening & LM_BIT(i)) {
            lm_choose(guess, LM_OPEN, 0.0, 0.0, 0), guess->loose = LM_OPENS, guess->floor = floor;
        } else if (change->yielding & LM_BIT(i)) {
            double force[2] = {0.0, 0.0};
            for (int j = 0; j < side->tangents; ++j)
                force[j] = -lm_dot3(at->frames + 9 * i + 3 * ground->row[k][j], LM_V(&now->seen, reaction, i));
            const double size = sqrt(force[0] * force[0] + force[1] * force[1]);
            if (size > 0.0) lm_choose(guess, LM_SLIPS, force[0] / size, force[1] / size, 0), guess->loose = LM_OPENS;
            else lm_choose(guess, LM_STICKS, 0.0, 0.0, 0);
        } else if (lm_is_moving(side) || side->tangents == 0 || lm_is_frictionless(side))
            lm_choose(guess, LM_SLIPS, side->slip[0], side->slip[1], 0);
        else
            lm_choose(guess, LM_STICKS, 0.0, 0.0, 0);
        if (lm_is_moving(side) && !(lm_pushes(ground, side, side->slip) > 0.0)) return 0;
    }
    if (!lm_one_way(run, m, ground->W, ground->q, ground->count, ground->sides, ground->chosen, r, u)) return 0;
    for (int k = 0; k < ground->count; ++k) /* one that begins to slip to where it jams may go on in other ways too */
        if (ground->chosen[k].word == LM_SLIPS && !(lm_pushes(ground, ground->sides + k, ground->chosen[k].direction) > 0.0)) return 0;
    return 1;
}

/* Velocities v without what is along the `first` of some rows; those along the others stay. As `without` of collisions.py: with
   M = L L^T, the rows L^-1 C^T without what they share with the others move nothing along these. */
static int lm_without(lm_run *run, const lm_now *now, const lm_rows *at, int m, int first, const double *rows, double *v) {
    const int n = (int)run->nv;
    double *held = lm_room(run, (m - first + 1) * n), *own = lm_room(run, (first + 1) * n), *G = lm_room(run, first * first + 1);
    double *before = lm_room(run, first + 1), *impulses = lm_room(run, first + 1), *work = lm_room(run, 2 * first * first + first + 1);
    if (!work || !own || !held) return 0;
    for (int i = first; i < m; ++i) lm_forward(n, at->mass, rows + i * n, held + (i - first) * n);
    const int few = lm_orthonormal(n, m - first, held, LM_ROUND_OFF);
    double largest = 0.0;
    for (int i = 0; i < first; ++i) {
        double *x = own + i * n;
        lm_forward(n, at->mass, rows + i * n, x);
        const double size = lm_inner(n, x, x);
        if (size > largest) largest = size;
        lm_take_out(n, few, held, x, 2);
        before[i] = -lm_inner(n, rows + i * n, now->v);
    }
    for (int i = 0; i < first; ++i) /* what the others leave of a row that follows from them is round-off */
        if (!(lm_inner(n, own + i * n, own + i * n) > LM_ROUND_OFF * largest))
            for (int j = 0; j < n; ++j) own[i * n + j] = 0.0;
    for (int i = 0; i < first; ++i)
        for (int j = 0; j < first; ++j) G[i * first + j] = lm_inner(n, own + i * n, own + j * n);
    lm_least(first, G, 1, before, LM_ROUND_OFF, impulses, work, run->whole_numbers, 1);
    for (int a = 0; a < n; ++a) v[a] = 0.0;
    for (int i = 0; i < first; ++i)
        for (int a = 0; a < n; ++a) v[a] += impulses[i] * own[i * n + a];
    lm_backward(n, at->mass, v);
    for (int a = 0; a < n; ++a) v[a] += now->v[a];
    return 1;
}

/* The rows of everything that is held and of closed contacts, of those that slip or have come to rest the normals, after `m` others. */
static int lm_add_closed(const lm_run *run, const lm_now *now, const lm_rows *at, uint64_t rests, int m, double *rows) {
    const int64_t n = run->nv;
    for (int64_t j = 0; j < at->held_rows * n; ++j) rows[m * n + j] = at->held[j];
    m += at->held_rows;
    for (int64_t i = 0; i < run->contacts; ++i) {
        const int32_t held = run->way[now->way].holds[i];
        if (held == LM_OPEN) continue;
        const int count = held == LM_SLIPS || rests & LM_BIT(i) ? 1 : at->count[i];
        for (int64_t j = 0; j < count * n; ++j) rows[m * n + j] = at->rows[3 * i * n + j];
        m += count;
    }
    return m;
}

/* Velocities without what is left of slips that have come to rest. */
static int lm_stilled(lm_run *run, const lm_now *now, const lm_rows *at, uint64_t which, double *v) {
    const int64_t n = run->nv;
    int first = 0;
    double *rows = lm_room(run, (6 * run->contacts + at->held_rows + 1) * n);
    if (!rows) return 0;
    for (int64_t i = 0; i < run->contacts; ++i)
        for (int k = 1; k < at->count[i] && which & LM_BIT(i); ++k, ++first)
            for (int64_t j = 0; j < n; ++j) rows[first * n + j] = at->rows[(3 * i + k) * n + j];
    return lm_without(run, now, at, lm_add_closed(run, now, at, which, first, rows), first, rows, v);
}

/* Whether contacts stick beyond their cones that may share their forces along the ground in more ways than one (`bracing.py`): their
   rows, beside those of all that is held and the normals of the others, depend on each other. */
static int lm_is_shared(lm_run *run, const lm_change *change, const lm_now *now, const lm_rows *at, const lm_ground *ground) {
    const int n = (int)run->nv;
    const int32_t *holds = run->way[now->way].holds;
    int lacking = !!change->yielding, count = 0;
    double force = 0.0;
    for (int64_t i = 0; i < 3 * run->contacts; ++i)
        if (fabs(LM_V(&now->seen, reaction, 0)[i]) > force) force = fabs(LM_V(&now->seen, reaction, 0)[i]);
    for (int64_t i = 0; i < run->contacts; ++i)
        if (holds[i] == LM_STICKS && LM_N(&now->seen, friction_left, i) < -LM_EXHAUSTED * force) lacking = 1;
    if (!lacking || change->opening | change->stopped || ground->count < 2 || ground->count > LM_MOST_SHARING) return 0;
    double *rows = lm_room(run, (int64_t)(at->held_rows + 3 * run->contacts + 1) * n);
    if (!rows) return 1; /* the readable form has room */
    for (int j = 0; j < at->held_rows; ++j) lm_forward(n, at->mass, at->held + j * n, rows + count++ * n);
    for (int64_t i = 0; i < run->contacts; ++i)
        for (int j = 0; holds[i] == LM_LOCKED && j < at->count[i]; ++j) lm_forward(n, at->mass, at->rows + (3 * i + j) * n, rows + count++ * n);
    count = lm_orthonormal(n, count, rows, LM_ROUND_OFF);
    for (int k = 0; k < ground->count; ++k) {
        const int64_t i = ground->contact[k];
        lm_forward(n, at->mass, at->rows + 3 * i * n, rows + count++ * n);
        for (int j = 0; holds[i] == LM_STICKS && j < ground->sides[k].tangents; ++j)
            lm_forward(n, at->mass, at->rows + (3 * i + ground->row[k][j]) * n, rows + count++ * n);
    }
    return lm_orthonormal(n, count, rows, LM_ROUND_OFF) < count;
}

/* Open, stick or let slip whoever must: forces push, stay in their cones, and slip goes along with its acceleration. */
static int lm_settle_contacts(lm_run *run, lm_change *change, lm_now *now) {
    lm_look_now(run, now);
    if (!(change->opening | change->yielding | change->stopped) && lm_fits(run, now)) return 1;
    lm_know_now(run, now);
    const int64_t mark = run->used;
    const lm_way *way = run->way + now->way;
    int32_t holds[LM_MOST_CONTACTS], before[LM_MOST_CONTACTS];
    uint64_t held = 0, rests = 0; /* of those that have stopped: who sticks, and who is still there */
    lm_rows at;
    lm_ground ground;
    for (int64_t i = 0; i < run->contacts; ++i) {
        before[i] = holds[i] = way->holds[i];
        if (holds[i] != LM_SLIPS) continue;
        const double *slip = LM_V(&now->seen, slip, i), speed = lm_norm3(slip);
        const int fades = speed < LM_WITH_OTHERS && lm_dot3(slip, LM_V(&now->seen, slip_rate, i)) < 0.0;
        if (change->stopped && (speed < LM_AT_REST || fades)) change->stopped |= LM_BIT(i);
        if (change->yielding && speed < LM_AT_REST && !(change->stopped & LM_BIT(i))) return 0; /* all of them are asked together */
    }
    double *r = lm_room(run, 3 * run->contacts), *u = lm_room(run, 3 * run->contacts), *slips = lm_room(run, 3 * run->contacts), *v = lm_room(run, run->nv);
    if (!v || !lm_rows_at(run, now->t, now->q, &at) || !lm_ground_at(run, change, now, &at, &ground)) return 0;
    if (lm_is_shared(run, change, now, &at, &ground)) return 0; /* others may make up for what one lacks */
    if (!lm_solved(run, change, now, &at, &ground, r, u)) return 0;
    int same = 1, freed = 0;
    for (int64_t i = 0; i < 3 * run->contacts; ++i) slips[i] = 0.0;
    for (int k = 0; k < ground.count; ++k) {
        const int64_t i = ground.contact[k];
        const lm_side *side = ground.sides + k;
        const lm_choice *choice = ground.chosen + k;
        holds[i] = choice->word == LM_SLIPS && !side->tangents ? LM_STICKS : choice->word;
        if (choice->word == LM_OPEN) freed = 1;
        if (choice->word == LM_SLIPS && !lm_is_moving(side) && now->stilled_ones & LM_BIT(i) && now->t - now->stilled < LM_AT_ONCE) return 0;
        if (holds[i] == LM_SLIPS) {
            double direction[2] = {choice->direction[0], choice->direction[1]};
            if (lm_is_moving(side)) direction[0] = side->slip[0], direction[1] = side->slip[1];
            else if (lm_is_frictionless(side)) {
                double size = 0.0;
                for (int j = 0; j < side->tangents; ++j) size += u[side->start + 1 + j] * u[side->start + 1 + j];
                if (size > 0.0)
                    for (int j = 0; j < side->tangents; ++j) direction[j] = u[side->start + 1 + j] / sqrt(size);
            }
            for (int j = 0; j < side->tangents; ++j)
                for (int a = 0; a < 3; ++a) slips[3 * i + a] += direction[j] * at.frames[9 * i + 3 * ground.row[k][j] + a];
        }
        if (change->stopped & LM_BIT(i) && holds[i] == LM_STICKS) held |= LM_BIT(i);
        if (change->stopped & LM_BIT(i) && holds[i] != LM_OPEN) rests |= LM_BIT(i);
    }
    for (int64_t i = 0; i < run->contacts && same; ++i) {
        same = holds[i] == before[i];
        for (int j = 0; j < 3 && holds[i] == LM_SLIPS && same; ++j) same = slips[3 * i + j] == now->slips[3 * i + j];
    }
    same = same && held == rests; /* what is left of a slip that begins anew is round-off, beside which friction would not be along it */
    if (same && change->yielding) return 0; /* others hold everything: those who share it are braced */
    const double energy = now->energy;
    for (int64_t j = 0; j < run->nv; ++j) v[j] = now->v[j];
    if (rests && !lm_stilled(run, now, &at, rests, v)) return 0;
    if (held) now->stilled = now->t, now->stilled_ones = held;
    if (!same && !lm_switch(run, change, now, holds, slips, v)) return 0;
    for (int64_t k = 0; k < run->contacts && freed; ++k) {
        const int32_t i = run->by_name[k];
        if (before[i] != LM_OPEN && holds[i] == LM_OPEN && !lm_tell(run, change, now, LM_LIFT_OFF, i, -1, energy)) return 0;
    }
    run->used = mark;
    return 1;
}
