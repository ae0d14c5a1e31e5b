#include "mds/nonmetric.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/memory.hpp"
#include "mds/disparities.hpp"
#include "mds/pull.hpp"
#include "mds/start.hpp"

namespace dunlin::mds {

namespace {

const float* values_of(const Matrix* weights) { return weights == nullptr ? nullptr : weights->view().data; }

void require_memory(const Run& run, Index n) {
    device::require_memory(run, Disparities::bytes_for(n), "the disparities of all pairs of these items");
}

/// The start of a metric map of what is known: the dissimilarities, or their ranks.
Map start_of(device::Cpu& cpu, const Disparities& disparities, const Options& o, const Run& run) {
    const Index n = disparities.size();
    const auto items = Dissimilarities::of_matrix(Matrix(n, n, disparities.matrix()), run);
    return first_map(cpu, items, Source(cpu, items), o.dim, o.start, run.seed);
}

}  // namespace

Ending run_nonmetric(device::Cpu& cpu, const Source& source, Map& map, const Options& o, const Run& run,
                     const Given& given) {
    require_memory(run, source.size());
    const float* weights = values_of(given.weights);
    Disparities disparities(cpu, source, weights, o.transform);
    map = given.start != nullptr ? *given.start : start_of(cpu, disparities, o, run);
    auto shape = shape_at(cpu, map);
    const Patience patience{*o.iterations, *o.tolerance, disparities.total_weight()};
    const Ending ending = smacof(cpu, Transformed{&disparities, weights}, shape,
                                 steps(cpu, CpuItems{&source, weights}, 1), patience, run);
    map.coordinates.assign(shape.y.begin(), shape.y.end());
    return ending;
}

double transformed_stress1(const Dissimilarities& items, const Map& map, Transform transform, const Matrix* weights,
                           const Run& run) {
    if (map.size() != items.size()) {
        throw Error(Fault::bad_input, fmt::format("the map has {} points and there are {} items; they must agree",
                                                  map.size(), items.size()));
    }
    require_memory(run, items.size());
    device::Cpu cpu(run);
    Disparities disparities(cpu, Source(cpu, items), values_of(weights), transform);
    return disparities.fit(cpu, map.coordinates.data(), map.dim);
}

}  // namespace dunlin::mds
