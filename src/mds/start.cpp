#include "mds/start.hpp"

#include "mds/align.hpp"
#include "mds/spectral.hpp"

namespace dunlin::mds {

Map spectral_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, std::uint64_t seed) {
    constexpr Index small_matrix = 1000, pivots = 50;
    Run run;
    run.seed = seed;
    const bool cheap = items.metric() == neighbors::Metric::euclidean || source.size() <= small_matrix;
    return cheap ? classical(cpu, items, source, dim) : pivot(cpu, source, dim, std::min(pivots, source.size()), run);
}

void place_by_spectrum(device::Cpu& cpu, const Dissimilarities& items, const Source& source, Shape<device::Cpu>& shape,
                       std::uint64_t seed) {
    shape.y = spectral_map(cpu, items, source, shape.dim, seed).coordinates;
}

Map first_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
              std::uint64_t seed) {
    auto shape = empty_shape(cpu, source.size(), dim);
    begin(cpu, items, source, shape, start, seed);
    return {dim, shape.y};
}

void rescale(device::Cpu& cpu, const Source& source, Map& map, std::uint64_t seed) {
    auto shape = shape_at(cpu, map);
    rescale(cpu, source, shape, seed);
    map.coordinates = shape.y;
}

void rescale(device::Cpu& cpu, const Source& source, Map& map, std::span<const Index> rows) {
    auto shape = shape_at(cpu, map);
    rescale(cpu, source, shape, rows);
    map.coordinates = shape.y;
}

void shake(Map& map, std::uint64_t seed) {
    device::Cpu cpu(1);
    auto shape = shape_at(cpu, map);
    shake(cpu, shape, seed);
    map.coordinates = shape.y;
}

void align(Map& map) {
    device::Cpu cpu(1);
    map = aligned(cpu, shape_at(cpu, map));
}

}  // namespace dunlin::mds
