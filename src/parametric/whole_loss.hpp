// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <dunlin/types.hpp>

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"
#include "placement/field.hpp"
#include "placement/loss.hpp"

/// KL(P, Q) of a map of all points as a function of the places of a few of them: the gradient of t-SNE with neighbors
/// where the network last put them, and with the potential and the normalizer of the map of the last refresh(). Maps
/// of 1 to 3 dimensions; places are the network's outputs times `scale`. A class for each executor:
///   WholeLoss(exec, affinities, dim, law, scale)      affinities: symmetric, of sum 1; they must outlive the object
///   refresh(exec, outputs)                            takes the network's present outputs for all points
///   gradient(exec, rows, count, outputs, gradient, part)
///       gradient (count x dim) = n / count times d KL / d outputs of these rows, so that its mean over batches is that
///       of all points. Sets `part` to the sum of the rows' terms of the attraction, -sum_j p_ij log q_ij without the
///       normalizer.
///   place(exec, rows, count, outputs)                 these are the places of the rows now
///   write(exec, archive), read(exec, archive, outputs)
///       the map of the last refresh(), and the places since, for a checkpoint; read() also sets the outputs that have
///       these places
///   kl(attraction)                                    KL, given the sum of the parts of all points
namespace dunlin::parametric {

template <class Exec, class Law>
class WholeLoss;

template <class Law>
class WholeLoss<device::Cpu, Law> {
public:
    WholeLoss(device::Cpu& cpu, const Graph& affinities, int dim, Law law, float scale);

    void refresh(device::Cpu& cpu, std::vector<float> outputs);
    void gradient(device::Cpu& cpu, const Index* rows, Index count, const float* outputs, float* gradient,
                  device::Cell<double>& part);
    void place(device::Cpu& cpu, const Index* rows, Index count, const float* outputs);
    [[nodiscard]] double kl(double attraction) const;
    void write(device::Cpu& cpu, checkpoint::ArchiveWriter& archive);
    void read(device::Cpu& cpu, checkpoint::ArchiveReader& archive, float* outputs);

private:
    void make_field(device::Cpu& cpu);
    template <int D>
    void gradient_in(device::Cpu& cpu, const Index* rows, Index count, float* gradient, device::Cell<double>& part);

    const Graph& affinities_;
    int dim_;
    Law law_;
    float scale_;
    double entropy_ = 0;                               ///< sum p log p
    std::vector<float> reference_, places_;            ///< [point][axis]; of the last refresh, and now
    std::vector<float> moved_;                         ///< places of a batch
    std::unique_ptr<placement::MapField<Law>> field_;  ///< of `reference_`
};

/// Arguments of the loss of one row of a WholeLoss.
template <int D, class Law>
struct WholeTerms {
    Law law;
    placement::Field<D, Law> field;  ///< of the reference
    double points = 0, push = 0;     ///< n, and n over the normalizer
    const float* reference = nullptr;

    /// Completes the row's loss at its place, given the attraction and the field there. d KL / d y is 2 / n times its
    /// gradient (placement/loss.hpp).
    DUNLIN_HD void add_repulsion(Index row, const double (&place)[D], math::Expansion<D> potential,
                                 math::Expansion<D>& sum) const {
        placement::add_potential<D>(law, -1, reference + Offset{row} * D, place, potential);
        sum.add(push, potential);
    }
    [[nodiscard]] DUNLIN_HD static float gradient_of_batch(double gradient, Index count, float scale) {
        return static_cast<float>(2.0 / count * gradient) * scale;
    }
};

}  // namespace dunlin::parametric
