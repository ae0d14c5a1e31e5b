// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "math/at.hpp"
#include "parametric/batch_loss.hpp"
#include "parametric/stages.hpp"
#include "parametric/training_parts.hpp"
#include "parametric/whole_loss.hpp"

/// The two KL divergences as losses of optimize.hpp.
namespace dunlin::parametric {

/// KL of the map of all points. seen: the last outputs for each point.
template <class Exec, class Law>
struct MapLoss {
    static constexpr bool keeps_batches = false;
    WholeLoss<Exec, Law>& loss;
    const TrainingRows& rows;
    int dim;
    typename Exec::template Buffer<float>& seen;

    void begin(Exec& exec, Network<Exec>& network) {
        auto outputs = outputs_of(exec, network, rows);
        copy(exec, outputs.data(), static_cast<Offset>(seen.size()), seen.data());
        loss.refresh(exec, std::move(outputs));
    }
    void accept(Exec& exec, const Index* of, Index count, const float* outputs) {
        loss.place(exec, of, count, outputs);
        exec.each(Offset{count} * dim, PutRows{of, outputs, dim, 1, seen.data()});
    }
    void write(Exec& exec, checkpoint::ArchiveWriter& archive) { loss.write(exec, archive); }
    void read(Exec& exec, checkpoint::ArchiveReader& archive) { loss.read(exec, archive, seen.data()); }
    void gradient(Exec& exec, Index, const Index* of, Index count, const float* outputs, float* gradient,
                  typename Exec::template Cell<double>& part) {
        loss.gradient(exec, of, count, outputs, gradient, part);
    }
    [[nodiscard]] double cost(double sum) const { return loss.kl(sum); }
};

/// Mean KL divergence of the batches. All epochs have the same batches.
template <class Exec, class Law>
struct BatchLoss {
    static constexpr bool keeps_batches = true;
    const std::vector<GraphOn<Exec>>& affinities;  ///< of each batch
    Law law;
    Index dim;
    typename Exec::template Buffer<float>& seen;

    void begin(Exec&, Network<Exec>&) {}
    void accept(Exec& exec, const Index* of, Index count, const float* outputs) {
        exec.each(Offset{count} * dim, PutRows{of, outputs, dim, 1, seen.data()});
    }
    void write(Exec&, checkpoint::ArchiveWriter&) {}
    void read(Exec&, checkpoint::ArchiveReader&) {}
    void gradient(Exec& exec, Index batch, const Index*, Index count, const float* outputs, float* gradient,
                  typename Exec::template Cell<double>& part) {
        batch_kl(exec, law, affinities[at(batch)], {outputs, count, dim}, {gradient, count, dim}, part);
    }
    [[nodiscard]] double cost(double sum) const { return sum / static_cast<double>(affinities.size()); }
};

}  // namespace dunlin::parametric
