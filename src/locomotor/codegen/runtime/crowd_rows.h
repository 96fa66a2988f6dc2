/* Rows of the contacts of one instance that act, and what is kept of them (`crowd.h`). */

/* Rows of the contacts that act, three each; those of the third and second that one lacks are nothing. */
LM_FUNCTION void lm_crowd_rows(const lm_crowd *tree, const lm_crowd_parts *a, int who, int count, lm_list which, stored *z) {
    const int all = lm_teams_most(count);
    const int n = tree->n, stride = tree->stride;
    for (int i = lm_member(); i < 3 * stride * count; i += LM_TEAM) z[i] = LM_K(0.0);
    lm_team_meet();
    for (int c = 0; c < all; ++c) {
        const int now = c < count, contact = now ? LM_WHICH(which, c, who) : 0, first = tree->begin[contact];
        const int end = tree->whole ? n - 1 : tree->last[tree->on[contact]];
        const int start = end < 0 || !now ? 0 : tree->start[end], length = end < 0 || !now ? 0 : tree->start[end + 1] - start;
        for (int i = 0; i < 3; ++i) {
            if (i >= tree->begin[contact + 1] - first) continue;
            stored *row = z + (int64_t)(3 * c + i) * stride;
            /* Of velocity d of the path, and then of all above it. */
            for (int d = lm_member(); d < length; d += LM_TEAM) {
                const int j = tree->path[start + d];
                if (tree->whole) {
                    row[d] = LM_AT(a->made, (int64_t)(first + i) * n + j, who);
                    continue;
                }
                stored u[3], w[3], s[6];
                for (int k = 0; k < 3; ++k) u[k] = LM_AT(a->directions, 3 * (first + i) + k, who), w[k] = LM_AT(a->points, 3 * contact + k, who);
                for (int k = 0; k < 6; ++k) s[k] = LM_AT(a->made, 6 * j + k, who);
                row[d] = u[0] * (s[0] + s[4] * w[2] - s[5] * w[1]) + u[1] * (s[1] + s[5] * w[0] - s[3] * w[2]) +
                         u[2] * (s[2] + s[3] * w[1] - s[4] * w[0]);
            }
        }
        lm_team_meet();
        /* What is made for entry e needs rows from e on: ascending, and one team member's entries before another's are read first. */
        const int longest = lm_teams_most(length);
        for (int e0 = 0; e0 < longest; e0 += LM_TEAM) {
            const int e = e0 + lm_member();
            stored sum[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)};
            if (e < length)
                for (int d = e; d < length; ++d) {
                    const stored factor = LM_AT(a->N, tree->base[start + d] + e, who);
                    for (int i = 0; i < 3; ++i) sum[i] = sum[i] + factor * z[(int64_t)(3 * c + i) * stride + d];
                }
            lm_team_meet();
            if (e < length)
                for (int i = 0; i < 3; ++i) z[(int64_t)(3 * c + i) * stride + e] = sum[i];
            lm_team_meet();
        }
        /* Entries of the path go to the places of their velocities, the last first: each is at or beyond its own. */
        for (int e0 = (longest + LM_TEAM - 1) / LM_TEAM * LM_TEAM - LM_TEAM; e0 >= 0; e0 -= LM_TEAM) {
            const int e = e0 + lm_member(), j = e < length ? tree->path[start + e] : 0;
            stored taken[3];
            if (e < length)
                for (int i = 0; i < 3; ++i) taken[i] = z[(int64_t)(3 * c + i) * stride + e];
            lm_team_meet();
            if (e < length && j != e)
                for (int i = 0; i < 3; ++i) z[(int64_t)(3 * c + i) * stride + e] = LM_K(0.0);
            lm_team_meet();
            if (e < length && j != e)
                for (int i = 0; i < 3; ++i) z[(int64_t)(3 * c + i) * stride + j] = taken[i];
            lm_team_meet();
        }
    }
}

/* A row times what the members have of a motion, and the same added up. */
LM_INLINE stored lm_crowd_part(const lm_crowd *tree, const stored *row, const stored *moved) {
    const stored *own = row + lm_member() * tree->width;
    stored s[4] = {LM_K(0.0), LM_K(0.0), LM_K(0.0), LM_K(0.0)}, four[4];
    int j = 0;
    for (; j + 4 <= tree->width; j += 4) {
        lm_take_four(own + j, four);
        for (int k = 0; k < 4; ++k) s[k] = s[k] + four[k] * moved[j + k];
    }
    for (; j < tree->width; ++j) s[0] = s[0] + own[j] * moved[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
}
LM_INLINE void lm_crowd_move(const lm_crowd *tree, const stored *row, stored by, stored *moved) {
    const stored *own = row + lm_member() * tree->width;
    stored four[4];
    int j = 0;
    for (; j + 4 <= tree->width; j += 4) {
        lm_take_four(own + j, four);
        for (int k = 0; k < 4; ++k) moved[j + k] = moved[j + k] + four[k] * by;
    }
    for (; j < tree->width; ++j) moved[j] = moved[j] + own[j] * by;
}

/* What is kept of each contact. */
LM_FUNCTION void lm_crowd_keep(const lm_crowd *tree, const lm_crowd_parts *a, int who, int known, int count, lm_list which,
                              const stored *z, stored *kept) {
    const int all = lm_teams_most(count);
    const int stride = tree->stride;
    for (int c = 0; c < all; ++c) {
        const int now = c < count, contact = now ? LM_WHICH(which, c, who) : 0, first = tree->begin[contact], rows = tree->begin[contact + 1] - first;
        const stored *row = z + (int64_t)(now ? 3 * c : 0) * stride;
        stored block[9], m[9];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j) {
                const stored part = now ? lm_crowd_part(tree, row + i * stride, row + j * stride + lm_member() * tree->width) : LM_K(0.0);
                block[3 * i + j] = block[3 * j + i] = lm_team_sum(part);
            }
        for (int i = 0; i < 9; ++i) m[i] = block[i];
        /* Tangents first, the last before: the normal stays where they depend on each other. */
        int used[3];
        for (int k = 2; k >= 0; --k) {
            used[k] = m[4 * k] > LM_CROWD_PIVOT * block[4 * k] && block[4 * k] > LM_CROWD_TINY;
            if (!used[k]) continue;
            const stored inverse = LM_K(1.0) / m[4 * k];
            for (int j = 0; j < 3; ++j)
                if (j != k) m[3 * k + j] = m[3 * k + j] * inverse;
            for (int i = 0; i < 3; ++i) {
                if (i == k) continue;
                const stored factor = m[3 * i + k];
                for (int j = 0; j < 3; ++j)
                    if (j != k) m[3 * i + j] = m[3 * i + j] - factor * m[3 * k + j];
                m[3 * i + k] = -factor * inverse;
            }
            m[4 * k] = inverse;
        }
        stored *own = kept + (int64_t)c * LM_KEPT;
        if (now && lm_member() == 0) {
            for (int i = 0, e = 0; i < 3; ++i)
                for (int j = i; j < 3; ++j, ++e) own[LM_INVERSE + e] = used[i] && used[j] ? m[3 * i + j] : LM_K(0.0);
            own[LM_OWN] = block[0] > LM_CROWD_TINY ? LM_K(1.0) / block[0] : LM_K(0.0);
            own[LM_BOUND] = lm_crowd_bound(block[4], block[5], block[8], used[0] && used[1] && used[2]);
            own[LM_CROSS] = block[3], own[LM_CROSS + 1] = block[6], own[LM_RUB] = LM_AT(a->mu, contact, who);
            own[LM_SIZE] = block[0], own[LM_SIZES] = block[4], own[LM_SIZES + 1] = block[8];
            for (int i = 0; i < 3; ++i) {
                own[LM_MISSING + i] = i < rows ? LM_AT(a->missing, first + i, who) : LM_K(0.0);
                own[LM_IMPULSE + i] = i < rows && known ? LM_AT(a->guess, first + i, who) : LM_K(0.0);
            }
        }
    }
    lm_team_meet();
}

/* The rows stay, what is missing and the impulses to begin with are new. */
LM_FUNCTION void lm_crowd_renew(const lm_crowd *tree, const lm_crowd_parts *a, int who, int count, lm_list which, stored *kept) {
    for (int c = lm_member(); c < count; c += LM_TEAM) {
        const int contact = LM_WHICH(which, c, who), first = tree->begin[contact], rows = tree->begin[contact + 1] - first;
        stored *own = kept + (int64_t)c * LM_KEPT;
        for (int i = 0; i < rows; ++i)
            own[LM_MISSING + i] = LM_AT(a->missing, first + i, who), own[LM_IMPULSE + i] = LM_AT(a->guess, first + i, who);
    }
    lm_team_meet();
}
