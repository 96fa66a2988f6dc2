/* One way in which contacts can go on, read off a solution of their cones: `complementarity/friction/cones.py`. Sweeps (`friction.h`)
   tell the modes, with which forces and directions follow by Newton's method to round-off. */
static const int lm_sweeps[] = {4, 16, 64, 256, 1024};

static int lm_is_cone(const lm_side *side) { return side->tangents > 0 && !lm_is_moving(side) && !lm_is_frictionless(side); }

/* What vanishes where modes are right, in units of forces, and its derivative. */
static void lm_cone_equations(int m, const double *W, const double *q, int count, const lm_side *sides, const lm_choice *words, const double *r, double rho, double *u, double *F, double *J) {
    for (int i = 0; i < m; ++i) {
        u[i] = q[i] + lm_inner(m, W + i * m, r), F[i] = rho * u[i];
        for (int j = 0; j < m; ++j) J[i * m + j] = rho * W[i * m + j];
    }
    for (int k = 0; k < count; ++k) {
        const lm_side *side = sides + k;
        const int first = side->start, d = side->tangents;
        if (words[k].word == LM_STICKS) continue;
        if (words[k].word == LM_OPEN) {
            for (int i = first; i <= first + d; ++i) {
                F[i] = r[i];
                for (int j = 0; j < m; ++j) J[i * m + j] = i == j ? 1.0 : 0.0;
            }
        } else if (!lm_is_cone(side)) {
            for (int a = 0; a < d; ++a) {
                const int i = first + 1 + a;
                const double ray = -side->mu * side->slip[a];
                F[i] = r[i] - ray * r[first];
                for (int j = 0; j < m; ++j) J[i * m + j] = (i == j ? 1.0 : 0.0) - (j == first ? ray : 0.0);
            }
        } else {
            double x[2] = {0.0, 0.0}, e[2] = {0.0, 0.0}, length = 0.0;
            for (int a = 0; a < d; ++a) x[a] = r[first + 1 + a] - rho * u[first + 1 + a], length += x[a] * x[a];
            length = sqrt(length);
            if (length == 0.0) length = 1e-300;
            for (int a = 0; a < d; ++a) e[a] = x[a] / length;
            for (int a = 0; a < d; ++a) F[first + 1 + a] = r[first + 1 + a] - side->mu * r[first] * e[a];
            for (int j = 0; j < m; ++j) {
                double dx[2] = {0.0, 0.0}, along = 0.0;
                for (int a = 0; a < d; ++a)
                    dx[a] = (first + 1 + a == j ? 1.0 : 0.0) - rho * W[(first + 1 + a) * m + j], along += e[a] * dx[a];
                for (int a = 0; a < d; ++a)
                    J[(first + 1 + a) * m + j] = (first + 1 + a == j ? 1.0 : 0.0) -
                                                 side->mu * ((j == first ? e[a] : 0.0) + (r[first] / length) * (dx[a] - e[a] * along));
            }
        }
    }
}

/* Forces with the modes that those near by (in r) tell of, if they satisfy every law. `yields`: who slips though it does not move. */
static int lm_settled(lm_run *run, int m, const double *W, const double *q, int count, const lm_side *sides, const int32_t *yields, const double *near, lm_choice *chosen, double *r, double *u) {
    const int64_t mark = run->used;
    double *F = lm_room(run, m + 1), *J = lm_room(run, m * m + 1), *step = lm_room(run, m + 1), *work = lm_room(run, 2 * m * m + m);
    double scale = 0.0, size_r = 0.0, size_q = 0.0, size_u = 0.0, left = 0.0;
    if (!work) return run->used = mark, 0;
    for (int k = 0; k < count; ++k) {
        const lm_side *side = sides + k;
        const double *force = near + side->start;
        double size = 0.0;
        for (int a = 0; a < side->tangents; ++a) size += force[1 + a] * force[1 + a];
        const int edge = !lm_is_cone(side) || sqrt(size) >= (1.0 - LM_EDGE) * side->mu * force[0];
        lm_choose(chosen + k, !(force[0] > 0.0) ? LM_OPEN : edge ? LM_SLIPS : LM_STICKS, 0.0, 0.0, 0);
    }
    for (int i = 0; i < m; ++i) {
        r[i] = near[i];
        if (fabs(W[i * m + i]) > scale) scale = fabs(W[i * m + i]);
        if (fabs(q[i]) > size_q) size_q = fabs(q[i]);
    }
    scale = 1.0 / (scale > 0.0 ? scale : 1.0);
    for (int round = 0; round < LM_CONE_STEPS; ++round) {
        double moved = 0.0, size = 0.0;
        lm_cone_equations(m, W, q, count, sides, chosen, r, scale, u, F, J);
        for (int i = 0; i < m; ++i) F[i] = -F[i];
        lm_least(m, J, 1, F, 1e-11, step, work, run->whole_numbers, 0);
        for (int i = 0; i < m; ++i) {
            r[i] += step[i];
            if (!isfinite(r[i])) return run->used = mark, 0;
            if (fabs(step[i]) > moved) moved = fabs(step[i]);
            if (fabs(r[i]) > size) size = fabs(r[i]);
        }
        if (moved <= LM_CONE_SETTLED * size) break;
    }
    lm_cone_equations(m, W, q, count, sides, chosen, r, scale, u, F, J);
    run->used = mark;
    for (int i = 0; i < m; ++i) {
        double sum = fabs(q[i]);
        for (int j = 0; j < m; ++j) sum += fabs(W[i * m + j]) * fabs(r[j]);
        if (sum > size_u) size_u = sum;
        if (fabs(r[i]) > size_r) size_r = fabs(r[i]);
        if (!(fabs(F[i]) <= left)) left = fabs(F[i]);
    }
    if (!(left <= LM_SIGN * (size_r > scale * size_q ? size_r : scale * size_q))) return 0;
    for (int k = 0; k < count; ++k) {
        const lm_side *side = sides + k;
        const double *force = r + side->start, *ahead = u + side->start;
        double f = 0.0, a = 0.0, towards[2] = {0.0, 0.0};
        for (int i = 0; i < side->tangents; ++i) f += force[1 + i] * force[1 + i], a += ahead[1 + i] * ahead[1 + i];
        f = sqrt(f), a = sqrt(a);
        if (chosen[k].word == LM_SLIPS && !lm_is_cone(side)) lm_choose(chosen + k, LM_SLIPS, side->slip[0], side->slip[1], 0);
        else if (chosen[k].word == LM_SLIPS) {
            const double length = f > LM_SIGN * size_r ? f : a;
            for (int i = 0; i < side->tangents && length > 0.0; ++i)
                towards[i] = (f > LM_SIGN * size_r ? -force[1 + i] : ahead[1 + i]) / length;
            if ((a <= LM_SIGN * size_u && !yields[k]) || length == 0.0) lm_choose(chosen + k, LM_STICKS, 0.0, 0.0, 0);
            else lm_choose(chosen + k, LM_SLIPS, towards[0], towards[1], 1);
        }
        /* signs, as `judged` of modes.py */
        const lm_choice *choice = chosen + k;
        if (choice->word == LM_OPEN ? ahead[0] < -LM_SIGN * size_u : force[0] < -LM_SIGN * size_r) return 0;
        if (choice->word == LM_STICKS && !(f <= side->bound * force[0] + LM_SIGN * size_r)) return 0;
        if (choice->begins) {
            double along = 0.0;
            for (int i = 0; i < side->tangents; ++i) along += ahead[1 + i] * choice->direction[i];
            if (!(along >= -LM_SIGN * size_u)) return 0;
        }
    }
    return 1;
}

/* Sweeps over the contacts, each solved with the others held, until their modes are told. */
static int lm_swept(lm_run *run, int m, const double *W, const double *q, int count, const lm_side *sides, const int32_t *yields, lm_choice *chosen, double *r, double *u) {
    const int64_t mark = run->used;
    double *near = lm_room(run, m + 1), *rate = lm_room(run, m + 1);
    lm_contact *cones = (lm_contact *)lm_room(run, (int64_t)(count + 1) * sizeof(lm_contact) / 8);
    int solved = 0, done = 0;
    if (!cones || !rate) return run->used = mark, 0;
    for (int k = 0; k < count; ++k) {
        double block[9] = {0.0};
        const int first = sides[k].start;
        for (int i = 0; i <= sides[k].tangents; ++i)
            for (int j = 0; j <= sides[k].tangents; ++j) block[3 * i + j] = W[(first + i) * m + first + j];
        lm_contact_prepare(cones + k, block, 3, sides[k].mu);
    }
    for (int i = 0; i < m; ++i) near[i] = 0.0;
    for (int round = 0; round < 5 && !solved; ++round) {
        double moved = 0.0, size = 0.0;
        for (; done < lm_sweeps[round]; ++done) {
            moved = 0.0, size = 0.0;
            for (int i = 0; i < m; ++i) rate[i] = q[i] + lm_inner(m, W + i * m, near);
            for (int k = 0; k < count; ++k) {
                const lm_side *side = sides + k;
                const int first = side->start, d = side->tangents;
                double without[3] = {0.0, 0.0, 0.0}, next[3] = {0.0, 0.0, 0.0};
                for (int i = 0; i <= d; ++i) {
                    without[i] = rate[first + i];
                    for (int j = 0; j <= d; ++j) without[i] -= W[(first + i) * m + first + j] * near[first + j];
                }
                if (lm_is_cone(side)) {
                    if (!lm_contact_solve(cones + k, without, next)) continue;
                } else if (without[0] < 0.0) {
                    double push = W[first * m + first];
                    for (int a = 0; a < d; ++a) push -= W[first * m + first + 1 + a] * side->mu * side->slip[a];
                    if (!(push > 0.0)) continue;
                    next[0] = -without[0] / push;
                    for (int a = 0; a < d; ++a) next[1 + a] = -side->mu * side->slip[a] * next[0];
                }
                for (int j = 0; j <= d; ++j) {
                    const double change = next[j] - near[first + j];
                    for (int i = 0; i < m; ++i) rate[i] += W[i * m + first + j] * change;
                    near[first + j] = next[j];
                    if (fabs(change) > moved) moved = fabs(change);
                }
            }
            for (int i = 0; i < m; ++i)
                if (fabs(near[i]) > size) size = fabs(near[i]);
            if (moved <= LM_CONE_STEADY * size) break;
        }
        done = lm_sweeps[round];
        solved = lm_settled(run, m, W, q, count, sides, yields, near, chosen, r, u);
        if (moved <= LM_CONE_STEADY * size) break;
    }
    run->used = mark;
    return solved;
}

/* Modes (in `chosen`), forces and accelerations that satisfy every law; 0 where none were found, which proves nothing. */
static int lm_cones(lm_run *run, int m, const double *W, const double *q, int count, const lm_side *sides, lm_choice *chosen, double *r, double *u) {
    const int64_t mark = run->used;
    int32_t yields[LM_MOST_CONTACTS];
    lm_side *taken = (lm_side *)lm_room(run, (int64_t)(count + 1) * sizeof(lm_side) / 8);
    int solved = 0;
    if (!taken) return run->used = mark, 0;
    for (int k = 0; k < count; ++k) {
        yields[k] = sides[k].bound < 0.0, taken[k] = sides[k];
        if (lm_is_cone(sides + k) && sides[k].bound > sides[k].mu) taken[k].mu = sides[k].bound;
        if (lm_is_cone(sides + k)) taken[k].bound = taken[k].mu;
    }
    for (int round = 0; round <= count && !solved; ++round) {
        if (!lm_swept(run, m, W, q, count, taken, yields, chosen, r, u)) break;
        solved = 1;
        for (int k = 0; k < count; ++k) {
            const int slips = chosen[k].word == LM_SLIPS && (chosen[k].direction[0] != 0.0 || chosen[k].direction[1] != 0.0);
            if (lm_is_cone(sides + k) && slips && taken[k].mu > sides[k].mu) taken[k] = sides[k], taken[k].bound = sides[k].mu, solved = 0;
        }
    }
    if (!solved) { /* who sticks within the cone of who slips does within the larger one too */
        for (int k = 0; k < count; ++k) taken[k] = sides[k], taken[k].bound = sides[k].mu;
        solved = lm_swept(run, m, W, q, count, taken, yields, chosen, r, u);
    }
    run->used = mark;
    return solved;
}

/* The way on that a guess leads to or, where it leads nowhere, one that solves the cones. */
static int lm_one_way(lm_run *run, int m, const double *W, const double *q, int count, const lm_side *sides, lm_choice *chosen, double *r, double *u) {
    return lm_exchange(run, m, W, q, count, sides, chosen, r, u) || lm_cones(run, m, W, q, count, sides, chosen, r, u);
}
