// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Vectors of floats in the compiler's own notation. They are passed by reference only: how they travel by value
/// differs between processors.
namespace dunlin::device {

using Lanes16 = float __attribute__((vector_size(64), may_alias));
using Lanes8 = float __attribute__((vector_size(32), may_alias));
using Lanes8Loose = float __attribute__((vector_size(32), may_alias, aligned(4)));  ///< anywhere in memory
using Lanes4 = float __attribute__((vector_size(16), may_alias));

template <class Lanes>
constexpr int lanes_of = static_cast<int>(sizeof(Lanes) / sizeof(float));

}  // namespace dunlin::device

// What a function for several processors calls must become part of it, or it would be compiled for the plain one.
#define DUNLIN_INLINE [[gnu::always_inline]] inline

// Where DUNLIN_CLONES does not do: g++ takes a vector wider than the processor's apart badly (20 times slower), so each
// processor gets the template name_as<Lanes> with vectors of its own width. Defines `void name parameters`.
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
