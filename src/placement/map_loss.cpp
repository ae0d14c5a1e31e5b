// SPDX-License-Identifier: Apache-2.0
#include "placement/map_loss.hpp"

#include "math/at.hpp"
#include "placement/options.hpp"
#include "tsne/law.hpp"
#include "umap/objective.hpp"

namespace dunlin::placement {

bool is_exact(const Options& options, const Map& map) {
    return options.repulsion == Potential::exact || map.dim == 1 ||
           (options.repulsion == Potential::automatic &&
            map.size() <= (map.dim > 3 ? sampled_points : most_for_exact_field));
}

namespace {

/// The constants that loss_of_new takes for a map of n points.
double repulsion_of_umap(const Options& o, double n) {
    return static_cast<double>(o.negatives) * static_cast<double>(o.repulsion_strength) / (2 * (n + 1));
}
double repulsion_of_pacmap(const Options& o, double n) { return 2 * static_cast<double>(o.further) / n; }

AnyMapLoss sampled_loss_of_map(const Map& map, const Options& options, std::uint64_t seed) {
    const double n = map.size();
    auto sample = std::make_shared<const MapSample>(map.view(), is_exact(options, map), seed);
    if (options.method == Method::umap) {
        return SampledMapLoss<forces::Fuzzy>{umap::law_of(umap_options_of(options)), std::move(sample),
                                             repulsion_of_umap(options, n)};
    }
    return SampledMapLoss<forces::FurtherPairs>{{}, std::move(sample), repulsion_of_pacmap(options, n)};
}

}  // namespace

AnyMapLoss loss_of_map(device::Cpu& cpu, const Map& map, const Options& options, std::uint64_t seed) {
    if (map.dim > 3) return sampled_loss_of_map(map, options, seed);
    const bool exact = is_exact(options, map);
    const float spacing = options.spacing.value_or(default_spacing(options, map.dim));
    const double n = map.size();
    if (options.method == Method::tsne) {
        return tsne::with_law(options.freedom, [&]<class Law>(const Law& law) -> AnyMapLoss {
            MapField<Law> field(cpu, map.view(), exact, spacing, law);
            const double normalizer = field.normalizer();
            return MapLoss<Law>{std::move(field), normalizer};
        });
    }
    if (options.method == Method::umap) {
        return MapLoss<forces::Fuzzy>{{cpu, map.view(), exact, spacing, umap::law_of(umap_options_of(options))},
                                      repulsion_of_umap(options, n)};
    }
    return MapLoss<forces::FurtherPairs>{{cpu, map.view(), exact, spacing}, repulsion_of_pacmap(options, n)};
}

void place_edges(device::Cpu& cpu, const Map& map, const AnyMapLoss& loss, double neighbor_distance, const Graph& edges,
                 const Options& options, const Map* start, const Run& run, Result& placed) {
    placed.neighbor_distance = neighbor_distance;
    placed.map.coordinates.resize(at(Offset{edges.size()} * map.dim));
    placed.cost.resize(at(edges.size()));
    placed.gap.resize(at(edges.size()));
    placed.engines.push_back({"repulsion", is_exact(options, map) ? "exact" : map.dim > 3 ? "sampled" : "grid", 0});
    const double tolerance = static_cast<double>(options.tolerance) * neighbor_distance;
    const PlaceTask task{map.view(), edges, {options.steps, tolerance}, options.starts, neighbor_distance, start};
    std::visit(
        [&](const auto& of_law) {
            if constexpr (requires { of_law.sample; }) {
                place_by_sample(cpu, task, of_law, run, placed);
            } else {
                run.device == Device::cuda ? place_on_cuda(task, of_law, run, placed)
                                           : place_on_cpu(cpu, task, of_law, run, placed);
            }
        },
        loss);
}

}  // namespace dunlin::placement
