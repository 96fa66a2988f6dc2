/* Everything that happens at one instant: `handle` of loop.py. */

/* The direction of a slip noted as it is now. */
static int lm_note(lm_run *run, lm_change *change, lm_now *now, int64_t contact) {
    const int64_t mark = run->used;
    lm_look_now(run, now);
    double *slips = lm_room(run, 3 * run->contacts), *x = lm_room(run, run->nx);
    if (!x) return 0;
    const double *slip = LM_V(&now->seen, slip, contact), speed = lm_norm3(slip);
    for (int64_t i = 0; i < 3 * run->contacts; ++i) slips[i] = now->slips[i];
    for (int j = 0; j < 3; ++j) slips[3 * contact + j] = slip[j] / speed;
    for (int64_t i = 0; i < run->way[now->way].nx; ++i) x[i] = now->x[i];
    const int good = lm_enter(run, change, now, now->way, x, slips, now->guided, 0);
    run->used = mark;
    return good;
}

/* Who begins to slip, slips the other way, or sticks, beside what it was before the instant. */
static int lm_tell_stances(lm_run *run, lm_change *change, lm_now *now, const int32_t *before, const double *old) {
    for (int64_t k = 0; k < run->contacts; ++k) {
        const int32_t i = run->by_name[k], held = run->way[now->way].holds[i];
        if (held == LM_OPEN) continue;
        const int slips = held == LM_SLIPS, slipped = before[i] == LM_SLIPS;
        const int turned = slips && slipped && lm_dot3(old + 3 * i, now->slips + 3 * i) < -0.5;
        if ((slips && !slipped) || turned || (slipped && !slips)) {
            lm_know_now(run, now);
            lm_told *told = lm_tell(run, change, now, slips ? LM_SLIP : LM_STICK, i, -1, now->energy);
            if (!told) return 0;
            told->turned = turned;
        }
    }
    return 1;
}

/* Everything that happens at one instant. */
static int lm_handle(lm_run *run, lm_now *now, const lm_triggers *triggers) {
    lm_change change = {0, 0, 0, 0, 0, 0};
    int32_t before[LM_MOST_CONTACTS];
    double old[3 * LM_MOST_CONTACTS];
    int collides = 0;
    for (int64_t i = 0; i < run->contacts; ++i) {
        before[i] = run->way[now->way].holds[i];
        for (int j = 0; j < 3; ++j) old[3 * i + j] = now->slips[3 * i + j];
    }
    /* Slips that turn are noted before anything else is answered. */
    for (int k = 0; k < triggers->count; ++k) {
        const lm_trigger what = triggers->what[k];
        if (what.kind == LM_SLIP_TURNS && !lm_note(run, &change, now, what.contact)) return 0;
    }
    for (int k = 0; k < triggers->count; ++k) {
        const lm_trigger what = triggers->what[k];
        const uint64_t bit = LM_BIT(what.contact);
        collides |= what.kind != LM_SLIP_TURNS;
        if (what.kind == LM_GAP_CLOSES || what.kind == LM_GRAZES) change.closing |= bit;
        if (what.kind == LM_FORCE_VANISHES) change.opening |= bit;
        if (what.kind == LM_FRICTION_EXHAUSTED) change.yielding |= bit;
        if (what.kind != LM_SLIP_ENDS) continue;
        lm_look_now(run, now);
        if (now->guided[what.contact] == 0.0 && lm_norm3(LM_V(&now->seen, slip, what.contact)) > LM_STOPPED_SLIP) {
            if (!lm_note(run, &change, now, what.contact)) return 0;
        } else
            change.stopped |= bit;
    }
    if (!collides) return 1;
    for (int k = 0; k < LM_MOST_IMPACTS; ++k) {
        lm_approaching(run, &change, now);
        if (!change.closing) break;
        if (!lm_impact(run, &change, now)) return 0;
    }
    if (change.closing) return 0;
    if (!lm_settle_contacts(run, &change, now)) return 0;
    lm_look_now(run, now);
    if (!lm_joints_hold(run, now) || !lm_tell_stances(run, &change, now, before, old)) return 0;
    return change.entered && lm_guide(run, &change, now) >= 0;
}
