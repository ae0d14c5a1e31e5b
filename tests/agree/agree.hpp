// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

#include "cases/graphs.hpp"
#include "cases/maps.hpp"
#include "device/gpus.hpp"
#include "math/rng.hpp"

/// What the tests of the GPU against the CPU share.
#define DUNLIN_NEEDS_GPU() \
    if (dunlin::device::cuda_devices() == 0) GTEST_SKIP() << "no GPU here"

namespace dunlin::agree {

/// Whether cases of more than 1,500 items are left out: DUNLIN_SMALL is set, for tools that slow kernels a
/// thousandfold.
inline bool only_small() { return std::getenv("DUNLIN_SMALL") != nullptr; }

inline dunlin::Run on(Device device) {
    dunlin::Run run;
    run.device = device;
    return run;
}

inline Index size(Index n) { return only_small() ? std::min<Index>(n, 1500) : n; }

inline std::vector<Index> sizes(std::initializer_list<Index> all) {
    std::vector<Index> some;
    for (const Index n : all) {
        if (n <= 1500 || !only_small()) some.push_back(n);
    }
    return some;
}

using made::scattered;
using made::some_graph;

/// A star whose weights sum to 1.
inline Graph star(Index n) { return made::star(n, 0.5F / static_cast<float>(n - 1)); }

/// A length for every edge, the same in both directions.
inline std::vector<float> lengths_of(const Graph& graph) {
    std::vector<float> lengths;
    for (Index i = 0; i < graph.size(); ++i) {
        for (Offset e = graph.offsets[std::size_t(i)]; e < graph.offsets[std::size_t(i) + 1]; ++e) {
            lengths.push_back(0.5F + static_cast<float>((i + graph.targets[std::size_t(e)]) % 5));
        }
    }
    return lengths;
}

/// Largest difference, in units of the root mean square of `expected`.
double relative_error(const auto& found, const auto& expected) {
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double squares = 0, most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!std::isfinite(found[i])) return std::numeric_limits<double>::infinity();
        squares += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
        most = std::max(most, std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    return squares > 0 ? most / std::sqrt(squares / static_cast<double>(found.size())) : most;
}

}  // namespace dunlin::agree
