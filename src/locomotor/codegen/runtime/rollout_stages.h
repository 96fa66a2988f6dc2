/* Roll-outs in stages: what happens before the first step, at the end of each, and after the last. States are columns `x`; what is
   measured is beside them, two numbers each; `alive` says who is still moving. */

#define LM_JOB                                                                                                                \
    {states, inputs, parameters, saved, final, measures, status, completed, monitor, batch, steps, saves, save_every, 0,      \
     input_stride, input_step_stride, parameter_stride, start_time, dt, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0}
#define LM_ROLLOUT                                                                                                            \
    const stored *states, const stored *inputs, const stored *parameters, stored *saved, stored *final, stored *measures,     \
        int32_t *status, int64_t *completed, int32_t *monitor, int64_t batch, int64_t steps, int64_t saves,                   \
        int64_t save_every, int64_t input_stride, int64_t input_step_stride, int64_t parameter_stride, double start_time,     \
        double dt, stored *__restrict__ states_now, int32_t *living, int64_t pad

extern "C" __global__ void __launch_bounds__(LM_BLOCK) lm_begin(LM_ROLLOUT) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= batch) return;
    const lm_rollout_job job = LM_JOB;
    const lm_column x_now = lm_column_of(states_now, pad, first);
    real x[NX], measured[LM_AT_LEAST_ONE(NR)], before[LM_AT_LEAST_ONE(NR)];
    const real *start = states + first * NX, *u = inputs + first * input_stride, *p = parameters + first * parameter_stride;
    const mask finite = lm_finite(start, NX), alive = finite & lm_is_state(start);
    lm_save(&job, final, NX, first, 1, start, NX);
    lm_stop(&job, first, lm_not(alive), LM_NO_STATE, 0, -1);
    lm_stop(&job, first, lm_not(finite), LM_NOT_FINITE, 0, -1);
    for (int i = 0; i < NX; ++i) x_now[i] = x[i] = lm_select(alive, start[i], LM_CONST(0.0));
    living[first] = alive;
    if (saves) lm_record(&job, 0, first, 1, start_time, start, u, p);
    if (NR) {
        for (int i = 0; i < NR; ++i) measured[i] = LM_CONST(LM_NAN);
        lm_measure_and_reduce(1, alive, start_time, dt, x, u, p, before, measured);
        for (int i = 0; i < NR; ++i) x_now[NX + i] = measured[i], x_now[NX + NR + i] = before[i];
    }
}

/* How many steps have been taken is a number of the device: a step asks for nothing that the host would have to say. */
extern "C" __global__ void lm_next(int64_t *number) { ++*number; }

/* Step number n has led to y. */
LM_INLINE void lm_finished(const lm_rollout_job *job, int64_t n, const lm_column x_now, int32_t *living, int64_t first, const real *u,
                           const real *p, const real *y, const real *watched) {
    const double h = job->dt, end = job->start_time + (double)(n + 1) * h;
    for (int i = 0; i < NM; ++i)
        if (!(watched[i] >= LM_CONST(0.0))) {
            lm_stop(job, first, 1, LM_MONITOR, n, i), living[first] = 0;
            return;
        }
    if (!lm_finite(y, NX)) {
        lm_stop(job, first, 1, LM_NOT_FINITE, n, -1), living[first] = 0;
        return;
    }
    for (int i = 0; i < NX; ++i) x_now[i] = y[i];
    if (NR) {
        real measured[LM_AT_LEAST_ONE(NR)], before[LM_AT_LEAST_ONE(NR)];
        for (int i = 0; i < NR; ++i) measured[i] = x_now[NX + i], before[i] = x_now[NX + NR + i];
        lm_measure_and_reduce(0, 1, end, h, y, u, p, before, measured);
        for (int i = 0; i < NR; ++i) x_now[NX + i] = measured[i], x_now[NX + NR + i] = before[i];
    }
    if (job->saves && (n + 1) % job->save_every == 0) lm_record(job, (n + 1) / job->save_every, first, 1, end, y, u, p);
}

extern "C" __global__ void __launch_bounds__(LM_BLOCK) lm_end(LM_ROLLOUT) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= batch) return;
    const lm_rollout_job job = LM_JOB;
    const lm_column x_now = lm_column_of(states_now, pad, first);
    if (living[first]) lm_stop(&job, first, 1, LM_FINISHED, steps, -1);
    if (living[first] || completed[first] > 0)
        for (int i = 0; i < NX; ++i) final[first * NX + i] = x_now[i];
    for (int i = 0; i < NR; ++i) measures[first * NR + i] = x_now[NX + i];
}
