void lm_rollout(const lm_rollout_job *job) {
    for (int64_t first = 0; first < job->batch && !LM_STOPPED(job); first += LANES) lm_rollout_block(job, first);
}
