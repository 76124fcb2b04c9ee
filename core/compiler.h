/* SPDX-License-Identifier: BSD-2-Clause
 * What we tell the compiler, under one name each. gcc and clang.
 */
#ifndef CORE_COMPILER_H
#define CORE_COMPILER_H

/* A burst body with constant arguments: each instance is compiled for its own. */
#define SHUNT_INLINE static inline __attribute__((always_inline))
/* A slow path that must not cost the fast one registers or cache. */
#define SHUNT_NOINLINE static __attribute__((noinline))

#define SHUNT_LIKELY(x)   __builtin_expect(!!(x), 1)
#define SHUNT_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Not unlikely, but to be a branch: a conditional move costs its instructions each time. */
#define SHUNT_BRANCH(x) __builtin_expect_with_probability(!!(x), 0, 0.995)

#endif
