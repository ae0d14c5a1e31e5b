// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "placement/field.hpp"

namespace dunlin::parametric {

/// KL(P, Q) of a map of all points as a function of the places of a few of them, on a CPU: the gradient of t-SNE with
/// neighbors where the network last put them, and with the potential and the normalizer of the map of the last
/// refresh(). Map of 1 to 3 dimensions.
template <class Law>
class WholeLoss {
public:
    /// affinities: symmetric, of sum 1; they must outlive this object.
    WholeLoss(const Graph& affinities, int dim, Law law);

    /// Takes the network's present map of all points.
    void refresh(device::Cpu& cpu, std::vector<float> map);
    /// gradient (count x dim) = n / count times d KL / d y for these rows at their present places y, so that its mean
    /// over batches is that of all points. Then these are their places. Returns the sum of the rows' terms of the
    /// attraction, -sum_j p_ij log q_ij without the normalizer.
    double gradient(device::Cpu& cpu, const Index* rows, Index count, const float* y, float* gradient);
    [[nodiscard]] int dim() const { return dim_; }
    /// KL, given the sum of what gradient() returned for all points.
    [[nodiscard]] double kl(double attraction) const;

private:
    template <int D>
    double gradient_in(device::Cpu& cpu, const Index* rows, Index count, const float* y, float* gradient);

    const Graph& affinities_;
    int dim_;
    Law law_;
    double entropy_ = 0;                               ///< sum p log p
    std::vector<float> reference_, places_;            ///< [point][axis]; of the last refresh, and now
    std::unique_ptr<placement::MapField<Law>> field_;  ///< of `reference_`
};

}  // namespace dunlin::parametric
