// SPDX-License-Identifier: Apache-2.0
#include "surface/metaballs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/clones.hpp"
#include "device/fail.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::surface {

namespace {

/// Adds the kernel to the nodes begin .. end of a line along z. across: squared distance of the line over R^2; nodes
/// and the point in units of R.
DUNLIN_CLONES void add_line(double* sums, Index begin, Index end, double across, double point, double step) {
    for (Index z = begin; z < end; ++z) {
        const double d = step * static_cast<double>(z) - point;
        sums[z] += metaball(across + d * d);
    }
}

/// A grid around a map, with coordinates from its origin.
struct Lattice {
    std::array<Index, 3> nodes{};
    double spacing = 0;
    std::array<double, 3> origin{};
};

Lattice lattice_around(const Map& map, double radius, int cells) {
    std::array<double, 3> least{}, most{};
    for (std::size_t axis = 0; axis < 3; ++axis) least[axis] = most[axis] = static_cast<double>(map.coordinates[axis]);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        const auto c = static_cast<double>(map.coordinates[i]);
        least[i % 3] = std::min(least[i % 3], c);
        most[i % 3] = std::max(most[i % 3], c);
    }
    double longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) longest = std::max(longest, most[axis] - least[axis] + 2 * radius);
    Lattice lattice{.spacing = longest / (cells - 2)};
    constexpr double rounding = 1e-9;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double inner = (most[axis] - least[axis] + 2 * radius) / lattice.spacing;
        lattice.nodes[axis] = static_cast<Index>(std::ceil(inner - rounding)) + 3;
        lattice.origin[axis] = 0.5 * (least[axis] + most[axis]) - 0.5 * lattice.spacing * (lattice.nodes[axis] - 1);
    }
    return lattice;
}

/// Points in order of the plane of nodes along x below them; those of one plane in their own order.
struct PlaneOrder {
    std::vector<Offset> first;  ///< of each plane
    std::vector<Index> points;
};

PlaneOrder order_by_plane(const Map& map, const Lattice& lattice) {
    const auto plane_of = [&](Index i) {
        const double x = static_cast<double>(map.coordinates[at(Offset{3} * i)]) - lattice.origin[0];
        return std::clamp(static_cast<Index>(x / lattice.spacing), 0, lattice.nodes[0] - 1);
    };
    PlaneOrder order{std::vector<Offset>(at(Offset{lattice.nodes[0]} + 1)), std::vector<Index>(at(map.size()))};
    for (Index i = 0; i < map.size(); ++i) ++order.first[at(Offset{plane_of(i)} + 1)];
    std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
    std::vector<Offset> next(order.first);
    for (Index i = 0; i < map.size(); ++i) order.points[at(next[at(plane_of(i))]++)] = i;
    return order;
}

/// Sums of a slab of planes.
class Slab {
public:
    Slab(const Lattice& lattice, double radius, Index first, Index last)
        : lattice_(lattice),
          radius_(radius),
          first_(first),
          last_(last),
          sums_(at(Offset{last - first} * lattice.nodes[1] * lattice.nodes[2])) {}

    void add(std::span<const float> point) {
        double p[3];
        Range near[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            p[axis] = (static_cast<double>(point[axis]) - lattice_.origin[axis]) / radius_;
            near[axis] = nodes_within(p[axis], 1, axis);
        }
        for (Index x = std::max(near[0].begin, first_); x < std::min(near[0].end, last_); ++x) {
            const double dx = step() * x - p[0];
            for (Index y = near[1].begin; y < near[1].end; ++y) {
                const double dy = step() * y - p[1];
                const double across = dx * dx + dy * dy;
                if (across >= 1) continue;
                const Range line = nodes_within(p[2], std::sqrt(1 - across), 2);
                add_line(sums_.data() + (Offset{x - first_} * lattice_.nodes[1] + y) * lattice_.nodes[2], line.begin,
                         line.end, across, p[2], step());
            }
        }
    }

    void narrow(float* values) const {
        for (const double sum : sums_) *values++ = static_cast<float>(sum);
    }

private:
    struct Range {
        Index begin, end;
    };

    [[nodiscard]] double step() const { return lattice_.spacing / radius_; }
    /// Nodes of an axis within `distance` of p, both in units of R, or one more at the ends.
    [[nodiscard]] Range nodes_within(double p, double distance, std::size_t axis) const {
        const double begin = std::floor((p - distance) / step()), end = std::ceil((p + distance) / step()) + 1;
        const double nodes = lattice_.nodes[axis];
        return {static_cast<Index>(std::clamp(begin, 0.0, nodes)), static_cast<Index>(std::clamp(end, 0.0, nodes))};
    }

    const Lattice& lattice_;
    double radius_;
    Index first_, last_;
    std::vector<double> sums_;
};

/// Interquartile range; sorts in part.
double interquartile_range(std::vector<double>& values) {
    const auto quantile = [&](double share) {
        const auto middle = values.begin() + static_cast<Offset>(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    const double low = quantile(0.25);
    return quantile(0.75) - low;
}

/// The smaller of the standard deviation and the interquartile range of a normal distribution; the former if the latter
/// is 0.
double robust_deviation(const Map& map, int axis) {
    std::vector<double> values;
    values.reserve(at(map.size()));
    double mean = 0, square = 0;
    for (Index i = 0; i < map.size(); ++i) {
        values.push_back(static_cast<double>(map.coordinates[at(Offset{3} * i + axis)]));
        mean += values.back();
    }
    mean /= map.size();
    for (const double v : values) square += (v - mean) * (v - mean);
    const double deviation = std::sqrt(square / map.size());
    progress::cancellation_point();
    const double range = interquartile_range(values) / 1.349;
    return range > 0 ? std::min(range, deviation) : deviation;
}

}  // namespace

void check(const Map& map) {
    if (map.dim != 3) {
        device::bad_option("dim", fmt::format("dim of the map is {}; hulls are surfaces around points in 3 dimensions, "
                                              "make the map with dim 3",
                                              map.dim));
    }
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        if (std::isfinite(map.coordinates[i])) continue;
        device::bad_row(static_cast<Offset>(i / 3),
                        fmt::format("coordinate {} of point {} is {}; hulls need finite coordinates", "xyz"[i % 3],
                                    i / 3, map.coordinates[i]),
                        static_cast<Offset>(i % 3));
    }
}

double radius_by_rule(const Map& map, double otherwise) {
    if (map.size() == 0) return otherwise;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double deviation = robust_deviation(map, axis);
        square += deviation * deviation / 3;
    }
    if (square == 0) return otherwise;
    const double silverman = std::sqrt(square) * std::pow(4.0 / (5.0 * map.size()), 1.0 / 7);
    constexpr double kernel_variance = 1.0 / 11;  // along an axis, for R = 1
    return 0.5 * silverman / std::sqrt(kernel_variance);
}

FieldArray sum_metaballs(device::Cpu& cpu, const Map& map, double radius, int cells, const Run& run) {
    const Lattice lattice = lattice_around(map, radius, cells);
    const auto [nx, ny, nz] = lattice.nodes;
    const Offset plane = Offset{ny} * nz;
    // Slabs of about 1 MiB, so that a worker's sums stay in its cache
    const auto thickness = static_cast<Index>(std::max<Offset>(1, (Offset{1} << 17) / plane));
    const Index slabs = (nx + thickness - 1) / thickness;
    const auto bytes = static_cast<std::uint64_t>(nx * plane) * sizeof(float) +
                       static_cast<std::uint64_t>(Offset{cpu.threads()} * thickness * plane) * sizeof(double);
    device::require_memory(run, bytes, fmt::format("a grid of {} x {} x {} nodes", nx, ny, nz), "use fewer cells");
    FieldArray field{lattice.nodes, {}, {lattice.spacing, lattice.spacing, lattice.spacing}, lattice.origin};
    field.values.resize(at(nx * plane));
    const PlaneOrder order = order_by_plane(map, lattice);
    const double reach = radius / lattice.spacing;
    progress::ProgressReporter progress(run, "spread", slabs);
    const Index together = 4 * cpu.threads();
    for (Index begin = 0; begin < slabs; begin += together) {
        const Index count = std::min(together, slabs - begin);
        cpu.each(
            count,
            [&](Offset i) {
                const Index first = (begin + static_cast<Index>(i)) * thickness;
                const Index last = std::min(nx, first + thickness);
                Slab slab(lattice, radius, first, last);
                const double low = std::max(0.0, first - reach - 2), high = std::min<double>(nx, last + reach + 2);
                const Offset end = order.first[at(static_cast<Offset>(high))];
                for (Offset k = order.first[at(static_cast<Offset>(low))]; k < end; ++k) {
                    if (k % 1024 == 0) progress::cancellation_point();
                    slab.add(map.view().row(order.points[at(k)]));
                }
                slab.narrow(field.values.data() + first * plane);
            },
            1);
        progress.tick(begin + count);
    }
    return field;
}

FieldArray metaballs(const Map& map, double radius, int cells, const Run& run) {
    device::require_cpu(run, "metaballs are");
    HullOptions options;
    options.radius = radius;
    options.cells = cells;
    options::check(options);
    check(map);
    if (map.size() == 0) throw Error(Fault::bad_input, "the map has no points; metaballs need one");
    FieldArray field;
    device::Cpu cpu(run);
    const bool is_done =
        progress::run_cancellable(run.stop, [&] { field = sum_metaballs(cpu, map, radius, cells, run); });
    return is_done ? field : FieldArray{};
}

double value_at(const FieldView<float>& grid, std::span<const float> position) {
    std::array<Offset, 3> node{};
    std::array<double, 3> share{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double p = (static_cast<double>(position[axis]) - grid.origin[axis]) / grid.spacing[axis];
        node[axis] = std::clamp<Offset>(static_cast<Offset>(std::floor(p)), 0, grid.nodes[axis] - 2);
        share[axis] = std::clamp(p - static_cast<double>(node[axis]), 0.0, 1.0);
    }
    // From node to node along the axes by descending share: the corners of the tetrahedron that holds the position
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::sort(axes.begin(), axes.end(),
              [&](std::size_t a, std::size_t b) { return share[a] != share[b] ? share[a] > share[b] : a < b; });
    const auto value = [&] {
        return static_cast<double>(grid.values[at((node[0] * grid.nodes[1] + node[1]) * grid.nodes[2] + node[2])]);
    };
    double sum = value() * (1 - share[axes[0]]);
    for (std::size_t i = 0; i < 3; ++i) {
        ++node[axes[i]];
        sum += value() * (share[axes[i]] - (i < 2 ? share[axes[i + 1]] : 0));
    }
    return sum;
}

}  // namespace dunlin::surface
