/* A whole roll-out in one call, LANES instances at a time.

   The generated text before this file defines NX, ND, NU, NP, NM (sizes of state, tangent, inputs, parameters and
   monitor), `lm_dynamics`, the maps of the manifold, and, with LM_PROJECT, `lm_projection`. An instance stops when a
   monitor is not >= 0 at the start of a step, or when its state is no longer finite; it then keeps its last good state
   while the others go on. */

#define LM_AT_LEAST_ONE(n) ((n) > 0 ? (n) : 1)

enum { LM_RK4 = 0, LM_ABM4 = 1, LM_ABM5 = 2 };
enum { LM_FINISHED = 0, LM_MONITOR = 1, LM_NOT_FINITE = 2 };

typedef struct {
    const double *states;     /* (batch, NX) */
    const double *inputs;     /* rows of NU, apart by the two strides below (0: shared) */
    const double *parameters; /* rows of NP */
    double *saved;            /* (batch, saves, NX), NaN beforehand */
    double *final;            /* (batch, NX): the last good state */
    int32_t *status;          /* (batch) */
    int64_t *completed;       /* (batch): steps after which the state was still good */
    int32_t *monitor;         /* (batch): the monitor that stopped the instance, or -1 */
    int64_t batch, steps, save_every, stepper;
    int64_t input_stride, input_step_stride, parameter_stride;
    double start_time, dt;
} lm_rollout_job;

/* Lanes whose n numbers are all finite: 0 times infinity or NaN is not 0. */
LM_INLINE mask lm_finite(const real *x, int n) {
    real sum = LM_CONST(0.0);
    for (int i = 0; i < n; ++i) sum = sum + x[i] * 0.0;
    return sum == LM_CONST(0.0);
}

/* Runge-Kutta-Munthe-Kaas of order 4: classical Runge-Kutta on delta in x exp(delta), from k = the rate at x. */
LM_FUNCTION void lm_step_rk4(double t, double h, const real *x, const real *u, const real *p, const real *k1, real *y) {
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    real k[ND], delta[ND], sum[ND], rate[ND], monitor[LM_AT_LEAST_ONE(NM)];
    for (int i = 0; i < ND; ++i) {
        k[i] = k1[i];
        sum[i] = k1[i] * weight[0];
    }
    for (int stage = 1; stage < 4; ++stage) {
        const real time = LM_CONST(t + node[stage] * h);
        for (int i = 0; i < ND; ++i) delta[i] = k[i] * (node[stage] * h);
        lm_retract(x, delta, y);
        lm_dynamics(&time, y, u, p, rate, monitor);
        lm_pull_back(delta, rate, k);
        for (int i = 0; i < ND; ++i) sum[i] = sum[i] + k[i] * weight[stage];
    }
    for (int i = 0; i < ND; ++i) delta[i] = sum[i] * h;
    lm_retract(x, delta, y);
}

/* One of the first steps of a multistep method, in LM_PARTS Runge-Kutta steps: the error of the start must not be the
   largest of the run, as it would where the dynamics has a fast mode (the drift correction is one). */
enum { LM_PARTS = 4 };
LM_FUNCTION void lm_step_first(double t, double h, const real *x, const real *u, const real *p, const real *k1, real *y) {
    const double part = h / LM_PARTS;
    real rate[ND], start[NX], monitor[LM_AT_LEAST_ONE(NM)];
    lm_step_rk4(t, part, x, u, p, k1, y);
    for (int n = 1; n < LM_PARTS; ++n) {
        const double now = t + n * part;
        const real time = LM_CONST(now);
        lm_normalise(y);
        for (int i = 0; i < NX; ++i) start[i] = y[i];
        lm_dynamics(&time, start, u, p, rate, monitor);
        lm_step_rk4(now, part, start, u, p, rate, y);
    }
}

/* Adams-Bashforth of order 4 predicts, Adams-Moulton of order 4 or 5 corrects once; f[0] is the newest derivative. */
LM_FUNCTION void lm_step_abm(double t, double h, const real *x, const real *u, const real *p, real *const *f, int five,
                        real *y) {
    real predicted[NX], rate[ND], g[NX], monitor[LM_AT_LEAST_ONE(NM)];
    const real time = LM_CONST(t + h);
    const double a = h / 24, b = h / 720;
    for (int i = 0; i < NX; ++i)
        predicted[i] = x[i] + (55.0 * f[0][i] - 59.0 * f[1][i] + 37.0 * f[2][i] - 9.0 * f[3][i]) * a;
    lm_dynamics(&time, predicted, u, p, rate, monitor);
    lm_ambient_rate(predicted, rate, g);
    if (five)
        for (int i = 0; i < NX; ++i)
            y[i] = x[i] + (251.0 * g[i] + 646.0 * f[0][i] - 264.0 * f[1][i] + 106.0 * f[2][i] - 19.0 * f[3][i]) * b;
    else
        for (int i = 0; i < NX; ++i) y[i] = x[i] + (9.0 * g[i] + 19.0 * f[0][i] - 5.0 * f[1][i] + f[2][i]) * a;
}

LM_FUNCTION void lm_stop(const lm_rollout_job *job, int64_t first, mask lanes, int status, int64_t completed, int monitor) {
    for (int lane = 0; lane < LANES && first + lane < job->batch; ++lane)
        if (lm_lane(lanes, lane)) {
            job->status[first + lane] = status;
            job->completed[first + lane] = completed;
            job->monitor[first + lane] = monitor;
        }
}

LM_FUNCTION void lm_save(const lm_rollout_job *job, double *target, int64_t stride, int64_t first, mask lanes,
                    const real *x) {
    for (int lane = 0; lane < LANES && first + lane < job->batch; ++lane)
        if (lm_lane(lanes, lane))
            for (int i = 0; i < NX; ++i) target[(first + lane) * stride + i] = lm_get(x[i], lane);
}

/* Instances first ... first + LANES - 1 */
LM_FUNCTION void lm_rollout_block(const lm_rollout_job *job, int64_t first) {
    real x[NX], y[NX], rate[ND], monitor[LM_AT_LEAST_ONE(NM)], history[4][NX];
    real input_rows[LM_AT_LEAST_ONE(NU)], parameter_rows[LM_AT_LEAST_ONE(NP)], state_rows[NX];
    real *f[4] = {history[0], history[1], history[2], history[3]};
    const int64_t stride = (job->steps / job->save_every + 1) * NX;
    const double h = job->dt;
    const real *u = lm_load_rows(input_rows, job->inputs, job->input_stride, first, job->batch, NU);
    const real *p = lm_load_rows(parameter_rows, job->parameters, job->parameter_stride, first, job->batch, NP);
    const real *start = lm_load_rows(state_rows, job->states, NX, first, job->batch, NX);
    mask alive = lm_finite(start, NX);
    lm_save(job, job->saved, stride, first, lm_all_true(), start);
    lm_save(job, job->final, NX, first, lm_all_true(), start);
    lm_stop(job, first, lm_not(alive), LM_NOT_FINITE, 0, -1);
    for (int i = 0; i < NX; ++i) x[i] = lm_select(alive, start[i], LM_CONST(0.0));

    for (int64_t n = 0; n < job->steps && lm_any(alive); ++n) {
        const double t = job->start_time + (double)n * h;
        const real time = LM_CONST(t);
        if (job->input_step_stride && n > 0)
            u = lm_load_rows(input_rows, job->inputs + n * job->input_step_stride, job->input_stride, first, job->batch,
                             NU);
        lm_dynamics(&time, x, u, p, rate, monitor);
        for (int i = 0; i < NM; ++i) {
            const mask stopped = alive & lm_not(monitor[i] >= LM_CONST(0.0));
            if (lm_any(stopped)) {
                lm_stop(job, first, stopped, LM_MONITOR, n, i);
                alive = alive & lm_not(stopped);
            }
        }

        if (job->stepper == LM_RK4) {
            lm_step_rk4(t, h, x, u, p, rate, y);
        } else {
            real *const oldest = f[3];
            f[3] = f[2], f[2] = f[1], f[1] = f[0], f[0] = oldest;
            lm_ambient_rate(x, rate, f[0]);
            if (n < 3)
                lm_step_first(t, h, x, u, p, rate, y);
            else
                lm_step_abm(t, h, x, u, p, f, job->stepper == LM_ABM5, y);
        }
        lm_normalise(y);
#ifdef LM_PROJECT
        {
            const real end = LM_CONST(job->start_time + (double)(n + 1) * h);
            real correction[ND], moved[NX];
            lm_projection(&end, y, u, p, correction);
            lm_retract(y, correction, moved);
            for (int i = 0; i < NX; ++i) y[i] = moved[i];
            lm_normalise(y);
        }
#endif
        const mask lost = alive & lm_not(lm_finite(y, NX));
        if (lm_any(lost)) {
            lm_stop(job, first, lost, LM_NOT_FINITE, n, -1);
            alive = alive & lm_not(lost);
        }
        for (int i = 0; i < NX; ++i) x[i] = lm_select(alive, y[i], x[i]);
        if ((n + 1) % job->save_every == 0)
            lm_save(job, job->saved + (n + 1) / job->save_every * NX, stride, first, alive, x);
    }
    lm_stop(job, first, alive, LM_FINISHED, job->steps, -1);
    lm_save(job, job->final, NX, first, lm_finite(start, NX), x);
}

void lm_rollout(const lm_rollout_job *job) {
    for (int64_t first = 0; first < job->batch; first += LANES) lm_rollout_block(job, first);
}
