// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include <dunlin/kmeans.hpp>

namespace dunlin::python {

/// (clusters, inertia, value) of each number of clusters.
inline nanobind::list list_of(const std::vector<kmeans::Choice::Tried>& curve) {
    nanobind::list all;
    for (const auto& tried : curve) all.append(nanobind::make_tuple(tried.clusters, tried.inertia, tried.value));
    return all;
}

}  // namespace dunlin::python
