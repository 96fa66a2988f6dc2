/* One way in which contacts can go on, found from a guess by exchanging modes: `complementarity/friction/exchange.py`. */
#define LM_ROUNDS 60

typedef struct {
    int start, tangents;
    double mu, bound, slip[2]; /* bound: friction while it sticks */
} lm_side;

typedef struct {
    int word, begins; /* of `lm_way.holds` */
    double direction[2], loose, floor; /* floor: how much one that opens may approach whatever the others do */
} lm_choice;

static int lm_is_frictionless(const lm_side *side) { return side->mu == 0.0 && side->bound <= 0.0; }
static int lm_is_moving(const lm_side *side) { return side->slip[0] != 0.0 || side->slip[1] != 0.0; }

static void lm_choose(lm_choice *choice, int word, double x, double y, int begins) {
    choice->word = word, choice->direction[0] = x, choice->direction[1] = y, choice->begins = begins;
}

/* The choices with the worst normal exchanged, or else all tangents that are wrong; 0 where nothing is. */
static int lm_exchanged(int m, const double *W, const double *q, int count, const lm_side *sides, lm_choice *chosen, const double *r, const double *u) {
    double size_r = 0.0, size_u = 0.0, worst = 0.0;
    int place = -1, changed = 0;
    for (int i = 0; i < m; ++i) {
        double sum = fabs(q[i]);
        for (int j = 0; j < m; ++j) sum += fabs(W[i * m + j]) * fabs(r[j]);
        if (sum > size_u) size_u = sum;
        if (fabs(r[i]) > size_r) size_r = fabs(r[i]);
    }
    if (size_r == 0.0) size_r = 1e-300;
    if (size_u == 0.0) size_u = 1e-300;
    for (int i = 0; i < count; ++i) {
        const int n = sides[i].start;
        const double amiss = chosen[i].word == LM_OPEN ? -(u[n] + chosen[i].floor) / size_u : -r[n] / size_r;
        if (amiss > chosen[i].loose && amiss > worst) worst = amiss, place = i;
    }
    if (place >= 0) {
        const lm_side *side = sides + place;
        if (chosen[place].word != LM_OPEN) lm_choose(chosen + place, LM_OPEN, 0.0, 0.0, 0);
        else if (side->tangents == 0 || lm_is_moving(side) || lm_is_frictionless(side))
            lm_choose(chosen + place, LM_SLIPS, side->slip[0], side->slip[1], 0);
        else lm_choose(chosen + place, LM_STICKS, 0.0, 0.0, 0);
        return 1;
    }
    for (int i = 0; i < count; ++i) {
        const lm_side *side = sides + i;
        lm_choice *choice = chosen + i;
        double force[2] = {0.0, 0.0}, ahead[2] = {0.0, 0.0};
        for (int k = 0; k < side->tangents; ++k) force[k] = r[side->start + 1 + k], ahead[k] = u[side->start + 1 + k];
        if (choice->word == LM_STICKS) {
            const double size = sqrt(force[0] * force[0] + force[1] * force[1]);
            if (size > 0.0 && size > side->bound * r[side->start] + LM_SIGN * size_r)
                lm_choose(choice, LM_SLIPS, -force[0] / size, -force[1] / size, 1), changed = 1;
        } else if (choice->word == LM_SLIPS && choice->begins) {
            const double speed = sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1]);
            const double slack = (choice->loose > LM_SIGN ? choice->loose : LM_SIGN) * size_u;
            if (speed <= slack) continue;
            const double dx = ahead[0] / speed - choice->direction[0], dy = ahead[1] / speed - choice->direction[1];
            if (ahead[0] * choice->direction[0] + ahead[1] * choice->direction[1] < -slack)
                lm_choose(choice, LM_STICKS, 0.0, 0.0, 0), changed = 1;
            else if (sqrt(dx * dx + dy * dy) > LM_TURNED_BY + 10.0 * LM_SIGN * size_u / speed)
                lm_choose(choice, LM_SLIPS, ahead[0] / speed, ahead[1] / speed, 1), changed = 1;
        }
    }
    return changed;
}

/* A r = b of choices whose directions are known. */
static void lm_equations(int m, const double *W, const double *q, int count, const lm_side *sides, const lm_choice *chosen, double *A, double *b) {
    for (int i = 0; i < m * m; ++i) A[i] = W[i];
    for (int i = 0; i < m; ++i) b[i] = -q[i];
    for (int i = 0; i < count; ++i) {
        const int first = sides[i].start, last = first + 1 + sides[i].tangents;
        if (chosen[i].word == LM_STICKS) continue;
        for (int k = chosen[i].word == LM_OPEN ? first : first + 1; k < last; ++k) {
            for (int j = 0; j < m; ++j) A[k * m + j] = k == j ? 1.0 : 0.0;
            if (k > first) A[k * m + first] = chosen[i].word == LM_OPEN ? 0.0 : sides[i].mu * chosen[i].direction[k - first - 1];
            b[k] = 0.0;
        }
    }
}

/* Modes (in `chosen`, guesses on entry), forces r and accelerations u that satisfy every law; 0 where no guess led to some. */
static int lm_exchange(lm_run *run, int m, const double *W, const double *q, int count, const lm_side *sides, lm_choice *chosen, double *r, double *u) {
    const int64_t mark = run->used;
    double *A = lm_room(run, m * m + 1), *b = lm_room(run, m + 1), *work = lm_room(run, 2 * m * m + m);
    double *past = lm_room(run, (int64_t)LM_ROUNDS * 3 * count + 1);
    int solved = 0;
    if (!past) return run->used = mark, 0;
    for (int i = 0; i < count; ++i) /* a slip that begins is one that was not under way */
        chosen[i].begins = chosen[i].word == LM_SLIPS && !lm_is_moving(sides + i);
    for (int round = 0; round < LM_ROUNDS; ++round) {
        double *mine = past + (int64_t)round * 3 * count;
        for (int i = 0; i < count; ++i) {
            mine[3 * i] = chosen[i].word;
            for (int k = 0; k < 2; ++k) mine[3 * i + 1 + k] = chosen[i].word == LM_SLIPS ? rint(chosen[i].direction[k] * 1e12) : 0.0;
        }
        for (int k = 0; k < round; ++k) {
            int same = 1;
            for (int i = 0; i < 3 * count && same; ++i) same = past[(int64_t)k * 3 * count + i] == mine[i];
            if (same) return run->used = mark, 0;
        }
        lm_equations(m, W, q, count, sides, chosen, A, b);
        double largest = 1e-300, missed = 0.0;
        for (int i = 0; i < m; ++i) {
            double size = 0.0;
            for (int j = 0; j < m; ++j)
                if (fabs(A[i * m + j]) > size) size = fabs(A[i * m + j]);
            if (size > 0.0) {
                for (int j = 0; j < m; ++j) A[i * m + j] /= size;
                b[i] /= size;
            }
            if (fabs(b[i]) > largest) largest = fabs(b[i]);
        }
        lm_least(m, A, 1, b, 1e-11, r, work, run->whole_numbers, 0);
        for (int i = 0; i < m; ++i) {
            const double miss = fabs(lm_inner(m, A + i * m, r) - b[i]);
            if (!(miss <= missed)) missed = miss;
            u[i] = lm_inner(m, W + i * m, r) + q[i];
        }
        if (!(missed <= 1e3 * LM_SIGN * largest)) break;
        if (!lm_exchanged(m, W, q, count, sides, chosen, r, u)) {
            solved = 1;
            break;
        }
    }
    run->used = mark;
    return solved;
}
