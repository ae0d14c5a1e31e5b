// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>

#include "initialization/pca.hpp"

/// Principal components in place of the points, chosen so that they preserve the values of a metric.
namespace dunlin::descent {

inline initialization::Likeness likeness_of(neighbors::Metric metric) {
    return metric == neighbors::Metric::correlation ? initialization::Likeness::correlation
                                                    : initialization::Likeness::distance;
}

inline std::vector<float> components_of(device::Cpu& cpu, MatrixView<const float> points, Index count,
                                        neighbors::Metric metric) {
    return likeness_of(metric) == initialization::Likeness::correlation
               ? initialization::correlation_coordinates(cpu, points, count)
               : initialization::principal_coordinates(cpu, points, count);
}

/// Components keep Euclidean distances, not what a metric of terms compares.
inline void refuse_components(neighbors::Metric metric, Index count, Index cols) {
    if (!row_of(metric).is_by_terms || count >= cols) return;
    throw Error(Fault::bad_input,
                "pca with metric " + std::string(name_of(metric)) +
                    " would compare components in place of the columns; leave pca out",
                {.option = "pca"});
}

/// Sparse rows less their means are dense.
inline void refuse_dense_components(neighbors::Metric metric) {
    if (likeness_of(metric) == initialization::Likeness::distance) return;
    throw Error(
        Fault::bad_input,
        "pca with metric correlation is for dense points, as rows less their means are dense; give dense points, "
        "metric cosine, or leave pca out",
        {.option = "pca"});
}

inline std::vector<float> components_of(device::Cpu& cpu, const SparseView& points, Index count,
                                        neighbors::Metric metric) {
    refuse_dense_components(metric);
    return initialization::principal_coordinates(cpu, points, count);
}

}  // namespace dunlin::descent
