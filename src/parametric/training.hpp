// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/parametric.hpp>

#include "device/cpu.hpp"
#include "device/stopwatch.hpp"
#include "parametric/network.hpp"
#include "parametric/optimize.hpp"
#include "parametric/resolve.hpp"

namespace dunlin::parametric {

/// A map with the mean 0 and the variance 1, and how to get back.
struct StandardMap {
    std::vector<float> values;  ///< [point][axis]
    std::vector<double> means;  ///< per axis
    double deviation = 1;

    explicit StandardMap(const Map& map);
};

/// One training on a CPU. Its stages throw device::Cancelled; the network is then that after its last step.
class Training {
public:
    Training(device::Cpu& cpu, MatrixView<const float> points, const Options& resolved,
             const PointStatistics& statistics, const Run& run);

    void pretrain(Result& result);
    void optimize(Result& result);
    /// Sets result.kl, given result.map.
    void score(Result& result);

    /// Whether there is a network: not before the end of the pretraining.
    [[nodiscard]] bool is_trained() const { return is_trained_; }
    [[nodiscard]] Model model() const;

private:
    void regress(Result& result);
    [[nodiscard]] AdamRule adam_rule() const;
    [[nodiscard]] Run run_of_map() const;
    Map make_map(Result& result);
    void find_affinities(Result& result);
    void find_affinities_of_batches();
    [[nodiscard]] Index neighbors_among(Index rows) const;
    template <class Law>
    void descend(const Law& law, Result& result);
    template <class Law>
    double mean_of_batches(const Law& law);

    device::Cpu& cpu_;
    Run run_;
    Options options_;
    Scaling scaling_;
    std::vector<float> shift_;  ///< in the numbers of the rows
    TrainingRows rows_;
    Network<device::Cpu> network_;
    Graph neighbors_;                ///< of all points
    std::vector<Graph> affinities_;  ///< of all points, or of each batch
    float output_scale_ = 1;         ///< places are outputs * scale + shift
    std::vector<float> output_shift_;
    device::Stopwatch watch_;
    bool is_trained_ = false;
};

}  // namespace dunlin::parametric
