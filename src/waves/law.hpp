// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/formulas.hpp"
#include "waves/problem.hpp"

namespace dunlin::waves {

/// Calls pick.template operator()<Law>() with the law of a problem.
template <class Pick>
auto with_law(const Problem& problem, const Pick& pick) {
    const auto driven = [&]<Model model, bool spreads>() {
        if (problem.current.empty()) return pick.template operator()<Law<model, spreads, false>>();
        return pick.template operator()<Law<model, spreads, true>>();
    };
    switch (problem.options.model) {
        case Model::nagumo:
            return driven.template operator()<Model::nagumo, false>();
        case Model::diffusion:
            return driven.template operator()<Model::diffusion, false>();
        case Model::gray_scott:
            return driven.template operator()<Model::gray_scott, true>();
        case Model::fitzhugh_nagumo:
            break;
    }
    if (problem.coefficients.recovery_diffusion > 0) return driven.template operator()<Model::fitzhugh_nagumo, true>();
    return driven.template operator()<Model::fitzhugh_nagumo, false>();
}

}  // namespace dunlin::waves

// For each processor a function template name##_v4, _v3, _plain<...>(parameters) that inlines and returns name##_as,
// and name##_chosen<...>() with the address of that of this processor: DUNLIN_CLONES does not accept templates.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DUNLIN_NO_CLONES)
#define DUNLIN_TEMPLATE_CLONES(pattern, list, name, parameters, arguments)  \
    template <pattern>                                                      \
    __attribute__((target("arch=x86-64-v4"))) auto name##_v4 parameters {   \
        return name##_as<list> arguments;                                   \
    }                                                                       \
    template <pattern>                                                      \
    __attribute__((target("arch=x86-64-v3"))) auto name##_v3 parameters {   \
        return name##_as<list> arguments;                                   \
    }                                                                       \
    template <pattern>                                                      \
    auto name##_plain parameters {                                          \
        return name##_as<list> arguments;                                   \
    }                                                                       \
    template <pattern>                                                      \
    auto name##_chosen() {                                                  \
        return __builtin_cpu_supports("x86-64-v4")   ? &name##_v4<list>     \
               : __builtin_cpu_supports("x86-64-v3") ? &name##_v3<list>     \
                                                     : &name##_plain<list>; \
    }
#else
#define DUNLIN_TEMPLATE_CLONES(pattern, list, name, parameters, arguments) \
    template <pattern>                                                     \
    auto name##_plain parameters {                                         \
        return name##_as<list> arguments;                                  \
    }                                                                      \
    template <pattern>                                                     \
    auto name##_chosen() {                                                 \
        return &name##_plain<list>;                                        \
    }
#endif
