// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/neighbors.hpp>

namespace dunlin::distance {

/// Throws Error{bad_input} for inner products, because `what` needs distances.
void require_distance(neighbors::Metric metric, std::string_view what);

/// Throws Error{bad_input} for a metric of terms, which reads dense rows.
void require_dense(neighbors::Metric metric);

/// Throws Error{bad_input} for a metric of terms, because `what`, a plural, lack it.
void require_kernels(neighbors::Metric metric, std::string_view what);

}  // namespace dunlin::distance
