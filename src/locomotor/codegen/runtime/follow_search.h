/* What happens within a step, and when: `contact_events.py`, `friction_events.py`, `search.py` and `roots.py`. */

enum { LM_GRAZES = 0, LM_GAP_CLOSES = 1, LM_FORCE_VANISHES = 2, LM_FRICTION_EXHAUSTED = 3, LM_SLIP_ENDS = 4, LM_SLIP_TURNS = 5, LM_JAMS = 6, LM_DRIVEN_OFF = 7, LM_JOINT_YIELDS = 8 };

typedef struct {
    lm_trigger what[4 * LM_MOST_CONTACTS];
    double length[4 * LM_MOST_CONTACTS];
    int count;
} lm_triggers;

static void lm_trigger_add(lm_triggers *found, int kind, int64_t contact) {
    found->what[found->count].kind = kind, found->what[found->count++].contact = (int32_t)contact;
}

/* What has come to pass between two samples; `normal` and `force` are the largest sizes before. */
static void lm_watch(const lm_run *run, const lm_now *now, const lm_look *a, const lm_look *b, double h, double normal, double force, lm_triggers *found) {
    const int32_t *holds = run->way[now->way].holds;
    found->count = 0;
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (holds[i] == LM_OPEN) {
            const double g0 = LM_N(a, gap, i) - now->levels[i], g1 = LM_N(b, gap, i) - now->levels[i];
            const double r0 = LM_N(a, gap_rate, i), r1 = LM_N(b, gap_rate, i);
            if (g0 >= -LM_TOUCH && g1 < -LM_TOUCH) lm_trigger_add(found, LM_GAP_CLOSES, i);
            else if (r0 < 0.0 && r1 > 0.0 && g0 > LM_TOUCH && g1 >= -LM_TOUCH && g0 + r0 * (g1 - g0 - r1 * h) / (r0 - r1) < 0.0)
                lm_trigger_add(found, LM_GRAZES, i);
            continue;
        }
        if (holds[i] == LM_LOCKED) {
            if (LM_N(b, friction_left, i) < -LM_EXHAUSTED * force) lm_trigger_add(found, LM_JOINT_YIELDS, i);
            continue;
        }
        const double pressing = LM_N(b, hold, i) * LM_N(b, push, i);
        if (pressing < -LM_PULLS * normal) lm_trigger_add(found, LM_FORCE_VANISHES, i);
        if (holds[i] == LM_STICKS) {
            const double *moves = LM_V(b, slip, i);
            if (LM_N(b, friction_left, i) < -LM_EXHAUSTED * force) lm_trigger_add(found, LM_FRICTION_EXHAUSTED, i);
            if (fabs(moves[0]) > LM_MOVED || fabs(moves[1]) > LM_MOVED || fabs(moves[2]) > LM_MOVED) lm_trigger_add(found, LM_DRIVEN_OFF, i);
            continue;
        }
        const double *noted = now->slips + 3 * i, *slip = LM_V(b, slip, i), *rate = LM_V(b, slip_rate, i);
        const double along = lm_dot3(slip, noted), before = lm_dot3(LM_V(a, slip, i), noted);
        const double speed = lm_norm3(slip), last = lm_norm3(LM_V(a, slip, i));
        const int fades = speed < LM_STOPPED_SLIP && last >= LM_STOPPED_SLIP && lm_dot3(slip, rate) < 0.0;
        if ((along < -LM_AT_REST && before >= -LM_AT_REST) || fades) lm_trigger_add(found, LM_SLIP_ENDS, i);
        if (now->guided[i] == 0.0 && speed > LM_AT_REST && along >= 0.0 && along < LM_TURNED * speed) lm_trigger_add(found, LM_SLIP_TURNS, i);
        if (along < 0.0 && !(LM_N(b, push, i) > 0.0)) lm_trigger_add(found, LM_JAMS, i);
    }
}

/* Whether a push wanes too fast for a step from (t, x), as `jamming.py` asks: the readable form cuts it. `rates` of the pushes are those of
   the step before, or where they are not `known` yet of a small part of this one. */
static int lm_push_wanes(lm_run *run, const lm_now *now, double t, const double *x, double h, const lm_look *a, const lm_look *b, double *rates, int *known) {
    const lm_way *way = run->way + now->way;
    int low = 0, wanes = 0;
    for (int64_t i = 0; i < run->contacts; ++i)
        if (way->holds[i] == LM_SLIPS && (LM_N(a, push, i) < LM_PUSH_WATCHED || !(LM_N(b, push, i) >= LM_PUSH_WATCHED))) low = 1; /* or negative */
    if (low && !*known) {
        const int64_t mark = run->used;
        const double little = h / LM_LITTLE;
        double *y = lm_room(run, run->nx);
        const lm_look seen = lm_look_room(run);
        if (!y || !seen.pivots) return run->used = mark, 1;
        lm_after(run, way, t, x, little, a, y);
        lm_see(run, way, t + little, y, &seen);
        for (int64_t i = 0; i < run->contacts; ++i) rates[i] = (LM_N(&seen, push, i) - LM_N(a, push, i)) / little;
        run->used = mark;
    }
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (way->holds[i] != LM_SLIPS) continue;
        const double sense = LM_N(a, push, i) < 0.0 ? -1.0 : 1.0, push = sense * LM_N(a, push, i), later = sense * LM_N(b, push, i);
        if (push < LM_PUSH_WATCHED || !(later >= LM_PUSH_WATCHED)) {
            const int turned = lm_dot3(LM_V(b, slip, i), now->slips + 3 * i) < 0.0;
            if (!(push + h * sense * rates[i] >= (1.0 - LM_PUSH_LOSES) * push) || (!turned && !(later >= LM_PUSH_DROPS * push))) wanes = 1;
        }
        rates[i] = sense * (later - push) / h;
    }
    *known = 1;
    return wanes;
}

/* Whether a step from (t, x) to y is a motion, as `flung.py` asks: two of half its length come to about the same. */
static int lm_is_followed(lm_run *run, const lm_way *way, double t, const double *x, double h, const lm_look *seen, const double *y) {
    const int64_t mark = run->used;
    double *half = lm_room(run, run->nx), *twice = lm_room(run, run->nx), moved = 0.0, missed = 0.0, size = 1.0;
    int good = twice && lm_after(run, way, t, x, 0.5 * h, seen, half) && lm_after(run, way, t + 0.5 * h, half, 0.5 * h, 0, twice);
    for (int64_t i = 0; i < way->nx && good; ++i) {
        if (!(fabs(twice[i] - x[i]) <= moved)) moved = fabs(twice[i] - x[i]);
        if (!(fabs(twice[i] - y[i]) <= missed)) missed = fabs(twice[i] - y[i]);
        if (fabs(x[i]) > size) size = fabs(x[i]);
    }
    run->used = mark;
    return good && moved < INFINITY && missed <= LM_MISSED * moved + LM_LEAST * size;
}

/* Whether a slip changes so suddenly over a step that friction may have flung it. */
static int lm_is_sudden(const lm_run *run, const lm_way *way, double h, const lm_look *a, const lm_look *b) {
    for (int64_t i = 0; i < run->contacts; ++i) {
        if (way->holds[i] != LM_SLIPS) continue;
        const double *from = LM_V(a, slip, i), *to = LM_V(b, slip, i), change[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        const double before = lm_norm3(LM_V(a, slip_rate, i)), after = lm_norm3(LM_V(b, slip_rate, i));
        if (!(lm_norm3(change) <= LM_SUDDEN * h * (before + after) + LM_LEAST) || !(after <= LM_SUDDEN * before)) return 1;
    }
    return 0;
}

/* A reading of a contact after a step of some length. */
typedef struct {
    lm_run *run;
    const lm_now *now;
    double t;
    const double *x;
    double h;             /* the whole step, */
    const double *end;    /* the state after it, */
    const lm_look *known; /* and what is seen before and after it */
    double *y;
    lm_look seen;
    double length; /* of the step after which y and `seen` are; they are often asked for again */
    int good;      /* whether it was done */
    int kind;
    int64_t contact;
} lm_reader;

static void lm_copy_look(const lm_run *run, const lm_way *way, const lm_look *from, const lm_look *to) {
    for (int64_t i = 0; i < LM_NUMBERS * run->contacts; ++i) to->numbers[i] = from->numbers[i];
    for (int64_t i = 0; i < 3 * LM_VECTORS * run->contacts; ++i) to->vectors[i] = from->vectors[i];
    for (int64_t i = 0; i < way->monitors; ++i) to->pivots[i] = from->pivots[i];
    for (int64_t i = 0; i < way->nx; ++i) to->rate[i] = from->rate[i];
}

static void lm_read(lm_reader *of, double length) {
    const lm_way *way = of->run->way + of->now->way;
    const int last = length == of->h;
    if (length == of->length) return;
    of->length = length, of->good = 1;
    if (last || length == 0.0) {
        for (int64_t i = 0; i < way->nx; ++i) of->y[i] = last ? of->end[i] : of->x[i];
        lm_copy_look(of->run, way, of->known + last, &of->seen);
        return;
    }
    of->good = lm_after(of->run, way, of->t, of->x, length, of->known, of->y);
    lm_see(of->run, way, of->t + length, of->y, &of->seen);
}

static double lm_reading(lm_reader *of, double length) {
    const lm_run *run = of->run;
    lm_read(of, length);
    switch (of->kind) {
    case LM_GRAZES: return LM_N(&of->seen, gap_rate, of->contact);
    case LM_FORCE_VANISHES: return LM_N(&of->seen, hold, of->contact) * LM_N(&of->seen, push, of->contact);
    case LM_FRICTION_EXHAUSTED: return LM_N(&of->seen, friction_left, of->contact);
    default: return lm_dot3(LM_V(&of->seen, slip, of->contact), of->now->slips + 3 * of->contact);
    }
}

/* Where a reading that changes its sign vanishes, by Brent's method, as scipy.optimize.brentq does it; negative where it does not
   change, or is no number on the way. */
static double lm_brent(lm_reader *of, double low, double high, double xtol, double rtol) {
    double before = low, now = high, last = 0.0, f_before = lm_reading(of, low), f_now = lm_reading(of, high), f_last = 0.0;
    double step = 0.0, old = 0.0;
    if (f_before == 0.0) return before;
    if (f_now == 0.0) return now;
    if (!(f_before * f_now < 0.0)) return -1.0;
    for (int i = 0; i < 100; ++i) {
        if (f_before != 0.0 && f_now != 0.0 && (f_before < 0.0) != (f_now < 0.0))
            last = before, f_last = f_before, old = step = now - before;
        if (fabs(f_last) < fabs(f_now)) {
            before = now, now = last, last = before;
            f_before = f_now, f_now = f_last, f_last = f_before;
        }
        const double delta = (xtol + rtol * fabs(now)) / 2.0, half = (last - now) / 2.0;
        if (f_now == 0.0 || fabs(half) < delta) return now;
        if (fabs(old) > delta && fabs(f_now) < fabs(f_before)) {
            double trial;
            if (before == last)
                trial = -f_now * (now - before) / (f_now - f_before);
            else {
                const double one = (f_before - f_now) / (before - now), other = (f_last - f_now) / (last - now);
                trial = -f_now * (f_last * other - f_before * one) / (other * one * (f_last - f_before));
            }
            const double least = fabs(old) < 3.0 * fabs(half) - delta ? fabs(old) : 3.0 * fabs(half) - delta;
            if (2.0 * fabs(trial) < least) old = step, step = trial;
            else old = half, step = half;
        } else
            old = half, step = half;
        before = now, f_before = f_now;
        if (fabs(step) > delta) now += step;
        else now += half > 0.0 ? delta : -delta;
        f_now = lm_reading(of, now);
        if (f_now != f_now) return -1.0;
    }
    return -1.0;
}

#define LM_UNKNOWN (-1.0) /* of a length: left to the readable form */
#define LM_NONE (-2.0)    /* it was no event after all */

/* Where within a step a gap comes down to its level, by Newton's method within bounds. */
static double lm_to_the_touch(lm_reader *of, double h) {
    const lm_run *run = of->run;
    const int64_t i = of->contact;
    const double level = of->now->levels[i];
    lm_read(of, 0.0);
    const double gap = LM_N(&of->seen, gap, i), rate = LM_N(&of->seen, gap_rate, i);
    const int touches = gap - level <= LM_TOUCH;
    if (touches && rate <= 0.0) {
        if (rate < -LM_APPROACHES) return 0.0;
        lm_read(of, h / LM_LITTLE);
        if (LM_N(&of->seen, gap, i) <= gap) return 0.0;
    }
    double low = 0.0, high = h, s = h;
    for (int k = 0; k < LM_ITERATIONS; ++k) {
        lm_read(of, s);
        double value = LM_N(&of->seen, gap, i) - level, slope = LM_N(&of->seen, gap_rate, i);
        if (touches) {
            const double moved = LM_N(&of->seen, gap, i) - gap;
            value = moved / s, slope = (slope - moved / s) / s;
        }
        if (value > 0.0) low = s;
        else high = s;
        double following = slope < 0.0 ? s - value / slope : 0.5 * (low + high);
        if (!(low < following && following < high)) following = 0.5 * (low + high);
        if (fabs(following - s) <= LM_ROOT || value == 0.0)
            return value <= 0.0 ? s : high - low <= 4.0 * LM_ROOT ? high : following;
        s = following;
    }
    return high;
}

/* Length of the step, up to h, after which a reading vanishes; zero where it is not positive to begin with. */
static double lm_to_zero(lm_reader *of, double h) {
    const double first = lm_reading(of, 0.0);
    if (!(first > 0.0)) return 0.0;
    const double found = lm_brent(of, 0.0, h, LM_ROOT, LM_RELATIVE);
    if (found < 0.0) return LM_UNKNOWN;
    if (h - found <= 8.0 * LM_ROOT) return found;
    const double left = lm_reading(of, found);
    if (left <= 0.0 || left <= LM_JUMPS * (first - lm_reading(of, h))) return found;
    return LM_UNKNOWN;
}

/* Length of the step, up to h, after which the part of a slip along its direction vanishes. */
static double lm_to_rest(lm_reader *of, double h) {
    if (lm_reading(of, h) >= 0.0) return h; /* it fades away */
    double first = 0.0;
    if (lm_reading(of, 0.0) <= 0.0) {
        for (int k = 1; k < LM_BRIEFLY && first == 0.0; ++k)
            if (lm_reading(of, h * ldexp(1.0, -k)) > 0.0) first = h * ldexp(1.0, -k);
        if (first == 0.0) return 0.0;
        h = 2.0 * first;
    }
    const double found = lm_brent(of, first, h, LM_ROOT, LM_RELATIVE);
    return found < 0.0 ? LM_UNKNOWN : found;
}

static double lm_length_to(lm_reader *of, lm_trigger what, double h) {
    const lm_run *run = of->run;
    of->kind = what.kind, of->contact = what.contact;
    switch (what.kind) {
    case LM_GAP_CLOSES: return lm_to_the_touch(of, h);
    case LM_GRAZES: {
        const double lowest = lm_brent(of, 0.0, h, LM_ROOT, LM_RELATIVE);
        if (lowest < 0.0) return LM_UNKNOWN;
        lm_read(of, lowest);
        if (LM_N(&of->seen, gap, what.contact) - of->now->levels[what.contact] >= -LM_TOUCH) return LM_NONE;
        return lm_to_the_touch(of, lowest);
    }
    case LM_FORCE_VANISHES:
    case LM_FRICTION_EXHAUSTED: return lm_to_zero(of, h);
    case LM_SLIP_ENDS: return lm_to_rest(of, h);
    case LM_SLIP_TURNS: return h;
    default: return LM_UNKNOWN;
    }
}

/* The first of some events within a step from (t, x) to y, of which `known` is seen: those that are not first are taken off. Its length;
   unknown, or none, as above. Where it is known, `next` is that instant. */
static double lm_locate(lm_run *run, const lm_now *now, double t, const double *x, double h, const double *y, const lm_look *known, lm_triggers *found, lm_now *next) {
    const int64_t mark = run->used;
    lm_reader reader = {run, now, t, x, h, y, known, lm_room(run, run->nx), lm_look_room(run), -1.0, 0, 0, 0};
    if (!reader.seen.pivots) return run->used = mark, LM_UNKNOWN;
    double least = INFINITY;
    int count = 0;
    for (int k = 0; k < found->count; ++k) {
        const double length = lm_length_to(&reader, found->what[k], h);
        if (length == LM_UNKNOWN || length != length) return run->used = mark, LM_UNKNOWN;
        if (length == LM_NONE) continue;
        found->what[count] = found->what[k], found->length[count++] = length;
        if (length < least) least = length;
    }
    run->used = mark;
    if (!count) return LM_NONE;
    found->count = 0;
    for (int k = 0; k < count; ++k)
        if (found->length[k] - least <= LM_SAME_INSTANT) found->what[found->count++] = found->what[k];
    lm_read(&reader, least);
    if (!reader.good) return LM_UNKNOWN;
    next->t = t + least, next->looked = 1;
    for (int64_t i = 0; i < run->way[now->way].nx; ++i) next->x[i] = reader.y[i];
    lm_copy_look(run, run->way + now->way, &reader.seen, &next->seen);
    return least;
}
