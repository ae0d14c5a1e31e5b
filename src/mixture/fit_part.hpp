// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mixture.hpp>

#include "mixture/fit.hpp"

/// A mixture as a part of another call.
namespace dunlin::mixture {

/// A mixture with its components in double.
struct Fitted {
    Result result;
    FitState state;
};

/// Runs of a part: so many from clusters of k-means, then one from `more`, if it has components.
struct Starts {
    int drawn = 1;
    FitState more = {};

    [[nodiscard]] int runs() const { return drawn + (more.components.empty() ? 0 : 1); }
};

/// fit() of <dunlin/mixture.hpp> with other starts.
Fitted fit_part(MatrixView<const float> points, const Options& options, const Run& run, const Wanted& wanted,
                const Starts& starts);

/// Throws Error{out_of_memory} unless so many runs have the memory of the host that they take, and `beside` bytes.
void require_memory_of(const Options& options, MatrixView<const float> points, const Run& run, const Wanted& wanted,
                       int runs, std::uint64_t beside);

}  // namespace dunlin::mixture
