// SPDX-License-Identifier: Apache-2.0
#include "parametric/training_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/neighbors.hpp>

#include "forces/law.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/kl.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::parametric {

StandardMap::StandardMap(const Map& map) : values(map.coordinates), means(at(map.dim)) {
    const double n = map.size();
    for (std::size_t i = 0; i < values.size(); ++i) means[i % means.size()] += static_cast<double>(values[i]) / n;
    double squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double centered = static_cast<double>(values[i]) - means[i % means.size()];
        squares += centered * centered;
    }
    if (squares > 0) deviation = std::sqrt(squares / static_cast<double>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>((static_cast<double>(values[i]) - means[i % means.size()]) / deviation);
}

NoiseOfPoints noise_of_points(const Graph& lists, float unit) {
    constexpr Index nth = 5, most = 15;
    const Index n = lists.size(), of_list = n == 0 ? 0 : static_cast<Index>(lists.edges() / n);
    NoiseOfPoints noise{std::vector<float>(at(n)), {}, std::min(most, of_list)};
    if (of_list == 0) return noise;
    noise.neighbors.resize(at(n) * at(noise.candidates));
    for (Index i = 0; i < n; ++i) {
        if (i % 4096 == 0) progress::cancellation_point();
        const Offset first = Offset{i} * of_list;
        noise.deviations[at(i)] = unit * lists.weights[at(first + std::min(nth, of_list) - 1)];
        std::copy_n(lists.targets.begin() + first, noise.candidates,
                    noise.neighbors.begin() + Offset{i} * noise.candidates);
    }
    return noise;
}

Model model_of(const Options& resolved, const Scaling& scaling, const NetworkShape& shape,
               const std::vector<float>& parameters, const OutputScale& outputs, std::span<const float> prototypes,
               std::uint64_t seed) {
    Model model{scaling.shift, scaling.scale, activation_of(resolved), {}, {}, {}, {}, {}};
    for (const LayerShape& layer : shape.layers) {
        const float *const weights = parameters.data() + layer.weights, *const biases =
                                                                            parameters.data() + layer.biases;
        model.layers.push_back({layer.inputs, layer.outputs, {weights, biases}, {biases, biases + layer.outputs}});
    }
    const std::size_t dim = outputs.shift.size();
    Layer& last = model.layers.back();
    if (prototypes.empty()) {
        for (float& weight : last.weights) weight *= outputs.scale;
        for (std::size_t d = 0; d < dim; ++d) last.biases[d] = last.biases[d] * outputs.scale + outputs.shift[d];
    }
    model.prototypes.assign(prototypes.begin(), prototypes.end());
    for (std::size_t i = 0; i < prototypes.size(); ++i)
        model.prototypes[i] = model.prototypes[i] * outputs.scale + outputs.shift[i % dim];
    Options options = resolved;
    fields(
        [&](const auto& field) {
            if (field.is_read()) model.made_by += fmt::format("{} {}\n", field.name, text_of(field.value));
        },
        options);
    model.made_by += fmt::format("seed {}\n", seed);
    return model;
}

std::string_view name_in_training(std::string_view stage) {
    return stage == "optimize" || stage == "score" ? "map" : stage;
}

tsne::Result map_by_tsne(device::Cpu&, MatrixView<const float> points, const tsne::Options& options, const Run& run,
                         const tsne::Given& given) {
    return tsne::embed(points, options, run, given);
}

Graph lists_among(device::Cpu&, MatrixView<const float> rows, Index k, const Run& run) {
    return neighbors::search(rows, {.k = k}, run).graph;
}

Graph affinities_of(device::Cpu& cpu, const Graph& lists, float perplexity) {
    return tsne::affinities_of_distances(cpu, lists, perplexity);
}

template <class Law>
double kl_of_map(device::Cpu& cpu, const Law& law, const Graph& affinities, const Map& map, std::uint64_t seed) {
    return scores::kl_on_cpu(cpu, law, affinities, map, {}, seed).value;
}

template double kl_of_map(device::Cpu&, const forces::StudentT&, const Graph&, const Map&, std::uint64_t);
template double kl_of_map(device::Cpu&, const forces::GeneralStudentT&, const Graph&, const Map&, std::uint64_t);

}  // namespace dunlin::parametric
