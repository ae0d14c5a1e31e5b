#pragma once

/// Vectors of floats in the compiler's own notation: the same text becomes AVX-512, AVX2 or SSE code in the clones of
/// a function (clones.hpp). They are passed by reference only: how they travel by value differs between the clones.
namespace dunlin::device {

using Lanes16 = float __attribute__((vector_size(64), may_alias));
using Lanes8 = float __attribute__((vector_size(32), may_alias));
using Lanes8Loose = float __attribute__((vector_size(32), may_alias, aligned(4)));  ///< anywhere in memory
using Lanes4 = float __attribute__((vector_size(16), may_alias));

}  // namespace dunlin::device

// What a cloned function calls must become part of it, or it would be compiled for the plain machine.
#define DUNLIN_INLINE [[gnu::always_inline]] inline
