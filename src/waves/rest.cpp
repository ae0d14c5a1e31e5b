// SPDX-License-Identifier: Apache-2.0
#include "waves/rest.hpp"

#include <dunlin/components.hpp>

#include "math/at.hpp"

namespace dunlin::waves {

Size size_of(const Problem& problem, std::span<const double> v) {
    Size size{problem.scale, problem.magnitude};
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    if (low == v.end()) return size;
    size.scale = std::max(size.scale, *high - *low);
    size.magnitude = std::max({size.magnitude, std::abs(*low), std::abs(*high)});
    return size;
}

bool evens_out(const Problem& problem, double t) {
    const auto holds = [&](const Stimulus& s) { return is_held(s.from, s.to, s.every, t); };
    return problem.options.model == Model::diffusion && problem.coefficients.diffusion > 0 && problem.noise == 0 &&
           problem.current.empty() && std::none_of(problem.stimuli.begin(), problem.stimuli.end(), holds);
}

double spread_of(const Problem& problem, std::span<const double> v) {
    const auto spread = [](const auto& values, const auto& value_of) {
        double low = forever, high = -forever;
        for (const auto& each : values) low = std::min(low, value_of(each)), high = std::max(high, value_of(each));
        return high > low ? high - low : 0;
    };
    if (problem.domain.graph == nullptr) return spread(v, [](double value) { return value; });
    const graph::Components components = graph::components(*problem.domain.graph, {.threads = 1});
    double largest = 0;
    for (Index c = 0; c < components.count(); ++c)
        largest = std::max(largest, spread(components.members_of(c), [&](Index i) { return v[at(i)]; }));
    return largest;
}

}  // namespace dunlin::waves
