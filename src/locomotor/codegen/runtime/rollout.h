/* A whole roll-out in one call, LANES instances at a time.

   The generated text before this file defines NX, ND, NU, NP, NM, NS, NR (sizes of state, tangent, inputs, parameters,
   monitor, saved rows and reductions), `lm_observe`, `lm_measure`, `lm_reduce`, and either `lm_dynamics` with the maps of
   the manifold and, with LM_PROJECT, `lm_projection`, with LM_IMPLICIT `lm_step_implicit`; or, with LM_MAP, the step itself,
   `lm_advance`.

   An instance stops when a monitor is not >= 0 at the start of a step, or when its state is no longer finite; it then
   keeps its last good state while the others go on. One that begins with a quaternion far from length one takes no step. */

/* One thread an instance has the whole state, and decides alone; `limbs.h` says otherwise. */
#ifndef LM_LIMBS
#define LM_WIDTH NX             /* numbers of a state outside */
#define LM_SAVED NS             /* and of a saved row */
#ifndef LM_GOES_ON
#define LM_GOES_ON(m) lm_any(m) /* whether an instance is still needed */
#endif
#define lm_place(i) (i)         /* where number i of a row is outside */
#define lm_writes(i) 1          /* and whether it is written there from here */
#define lm_agreed(m) (m)        /* what all threads of an instance agree on */
#define lm_settle(x)            /* one trunk for all */
#endif

enum { LM_RK4 = 0, LM_ABM4 = 1, LM_ABM5 = 2 };
enum { LM_FINISHED = 0, LM_MONITOR = 1, LM_NOT_FINITE = 2, LM_NO_STATE = 3, LM_UNSOLVED = 5 };

typedef struct {
    const stored *states;     /* (batch, NX) */
    const stored *inputs;     /* rows of NU, apart by the two strides below (0: shared) */
    const stored *parameters; /* rows of NP */
    stored *saved;            /* (batch, saves, NS), NaN beforehand */
    stored *final;            /* (batch, NX): the last good state */
    stored *measures;         /* (batch, NR) */
    int32_t *status;          /* (batch) */
    int64_t *completed;       /* (batch): steps after which the state was still good */
    int32_t *monitor;         /* (batch): the monitor that stopped the instance, or -1 */
    int64_t batch, steps, saves, save_every, stepper; /* saves may be 0 */
    int64_t input_stride, input_step_stride, parameter_stride;
    double start_time, dt;
    const volatile int32_t *stop; /* not 0: come to an end, the results are not wanted; on the processor only */
    const double *breaks;     /* instants at which laws of time may jump, in order; read by programs with LM_BREAKS */
    int64_t break_count;
    double a_m, a_f, gamma, tolerance; /* of implicit steps, and room for LM_WORK numbers of LANES */
    stored *work;
    const stored *rate, *watched; /* at the first state, of one instance; none where they are not known */
#ifdef LM_SENSE
    lm_law law;
#endif
} lm_rollout_job;

/* Lanes whose n numbers are all finite: 0 times infinity or NaN is not 0. */
LM_INLINE mask lm_finite(const real *x, int n) {
    real sum = LM_CONST(0.0);
    for (int i = 0; i < n; ++i) sum = sum + x[i] * LM_K(0.0);
    return sum == LM_CONST(0.0);
}

#if !defined(LM_MAP) && !defined(LM_IMPLICIT)

/* Runge-Kutta-Munthe-Kaas of order 4: classical Runge-Kutta on delta in x exp(delta). One call of the dynamics in a loop:
   a compiler that copies it here copies it once. `monitor` is that at x; of the NW pivots it is negative where in a stage less
   than a share `left` of it is left (`LEFT` of lie/runge_kutta.py). */
LM_FUNCTION void lm_step_rk4(const lm_span *step, const real *x, const real *u, const real *p, double left, real *y, real *monitor) {
    const double t = step->t, h = step->h;
    real k[ND], delta[ND], sum[ND], rate[ND], watched[LM_AT_LEAST_ONE(NM)];
    for (int i = 0; i < ND; ++i) delta[i] = sum[i] = LM_CONST(0.0);
    LM_ROLLED for (int stage = 0; stage < 4; ++stage) {
        const real time = LM_CONST(lm_instant(step, stage == 0 ? t : stage < 3 ? t + 0.5 * h : t + h));
        const stored weight = stage == 0 || stage == 3 ? LM_K(1.0 / 6) : LM_K(1.0 / 3);
        const stored next = stage < 2 ? LM_K(0.5 * h) : LM_K(h);
        if (stage == 0)
            for (int i = 0; i < NX; ++i) y[i] = x[i];
        else
            lm_retract(x, delta, y);
#ifdef LM_ALONE
        if (stage == 0 && step->rate) {
            for (int i = 0; i < ND; ++i) rate[i] = step->rate[i];
            for (int i = 0; i < NM; ++i) watched[i] = step->watched[i];
        } else
#endif
            lm_dynamics(&time, y, u, p, rate, watched);
        if (stage == 0)
            for (int i = 0; i < NM; ++i) monitor[i] = watched[i];
        else
            for (int i = 0; i < NW; ++i) {
                const real missing = watched[i] - monitor[i] * LM_K(left);
                monitor[i] = lm_select(missing < LM_CONST(0.0), missing, monitor[i]);
            }
        lm_pull_back(delta, rate, k);
        for (int i = 0; i < ND; ++i) {
            sum[i] = sum[i] + k[i] * weight;
            delta[i] = k[i] * next;
        }
    }
    for (int i = 0; i < ND; ++i) delta[i] = sum[i] * LM_K(h);
    lm_retract(x, delta, y);
}

/* One of the first steps of a multistep method, in LM_PARTS Runge-Kutta steps: the error of the start must not be the
   largest of the run, as it would where the dynamics has a fast mode (the drift correction is one). */
enum { LM_PARTS = 4 };
LM_FUNCTION void lm_step_first(const lm_span *step, const real *x, const real *u, const real *p, real *y, real *monitor) {
    const double part = step->h / LM_PARTS;
    real start[NX], watched[LM_AT_LEAST_ONE(NM)];
    for (int i = 0; i < NX; ++i) start[i] = x[i];
    for (int n = 0; n < LM_PARTS; ++n) {
        const lm_span one = {step->t + n * part, part, step->first, step->last, 0, 0};
        lm_step_rk4(&one, start, u, p, 0.0, y, watched);
        lm_keep_negative(NW, lm_all_true(), watched, monitor);
        if (n + 1 < LM_PARTS) lm_normalise(y);
        for (int i = 0; i < NX; ++i) start[i] = y[i];
    }
}

/* Adams-Bashforth of order 4 predicts, Adams-Moulton of order 4 or 5 corrects once; f[0] is the newest derivative. */
LM_FUNCTION void lm_step_abm(const lm_span *step, const real *x, const real *u, const real *p, real *const *f, int five,
                             real *y, real *monitor) {
    real predicted[NX], rate[ND], g[NX], watched[LM_AT_LEAST_ONE(NM)];
    const double h = step->h;
    const real time = LM_CONST(lm_instant(step, step->t + h));
    const stored a = LM_K(h / 24), b = LM_K(h / 720);
    for (int i = 0; i < NX; ++i)
        predicted[i] =
            x[i] + (LM_K(55.0) * f[0][i] - LM_K(59.0) * f[1][i] + LM_K(37.0) * f[2][i] - LM_K(9.0) * f[3][i]) * a;
    lm_dynamics(&time, predicted, u, p, rate, watched);
    lm_keep_negative(NW, lm_all_true(), watched, monitor);
    lm_ambient_rate(predicted, rate, g);
    if (five)
        for (int i = 0; i < NX; ++i)
            y[i] = x[i] + (LM_K(251.0) * g[i] + LM_K(646.0) * f[0][i] - LM_K(264.0) * f[1][i] + LM_K(106.0) * f[2][i] -
                           LM_K(19.0) * f[3][i]) * b;
    else
        for (int i = 0; i < NX; ++i)
            y[i] = x[i] + (LM_K(9.0) * g[i] + LM_K(19.0) * f[0][i] - LM_K(5.0) * f[1][i] + f[2][i]) * a;
}

#endif
#ifndef LM_MAP

/* Step number n since the start or the last break; `f` keeps the derivatives of the last steps for the multistep methods. */
LM_FUNCTION void lm_advance(int64_t stepper, int64_t n, const lm_span *step, const real *x, const real *u, const real *p,
                            lm_memory *f, real *y, real *monitor) {
#ifdef LM_IMPLICIT
    (void)stepper;
    lm_step_implicit(n, step, x, u, p, f, y, monitor);
#else
    if (stepper == LM_RK4) {
        lm_step_rk4(step, x, u, p, LM_PIVOT_LEFT, y, monitor);
    } else {
        const real time = LM_CONST(lm_instant(step, step->t));
        real rate[ND];
        real *const oldest = f[3];
        lm_dynamics(&time, x, u, p, rate, monitor);
        f[3] = f[2], f[2] = f[1], f[1] = f[0], f[0] = oldest;
        lm_ambient_rate(x, rate, f[0]);
        if (n < 3)
            lm_step_first(step, x, u, p, y, monitor);
        else
            lm_step_abm(step, x, u, p, f, stepper == LM_ABM5, y, monitor);
    }
    lm_normalise(y);
#endif
#ifdef LM_PROJECT
    if (LM_PROJECTS(p)) {
        const real end = LM_CONST(lm_instant(step, step->t + step->h));
        real correction[ND], moved[NX];
        lm_projection(&end, y, u, p, correction);
        lm_retract(y, correction, moved);
        for (int i = 0; i < NX; ++i) y[i] = moved[i];
        lm_normalise(y);
    }
#endif
}

#endif

LM_FUNCTION void lm_stop(const lm_rollout_job *job, int64_t first, mask lanes, int status, int64_t completed, int monitor) {
    for (int lane = 0; lane < LANES && first + lane < job->batch; ++lane)
        if (lm_lane(lanes, lane)) {
            job->status[first + lane] = status;
            job->completed[first + lane] = completed;
            job->monitor[first + lane] = monitor;
        }
}

/* Rows of n numbers, `stride` apart, of the lanes chosen. */
LM_FUNCTION void lm_save(const lm_rollout_job *job, stored *target, int64_t stride, int64_t first, mask lanes, const real *x,
                         int n) {
    for (int lane = 0; lane < LANES && first + lane < job->batch; ++lane)
        if (lm_lane(lanes, lane))
            for (int i = 0; i < n; ++i)
                if (lm_writes(i)) target[(first + lane) * stride + lm_place(i)] = lm_get(x[i], lane);
}

/* Row number `row` of what is saved, at time t. */
LM_FUNCTION void lm_record(const lm_rollout_job *job, int64_t row, int64_t first, mask lanes, double t, const real *x,
                           const real *u, const real *p) {
    const real time = LM_CONST(t);
    real values[LM_AT_LEAST_ONE(NS)];
    lm_observe(&time, x, u, p, values);
    lm_save(job, job->saved + row * LM_SAVED, job->saves * LM_SAVED, first, lanes, values, NS);
}

#ifdef LM_BREAKS

/* A step from t to `end` in parts that end at the breaks within; `next` is the first break not before t, `since` counts the
   whole steps since the last one. A break within LM_ON of an end is at it. */
#define LM_ON 1e-9
#if defined(LM_SINGLE)
#define LM_SIDE 1e-6
#elif defined(LM_MAP)
#define LM_SIDE 1e-13 /* it shortens the step of a map */
#else
#define LM_SIDE 1e-10
#endif

LM_FUNCTION void lm_advance_through(const lm_rollout_job *job, double t, double end, int64_t *next, int64_t *since,
                                    const real *x, const real *u, const real *p, lm_memory *f, real *y, real *monitor) {
    const double h = job->dt, near = LM_ON * h;
    real start[NX], watched[LM_AT_LEAST_ONE(NM)];
    double begin = t;
    int cut_before = 0, whole = 1;
    for (; *next < job->break_count && job->breaks[*next] <= t + near; ++*next) cut_before |= job->breaks[*next] >= t - near;
    if (cut_before) *since = 0;
    for (int i = 0; i < NX; ++i) start[i] = x[i];
    for (;;) {
        const int cut = *next < job->break_count && job->breaks[*next] <= end + near;
        const int last = !cut || job->breaks[*next] >= end - near;
        const double stop = last ? end : job->breaks[*next], length = whole && last ? h : stop - begin;
        const double size = fabs(stop) > 1.0 ? fabs(stop) : 1.0;
        const double side = LM_SIDE * size < 1e-3 * length ? LM_SIDE * size : 1e-3 * length;
        const int known = whole && !cut_before && t == job->start_time;
        const lm_span step = {begin, length, cut_before ? begin + side : begin, cut ? stop - side : begin + length,
                              known ? job->rate : 0, known ? job->watched : 0};
        lm_advance(LM_STEPPER(job), whole && last ? *since : 0, &step, start, u, p, f, y, whole ? monitor : watched);
        if (!whole)
            for (int i = 0; i < NM; ++i)
                monitor[i] = lm_select(watched[i] < LM_CONST(0.0), watched[i], monitor[i]);
        if (last) break;
        for (int i = 0; i < NX; ++i) start[i] = y[i];
        begin = stop, cut_before = 1, whole = 0, ++*next;
    }
    *since = whole ? *since + 1 : 0;
}

#endif

/* Instances first ... first + LANES - 1 */
LM_FUNCTION void lm_rollout_block(const lm_rollout_job *job, int64_t first) {
    real x[NX], y[NX], monitor[LM_AT_LEAST_ONE(NM)];
    real input_rows[LM_AT_LEAST_ONE(NU)], parameter_rows[LM_AT_LEAST_ONE(NP)], state_rows[NX];
    real measured[LM_AT_LEAST_ONE(NR)], before[LM_AT_LEAST_ONE(NR)];
#if defined(LM_IMPLICIT)
    lm_memory solver, *f = &solver;
#ifdef LM_ONE_STEP_METHOD
    real work[LM_WORK];
#else
    real *work = (real *)job->work;
#endif
    lm_begin(f, work, job->a_m, job->a_f, job->gamma, job->tolerance);
#elif defined(LM_ONE_STEP_METHOD)
    real **f = 0;
#else
    real history[4][NX];
    real *f[4] = {history[0], history[1], history[2], history[3]};
#endif
    const double h = job->dt;
#ifdef LM_SENSE
    const lm_calling outer = lm_host;
    lm_host.law = &job->law, lm_host.inputs = input_rows, lm_host.failed = 0;
    const real *u = input_rows;
    for (int i = 0; i < NU; ++i) input_rows[i] = LM_CONST(0.0);
#else
    const real *u = lm_load_rows(input_rows, job->inputs, job->input_stride, first, job->batch, NU);
#endif
    const real *p = lm_load_rows(parameter_rows, job->parameters, job->parameter_stride, first, job->batch, NP);
#ifdef LM_LIMBS
    const real *start = state_rows;
    for (int i = 0; i < NX; ++i) state_rows[i] = job->states[first * LM_WIDTH + lm_place(i)];
#else
    const real *start = lm_load_rows(state_rows, job->states, NX, first, job->batch, NX);
#endif
    const mask finite = lm_agreed(lm_finite(start, NX)), sound = finite & lm_agreed(lm_is_state(start));
    mask alive = sound;
    lm_save(job, job->final, LM_WIDTH, first, lm_all_true(), start, NX);
    lm_stop(job, first, lm_not(alive), LM_NO_STATE, 0, -1);
    lm_stop(job, first, lm_not(finite), LM_NOT_FINITE, 0, -1);
    for (int i = 0; i < NX; ++i) x[i] = lm_select(alive, start[i], LM_CONST(0.0));
    if (job->saves) lm_record(job, 0, first, lm_all_true(), job->start_time, start, u, p);
    if (NR) {
        for (int i = 0; i < NR; ++i) measured[i] = LM_CONST(LM_NAN);
        lm_measure_and_reduce(1, alive, job->start_time, h, x, u, p, before, measured);
    }
#ifdef LM_BREAKS
    int64_t next = 0, since = 0;
#endif
    for (int64_t n = 0; n < job->steps && LM_GOES_ON(alive) && !LM_STOPPED(job); ++n) {
        const double t = job->start_time + (double)n * h, end = job->start_time + (double)(n + 1) * h;
        if (job->input_step_stride && n > 0)
            u = lm_load_rows(input_rows, job->inputs + n * job->input_step_stride, job->input_stride, first, job->batch,
                             NU);
#ifdef LM_IMPLICIT
        f->alive = alive;
#endif
#ifdef LM_BREAKS
        lm_advance_through(job, t, end, &next, &since, x, u, p, f, y, monitor);
#else
        const lm_span step = {t, h, t, end, n ? 0 : job->rate, n ? 0 : job->watched};
        lm_advance(LM_STEPPER(job), n, &step, x, u, p, f, y, monitor);
#endif
#ifdef LM_SENSE
        if (lm_host.failed) break;
#endif
        for (int i = 0; i < NM; ++i) {
            const mask stopped = alive & lm_not(lm_agreed(monitor[i] >= LM_CONST(0.0)));
            if (lm_any(stopped)) {
                lm_stop(job, first, stopped, LM_MONITOR, n, i);
                alive = alive & lm_not(stopped);
            }
        }
#ifdef LM_IMPLICIT
        const mask unsolved = alive & f->failed;
        if (lm_any(unsolved)) {
            lm_stop(job, first, unsolved, LM_UNSOLVED, n, -1);
            alive = alive & lm_not(unsolved);
        }
#endif
        lm_settle(y);
        const mask lost = alive & lm_not(lm_agreed(lm_finite(y, NX)));
        if (lm_any(lost)) {
            lm_stop(job, first, lost, LM_NOT_FINITE, n, -1);
            alive = alive & lm_not(lost);
        }
        for (int i = 0; i < NX; ++i) x[i] = lm_select(alive, y[i], x[i]);
        if (NR) lm_measure_and_reduce(0, alive, end, h, x, u, p, before, measured);
        if (job->saves && (n + 1) % job->save_every == 0) lm_record(job, (n + 1) / job->save_every, first, alive, end, x, u, p);
    }
    lm_stop(job, first, alive, LM_FINISHED, job->steps, -1);
    lm_save(job, job->final, LM_WIDTH, first, sound, x, NX);
    if (NR) lm_save(job, job->measures, NR, first, lm_all_true(), measured, NR);
#ifdef LM_SENSE
    lm_host = outer;
#endif
}
