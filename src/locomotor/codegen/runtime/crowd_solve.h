/* Impulses of the contacts of one instance that act (`crowd.h`), as `mechanics/impacts/friction.py` says. */

/* One contact after the other: it sticks if that is in its cone, else it slips, until nothing changes by more than `steady` of what is
   missing: then it is not `going` any more. `moved` belongs to the impulses. Whether any slips. */
LM_FUNCTION int lm_crowd_sweep(const lm_crowd *tree, int count, int *goes, const stored *z, stored *kept, int sweeps, stored steady,
                              stored *moved, stored *changed) {
    const int all = lm_teams_most(count);
    int slips = 0, going = *goes;
    for (int sweep = 0; sweep < sweeps && lm_teams_any(going); ++sweep) {
        stored change = LM_K(0.0), scale = LM_CROWD_TINY;
        int slid = 0;
        const stored *row = z;
        stored *own = kept;
        for (int c = 0; c < all; ++c, row += 3 * tree->stride, own += LM_KEPT) {
            const int now = going && c < count;
            stored k[20], lacking[3], next[3] = {LM_K(0.0), LM_K(0.0), LM_K(0.0)};
            for (int i = 0; i < 3; ++i) lacking[i] = lm_team_sum(now ? lm_crowd_part(tree, row + i * tree->stride, moved) : LM_K(0.0));
            if (now) {
                for (int i = 0; i < 20; i += 4) lm_take_four(own + i, k + i);
                const stored mu = k[LM_RUB], *m = k + LM_INVERSE, *L = k + LM_IMPULSE;
                for (int i = 0; i < 3; ++i) lacking[i] = k[LM_MISSING + i] - lacking[i];
                const stored stick[3] = {L[0] + m[0] * lacking[0] + m[1] * lacking[1] + m[2] * lacking[2],
                                         L[1] + m[1] * lacking[0] + m[3] * lacking[1] + m[4] * lacking[2],
                                         L[2] + m[2] * lacking[0] + m[4] * lacking[1] + m[5] * lacking[2]};
                const int pushes = stick[0] > LM_K(0.0);
                const int holds = mu < LM_K(0.0) || stick[1] * stick[1] + stick[2] * stick[2] < mu * mu * stick[0] * stick[0];
                /* If it slips. */
                const stored inverse = lm_crowd_abs(k[LM_BOUND]);
                next[0] = L[0] + lacking[0] * lm_crowd_yields(k[LM_OWN], mu, k[LM_CROSS], k[LM_CROSS + 1], L[1] + lacking[1] * inverse,
                                                              L[2] + lacking[2] * inverse);
                if (next[0] < LM_K(0.0)) next[0] = LM_K(0.0);
                const stored pressed = next[0] - L[0], most = mu * next[0];
                const stored left[2] = {lacking[1] - k[LM_CROSS] * pressed, lacking[2] - k[LM_CROSS + 1] * pressed};
                if (k[LM_BOUND] < LM_K(0.0))
                    lm_crowd_slide(m, most, L + 1, left, next + 1);
                else {
                    next[1] = L[1] + left[0] * inverse;
                    next[2] = L[2] + left[1] * inverse;
                    const stored squares = next[1] * next[1] + next[2] * next[2];
                    const stored share = squares > most * most ? most * LM_CROWD_ROOT(squares) : LM_K(1.0);
                    next[1] = next[1] * share, next[2] = next[2] * share;
                }
                const int stays = pushes && holds, leaves = !stays && mu < LM_K(0.0);
                stored step[3];
                for (int i = 0; i < 3; ++i) {
                    next[i] = stays ? stick[i] : leaves ? LM_K(0.0) : next[i];
                    step[i] = next[i] - L[i];
                    scale = scale + lm_crowd_abs(k[LM_MISSING + i]);
                }
                slid |= !stays && next[0] > LM_K(0.0);
                change = change + lm_crowd_abs(step[0]) * k[LM_SIZE] + lm_crowd_abs(step[1]) * k[LM_SIZES] +
                         lm_crowd_abs(step[2]) * k[LM_SIZES + 1];
                for (int i = 0; i < 3; ++i) lm_crowd_move(tree, row + i * tree->stride, step[i], moved);
            }
            lm_team_meet();
            if (now && lm_member() == 0)
                for (int i = 0; i < 3; ++i) own[LM_IMPULSE + i] = next[i];
        }
        lm_team_meet();
        if (going) slips = slid, *changed = change;
        going = going && change > steady * scale;
    }
    *goes = going;
    return slips;
}

/* Impulses with which all that press stick, by conjugate gradients from those given: as exactly as numbers are. 0, and nothing
   changes, where these are not in the cones or another contact would close. */
LM_FUNCTION int lm_crowd_stick(const lm_crowd *tree, int count, int asked, const stored *z, stored *kept, stored *moved, stored *along) {
    const int all = lm_teams_most(count);
    stored rho = LM_K(0.0), scale = LM_CROWD_TINY, left = LM_K(0.0);
    for (int round = -1; round < LM_CROWD_ROUNDS; ++round) {
        /* Round -1 finds what is left; the others go along. */
        stored beside = LM_K(0.0), squares = LM_K(0.0);
        if (round >= 0) {
            for (int j = 0; j < tree->width; ++j) along[j] = LM_K(0.0);
            for (int c = 0; c < count && asked; ++c)
                for (int i = 0; i < 3; ++i) lm_crowd_move(tree, z + (int64_t)(3 * c + i) * tree->stride, kept[(int64_t)c * LM_KEPT + LM_ALONG + i], along);
            for (int j = 0; j < tree->width; ++j) squares = squares + along[j] * along[j];
            squares = lm_team_sum(squares);
        }
        const stored step = round >= 0 && squares > LM_CROWD_TINY ? rho / squares : LM_K(0.0);
        if (asked && round >= 0)
            for (int j = 0; j < tree->width; ++j) moved[j] = moved[j] + step * along[j];
        left = LM_K(0.0);
        for (int c = 0; c < all; ++c) {
            const int now = asked && c < count;
            stored *own = kept + (int64_t)(now ? c : 0) * LM_KEPT;
            stored lacking[3];
            for (int i = 0; i < 3; ++i)
                lacking[i] = lm_team_sum(now ? lm_crowd_part(tree, z + (int64_t)(3 * (now ? c : 0) + i) * tree->stride, round < 0 ? moved : along) : LM_K(0.0));
            const int presses = now && (own[LM_IMPULSE] > LM_K(0.0) || (round >= 0 && own[LM_BEFORE] > LM_K(0.0)));
            const stored *m = own + LM_INVERSE;
            for (int i = 0; i < 3; ++i) {
                if (presses) lacking[i] = round < 0 ? own[LM_MISSING + i] - lacking[i] : own[LM_LEFT + i] - step * lacking[i];
                if (!presses) lacking[i] = LM_K(0.0);
                if (now && round < 0) scale = scale + lm_crowd_abs(own[LM_MISSING + i]);
                left = left + lm_crowd_abs(lacking[i]);
            }
            if (presses)
                beside = beside + lacking[0] * (m[0] * lacking[0] + m[1] * lacking[1] + m[2] * lacking[2]) +
                         lacking[1] * (m[1] * lacking[0] + m[3] * lacking[1] + m[4] * lacking[2]) +
                         lacking[2] * (m[2] * lacking[0] + m[4] * lacking[1] + m[5] * lacking[2]);
            lm_team_meet();
            if (now && lm_member() == 0)
                for (int i = 0; i < 3; ++i) {
                    if (round < 0) own[LM_BEFORE + i] = own[LM_IMPULSE + i], own[LM_ALONG + i] = LM_K(0.0);
                    own[LM_IMPULSE + i] = own[LM_IMPULSE + i] + step * own[LM_ALONG + i], own[LM_LEFT + i] = lacking[i];
                }
        }
        lm_team_meet();
        const stored turn = rho > LM_CROWD_TINY ? beside / rho : LM_K(0.0);
        rho = beside;
        for (int c = lm_member(); c < count && asked; c += LM_TEAM) {
            stored *own = kept + (int64_t)c * LM_KEPT, *m = own + LM_INVERSE, *l = own + LM_LEFT, *p = own + LM_ALONG;
            const stored weighed[3] = {m[0] * l[0] + m[1] * l[1] + m[2] * l[2], m[1] * l[0] + m[3] * l[1] + m[4] * l[2],
                                       m[2] * l[0] + m[4] * l[1] + m[5] * l[2]};
            for (int i = 0; i < 3; ++i) p[i] = weighed[i] + turn * p[i];
        }
        lm_team_meet();
        if (!lm_teams_any(asked && left > LM_K(0.1) * LM_CROWD_STEADY * scale)) break;
    }
    /* Whether that may be. */
    stored normal = LM_K(0.0), excess = LM_K(0.0), closing = LM_K(0.0);
    int found = asked && left < LM_K(1e-7) * scale;
    for (int c = 0; c < all; ++c) {
        const int now = asked && c < count;
        const stored *own = kept + (int64_t)(now ? c : 0) * LM_KEPT, *row = z + (int64_t)(now ? 3 * c : 0) * tree->stride;
        const stored rate = lm_team_sum(now ? lm_crowd_part(tree, row, moved) : LM_K(0.0));
        if (!now) continue;
        const stored L = own[LM_IMPULSE], mu = own[LM_RUB];
        const stored length = LM_SQRT(own[LM_IMPULSE + 1] * own[LM_IMPULSE + 1] + own[LM_IMPULSE + 2] * own[LM_IMPULSE + 2]);
        normal = normal + lm_crowd_abs(L);
        if (-L > excess) excess = -L;
        if (mu >= LM_K(0.0) && length - mu * L > excess) excess = length - mu * L;
        if (own[LM_MISSING] - rate > closing) closing = own[LM_MISSING] - rate;
    }
    found = found && excess < LM_CROWD_SLACK * normal + LM_K(2e-15) && closing < LM_K(1e-12) + LM_CROWD_STEADY * scale;
    if (asked && !found) {
        for (int j = 0; j < tree->width; ++j) moved[j] = LM_K(0.0);
        for (int c = 0; c < count; ++c)
            for (int i = 0; i < 3; ++i) lm_crowd_move(tree, z + (int64_t)(3 * c + i) * tree->stride, kept[(int64_t)c * LM_KEPT + LM_BEFORE + i], moved);
    }
    lm_team_meet();
    for (int c = lm_member(); c < count && asked && !found; c += LM_TEAM)
        for (int i = 0; i < 3; ++i) kept[(int64_t)c * LM_KEPT + LM_IMPULSE + i] = kept[(int64_t)c * LM_KEPT + LM_BEFORE + i];
    lm_team_meet();
    return found;
}

/* What the impulses move, to begin with. */
LM_FUNCTION void lm_crowd_push(const lm_crowd *tree, int count, const stored *z, const stored *kept, stored *moved) {
    for (int j = 0; j < tree->width; ++j) moved[j] = LM_K(0.0);
    for (int c = 0; c < count; ++c)
        for (int i = 0; i < 3; ++i)
            lm_crowd_move(tree, z + (int64_t)(3 * c + i) * tree->stride, kept[(int64_t)c * LM_KEPT + LM_IMPULSE + i], moved);
}

/* Some sweeps, which share out the load, of those that are `going`; where then nothing slips, all are asked to stick at once, exactly,
   after the first few and in the end. `taken` counts the sweeps, `changed` is what the last of them changed: it ends where that does not
   get less, since rows that contradict each other change impulses for ever, and velocities no more. */
LM_FUNCTION void lm_crowd_some(const lm_crowd *tree, int count, int *going, int *taken, stored *changed, int sweeps, int last,
                              const stored *z, stored *kept, stored *moved, stored *along) {
    const stored before = *taken ? *changed : LM_K(1.0) / LM_CROWD_TINY;
    const int asked = *going, most = sweeps - *taken < LM_CROWD_FEW ? sweeps - *taken : LM_CROWD_FEW;
    const int slips = lm_crowd_sweep(tree, count, going, z, kept, lm_teams_most(asked ? most : 0), last ? LM_CROWD_STEADY : LM_CROWD_NEAR, moved, changed);
    *taken += most;
    const int ends = !*going || *taken >= sweeps || !(*changed < LM_CROWD_LESS * before), tries = asked && !slips && (ends || *taken == most);
    int stuck = 0;
    if (LM_CROWD_DOUBLE && lm_teams_any(tries)) stuck = lm_crowd_stick(tree, count, tries, z, kept, moved, along);
    *going = asked && !ends && !stuck;
}

/* Gaps are closed apart from velocities, by normals alone. What is missing, and the impulses, are lost. */
LM_FUNCTION void lm_crowd_close(const lm_crowd *tree, const lm_crowd_parts *a, int who, int count, lm_list which, const stored *z,
                               stored *kept, int sweeps, const stored *moved, stored *closing) {
    const int all = lm_teams_most(count);
    const stored h = LM_AT(a->h, 0, who);
    stored scale = LM_CROWD_TINY;
    for (int j = 0; j < tree->width; ++j) closing[j] = LM_K(0.0);
    /* An impulse of one that comes to touch acts from there on. */
    for (int c = 0; c < count; ++c) {
        const stored set = LM_AT(a->set, LM_WHICH(which, c, who), who), before = set < LM_K(1.0) ? LM_K(4.0) * (LM_K(1.0) - set) : LM_K(0.0);
        for (int i = 0; i < 3 && before > LM_K(0.0); ++i)
            lm_crowd_move(tree, z + (int64_t)(3 * c + i) * tree->stride, -LM_K(0.5) * h * before * kept[(int64_t)c * LM_KEPT + LM_IMPULSE + i], closing);
    }
    lm_team_meet();
    for (int c = 0; c < all; ++c) {
        const int now = c < count;
        const stored *row = z + (int64_t)(now ? 3 * c : 0) * tree->stride;
        stored *own = kept + (int64_t)(now ? c : 0) * LM_KEPT;
        const stored rate = lm_team_sum(now ? lm_crowd_part(tree, row, moved) : LM_K(0.0));
        /* Its rate after the step is short of what it may approach with. */
        const int contact = now ? LM_WHICH(which, c, who) : 0;
        const stored set = now ? LM_AT(a->set, contact, who) : LM_K(1.0), approach = set > LM_K(1.0) ? set - LM_K(1.0) : LM_K(0.0);
        const stored speed = now ? rate - own[LM_MISSING] - approach : LM_K(0.0);
        const stored open = now ? LM_AT(a->gaps, contact, who) + LM_K(0.5) * h * speed : LM_K(0.0);
        lm_team_meet();
        scale = scale + lm_crowd_abs(open);
        if (now && lm_member() == 0) own[LM_MISSING] = -open, own[LM_IMPULSE] = LM_K(0.0);
    }
    lm_team_meet();
    int going = count > 0;
    for (int sweep = 0; sweep < sweeps && lm_teams_any(going); ++sweep) {
        stored change = LM_K(0.0);
        for (int c = 0; c < all; ++c) {
            const int now = going && c < count;
            const stored *row = z + (int64_t)(now ? 3 * c : 0) * tree->stride;
            stored *own = kept + (int64_t)(now ? c : 0) * LM_KEPT;
            const stored rate = lm_team_sum(now ? lm_crowd_part(tree, row, closing) : LM_K(0.0));
            if (!now) continue;
            stored next = own[LM_IMPULSE] + (own[LM_MISSING] - rate) * own[LM_OWN];
            if (next < LM_K(0.0)) next = LM_K(0.0);
            const stored step = next - own[LM_IMPULSE];
            change = change + lm_crowd_abs(step) * own[LM_SIZE];
            lm_crowd_move(tree, row, step, closing);
            own[LM_IMPULSE] = next; /* all members write the same */
        }
        lm_team_meet();
        going = going && change > LM_CROWD_CLOSED * scale;
    }
}

/* What was found. */
LM_FUNCTION void lm_crowd_tell(const lm_crowd *tree, const lm_crowd_parts *a, int who, int count, lm_list which, const stored *kept,
                              const stored *moved) {
    for (int c = lm_member(); c < count; c += LM_TEAM) {
        const int contact = LM_WHICH(which, c, who);
        for (int i = 0; i < tree->begin[contact + 1] - tree->begin[contact]; ++i)
            LM_PUT(a->impulses, tree->begin[contact] + i, who, kept[(int64_t)c * LM_KEPT + LM_IMPULSE + i]);
    }
    for (int j = 0; j < tree->width; ++j)
        if (lm_member() * tree->width + j < tree->n) LM_PUT(a->moved, lm_member() * tree->width + j, who, moved[j]);
}
LM_FUNCTION void lm_crowd_tell_closing(const lm_crowd *tree, const lm_crowd_parts *a, int who, const stored *closing) {
    for (int j = 0; j < tree->width; ++j)
        if (lm_member() * tree->width + j < tree->n) LM_PUT(a->closing, lm_member() * tree->width + j, who, closing[j]);
}
