/* Unit quaternions (scalar first, Hamilton) as q exp(theta), theta a rotation vector in body axes. */

/* exp(theta) = (cos h, sin(h) / (2 h) theta), h = |theta| / 2; and, for the derivative below,
   c = (1 - h cot h) / |theta|^2. Series in |theta|^2 up to 1, closed forms beyond. */
LM_INLINE void lm_rotation_factors(real square, real *cosine, real *sine, real *c) {
    const real z = LM_K(0.25) * square; /* h^2 */
    *cosine = LM_K(1.0) + z * (LM_K(-1.0 / 2) + z * (LM_K(1.0 / 24) + z * (LM_K(-1.0 / 720) + z * (LM_K(1.0 / 40320) +
        z * (LM_K(-1.0 / 3628800) + z * (LM_K(1.0 / 479001600) + z * LM_K(-1.0 / 87178291200.0)))))));
    *sine = LM_K(0.5) + z * (LM_K(-0.5 / 6) + z * (LM_K(0.5 / 120) + z * (LM_K(-0.5 / 5040) + z * (LM_K(0.5 / 362880) +
        z * (LM_K(-0.5 / 39916800) + z * (LM_K(0.5 / 6227020800.0) + z * LM_K(-0.5 / 1307674368000.0)))))));
    *c = LM_K(1.0 / 12) + square * (LM_K(1.0 / 720) + square * (LM_K(1.0 / 30240) + square * (LM_K(1.0 / 1209600) +
        square * (LM_K(1.0 / 47900160) + square * (LM_K(691.0 / 1307674368000.0) + square * (LM_K(1.0 / 74724249600.0) +
        square * (LM_K(3617.0 / 10670622842880000.0) + square * LM_K(43867.0 / 5109094217170944000.0))))))));
    const mask far = square > LM_CONST(1.0);
    if (LM_UNLIKELY(lm_any(far))) {
        const real safe = lm_select(far, square, LM_CONST(1.0));
        const real angle = lm_sqrt(safe);
        real s, k;
        lm_sincos(LM_K(0.5) * angle, &s, &k);
        *cosine = lm_select(far, k, *cosine);
        *sine = lm_select(far, s / angle, *sine);
        *c = lm_select(far, (LM_K(1.0) - LM_K(0.5) * angle * k / s) / safe, *c);
    }
}

/* y = q exp(theta) */
LM_INLINE void lm_retract_quaternion(const real *q, const real *theta, real *y) {
    const real x = theta[0], u = theta[1], v = theta[2];
    real w, s, c;
    lm_rotation_factors(x * x + u * u + v * v, &w, &s, &c);
    const real a = s * x, b = s * u, d = s * v;
    const real q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
    y[0] = q0 * w - q1 * a - q2 * b - q3 * d;
    y[1] = q0 * a + q1 * w + q2 * d - q3 * b;
    y[2] = q0 * b - q1 * d + q2 * w + q3 * a;
    y[3] = q0 * d + q1 * b - q2 * a + q3 * w;
}

/* Rate of theta when q exp(theta) turns with the body angular velocity omega:
   theta_dot = omega + theta x omega / 2 + c theta x (theta x omega) */
LM_INLINE void lm_rotation_rate(const real *theta, const real *omega, real *rate) {
    const real x = theta[0], y = theta[1], z = theta[2];
    real w, s, c;
    lm_rotation_factors(x * x + y * y + z * z, &w, &s, &c);
    const real m0 = y * omega[2] - z * omega[1];
    const real m1 = z * omega[0] - x * omega[2];
    const real m2 = x * omega[1] - y * omega[0];
    rate[0] = omega[0] + LM_K(0.5) * m0 + c * (y * m2 - z * m1);
    rate[1] = omega[1] + LM_K(0.5) * m1 + c * (z * m0 - x * m2);
    rate[2] = omega[2] + LM_K(0.5) * m2 + c * (x * m1 - y * m0);
}

/* q_dot = q (0, omega) / 2 */
LM_INLINE void lm_quaternion_rate(const real *q, const real *omega, real *rate) {
    const real a = LM_K(0.5) * omega[0], b = LM_K(0.5) * omega[1], c = LM_K(0.5) * omega[2];
    rate[0] = -(q[1] * a + q[2] * b + q[3] * c);
    rate[1] = q[0] * a + q[2] * c - q[3] * b;
    rate[2] = q[0] * b + q[3] * a - q[1] * c;
    rate[3] = q[0] * c + q[1] * b - q[2] * a;
}

LM_INLINE void lm_normalise_quaternion(real *q) {
    const real scale = LM_K(1.0) / lm_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) q[i] = q[i] * scale;
}
