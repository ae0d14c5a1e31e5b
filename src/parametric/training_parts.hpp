// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/parametric.hpp>
#include <dunlin/tsne.hpp>

#include "device/cpu.hpp"
#include "parametric/network.hpp"
#include "parametric/resolve.hpp"

/// Parts of a training that come from other methods, for the CPU executor. training_parts.cuh has them for a GPU.
namespace dunlin::parametric {

/// A graph in an executor's memory.
template <class Exec>
struct GraphType;
template <>
struct GraphType<device::Cpu> {
    using type = Graph;
};
template <class Exec>
using GraphOn = typename GraphType<Exec>::type;

inline Graph graph_on(device::Cpu&, Graph graph) { return graph; }

/// All points as a t-SNE map.
tsne::Result map_by_tsne(device::Cpu& cpu, MatrixView<const float> points, const tsne::Options& options, const Run& run,
                         const tsne::Given& given);
/// The k nearest neighbors of each row among these rows. A stop gives an incomplete graph.
Graph lists_among(device::Cpu& cpu, MatrixView<const float> rows, Index k, const Run& run);
/// Symmetric affinities of sum 1.
Graph affinities_of(device::Cpu& cpu, const Graph& lists, float perplexity);
template <class Law>
double kl_of_map(device::Cpu& cpu, const Law& law, const Graph& affinities, const Map& map, std::uint64_t seed);

/// Parameters of the noise of the points.
struct NoiseOfPoints {
    std::vector<float> deviations;  ///< per point: `unit` times the distance to the fifth neighbor
    std::vector<Index> neighbors;   ///< [point][candidates]: the 15 nearest
    Index candidates = 0;
};
/// lists: nearest first, all of one length. Of fewer than 5 neighbors the last stands for the fifth; of fewer than 15
/// all are taken.
NoiseOfPoints noise_of_points(const Graph& lists, float unit);

/// A map with the mean 0 and the variance 1, and how to get back.
struct StandardMap {
    std::vector<float> values;  ///< [point][axis]
    std::vector<double> means;  ///< per axis
    double deviation = 1;

    explicit StandardMap(const Map& map);
};

/// Places are outputs * scale + shift.
struct OutputScale {
    float scale = 1;
    std::vector<float> shift;
};
/// The model of a network with these parameters. prototypes: as the network has them.
Model model_of(const Options& resolved, const Scaling& scaling, const NetworkShape& shape,
               const std::vector<float>& parameters, const OutputScale& outputs, std::span<const float> prototypes,
               std::uint64_t seed);

/// The name of a stage of t-SNE in a training.
std::string_view name_in_training(std::string_view stage);

}  // namespace dunlin::parametric
