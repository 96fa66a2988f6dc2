/* Elementary functions over `real`, the same text for every dialect: hence the same bits, lane by lane, when
   contraction to fused multiply-adds is off. Polynomials are minimax fits (Remez) of our own.

   Largest errors found (units in the last place): sin, cos 0.8 for |x| <= 1e6 (the C library beyond); exp, log 0.9;
   tan 2.2; atan, atan2, asin 2.5; acos 2.8. The remaining functions are those of the C library, lane by lane. */

LM_LANEWISE_1(lm_sqrt, LM_SQRT)
LM_LANEWISE_1(lm_floor, LM_FLOOR)
LM_LANEWISE_1(lm_ceil, LM_CEIL)
LM_LANEWISE_1(lm_library_sin, sin)
LM_LANEWISE_1(lm_library_cos, cos)
LM_LANEWISE_1(lm_library_log, log)
LM_LANEWISE_1(lm_sinh, sinh)
LM_LANEWISE_1(lm_cosh, cosh)
LM_LANEWISE_1(lm_tanh, tanh)
LM_LANEWISE_1(lm_asinh, asinh)
LM_LANEWISE_1(lm_acosh, acosh)
LM_LANEWISE_1(lm_atanh, atanh)
LM_LANEWISE_1(lm_expm1, expm1)
LM_LANEWISE_1(lm_log1p, log1p)
LM_LANEWISE_1(lm_erf, erf)
LM_LANEWISE_2(lm_pow, pow)
LM_LANEWISE_2(lm_fmod, fmod)
LM_LANEWISE_2(lm_remainder, remainder)
LM_LANEWISE_2(lm_hypot, hypot)
LM_LANEWISE_2(lm_library_atan2, atan2)

/* --- signs and extremes ------------------------------------------------------------------------------------------ */

#define LM_SIGN_BIT ((int64_t)1 << 63)

LM_INLINE real lm_fabs(real a) { return lm_real(lm_bits(a) & ~LM_SIGN_BIT); }

LM_INLINE real lm_copysign(real a, real b) {
    return lm_real((lm_bits(a) & ~LM_SIGN_BIT) | (lm_bits(b) & LM_SIGN_BIT));
}

/* -1, 0 or 1; NaN stays NaN */
LM_INLINE real lm_sign(real a) {
    return lm_select(a > LM_CONST(0.0), LM_CONST(1.0), lm_select(a < LM_CONST(0.0), LM_CONST(-1.0), a));
}

/* A NaN operand is ignored, as in C's fmin and fmax. */
LM_INLINE real lm_fmin(real a, real b) { return lm_select((a <= b) | (b != b), a, b); }
LM_INLINE real lm_fmax(real a, real b) { return lm_select((a >= b) | (b != b), a, b); }

/* --- sine and cosine --------------------------------------------------------------------------------------------- */

/* Adding this number leaves the nearest integer in the low bits of the sum. */
#define LM_ROUNDER 0x1.8p52

/* x = k pi/2 + r + r_low with |r| <= pi/4, for |x| <= 1e6; returns the bits whose lowest two are k modulo 4.
   pi/2 is split in 33 + 33 + 53 bits, so that k times the first two parts is exact for |k| < 2^20. */
LM_INLINE integer lm_reduce(real x, real *r, real *r_low) {
    const real shifted = x * 0x1.45f306dc9c883p-1 + LM_ROUNDER;
    const real k = shifted - LM_ROUNDER;
    const real t = x - k * 0x1.921fb544p+0;
    const real w = k * 0x1.0b4611a6p-34;
    const real a = t - w;
    const real b = a - t; /* error of the last subtraction (Knuth): (t - (a - b)) - (w + b) */
    const real low = ((t - (a - b)) - (w + b)) - k * 0x1.3198a2e037073p-69;
    *r = a + low;
    *r_low = (a - *r) + low;
    return lm_bits(shifted);
}

/* sin(r + r_low) and cos(r + r_low) for |r| <= pi/4 */
LM_INLINE real lm_sin_core(real r, real r_low) {
    const real z = r * r;
    const real tail = 0x1.111111110f7dp-7 +
        z * (-0x1.a01a019bfdee7p-13 +
             z * (0x1.71de3567d2f17p-19 + z * (-0x1.ae5e5a9141ecbp-26 + z * 0x1.5d8fd197760b3p-33)));
    const real cubic = z * r;
    return r - ((z * (0.5 * r_low - cubic * tail) - r_low) - cubic * -0x1.5555555555548p-3);
}
LM_INLINE real lm_cos_core(real r, real r_low) {
    const real z = r * r;
    const real tail = z * (0x1.555555555554cp-5 +
        z * (-0x1.6c16c16c15184p-10 +
             z * (0x1.a01a019cb26dfp-16 +
                  z * (-0x1.27e4f80a759p-22 + z * (0x1.1ee9ec47229a3p-29 + z * -0x1.8faecee1bb861p-37)))));
    const real half = 0.5 * z;
    const real head = 1.0 - half;
    return head + (((1.0 - head) - half) + (z * tail - r * r_low));
}

LM_INLINE void lm_sincos(real x, real *sine, real *cosine) {
    real r, r_low;
    const integer k = lm_reduce(x, &r, &r_low);
    const real s = lm_sin_core(r, r_low), c = lm_cos_core(r, r_low);
    const mask odd = (k & 1) != 0;
    *sine = lm_real(lm_bits(lm_select(odd, c, s)) ^ ((k & 2) << 62));
    *cosine = lm_real(lm_bits(lm_select(odd, s, c)) ^ (((k + 1) & 2) << 62));
    const mask far = lm_not(lm_fabs(x) <= LM_CONST(1e6));
    if (LM_UNLIKELY(lm_any(far))) {
        *sine = lm_select(far, lm_library_sin(x), *sine);
        *cosine = lm_select(far, lm_library_cos(x), *cosine);
    }
}
LM_INLINE real lm_sin(real x) {
    real s, c;
    lm_sincos(x, &s, &c);
    return s;
}
LM_INLINE real lm_cos(real x) {
    real s, c;
    lm_sincos(x, &s, &c);
    return c;
}
LM_INLINE real lm_tan(real x) {
    real s, c;
    lm_sincos(x, &s, &c);
    return s / c;
}

/* --- exponential and logarithm ----------------------------------------------------------------------------------- */

/* e^x = 2^k e^r, r = x - k log 2, |r| <= log(2) / 2 */
LM_INLINE real lm_exp(real x) {
    const real below = lm_select(x > LM_CONST(800.0), LM_CONST(800.0), x);
    const real bounded = lm_select(x < LM_CONST(-800.0), LM_CONST(-800.0), below);
    const real shifted = bounded * 0x1.71547652b82fep+0 + LM_ROUNDER;
    const real k = shifted - LM_ROUNDER;
    const real high = bounded - k * 0x1.62e42feep-1;
    const real low = k * 0x1.a39ef35793c76p-33;
    const real r = high - low;
    const real tail = 0x1.0p-1 + r * (0x1.5555555555557p-3 + r * (0x1.5555555555558p-5 + r * (0x1.11111111100dfp-7
        + r * (0x1.6c16c16c15200p-10 + r * (0x1.a01a01abe657ep-13 + r * (0x1.a01a01acf964ep-16 + r *
        (0x1.71de0236dfa4dp-19 + r * (0x1.27e4ccd194753p-22 + r * (0x1.af4dde63d179bp-26 + r *
        0x1.1f8b45e2225d4p-29)))))))));
    const real value = 1.0 + (high - (low - r * r * tail));
    /* 2^k in two factors, because k may pass the range of the exponent */
    const integer exponent = lm_bits(shifted) - lm_bits(LM_CONST(LM_ROUNDER));
    const integer first = exponent >> 1, second = exponent - first;
    return value * lm_real((first + 1023) << 52) * lm_real((second + 1023) << 52);
}

/* x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); log(1 + f) = 2 atanh(s), s = f / (2 + f) */
LM_INLINE real lm_log(real x) {
    const integer bits = lm_bits(x);
    const integer shifted = bits + ((int64_t)0x3ff0000000000000 - (int64_t)0x3fe6a09e667f3bcd);
    const integer k = (shifted >> 52) - 1023;
    const real f = lm_real(bits - (k << 52)) - 1.0;
    const real s = f / (2.0 + f);
    const real z = s * s;
    const real tail = z * (0x1.5555555555592p-1 +
        z * (0x1.999999997fdb7p-2 +
             z * (0x1.24924941f1251p-2 +
                  z * (0x1.c71c52095cb01p-3 +
                       z * (0x1.74663ee88c0d1p-3 + z * (0x1.39a1bab3c9fdep-3 + z * 0x1.2f0563abf134ap-3))))));
    const real square = 0.5 * f * f;
    const real exponent = lm_real(k + lm_bits(LM_CONST(LM_ROUNDER))) - LM_ROUNDER;
    const real value = exponent * 0x1.62e42feep-1 -
        ((square - (s * (square + tail) + exponent * 0x1.a39ef35793c76p-33)) - f);
    /* zero, negative, subnormal, infinite, NaN */
    const mask special = lm_not((x >= LM_CONST(0x1p-1022)) & (x <= LM_CONST(0x1.fffffffffffffp+1023)));
    return LM_UNLIKELY(lm_any(special)) ? lm_select(special, lm_library_log(x), value) : value;
}

/* --- inverse trigonometric functions ----------------------------------------------------------------------------- */

/* atan(y / x) for 0 <= y <= x, x > 0: below tan(pi/8) a series, above it pi/4 + atan((y - x) / (y + x)) */
LM_INLINE real lm_atan_core(real y, real x) {
    const mask upper = y > x * 0x1.a827999fcef32p-2;
    const real q = lm_select(upper, y - x, y) / lm_select(upper, y + x, x);
    const real z = q * q;
    const real tail = z * (-0x1.5555555555554p-2 +
        z * (0x1.999999999965bp-3 +
        z * (-0x1.2492492475daep-3 +
        z * (0x1.c71c71b77b8afp-4 +
        z * (-0x1.745d14c035a11p-4 +
        z * (0x1.3b136eb8224cep-4 +
        z * (-0x1.110c7a651c998p-4 +
        z * (0x1.e1728e27ba520p-5 +
        z * (-0x1.ab80ef6766cc3p-5 +
        z * (0x1.70fac07d33852p-5 +
        z * (-0x1.12561d29a943bp-5 + z * 0x1.f2608dcc212f4p-7)))))))))));
    const real angle = q + q * tail;
    return lm_select(upper, 0x1.921fb54442d18p-1 + (angle + 0x1.1a62633145c07p-55), angle);
}

LM_INLINE real lm_atan2(real y, real x) {
    const real b = lm_fabs(y), a = lm_fabs(x);
    const mask steep = b > a;
    const real large = lm_select(steep, b, a), small = lm_select(steep, a, b);
    real angle = lm_atan_core(small, large);
    angle = lm_select(steep, 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54), angle);
    angle = lm_select(x < LM_CONST(0.0), 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53), angle);
    angle = lm_copysign(angle, y);
    /* both zero, overflow or underflow of the quotient, infinite, NaN */
    const mask usual = (large < LM_CONST(0x1p1000)) & (large > LM_CONST(0x1p-900)) &
        ((small > large * 0x1p-900) | (small == LM_CONST(0.0)));
    const mask special = lm_not(usual);
    return LM_UNLIKELY(lm_any(special)) ? lm_select(special, lm_library_atan2(y, x), angle) : angle;
}

LM_INLINE real lm_atan(real x) {
    const real a = lm_fabs(x);
    const mask steep = a > LM_CONST(1.0);
    real angle = lm_atan_core(lm_select(steep, LM_CONST(1.0), a), lm_select(steep, a, LM_CONST(1.0)));
    angle = lm_select(steep, 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54), angle);
    return lm_copysign(angle, x);
}

/* asin x = atan2(x, sqrt(1 - x^2)); acos x = 2 atan2(sqrt(1 - x), sqrt(1 + x)); NaN outside [-1, 1] by the roots */
LM_INLINE real lm_asin(real x) {
    const real c = lm_sqrt((1.0 - x) * (1.0 + x)), a = lm_fabs(x);
    const mask steep = a > c;
    real angle = lm_atan_core(lm_select(steep, c, a), lm_select(steep, a, c));
    angle = lm_select(steep, 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54), angle);
    return lm_copysign(angle, x);
}
LM_INLINE real lm_acos(real x) {
    const real s = lm_sqrt(1.0 - x), c = lm_sqrt(1.0 + x);
    const mask steep = s > c;
    real angle = lm_atan_core(lm_select(steep, c, s), lm_select(steep, s, c));
    angle = lm_select(steep, 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54), angle);
    return 2.0 * angle;
}
