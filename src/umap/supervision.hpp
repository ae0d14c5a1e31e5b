// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <dunlin/umap.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::umap {

/// Factor of an edge by the labels of its ends, < 0: unknown.
struct LabelFactors {
    float unknown = 0.36787944F;  ///< exp(-1)
    float different = 0;

    explicit LabelFactors(float weight)
        : different(weight < 1 ? static_cast<float>(std::exp(-2.5 / (1 - static_cast<double>(weight)))) : 0.0F) {}

    [[nodiscard]] DUNLIN_HD float of(Index a, Index b) const {
        return a < 0 || b < 0 ? unknown : a == b ? 1 : different;
    }
};

/// Supervises the memberships of a row: their factors, then the row's largest becomes 1.
struct SuperviseRow {
    const Offset* offsets;
    const Index *targets, *labels;
    LabelFactors factors;
    float* weights;
    DUNLIN_HD void operator()(Offset i) const {
        float largest = 0;
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) {
            weights[e] *= factors.of(labels[i], labels[targets[e]]);
            if (weights[e] > largest) largest = weights[e];
        }
        if (largest == 0) return;
        for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) weights[e] /= largest;
    }
};

/// Throws Error{bad_input} unless labels are given exactly if the options need them, one for each of n points.
void check_labels(const Options& options, const Labels* labels, Index n);

/// umap::supervised without checks; if labels is null, the memberships themselves.
Graph supervised_on(device::Cpu& cpu, Graph memberships, const Labels* labels, float weight);

}  // namespace dunlin::umap
