/* Inputs that a function on the host computes at every evaluation of the dynamics, from NC values that `lm_sense` gives.

   What it is and where its values lie is kept for each thread, and the caller's again afterwards: a law may itself simulate.
   Behind the NU inputs given it writes 1 when it has answered: an interrupt may end it before its first line, and what a
   callback returns then is anything. */

typedef struct {
    double *sensed, *given;
    void (*answer)(void);
} lm_law;

typedef struct {
    const lm_law *law;
    real *inputs;
    int failed;
} lm_calling;

static __thread lm_calling lm_host;

LM_FUNCTION void lm_feed(const real *t, const real *x, const real *u, const real *p) {
    real values[NC];
    lm_sense(t, x, u, p, values);
    for (int i = 0; i < NC; ++i) lm_host.law->sensed[i] = lm_get(values[i], 0);
    lm_host.law->given[NU] = 0.0;
    if (!lm_host.failed) lm_host.law->answer();
    if (lm_host.law->given[NU] != 1.0) lm_host.failed = 1;
    for (int i = 0; i < NU; ++i) lm_host.inputs[i] = LM_CONST(lm_host.law->given[i]);
}

LM_FUNCTION void lm_closed_dynamics(const real *t, const real *x, const real *u, const real *p, real *rate, real *monitor) {
    lm_feed(t, x, u, p);
    lm_dynamics(t, x, u, p, rate, monitor);
}

#undef lm_dynamics
#define lm_dynamics lm_closed_dynamics
#define LM_SENSE
