// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <dunlin/surface.hpp>

#include "math/rng.hpp"

/// Fields whose surfaces are known, and the topology of a mesh.
namespace dunlin::cases {

/// A field that owns its values, of a function of the position.
template <class Real>
struct SurfaceField {
    std::array<Index, 3> nodes{};
    std::vector<Real> values;
    std::array<double, 3> spacing{1, 1, 1};
    std::array<double, 3> origin{};

    [[nodiscard]] surface::FieldView<Real> grid() const { return {nodes, values, spacing, origin}; }
};

template <class Real>
SurfaceField<Real> field_of(const std::array<Index, 3>& nodes, const std::array<double, 3>& spacing,
                            const std::array<double, 3>& origin, const auto& value) {
    SurfaceField<Real> field{nodes, {}, spacing, origin};
    for (Index x = 0; x < nodes[0]; ++x) {
        for (Index y = 0; y < nodes[1]; ++y) {
            for (Index z = 0; z < nodes[2]; ++z)
                field.values.push_back(static_cast<Real>(
                    value(origin[0] + spacing[0] * x, origin[1] + spacing[1] * y, origin[2] + spacing[2] * z)));
        }
    }
    return field;
}

/// The cube [-1, 1]^3 with n cells along each axis.
template <class Real>
SurfaceField<Real> cube_field(Index n, const auto& value) {
    const double h = 2.0 / n;
    return field_of<Real>({n + 1, n + 1, n + 1}, {h, h, h}, {-1, -1, -1}, value);
}

inline double ball(double x, double y, double z) { return 0.7 - std::sqrt(x * x + y * y + z * z); }

inline double torus(double x, double y, double z) {
    const double ring = std::sqrt(x * x + y * y) - 0.6;
    return 0.25 - std::sqrt(ring * ring + z * z);
}

/// Whole numbers 0 to most - 1 at random: many values equal a level.
template <class Real>
SurfaceField<Real> whole_numbers(const std::array<Index, 3>& nodes, int most, std::uint64_t seed) {
    std::uint32_t number = 0;
    return field_of<Real>(nodes, {1, 1, 1}, {0, 0, 0}, [&](double, double, double) {
        return static_cast<double>(math::random_bits(seed, number++, 0) % static_cast<unsigned>(most));
    });
}

/// Edges of a mesh by how often each direction occurs.
struct Topology {
    Offset edges = 0;   ///< without direction
    Offset closed = 0;  ///< that occur once in each direction
    Offset single = 0;  ///< that occur once
    Offset used = 0;    ///< vertices of triangles

    [[nodiscard]] bool is_closed() const { return closed == edges; }
};

inline Topology topology_of(const Mesh& mesh) {
    std::map<std::pair<Index, Index>, std::array<int, 2>> edges;
    std::vector<char> used(mesh.positions.size() / 3);
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
        for (std::size_t i = 0; i < 3; ++i) {
            const Index a = mesh.triangles[t + i], b = mesh.triangles[t + (i + 1) % 3];
            ++edges[{std::min(a, b), std::max(a, b)}][a < b ? 0 : 1];
            used[static_cast<std::size_t>(a)] = 1;
        }
    }
    Topology topology{.edges = static_cast<Offset>(edges.size())};
    for (const auto& [ends, count] : edges) {
        if (count[0] == 1 && count[1] == 1) ++topology.closed;
        if (count[0] + count[1] == 1) ++topology.single;
    }
    for (const char each : used) topology.used += each;
    return topology;
}

}  // namespace dunlin::cases
