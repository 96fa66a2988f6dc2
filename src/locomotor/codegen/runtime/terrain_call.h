/* Candidates at n poses (rotation row by row, then position): LM_HITS rows of gap, normal, point and foot, and of kind, number and
   part, for each. */
void lm_terrain(const double *numbers, const int32_t *rows, int32_t shape, const double *of_shape, const double *poses, int64_t n,
                double reach, int32_t distinct, int32_t *counts, double *hits, int32_t *which) {
    const lm_ground ground = {numbers, rows};
    for (int64_t k = 0; k < n; ++k) {
        lm_found found;
        lm_terrain_search(&ground, shape, of_shape, poses + 12 * k, poses + 12 * k + 9, reach, distinct, &found);
        counts[k] = found.count;
        for (int i = 0; i < found.count; ++i) {
            double *hit = hits + (k * LM_HITS + i) * 10;
            int32_t *told = which + (k * LM_HITS + i) * 3;
            hit[0] = found.hit[i].gap;
            for (int a = 0; a < 3; ++a)
                hit[1 + a] = found.hit[i].normal[a], hit[4 + a] = found.hit[i].point[a], hit[7 + a] = found.hit[i].foot[a];
            told[0] = found.hit[i].kind, told[1] = found.hit[i].number, told[2] = found.hit[i].part;
        }
    }
}

/* Least gaps at n poses. */
void lm_terrain_gaps(const double *numbers, const int32_t *rows, int32_t shape, const double *of_shape, const double *poses, int64_t n,
                     double *gaps) {
    const lm_ground ground = {numbers, rows};
    for (int64_t k = 0; k < n; ++k) {
        lm_found found;
        lm_terrain_search(&ground, shape, of_shape, poses + 12 * k, poses + 12 * k + 9, 0.0, 0, &found);
        gaps[k] = found.count ? found.hit[0].gap : LM_INFINITY;
    }
}
