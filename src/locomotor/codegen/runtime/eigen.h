/* Eigenvalues of small real matrices, one matrix at a time (LANES is 1: iterations differ from matrix to matrix).

   The text before this file defines LM_ORDER, the order of the matrices, and LM_FAMILY, how many zero eigenvalues are
   removed beforehand (see lm_quotient); LM_REST are left. Balancing (Parlett and Reinsch 1969, doi 10.1007/BF02165404),
   Householder reduction to Hessenberg form, and the double-shift QR iteration of Francis (Golub and Van Loan, Matrix
   Computations, sections 7.4 and 7.5). Everything lies in local arrays; no test depends on the precision of `real`. */

#define LM_REST (LM_ORDER - LM_FAMILY)
#define LM_EIGEN_SWEEPS 40 /* QR steps allowed for each eigenvalue; two or three are usual */
#define LM_EIGEN_SMALL LM_K(sizeof(stored) == 4 ? 1e-3 : 1e-8)

enum { LM_EIGEN_FOUND = 0, LM_EIGEN_NOT_CONVERGED = 1, LM_EIGEN_NOT_FINITE = 2, LM_EIGEN_NO_FAMILY = 3 };

/* Largest |a_ij|; NaN when a number is not finite (0 times it is not 0). */
LM_INLINE real lm_eigen_size(const real *a, int count) {
    real largest = LM_K(0.0), bad = LM_K(0.0);
    for (int i = 0; i < count; ++i) {
        const real size = lm_fabs(a[i]);
        if (size > largest) largest = size;
        bad = bad + a[i] * LM_K(0.0);
    }
    return largest + bad;
}

#if LM_FAMILY > 0
/* The map that a induces on the space modulo LM_FAMILY vectors of its kernel: the same eigenvalues without as many zeros.

   Elimination with complete pivoting leaves LM_FAMILY free columns p; the kernel vectors N have N[p] = 1, no entry far
   above 1, and with the other indices c the induced map is a[c, c] - N[c] a[p, c]. Not zero: a has no such kernel. */
LM_FUNCTION int lm_quotient(const real *a, real *q) {
    real w[LM_ORDER][LM_ORDER], kernel[LM_ORDER][LM_FAMILY];
    int order[LM_ORDER], rank = 0;
    real first = LM_K(0.0);
    for (int i = 0; i < LM_ORDER; ++i) {
        order[i] = i;
        for (int j = 0; j < LM_ORDER; ++j) w[i][j] = a[i * LM_ORDER + j];
    }
    for (int step = 0; step <= LM_REST; ++step) {
        int row = step, column = step;
        real largest = LM_K(-1.0);
        for (int i = step; i < LM_ORDER; ++i)
            for (int j = step; j < LM_ORDER; ++j)
                if (lm_fabs(w[i][j]) > largest) largest = lm_fabs(w[i][j]), row = i, column = j;
        if (step == 0) first = largest;
        if (step == LM_REST) {
            if (largest > LM_EIGEN_SMALL * first) return LM_EIGEN_NO_FAMILY;
            break;
        }
        if (!(largest > LM_K(0.0))) break; /* a larger kernel: any part of it will do */
        for (int j = 0; j < LM_ORDER; ++j) {
            const real kept = w[step][j];
            w[step][j] = w[row][j], w[row][j] = kept;
        }
        for (int i = 0; i < LM_ORDER; ++i) {
            const real kept = w[i][step];
            w[i][step] = w[i][column], w[i][column] = kept;
        }
        const int kept = order[step];
        order[step] = order[column], order[column] = kept;
        for (int i = step + 1; i < LM_ORDER; ++i) {
            const real factor = w[i][step] / w[step][step];
            for (int j = step; j < LM_ORDER; ++j) w[i][j] = w[i][j] - factor * w[step][j];
        }
        ++rank;
    }
    for (int k = 0; k < LM_FAMILY; ++k) {
        for (int i = rank; i < LM_REST; ++i) kernel[i][k] = LM_K(0.0);
        for (int i = rank - 1; i >= 0; --i) {
            real sum = w[i][LM_REST + k];
            for (int j = i + 1; j < LM_REST; ++j) sum = sum + w[i][j] * kernel[j][k];
            kernel[i][k] = -sum / w[i][i];
        }
    }
    for (int i = 0; i < LM_REST; ++i)
        for (int j = 0; j < LM_REST; ++j) {
            real sum = a[order[i] * LM_ORDER + order[j]];
            for (int k = 0; k < LM_FAMILY; ++k) sum = sum - kernel[i][k] * a[order[LM_REST + k] * LM_ORDER + order[j]];
            q[i * LM_REST + j] = sum;
        }
    return LM_EIGEN_FOUND;
}
#endif

/* Scale rows and columns by powers of two until they are of like size; this rounds nothing. */
LM_FUNCTION void lm_balance(real a[LM_REST][LM_REST]) {
    int changed = 1;
    for (int sweep = 0; sweep < 20 && changed; ++sweep) {
        changed = 0;
        for (int i = 0; i < LM_REST; ++i) {
            real column = LM_K(0.0), row = LM_K(0.0), factor = LM_K(1.0);
            for (int j = 0; j < LM_REST; ++j)
                if (j != i) column = column + lm_fabs(a[j][i]), row = row + lm_fabs(a[i][j]);
            if (!(column > LM_K(0.0)) || !(row > LM_K(0.0))) continue;
            const real before = column + row;
            for (int n = 0; n < 30 && column < LM_K(0.5) * row; ++n)
                factor = factor * LM_K(2.0), column = column * LM_K(4.0);
            for (int n = 0; n < 30 && column >= LM_K(2.0) * row; ++n)
                factor = factor * LM_K(0.5), column = column * LM_K(0.25);
            if (column + row >= LM_K(0.95) * before * factor) continue;
            changed = 1;
            for (int j = 0; j < LM_REST; ++j) a[i][j] = a[i][j] / factor;
            for (int j = 0; j < LM_REST; ++j) a[j][i] = a[j][i] * factor;
        }
    }
}

/* Reflection 1 - beta v v^T that takes x (n numbers) to (-sign(x_0) |x|, 0, ...); v_0 may be left in x. */
LM_INLINE real lm_reflection(real *x, int n, real *image) {
    real largest = LM_K(0.0), sum = LM_K(0.0);
    for (int i = 0; i < n; ++i) largest = lm_fabs(x[i]) > largest ? lm_fabs(x[i]) : largest;
    *image = x[0];
    if (!(largest > LM_K(0.0))) return LM_K(0.0);
    for (int i = 0; i < n; ++i) {
        x[i] = x[i] / largest;
        sum = sum + x[i] * x[i];
    }
    const real length = lm_copysign(lm_sqrt(sum), x[0]);
    x[0] = x[0] + length;
    *image = -length * largest;
    return LM_K(1.0) / (length * x[0]);
}

/* Hessenberg form by reflections. */
LM_FUNCTION void lm_hessenberg(real a[LM_REST][LM_REST]) {
    for (int k = 0; k + 2 < LM_REST; ++k) {
        const int n = LM_REST - k - 1;
        real v[LM_REST], image, below = LM_K(0.0);
        for (int i = 0; i < n; ++i) v[i] = a[k + 1 + i][k];
        for (int i = 1; i < n; ++i) below = below + lm_fabs(v[i]);
        if (!(below > LM_K(0.0))) continue;
        const real beta = lm_reflection(v, n, &image);
        for (int j = k + 1; j < LM_REST; ++j) {
            real sum = LM_K(0.0);
            for (int i = 0; i < n; ++i) sum = sum + v[i] * a[k + 1 + i][j];
            for (int i = 0; i < n; ++i) a[k + 1 + i][j] = a[k + 1 + i][j] - beta * sum * v[i];
        }
        for (int i = 0; i < LM_REST; ++i) {
            real sum = LM_K(0.0);
            for (int j = 0; j < n; ++j) sum = sum + a[i][k + 1 + j] * v[j];
            for (int j = 0; j < n; ++j) a[i][k + 1 + j] = a[i][k + 1 + j] - beta * sum * v[j];
        }
        a[k + 1][k] = image;
        for (int i = k + 2; i < LM_REST; ++i) a[i][k] = LM_K(0.0);
    }
}

/* One double-shift QR step on the unreduced rows and columns low ... high, at least three of them. */
LM_FUNCTION void lm_francis(real a[LM_REST][LM_REST], int low, int high, int exceptional) {
    /* The shifts, middle +- the root of square, are the eigenvalues of the last block of two; where these are real, the one
       nearer to the corner twice (both might never settle on a complex pair between them); now and then others, to break
       cycles. */
    const real h = a[high][high], p = LM_K(0.5) * (a[high - 1][high - 1] - h);
    real square = p * p + a[high][high - 1] * a[high - 1][high], middle = h + p, x[3];
    if (exceptional) {
        middle = h + LM_K(0.75) * (lm_fabs(a[high][high - 1]) + lm_fabs(a[high - 1][high - 2]));
        square = LM_K(0.0);
    } else if (square >= LM_K(0.0)) {
        middle = middle - lm_copysign(lm_sqrt(square), p);
        square = LM_K(0.0);
    }
    int start = high - 2;
    for (;; --start) { /* the first column of (a - s1)(a - s2); it may start at two small subdiagonal entries in a row */
        const real z = a[start][start], y = a[start + 1][start + 1];
        x[0] = ((z - middle) * (z - middle) - square) / a[start + 1][start] + a[start][start + 1];
        x[1] = (z - middle) + (y - middle);
        x[2] = a[start + 2][start + 1];
        const real size = lm_fabs(x[0]) + lm_fabs(x[1]) + lm_fabs(x[2]);
        for (int i = 0; i < 3; ++i) x[i] = x[i] / size;
        if (start == low) break;
        const real near = lm_fabs(a[start - 1][start - 1]) + lm_fabs(z) + lm_fabs(y);
        const real lost = lm_fabs(a[start][start - 1]) * (lm_fabs(x[1]) + lm_fabs(x[2]));
        const real kept = lm_fabs(x[0]) * near;
        if (lost + kept == kept) break;
    }
    for (int k = start; k < high; ++k) {
        const int n = k + 2 <= high ? 3 : 2;
        real v[3], image;
        for (int i = 0; i < n; ++i) v[i] = k == start ? x[i] : a[k + i][k - 1];
        const real beta = lm_reflection(v, n, &image);
        if (k > start) {
            a[k][k - 1] = image;
            for (int i = 1; i < n; ++i) a[k + i][k - 1] = LM_K(0.0);
        } else if (k > low) {
            a[k][k - 1] = a[k][k - 1] * (LM_K(1.0) - beta * v[0] * v[0]);
        }
        for (int j = k; j <= high; ++j) {
            real sum = LM_K(0.0);
            for (int i = 0; i < n; ++i) sum = sum + v[i] * a[k + i][j];
            for (int i = 0; i < n; ++i) a[k + i][j] = a[k + i][j] - beta * sum * v[i];
        }
        const int last = k + 3 < high ? k + 3 : high;
        for (int i = low; i <= last; ++i) {
            real sum = LM_K(0.0);
            for (int j = 0; j < n; ++j) sum = sum + a[i][k + j] * v[j];
            for (int j = 0; j < n; ++j) a[i][k + j] = a[i][k + j] - beta * sum * v[j];
        }
    }
}

/* Both eigenvalues of a block of two, without cancellation. */
LM_INLINE void lm_eigen_pair(real a, real b, real c, real d, real *re, real *im) {
    const real p = LM_K(0.5) * (a - d), w = b * c, square = p * p + w, root = lm_sqrt(lm_fabs(square));
    if (square >= LM_K(0.0)) {
        const real z = p + lm_copysign(root, p);
        re[0] = d + z, re[1] = z == LM_K(0.0) ? d : d - w / z;
        im[0] = LM_K(0.0), im[1] = LM_K(0.0);
    } else {
        re[0] = d + p, re[1] = d + p;
        im[0] = root, im[1] = -root;
    }
}

LM_FUNCTION int lm_qr(real a[LM_REST][LM_REST], real *re, real *im) {
    int high = LM_REST - 1, step = 0;
    real norm = LM_K(0.0);
    for (int i = 0; i < LM_REST; ++i)
        for (int j = 0; j < LM_REST; ++j) norm = norm + lm_fabs(a[i][j]);
    while (high >= 0) {
        int low = high;
        for (; low > 0; --low) {
            real size = lm_fabs(a[low - 1][low - 1]) + lm_fabs(a[low][low]);
            if (size == LM_K(0.0)) size = norm;
            /* Two units in the last place: with one, rounding now and then keeps an entry alive for ever. */
            if (LM_K(0.25) * lm_fabs(a[low][low - 1]) + size == size) break;
        }
        if (low == high) {
            re[high] = a[high][high], im[high] = LM_K(0.0);
            high -= 1, step = 0;
        } else if (low == high - 1) {
            lm_eigen_pair(a[low][low], a[low][high], a[high][low], a[high][high], re + low, im + low);
            high -= 2, step = 0;
        } else {
            if (++step > LM_EIGEN_SWEEPS) return LM_EIGEN_NOT_CONVERGED;
            lm_francis(a, low, high, step % 10 == 0);
        }
    }
    return LM_EIGEN_FOUND;
}

/* Eigenvalues of one matrix (LM_ORDER * LM_ORDER numbers, row by row) as LM_REST pairs (real, imaginary part), largest
   real part first, then largest imaginary part; NaN unless the status returned is LM_EIGEN_FOUND. */
LM_FUNCTION int lm_eigenvalues_of(const stored *matrix, stored *values) {
    real a[LM_REST][LM_REST], re[LM_REST], im[LM_REST], given[LM_ORDER * LM_ORDER];
    int status = LM_EIGEN_FOUND, shrunk = 0, grown = 0;
    for (int i = 0; i < LM_ORDER * LM_ORDER; ++i) given[i] = matrix[i];
    real size = lm_eigen_size(given, LM_ORDER * LM_ORDER), scale = LM_K(1.0);
    if (!(size >= LM_K(0.0))) status = LM_EIGEN_NOT_FINITE;
    /* Far from 1, scale: squares must neither overflow nor vanish. */
    for (; size > LM_K(0x1p16); ++shrunk) size = size * LM_K(0x1p-16), scale = LM_K(0x1p-16);
    for (; size > LM_K(0.0) && size < LM_K(0x1p-16); ++grown) size = size * LM_K(0x1p16), scale = LM_K(0x1p16);
    for (int n = 0; n < shrunk + grown; ++n)
        for (int i = 0; i < LM_ORDER * LM_ORDER; ++i) given[i] = given[i] * scale;
    if (status == LM_EIGEN_FOUND) {
#if LM_FAMILY > 0
        status = lm_quotient(given, a[0]);
#else
        for (int i = 0; i < LM_ORDER * LM_ORDER; ++i) a[i / LM_ORDER][i % LM_ORDER] = given[i];
#endif
    }
    if (status == LM_EIGEN_FOUND) {
        lm_balance(a);
        lm_hessenberg(a);
        status = lm_qr(a, re, im);
    }
    if (status != LM_EIGEN_FOUND) {
        for (int i = 0; i < 2 * LM_REST; ++i) values[i] = LM_NAN;
        return status;
    }
    for (int i = 1; i < LM_REST; ++i) {
        const real x = re[i], y = im[i];
        int j = i;
        for (; j > 0 && (re[j - 1] < x || (re[j - 1] == x && im[j - 1] < y)); --j) re[j] = re[j - 1], im[j] = im[j - 1];
        re[j] = x, im[j] = y;
    }
    const real back = shrunk ? LM_K(0x1p16) : LM_K(0x1p-16);
    for (int i = 0; i < LM_REST; ++i) {
        for (int n = 0; n < shrunk + grown; ++n) re[i] = re[i] * back, im[i] = im[i] * back;
        values[2 * i] = re[i], values[2 * i + 1] = im[i];
    }
    return status;
}
