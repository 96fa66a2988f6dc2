/* Contacts with Coulomb friction, one problem at a time (LANES is 1): u = W r + q, contact after contact, normal first.

   The text before this file defines LM_CONTACTS, the most contacts of a problem, and LM_AXES, the components of each: 2 in the
   plane, 3 in space; solve.h stands before it too. Each contact is open (r = 0, u_N >= 0), sticks (u = 0, |r_T| <= mu r_N) or slips
   (u_N = 0, r_T = -mu r_N u_T / |u_T|).

   Sweeps solve one contact after the other exactly (Jean 1999, doi 10.1016/S0045-7825(98)00383-1): stick is tried first, so that a
   body inside its cones does not creep. Between sweeps Newton's method takes the equations of Alart and Curnier (1991, doi
   10.1016/0045-7825(91)90022-X); what it finds is kept where it solves the problem. `locomotor.complementarity` is the readable form. */

#define LM_TANGENTS (LM_AXES - 1)
#define LM_ROWS (LM_CONTACTS * LM_AXES)
#define LM_FRICTION_STEPS 100                                    /* in search of a slip's rate; five are usual */
#define LM_FRICTION_FLAT LM_K(sizeof(stored) == 4 ? 1e-6 : 1e-12) /* motions below this much of W are none */
#define LM_FRICTION_FINE LM_K(sizeof(stored) == 4 ? 2e-7 : 4e-16)
#define LM_FRICTION_NOISE 1e-5 /* round-off over the tolerance, NOISE of complementarity/answer.py */
#define LM_FRICTION_ROUND 4  /* sweeps before Newton's method is tried, and between two looks at the residual */
#define LM_FRICTION_NEWTON 8 /* its steps an attempt */
#define LM_FRICTION_SOFT LM_K(sizeof(stored) == 4 ? 1e-5 : 1e-9) /* softness that makes dependent contacts solvable */

enum { LM_FRICTION_SOLVED = 0, LM_FRICTION_LIMIT = 1 };

/* One contact in the axes in which S = W_TT - W_TN W_NT / W_NN is diagonal. */
typedef struct {
    real normal, mu;
    real coupling[LM_TANGENTS], stiffness[LM_TANGENTS];
    real axes[LM_TANGENTS][LM_TANGENTS]; /* columns */
} lm_contact;

LM_FUNCTION void lm_contact_prepare(lm_contact *c, const real *w, int stride, real mu) {
    c->normal = w[0], c->mu = mu;
    real trace = w[0];
    for (int i = 0; i < LM_TANGENTS; ++i) {
        trace = trace + w[(i + 1) * stride + i + 1];
        c->coupling[i] = c->stiffness[i] = LM_K(0.0);
        for (int j = 0; j < LM_TANGENTS; ++j) c->axes[i][j] = LM_K(i == j ? 1.0 : 0.0);
    }
    if (!(w[0] > LM_K(0.0))) {
        c->normal = LM_K(0.0);
        return;
    }
    const real inverse = LM_K(1.0) / w[0];
#if LM_AXES == 3
    const real p = w[stride], o = w[2 * stride];
    const real a = w[stride + 1] - p * p * inverse, b = w[stride + 2] - p * o * inverse, d = w[2 * stride + 2] - o * o * inverse;
    real t = LM_K(0.0);
    if (lm_fabs(b) > LM_FRICTION_FINE * LM_K(1e-4) * (lm_fabs(a) + lm_fabs(d))) { /* a rotation of Jacobi */
        const real tau = (d - a) / (LM_K(2.0) * b);
        t = LM_K(1.0) / (lm_fabs(tau) + LM_SQRT(LM_K(1.0) + tau * tau));
        if (tau < LM_K(0.0)) t = -t;
    }
    const real cs = LM_K(1.0) / LM_SQRT(LM_K(1.0) + t * t), sn = t * cs;
    c->axes[0][0] = cs, c->axes[0][1] = sn, c->axes[1][0] = -sn, c->axes[1][1] = cs;
    c->coupling[0] = cs * p - sn * o, c->coupling[1] = sn * p + cs * o;
    c->stiffness[0] = a - t * b, c->stiffness[1] = d + t * b;
#else
    c->coupling[0] = w[stride];
    c->stiffness[0] = w[stride + 1] - w[stride] * w[stride] * inverse;
#endif
    for (int i = 0; i < LM_TANGENTS; ++i)
        if (!(c->stiffness[i] > LM_FRICTION_FLAT * trace)) c->stiffness[i] = LM_K(0.0);
}

/* r_N that keeps u_N = 0. */
LM_INLINE real lm_contact_force(const lm_contact *c, const real *r, real normal) {
    real sum = normal;
    for (int i = 0; i < LM_TANGENTS; ++i) sum = sum + c->coupling[i] * r[i];
    return -sum / c->normal;
}

/* Slipping with u_T = -a r_T: r_T, r_N, h = mu r_N / |r_T| - 1 and its derivative. */
LM_INLINE void lm_contact_slip(const lm_contact *c, const real *p, real normal, real a, real *r, real *force, real *h, real *slope) {
    real squares = LM_K(0.0), turn = LM_K(0.0), rate_n = LM_K(0.0);
    for (int i = 0; i < LM_TANGENTS; ++i) {
        const real inverse = LM_K(1.0) / (c->stiffness[i] + a);
        r[i] = -p[i] * inverse;
        const real rate = -r[i] * inverse;
        squares = squares + r[i] * r[i], turn = turn + r[i] * rate, rate_n = rate_n + c->coupling[i] * rate;
    }
    const real size = LM_SQRT(squares);
    *force = lm_contact_force(c, r, normal);
    *h = c->mu * *force / size - LM_K(1.0);
    *slope = c->mu * (-rate_n / c->normal - *force * turn / squares) / size;
}

/* The forces of one contact with given q, exactly; 0 where there are none (r is then as it was). */
LM_FUNCTION int lm_contact_solve(const lm_contact *c, const real *q, real *result) {
    if (q[0] >= LM_K(0.0)) {
        for (int i = 0; i < LM_AXES; ++i) result[i] = LM_K(0.0);
        return 1;
    }
    if (!(c->normal > LM_K(0.0))) return 0;
    real p[LM_TANGENTS], r[LM_TANGENTS], force, squares = LM_K(0.0);
    int holds = 1;
    for (int i = 0; i < LM_TANGENTS; ++i) {
        real along = LM_K(0.0);
        for (int j = 0; j < LM_TANGENTS; ++j) along = along + c->axes[j][i] * q[j + 1];
        p[i] = along - c->coupling[i] * q[0] / c->normal;
        squares = squares + p[i] * p[i];
    }
    const real size = LM_SQRT(squares + q[0] * q[0]);
    real length = LM_K(0.0);
    for (int i = 0; i < LM_TANGENTS; ++i) {
        r[i] = LM_K(0.0);
        if (c->stiffness[i] > LM_K(0.0))
            r[i] = -p[i] / c->stiffness[i];
        else if (lm_fabs(p[i]) > LM_FRICTION_FLAT * size)
            holds = 0;
        length = length + r[i] * r[i];
    }
    force = lm_contact_force(c, r, q[0]);
    holds = holds && force >= LM_K(0.0) && length <= c->mu * c->mu * force * force;
    if (!holds && !(c->mu > LM_K(1e-30))) {
        force = -q[0] / c->normal;
        for (int i = 0; i < LM_TANGENTS; ++i) r[i] = LM_K(0.0);
        holds = 1;
    }
    if (!holds) {
        real h, slope, low = LM_K(0.0), high = LM_SQRT(squares) * c->normal / (-q[0] * c->mu);
        if (!(high > LM_FRICTION_FLAT * c->normal)) high = LM_FRICTION_FLAT * c->normal;
        for (int k = 0; k < LM_FRICTION_STEPS; ++k) {
            lm_contact_slip(c, p, q[0], high, r, &force, &h, &slope);
            if (h > LM_K(0.0)) break;
            high = high * LM_K(4.0);
        }
        real a = high;
        for (int k = 0; k < LM_FRICTION_STEPS; ++k) {
            if (h < LM_K(0.0)) low = a; else high = a;
            real ahead = slope > LM_K(0.0) ? a - h / slope : -LM_K(1.0);
            if (!(low < ahead && ahead < high)) ahead = LM_K(0.5) * (low + high);
            const int done = lm_fabs(ahead - a) <= LM_FRICTION_FINE * a || high - low <= LM_FRICTION_FINE * high;
            if (done) break;
            a = ahead;
            lm_contact_slip(c, p, q[0], a, r, &force, &h, &slope);
        }
        if (!(force >= LM_K(0.0)) || !(lm_fabs(h) < LM_K(1e-3))) return 0;
        for (int i = 0; i < LM_TANGENTS; ++i) r[i] = r[i] * (LM_K(1.0) + h);
    }
    result[0] = force;
    for (int i = 0; i < LM_TANGENTS; ++i) {
        result[i + 1] = LM_K(0.0);
        for (int j = 0; j < LM_TANGENTS; ++j) result[i + 1] = result[i + 1] + c->axes[i][j] * r[j];
    }
    return 1;
}

/* u = W r + q, and how far r is from a solution, relative to the sizes of all forces and of the velocities at each contact
   (friction/problem.py). */
LM_FUNCTION real lm_friction_residual(int n, const real *w, const real *q, const real *mu, const real *r, real *u) {
    const int rows = n * LM_AXES;
    real size_r = LM_K(0.0), sizes[LM_CONTACTS], worst = LM_K(0.0);
    for (int i = 0; i < rows; ++i)
        if (lm_fabs(r[i]) > size_r) size_r = lm_fabs(r[i]);
    if (!(size_r > LM_K(0.0))) size_r = LM_K(1.0);
    for (int i = 0; i < rows; ++i) {
        real sum = q[i], terms = lm_fabs(q[i]), most = LM_K(0.0);
        for (int j = 0; j < rows; ++j) {
            const real entry = w[i * rows + j], term = entry * r[j];
            sum = sum + term, terms = terms + lm_fabs(term);
            if (lm_fabs(entry) > most) most = lm_fabs(entry);
        }
        u[i] = sum;
        if (terms < LM_K(LM_FRICTION_NOISE) * most * size_r) terms = LM_K(LM_FRICTION_NOISE) * most * size_r;
        if (i % LM_AXES == 0 || terms > sizes[i / LM_AXES]) sizes[i / LM_AXES] = terms;
    }
    const real scale_r = LM_K(1.0) / size_r;
    for (int k = 0; k < n; ++k) {
        const int first = k * LM_AXES;
        const real scale_u = LM_K(1.0) / (sizes[k] > LM_K(0.0) ? sizes[k] : LM_K(1.0));
        real slip = LM_K(0.0), across = LM_K(0.0), a[LM_AXES], x[LM_AXES], product = LM_K(0.0), held = LM_K(0.0);
        for (int i = 1; i < LM_AXES; ++i) slip = slip + u[first + i] * u[first + i];
        slip = LM_SQRT(slip) * scale_u;
        for (int i = 0; i < LM_AXES; ++i) {
            a[i] = r[first + i] * scale_r;
            const real dual = u[first + i] * scale_u + (i == 0 ? mu[k] * slip : LM_K(0.0));
            x[i] = a[i] - dual;
            product = product + a[i] * dual;
            if (i > 0) across = across + x[i] * x[i], held = held + a[i] * a[i];
        }
        across = LM_SQRT(across), held = LM_SQRT(held);
        /* The point of the cone nearest to x. */
        real along = x[0], factor = LM_K(1.0);
        if (across > mu[k] * x[0]) {
            along = mu[k] * across <= -x[0] ? LM_K(0.0) : (x[0] + mu[k] * across) / (LM_K(1.0) + mu[k] * mu[k]);
            factor = along > LM_K(0.0) && across > LM_K(0.0) ? mu[k] * along / across : LM_K(0.0);
        }
        for (int i = 0; i < LM_AXES; ++i) {
            const real apart = lm_fabs(a[i] - (i == 0 ? along : factor * x[i]));
            if (!(apart <= worst)) worst = apart;
        }
        const real others[3] = {-u[first] * scale_u, lm_fabs(product), held - mu[k] * a[0]};
        for (int i = 0; i < 3; ++i)
            if (others[i] > worst) worst = others[i];
    }
    return worst;
}

/* One sweep over the contacts; u belongs to r before and after. */
LM_FUNCTION void lm_friction_sweep(int n, const real *w, const lm_contact *contacts, real *r, real *u) {
    const int rows = n * LM_AXES;
    for (int k = 0; k < n; ++k) {
        const int first = k * LM_AXES;
        real q[LM_AXES], next[LM_AXES];
        for (int i = 0; i < LM_AXES; ++i) {
            q[i] = u[first + i];
            for (int j = 0; j < LM_AXES; ++j) q[i] = q[i] - w[(first + i) * rows + first + j] * r[first + j];
        }
        if (!lm_contact_solve(&contacts[k], q, next)) continue;
        for (int j = 0; j < LM_AXES; ++j) {
            const real change = next[j] - r[first + j];
            if (change == LM_K(0.0)) continue;
            const real *row = w + (first + j) * rows; /* W is symmetric: its row is its column */
            for (int i = 0; i < rows; ++i) u[i] = u[i] + row[i] * change;
            r[first + j] = next[j];
        }
    }
}

/* One step of Newton's method for the contacts that are closed: `next` from r and u; 0 where it cannot be taken. */
LM_FUNCTION int lm_friction_newton(int n, const real *w, const real *mu, const real *r, const real *u, real *next) {
    const int rows = n * LM_AXES;
    real matrix[LM_ROWS * LM_ROWS], right[LM_ROWS];
    int index[LM_ROWS], m = 0;
    for (int k = 0; k < n; ++k) {
        const int first = k * LM_AXES;
        real stiff = LM_K(0.0);
        for (int i = 0; i < LM_AXES; ++i) stiff = stiff + w[(first + i) * (rows + 1)];
        if (stiff > LM_K(0.0) && r[first] - u[first] / stiff > LM_K(0.0))
            for (int i = 0; i < LM_AXES; ++i) index[m++] = first + i;
    }
    for (int i = 0; i < rows; ++i) next[i] = LM_K(0.0);
    if (m == 0) return 1;
    for (int first = 0; first < m; first += LM_AXES) {
        const int at = index[first], k = at / LM_AXES;
        real stiff = LM_K(0.0), x[LM_AXES], size = LM_K(0.0);
        for (int i = 0; i < LM_AXES; ++i) stiff = stiff + w[(at + i) * (rows + 1)];
        const real rho = LM_K(1.0) / stiff, soft = LM_FRICTION_SOFT * stiff;
        for (int i = 0; i < LM_AXES; ++i) {
            x[i] = r[at + i] - rho * u[at + i];
            if (i > 0) size = size + x[i] * x[i];
            right[first + i] = -u[at + i];
            for (int j = 0; j < m; ++j)
                matrix[(first + i) * m + j] = w[(at + i) * rows + index[j]] + (j == first + i ? soft : LM_K(0.0));
        }
        size = LM_SQRT(size);
        /* Open contacts lose what force they had. */
        const real radius = mu[k] * x[0];
        if (size <= radius) continue;
        const real factor = size > LM_K(0.0) ? radius / size : LM_K(0.0);
        real edge[LM_TANGENTS][LM_ROWS];
        for (int i = 0; i < LM_TANGENTS; ++i) {
            right[first + 1 + i] = factor * x[i + 1] - r[at + 1 + i];
            for (int j = 0; j < m; ++j) {
                /* d r_T = mu s d x_N + factor (1 - s s) d x_T with d x = d r - rho W d r. */
                real sum = j == first + 1 + i ? LM_K(1.0) : LM_K(0.0);
                const real s_i = size > LM_K(0.0) ? x[i + 1] / size : LM_K(0.0);
                const real move_n = (j == first ? LM_K(1.0) : LM_K(0.0)) - rho * w[at * rows + index[j]];
                sum = sum - mu[k] * s_i * move_n;
                for (int o = 0; o < LM_TANGENTS; ++o) {
                    const real s_o = size > LM_K(0.0) ? x[o + 1] / size : LM_K(0.0);
                    const real move = (j == first + 1 + o ? LM_K(1.0) : LM_K(0.0)) - rho * w[(at + 1 + o) * rows + index[j]];
                    sum = sum - factor * ((i == o ? LM_K(1.0) : LM_K(0.0)) - s_i * s_o) * move;
                }
                edge[i][j] = sum;
            }
        }
        for (int i = 0; i < LM_TANGENTS; ++i)
            for (int j = 0; j < m; ++j) matrix[(first + 1 + i) * m + j] = edge[i][j];
    }
    if (lm_solve(m, matrix, right) != LM_SOLVED) return 0;
    for (int i = 0; i < m; ++i) next[index[i]] = r[index[i]] + right[i];
    return 1;
}

/* Forces r of n contacts, from the r given, until the residual is below the tolerance or the sweeps are done. `newton`: whether
   its steps are tried. *residual is that of r. */
LM_FUNCTION int lm_friction(int n, const real *w, const real *q, const real *mu, real *r, real tolerance, int sweeps, int newton,
                            real *residual) {
    lm_contact contacts[LM_CONTACTS];
    real u[LM_ROWS];
    const int rows = n * LM_AXES;
    const int look = n == 1 ? 1 : LM_FRICTION_ROUND; /* one contact is solved by one sweep */
    int round = LM_FRICTION_ROUND;
    for (int k = 0; k < n; ++k) lm_contact_prepare(&contacts[k], w + k * LM_AXES * (rows + 1), rows, mu[k]);
    *residual = lm_friction_residual(n, w, q, mu, r, u);
    while (sweeps > 0 && !(*residual <= tolerance)) {
        const int last = newton ? round : LM_FRICTION_ROUND;
        for (int k = 0; k < last && sweeps > 0 && !(*residual <= tolerance); ++k, --sweeps) {
            lm_friction_sweep(n, w, contacts, r, u);
            if (k % look == look - 1 || sweeps == 1) /* u anew: no round-off is left behind */
                *residual = lm_friction_residual(n, w, q, mu, r, u);
        }
        if (!newton || *residual <= tolerance) continue;
        round = 2 * round; /* where it did not help it is tried less often, and the sweeps are not disturbed */
        real ahead[LM_ROWS], next[LM_ROWS], there[LM_ROWS];
        for (int i = 0; i < rows; ++i) ahead[i] = r[i], there[i] = u[i];
        for (int k = 0; k < LM_FRICTION_NEWTON; ++k) {
            if (!lm_friction_newton(n, w, mu, ahead, there, next)) break;
            const real found = lm_friction_residual(n, w, q, mu, next, there);
            for (int i = 0; i < rows; ++i) ahead[i] = next[i];
            if (!(found <= tolerance)) continue;
            *residual = found;
            for (int i = 0; i < rows; ++i) r[i] = next[i];
            break;
        }
    }
    return *residual <= tolerance ? LM_FRICTION_SOLVED : LM_FRICTION_LIMIT;
}
