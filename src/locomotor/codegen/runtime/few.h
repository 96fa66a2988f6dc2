/* Before `many.h`, for trees of few velocities (`FEW` in held_system.py): its functions, which are for one instance, are copied into those
   that know a tree, where sizes are numbers, and their loops written out. A matrix of nine rows is factored in half the time so. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define LM_OF_TREE static inline __attribute__((always_inline))
#define LM_UNROLL _Pragma("GCC unroll 16")
#endif
