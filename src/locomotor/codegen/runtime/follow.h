/* A run with events, followed in machine code: its data, and its functions at a state.

   `simulation/events/loop.py` has the readable form of everything in these files: steps of one mode, their event functions,
   where something happens, and what comes of it. What is done here is what happens most: contacts with dry friction on planes
   and bodies that close, open, stick and slip. Whatever else comes is left to the readable form, from the last sample before it.

   The functions of a mode are compiled elsewhere, and called by their addresses. The text before this file defines the numbers
   that both forms share, and the places of the event functions. */
typedef void (*lm_kernel_call)(const double *const *, const int64_t *, double *const *, int64_t);
typedef void (*lm_roll_call)(const void *);

enum { LM_OPEN = 0, LM_STICKS = 1, LM_SLIPS = 2, LM_LOCKED = 3 }; /* locked: a joint that its dry friction holds */
#define LM_MOST_CONTACTS 64
#define LM_MOST_ENDS 16
#define LM_MOST_RESTS 64

/* A mode: its compiled functions, and how each contact is held. */
typedef struct {
    lm_roll_call roll;
    const void *job; /* one step from `state` at `*start_time` of length `*dt`, with `parameters`, to `final` */
    double *state, *final, *parameters, *start_time, *dt;
    const double **rate, **watched; /* what is known of `state` */
    int32_t *status;
    int64_t *completed;
    lm_kernel_call events, snapshot, ends; /* ends: none where a run has none */
    const double *inputs;
    const int32_t *coordinates, *free; /* those that make up a state */
    const int32_t *holds;              /* of each contact: open, sticks, slips; of each joint with dry friction: locked */
    const int32_t *place;              /* of each that slips: where its direction is among the parameters */
    int64_t nx, np, pivots, monitors, ended, moved, frees, own, handful, usual; /* usual: with the pivots that a change of mode takes first */
} lm_way;

/* Event functions at a state, and its rate. */
typedef struct {
    double *numbers, *vectors, *pivots, *rate;
} lm_look;

/* All that is known at one instant; as `Moment`. */
typedef struct {
    double t;
    double *x;
    int64_t way, chunk, ahead;
    double *slips, *guided;  /* direction of each that slips, in world axes, and whether it is guided there (`guide.py`) */
    double *levels, *entered;
    double *rests;           /* instants ahead at which bounces come to an end */
    int64_t resting;
    double secure_time, *secure;
    double struck[2], stilled;
    uint64_t stilled_ones;
    lm_look seen;            /* at this instant, where `looked` */
    double *q, *v, energy;   /* of the complete system, where `known` */
    double *strengths;       /* of each that slips: what its friction would do across it, where `braked` */
    int32_t looked, known, braked;
} lm_now;

/* Where the rows of a contact, or of what is always held, come from in the answer of the impact's function. */
typedef struct {
    const double *frame; /* the normal, or all directions */
    const double *jacobian;
    int32_t directions;  /* number of directions; 0: those that follow from the normal */
    int32_t rows;        /* of a formula, or a joint: its rows are `jacobian` as they are */
} lm_source;

typedef struct {
    int32_t kind, contact;
} lm_trigger;

/* Of what is told: at which sample of the record, whom it concerns, how it is called, and its numbers. */
typedef struct {
    double time, before, after, lost, own[3], world[3];
    int32_t contact, held, kind, turned; /* held: number of an always closed contact, or -1 */
} lm_told;

enum { LM_IMPACT = 0, LM_LIFT_OFF = 1, LM_SLIP = 2, LM_STICK = 3, LM_REST = 4 };
enum { LM_ARRIVED = 0, LM_FULL = 1, LM_ASKS = 2, LM_ASKS_FROM_START = 3, LM_GUIDES = 4, LM_STOPPED = 5, LM_WANTS = 6 };

/* A segment of the record: the mode it is in, its first sample, and what happened at its end. */
typedef struct {
    int64_t way, first, triggers, told;
} lm_piece;

typedef struct {
    int64_t contacts, nq, nv, nx, ways, pieces, samples, tolds, triggers;
    int64_t most_samples, most_pieces, most_tolds, most_triggers, most_ways, parameters;
    const lm_way *way;
    const int32_t *by_name;      /* numbers of the contacts in the order of their names */
    const double *sliding, *resting, *restitution; /* coefficients of each contact */
    const int32_t *lies;         /* of each contact: whether it is a wheel that may come to lie on its side */
    /* grid */
    double start, step, until, near, next_stop, end;
    int64_t jumps, closes, leaps, imposed; /* leaps: something does at `next_stop`; jumps: and at `until`; closes: nothing does, and steps lead to it: the end of the run, or of bounces */
    int64_t smooth;                 /* nothing has friction */
    /* impact */
    lm_kernel_call impact;
    const double *impact_parameters;
    double *const *impact_out;
    const double *mass;
    const lm_source *source, *held;
    int64_t held_count, held_contacts, held_rows, still;
    int64_t energies;
    /* record */
    double *times, *states, *lengths;
    lm_piece *piece;
    double *piece_parameters;
    lm_told *told;
    lm_trigger *trigger;
    const volatile int32_t *stop;
    /* room */
    lm_now now;
    double *arena;
    int64_t arena_size, used, reason;
    int32_t *whole_numbers;
    double *wanted_at; /* time and coordinates where a mode is entered that is not known here, */
    int32_t wants, wanted[LM_MOST_CONTACTS]; /* and how contacts are held in it */
    double wander;     /* of the wheels, at the end */
} lm_run;

#define LM_N(seen, kind, i) ((seen)->numbers[LM_NUMBER_##kind * run->contacts + (i)])
#define LM_V(seen, kind, i) ((seen)->vectors + (LM_VECTOR_##kind * run->contacts + (i)) * 3)

/* Room for some numbers, until `used` is set back; nothing where there is none left. */
static double *lm_room(lm_run *run, int64_t count) {
    if (run->used + count > run->arena_size) return 0;
    double *found = run->arena + run->used;
    run->used += count;
    return found;
}

static double lm_dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static double lm_norm3(const double *a) { return sqrt(lm_dot3(a, a)); }

/* |a x b| */
static double lm_across3(const double *a, const double *b) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    return sqrt(x * x + y * y + z * z);
}

static lm_look lm_look_room(lm_run *run) {
    lm_look found;
    found.numbers = lm_room(run, LM_NUMBERS * run->contacts);
    found.vectors = lm_room(run, 3 * LM_VECTORS * run->contacts);
    found.rate = lm_room(run, run->nx);
    found.pivots = lm_room(run, run->nx + run->nv + 8);
    return found;
}

/* Directions of slips, and who is guided, as parameters of a mode. */
static void lm_directed(const lm_run *run, const lm_way *way, const double *slips, const double *guided) {
    for (int64_t i = 0; i < run->contacts; ++i)
        if (way->place[i] >= 0) {
            for (int j = 0; j < 3; ++j) way->parameters[way->place[i] + j] = slips[3 * i + j];
            way->parameters[way->place[i] + 3] = guided ? guided[i] : 0.0;
        }
}

/* The state after a step; 0 where it fails. What is `seen` at its beginning, if anything, need not be computed again. */
static int lm_after(const lm_run *run, const lm_way *way, double t, const double *x, double h, const lm_look *seen, double *y) {
    (void)run;
    if (h == 0.0) {
        for (int64_t i = 0; i < way->nx; ++i) y[i] = x[i];
        return 1;
    }
    for (int64_t i = 0; i < way->nx; ++i) way->state[i] = x[i];
    *way->start_time = t, *way->dt = h, *way->status = 0, *way->completed = 0;
    *way->rate = seen ? seen->rate : 0, *way->watched = seen ? seen->pivots : 0;
    way->roll(way->job);
    const int good = *way->completed > 0 && *way->status == 0;
    for (int64_t i = 0; i < way->nx; ++i) y[i] = good ? way->final[i] : INFINITY;
    return good;
}

static void lm_see(const lm_run *run, const lm_way *way, double t, const double *x, const lm_look *seen) {
    (void)run;
    const double *const in[4] = {&t, x, way->inputs, way->parameters};
    const int64_t strides[4] = {0, 0, 0, 0};
    double *const out[4] = {seen->numbers, seen->vectors, seen->pivots, seen->rate};
    way->events(in, strides, out, 1);
}

/* Whether a state is beyond an end of the run. */
static int lm_is_over(const lm_way *way, double t, const double *x) {
    if (!way->ends) return 0;
    double left[LM_MOST_ENDS];
    const double *const in[4] = {&t, x, way->inputs, way->parameters};
    const int64_t strides[4] = {0, 0, 0, 0};
    double *const out[1] = {left};
    way->ends(in, strides, out, 1);
    for (int64_t i = 0; i < way->ended; ++i)
        if (left[i] < 0.0) return 1;
    return 0;
}

/* The smallest pivot; minus infinity where one is no number. */
static double lm_ease(const lm_way *way, const lm_look *seen) {
    double found = INFINITY;
    for (int64_t i = 0; i < way->pivots; ++i) {
        const double own = seen->pivots[i] != seen->pivots[i] ? -INFINITY : seen->pivots[i];
        if (own < found) found = own;
    }
    return found;
}

/* Coordinates, velocities and energy of the complete system. */
static void lm_whole(lm_run *run, const lm_way *way, double t, const double *x, double *q, double *v, double *energy) {
    double parts[16];
    const double *const in[4] = {&t, x, way->inputs, way->parameters};
    const int64_t strides[4] = {0, 0, 0, 0};
    double *const out[3] = {q, v, parts};
    way->snapshot(in, strides, out, 1);
    *energy = 0.0;
    for (int64_t i = 0; i < run->energies; ++i) *energy += parts[i];
}

static void lm_look_now(lm_run *run, lm_now *now) {
    if (now->looked) return;
    lm_directed(run, run->way + now->way, now->slips, now->guided);
    lm_see(run, run->way + now->way, now->t, now->x, &now->seen);
    now->looked = 1;
}

static void lm_know_now(lm_run *run, lm_now *now) {
    if (now->known) return;
    lm_directed(run, run->way + now->way, now->slips, now->guided);
    lm_whole(run, run->way + now->way, now->t, now->x, now->q, now->v, &now->energy);
    now->known = 1;
}

static void lm_state_of(const lm_way *way, const double *q, const double *v, const double *old, double *x) {
    for (int64_t i = 0; i < way->moved; ++i) x[i] = q[way->coordinates[i]];
    for (int64_t i = 0; i < way->frees; ++i) x[way->moved + i] = v[way->free[i]];
    for (int64_t i = 0; i < way->own; ++i) x[way->moved + way->frees + i] = old[i];
}

/* -- moments ----------------------------------------------------------------------------------------------- */

static void lm_copy_now(const lm_run *run, const lm_now *from, lm_now *to) {
    to->t = from->t, to->way = from->way, to->chunk = from->chunk, to->ahead = from->ahead;
    to->secure_time = from->secure_time, to->stilled = from->stilled, to->stilled_ones = from->stilled_ones;
    to->struck[0] = from->struck[0], to->struck[1] = from->struck[1];
    to->looked = to->known = to->braked = 0;
    for (int64_t i = 0; i < run->nx; ++i) to->x[i] = from->x[i], to->secure[i] = from->secure[i];
    for (int64_t i = 0; i < run->contacts; ++i)
        to->levels[i] = from->levels[i], to->entered[i] = from->entered[i], to->guided[i] = from->guided[i];
    for (int64_t i = 0; i < 3 * run->contacts; ++i) to->slips[i] = from->slips[i];
    for (int64_t k = 0; k < from->resting; ++k) to->rests[k] = from->rests[k];
    to->resting = from->resting;
}

static void lm_now_room(lm_run *run, lm_now *now) {
    now->x = lm_room(run, run->nx), now->secure = lm_room(run, run->nx), now->slips = lm_room(run, 3 * run->contacts);
    now->levels = lm_room(run, run->contacts), now->entered = lm_room(run, run->contacts), now->strengths = lm_room(run, run->contacts), now->guided = lm_room(run, run->contacts);
    now->rests = lm_room(run, LM_MOST_RESTS), now->resting = 0;
    now->q = lm_room(run, run->nq), now->v = lm_room(run, run->nv);
    now->seen = lm_look_room(run);
}

/* -- rows -------------------------------------------------------------------------------------------------- */

/* Rows of everything at a configuration: of each contact `count` (3 at most) in its `frame`, and of what is held. */
typedef struct {
    double *mass;  /* L of M = L L^T */
    double *rows, *frames;
    int32_t *count;
    double *held;
    int held_rows;
} lm_rows;

/* The normal, and two directions along the ground; the first as much along x as possible. */
static void lm_frame(const double *n, double *frame) {
    const double x = n[0], y = n[1], z = n[2];
    double a = 1.0 - x * x, b = -x * y, c = -x * z;
    if (!(fabs(x) < 0.9)) a = -y * x, b = 1.0 - y * y, c = -y * z;
    const double size = sqrt(a * a + b * b + c * c);
    a /= size, b /= size, c /= size;
    const double found[9] = {x, y, z, a, b, c, y * c - z * b, z * a - x * c, x * b - y * a};
    for (int i = 0; i < 9; ++i) frame[i] = found[i];
}

static int lm_rows_of(const lm_run *run, const lm_source *source, double *frame, double *rows) {
    const int64_t n = run->nv;
    if (source->rows) {
        for (int i = 0; i < 9; ++i) frame[i] = i % 4 ? 0.0 : 1.0;
        for (int64_t j = 0; j < source->rows * n; ++j) rows[j] = source->jacobian[j];
        return source->rows;
    }
    const int count = source->directions ? source->directions : 3;
    if (source->directions)
        for (int i = 0; i < 3 * count; ++i) frame[i] = source->frame[i];
    else
        lm_frame(source->frame, frame);
    for (int i = 0; i < count; ++i)
        for (int64_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) sum += frame[3 * i + k] * source->jacobian[k * n + j];
            rows[i * n + j] = sum;
        }
    return count;
}

/* Rows at a configuration; 0 where masses are not positive, or there is no room. */
static int lm_rows_at(lm_run *run, double t, const double *q, lm_rows *found) {
    const int64_t n = run->nv, c = run->contacts;
    found->mass = lm_room(run, n * n), found->rows = lm_room(run, 3 * c * n), found->frames = lm_room(run, 9 * c);
    found->held = lm_room(run, (run->held_rows + 1) * n);
    double *counts = lm_room(run, c);
    if (!counts || !found->held) return 0;
    found->count = (int32_t *)counts;
    const double *const in[3] = {&t, q, run->impact_parameters};
    const int64_t strides[3] = {0, 0, 0};
    run->impact(in, strides, run->impact_out, 1);
    for (int64_t i = 0; i < n * n; ++i) found->mass[i] = run->mass[i];
    if (!lm_cholesky((int)n, found->mass)) return 0;
    for (int64_t i = 0; i < c; ++i)
        found->count[i] = lm_rows_of(run, run->source + i, found->frames + 9 * i, found->rows + 3 * i * n);
    double *row = found->held, frame[9];
    for (int64_t k = 0; k < run->held_count; ++k) {
        const lm_source *source = run->held + k;
        if (source->rows) {
            for (int64_t j = 0; j < source->rows * n; ++j) row[j] = source->jacobian[j];
            row += source->rows * n;
        } else
            row += lm_rows_of(run, source, frame, row) * n;
    }
    found->held_rows = (int)((row - found->held) / n);
    return 1;
}

/* -- impacts ----------------------------------------------------------------------------------------------- */

/* What impulses along some rows do: `first` rows of contacts, then held ones that keep, or take, some velocities. As `Collision` of
   mechanics/impacts. Impulses of held rows follow from those of the others: `alone` without any, less `shares` of each. */
typedef struct {
    int n, m, first;
    const double *rows;
    double *response, *before, *W; /* response: columns of M^-1 R^T, side by side; W: of the contacts' rows while the held ones are */
    double *alone, *shares;
} lm_collision;

/* M^-1 X with M = L L^T, in place; X has m columns, which go side by side. */
static void lm_both_ways(int n, int m, const double *l, double *X) {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            const double factor = l[i * n + k];
            if (factor == 0.0) continue;
            for (int j = 0; j < m; ++j) X[i * m + j] -= factor * X[k * m + j];
        }
        const double inverse = 1.0 / l[i * n + i];
        for (int j = 0; j < m; ++j) X[i * m + j] *= inverse;
    }
    for (int i = n - 1; i >= 0; --i) {
        const double inverse = 1.0 / l[i * n + i];
        for (int j = 0; j < m; ++j) X[i * m + j] *= inverse;
        for (int k = 0; k < i; ++k) {
            const double factor = l[i * n + k];
            if (factor == 0.0) continue;
            for (int j = 0; j < m; ++j) X[k * m + j] -= factor * X[i * m + j];
        }
    }
}

/* Products of all rows, most of whose numbers are zero where limbs are many, with X: a symmetric matrix, of which one half counts. */
static void lm_products(int n, int m, const double *rows, const double *X, double *found) {
    for (int i = 0; i < m; ++i) {
        double *line = found + i * m;
        for (int j = 0; j <= i; ++j) line[j] = 0.0;
        for (int a = 0; a < n; ++a) {
            const double factor = rows[i * n + a];
            if (factor == 0.0) continue;
            for (int j = 0; j <= i; ++j) line[j] += factor * X[a * m + j];
        }
        for (int j = 0; j < i; ++j) found[j * m + i] = line[j];
    }
}

static int lm_collide(lm_run *run, const lm_rows *at, int m, int first, const double *rows, const double *v, const double *kept, lm_collision *found) {
    const int n = (int)run->nv, h = m - first, k = first + 1;
    found->n = n, found->m = m, found->first = first, found->rows = rows;
    found->response = lm_room(run, (int64_t)(m + 1) * n), found->W = lm_room(run, (int64_t)first * first + 1), found->before = lm_room(run, m + 1);
    found->alone = lm_room(run, h + 1), found->shares = lm_room(run, (int64_t)h * first + 1);
    if (!found->shares || !found->alone) return 0;
    double *X = found->response;
    for (int a = 0; a < n; ++a)
        for (int i = 0; i < m; ++i) X[a * m + i] = rows[i * n + a];
    lm_both_ways(n, m, at->mass, X);
    for (int i = 0; i < m; ++i) found->before[i] = v ? lm_inner(n, rows + i * n, v) : 0.0;
    const int64_t mark = run->used;
    double *all = lm_room(run, (int64_t)m * m + 1);
    if (!all) return 0;
    lm_products(n, m, rows, X, all);
    for (int i = 0; i < first; ++i)
        for (int j = 0; j < first; ++j) found->W[i * first + j] = all[i * m + j];
    if (!h) return run->used = mark, 1;
    double *own = lm_room(run, h * h), *right = lm_room(run, h * k), *solved = lm_room(run, h * k), *work = lm_room(run, 2 * h * h + h * k);
    if (!work) return 0;
    for (int i = 0; i < h; ++i) {
        const double *row = all + (int64_t)(first + i) * m;
        for (int j = 0; j < h; ++j) own[i * h + j] = row[first + j];
        for (int j = 0; j < first; ++j) right[i * k + j] = row[j];
        right[i * k + first] = kept ? kept[i] - found->before[first + i] : 0.0;
    }
    lm_least(h, own, k, right, LM_ROUND_OFF, solved, work, run->whole_numbers, 1);
    for (int i = 0; i < h; ++i) {
        found->alone[i] = solved[i * k + first];
        for (int j = 0; j < first; ++j) found->shares[i * first + j] = solved[i * k + j];
    }
    for (int i = 0; i < first; ++i)
        for (int j = 0; j < first; ++j)
            for (int a = 0; a < h; ++a) found->W[i * first + j] -= right[a * k + i] * solved[a * k + j];
    run->used = mark;
    return 1;
}

/* Impulses of the held rows with those of the contacts that are `given`, and velocities after all of them: of everything in `v`, and
   along the contacts' rows. */
static void lm_respond(const lm_collision *of, double *given, const double *before, double *v, double *along) {
    const int n = of->n, f = of->first;
    for (int i = 0; i < of->m - f; ++i) {
        given[f + i] = of->alone[i];
        for (int j = 0; j < f; ++j) given[f + i] -= of->shares[i * f + j] * given[j];
    }
    for (int a = 0; a < n; ++a) v[a] = before[a] + lm_inner(of->m, of->response + a * of->m, given);
    for (int i = 0; i < f; ++i) along[i] = lm_inner(n, of->rows + i * n, v);
}
