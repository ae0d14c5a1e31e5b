// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SIMD vectors of floats by GCC's vector extension. Pass them by reference only: the calling convention by value
/// differs between processors.
namespace dunlin::device {

using Lanes16 = float __attribute__((vector_size(64), may_alias));
using Lanes8 = float __attribute__((vector_size(32), may_alias));
using Lanes8Loose = float __attribute__((vector_size(32), may_alias, aligned(4)));  ///< unaligned
using Lanes4 = float __attribute__((vector_size(16), may_alias));

template <class Lanes>
constexpr int lanes_of = static_cast<int>(sizeof(Lanes) / sizeof(float));

}  // namespace dunlin::device

// Functions called by a multiversioned function must be inlined, otherwise they are compiled for the baseline
// processor.
#define DUNLIN_INLINE [[gnu::always_inline]] inline

// Alternative to DUNLIN_CLONES for code with explicit vectors: g++ splits vectors wider than the processor's
// inefficiently (20 times slower), so each processor gets the template name_as<Lanes> with vectors of its own width.
// Defines `void name parameters`.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)
#define DUNLIN_BY_WIDTH(name, parameters, arguments)                                       \
    __attribute__((target("arch=x86-64-v4"))) static void name##_v4 parameters {           \
        name##_as<::dunlin::device::Lanes16> arguments;                                    \
    }                                                                                      \
    __attribute__((target("arch=x86-64-v3"))) static void name##_v3 parameters {           \
        name##_as<::dunlin::device::Lanes8> arguments;                                     \
    }                                                                                      \
    static void name##_plain parameters { name##_as<::dunlin::device::Lanes4> arguments; } \
    void name parameters {                                                                 \
        static const auto chosen = __builtin_cpu_supports("x86-64-v4")   ? name##_v4       \
                                   : __builtin_cpu_supports("x86-64-v3") ? name##_v3       \
                                                                         : name##_plain;   \
        chosen arguments;                                                                  \
    }
#else
#define DUNLIN_BY_WIDTH(name, parameters, arguments) \
    void name parameters { name##_as<::dunlin::device::Lanes4> arguments; }
#endif
