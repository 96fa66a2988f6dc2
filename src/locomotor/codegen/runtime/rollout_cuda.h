/* Single precision: as many registers as let LM_RESIDENT threads share a multiprocessor. Double: as many as there are. Unless told so
   the compiler may choose few, and keep in memory what does not fit (seen: 32, and a third of the speed). */
#if defined(LM_LIMBS)
#define LM_BOUNDS __launch_bounds__(32 * LM_LIMBS * LM_GROUPS, 1)
#elif defined(LM_TEAMS)
#define LM_BOUNDS __launch_bounds__(LM_BLOCK, LM_RESIDENT / LM_BLOCK)
#elif defined(LM_SINGLE)
#define LM_BOUNDS __launch_bounds__(LM_BLOCK, LM_RESIDENT / LM_BLOCK)
#else
#define LM_BOUNDS __launch_bounds__(LM_BLOCK, 1)
#endif

extern "C" __global__ void LM_BOUNDS
lm_rollout(const stored *states, const stored *inputs, const stored *parameters, stored *saved, stored *final,
           stored *measures, int32_t *status, int64_t *completed, int32_t *monitor, int64_t batch, int64_t steps,
           int64_t saves, int64_t save_every, int64_t input_stride, int64_t input_step_stride, int64_t parameter_stride,
           double start_time, double dt, const double *breaks, int64_t break_count, double a_m, double a_f, double gamma,
           double tolerance) {
#define LM_JOB                                                                                                                \
    {states, inputs, parameters, saved, final, measures, status, completed, monitor, batch, steps, saves, save_every, 0,      \
     input_stride, input_step_stride, parameter_stride, start_time, dt, 0, breaks, break_count, a_m, a_f, gamma, tolerance, 0}
#ifdef LM_LIMBS
    /* Threads beyond the batch do the last instance again: the others of their group wait for them. */
    const int64_t own = ((int64_t)blockIdx.x * LM_GROUPS + lm_group()) * 32 + threadIdx.x % 32;
    const int64_t first = own < batch ? own : batch - 1;
#define LM_ROLL_OUT(limb)                                                                                                     \
    case limb: {                                                                                                              \
        const lm_limb_##limb::lm_rollout_job job = LM_JOB;                                                                    \
        lm_limb_##limb::lm_rollout_block(&job, first);                                                                        \
        break;                                                                                                                \
    }
    switch (threadIdx.x / 32 % LM_LIMBS) { LM_ROLL_OUTS }
#else
    const lm_rollout_job job = LM_JOB;
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
#ifdef LM_TEAMS
    lm_rollout_block(&job, first < batch ? first : batch - 1); /* as above: the others of a warp need all of its threads */
#else
    if (first < batch) lm_rollout_block(&job, first);
#endif
#endif
}
