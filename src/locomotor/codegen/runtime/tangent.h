/* Deviations of unit quaternions: rotation vectors w in body axes, q exp(w). They are moved along with the quaternions so that
   a deviation of a moved state is exactly the derivative of the move.

   Deviations lie in matrices of three rows a quaternion, one deviation a column: entry (i, j) at w[i * columns + j]. */

/* With s = |theta|^2: b = (1 - cos) / s, d = (theta - sin) / theta^3 and slope, the derivative by s of c = (1 - h cot h) / s
   (`manifold.h`); a = sin / theta. Series in s up to 1, closed forms beyond. */
LM_INLINE void lm_tangent_factors(real s, real *a, real *b, real *d, real *c, real *slope) {
    real cosine, sine;
    lm_rotation_factors(s, &cosine, &sine, c);
    *a = LM_K(2.0) * sine * cosine;
    *b = LM_K(2.0) * sine * sine;
    *d = LM_K(1.0 / 6) + s * (LM_K(-1.0 / 120) + s * (LM_K(1.0 / 5040) + s * (LM_K(-1.0 / 362880) +
        s * (LM_K(1.0 / 39916800) + s * (LM_K(-1.0 / 6227020800.0) + s * (LM_K(1.0 / 1307674368000.0) +
        s * LM_K(-1.0 / 355687428096000.0)))))));
    *slope = LM_K(1.0 / 720) + s * (LM_K(2.0 / 30240) + s * (LM_K(3.0 / 1209600) + s * (LM_K(4.0 / 47900160) +
        s * (LM_K(5.0 * 691 / 1307674368000.0) + s * (LM_K(6.0 / 74724249600.0) +
        s * (LM_K(7.0 * 3617 / 10670622842880000.0) + s * LM_K(8.0 * 43867 / 5109094217170944000.0)))))));
    const mask far = s > LM_CONST(1.0);
    if (LM_UNLIKELY(lm_any(far))) {
        const real safe = lm_select(far, s, LM_CONST(1.0)), h = LM_K(0.5) * lm_sqrt(safe);
        real sh, ch;
        lm_sincos(h, &sh, &ch);
        *d = lm_select(far, (LM_K(1.0) - *a) / safe, *d);
        *slope = lm_select(far, ((h / (sh * sh) - ch / sh) / (LM_K(8.0) * h) - *c) / safe, *slope);
    }
}

LM_INLINE void lm_cross(const real *a, const real *b, real *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Deviation of q exp(theta) where q has the deviation w and theta the deviation e:
   exp(-theta) w + J e,   J = 1 - b theta x + d theta x theta x. */
LM_INLINE void lm_retract_deviations(const real *theta, const real *w, const real *e, int columns, real *moved) {
    real a, b, d, c, slope;
    lm_tangent_factors(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], &a, &b, &d, &c, &slope);
    for (int j = 0; j < columns; ++j) {
        const real u[3] = {w[j], w[columns + j], w[2 * columns + j]}, v[3] = {e[j], e[columns + j], e[2 * columns + j]};
        real u1[3], u2[3], v1[3], v2[3];
        lm_cross(theta, u, u1), lm_cross(theta, u1, u2);
        lm_cross(theta, v, v1), lm_cross(theta, v1, v2);
        for (int i = 0; i < 3; ++i)
            moved[i * columns + j] = u[i] - a * u1[i] + b * u2[i] + v[i] - b * v1[i] + d * v2[i];
    }
}

/* Deviation of k = omega + theta x omega / 2 + c theta x (theta x omega) (lm_rotation_rate) where theta has the deviation e
   and omega the deviation f. */
LM_INLINE void lm_rotation_rate_deviations(const real *theta, const real *omega, const real *e, const real *f, int columns,
                                           real *rate) {
    real a, b, d, c, slope, m[3], mm[3];
    lm_tangent_factors(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], &a, &b, &d, &c, &slope);
    lm_cross(theta, omega, m), lm_cross(theta, m, mm);
    for (int j = 0; j < columns; ++j) {
        const real u[3] = {e[j], e[columns + j], e[2 * columns + j]}, v[3] = {f[j], f[columns + j], f[2 * columns + j]};
        const real grown = LM_K(2.0) * slope * (theta[0] * u[0] + theta[1] * u[1] + theta[2] * u[2]);
        real first[3], turned[3], once[3], twice[3];
        lm_cross(u, omega, once), lm_cross(theta, v, turned);
        for (int i = 0; i < 3; ++i) once[i] = once[i] + turned[i]; /* deviation of theta x omega */
        lm_cross(u, m, first), lm_cross(theta, once, twice);
        for (int i = 0; i < 3; ++i)
            rate[i * columns + j] = v[i] + LM_K(0.5) * once[i] + c * (first[i] + twice[i]) + grown * mm[i];
    }
}

/* Derivative in time of deviations w where omega has the deviations f: f - omega x w. */
LM_INLINE void lm_deviation_rates(const real *omega, const real *w, const real *f, int columns, real *rate) {
    for (int j = 0; j < columns; ++j) {
        const real u[3] = {w[j], w[columns + j], w[2 * columns + j]};
        real turned[3];
        lm_cross(omega, u, turned);
        for (int i = 0; i < 3; ++i) rate[i * columns + j] = f[i * columns + j] - turned[i];
    }
}
