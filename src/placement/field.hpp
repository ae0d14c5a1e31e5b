// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/grid/spline.hpp"
#include "forces/law.hpp"
#include "math/expansion.hpp"
#include "math/hd.hpp"

namespace dunlin::placement {

using math::difference, math::Expansion;

/// Adds factor * potential(|y - row|^2).
template <int D, class Law>
DUNLIN_HD void add_potential(const Law& law, double factor, const float* row, const double (&y)[D], Expansion<D>& sum) {
    double delta[D];
    const double r2 = difference<D>(y, row, delta);
    const auto series = law.series_at(static_cast<double>(law.origin) + r2);
    sum.add_radial(delta, factor * potential_of(law, r2), -factor * series.strength, -factor * series.first);
}

/// The potential Phi(y) of all points of a fixed map at any position y, by the spline on a grid or exactly. Outside the
/// grid all points act from their center. Does not own its arrays.
template <int D, class Law>
struct Field {
    Law law;
    const float* map = nullptr;  ///< [point][axis]
    Index points = 0;
    forces::GridSpline spline;  ///< without values: Phi is summed over all points
    float center[3]{};

    [[nodiscard]] DUNLIN_HD Expansion<D> at(const double (&y)[D]) const {
        Expansion<D> sum;
        if (spline.values == nullptr) {
            for (Index j = 0; j < points; ++j) add_potential<D>(law, 1, map + Offset{j} * D, y, sum);
            return sum;
        }
        if constexpr (D > 1) {
            if (spline.contains(y)) return spline.template at<D>(y);
        }
        add_potential<D>(law, points, center, y, sum);
        return sum;
    }
};

/// Most points whose potential is summed exactly; on a line it always is.
constexpr Index most_for_exact_field = 300;

/// Owns the arrays of a Field on a CPU. The map is not copied.
template <class Law>
class MapField {
public:
    /// exact: sum over all points at every position. spacing: largest distance between nodes of the grid; 0: the
    /// grid's default.
    MapField(device::Cpu& cpu, MatrixView<const float> map, bool exact, float spacing, Law law = {});
    ~MapField();
    MapField(MapField&&) noexcept;
    MapField& operator=(MapField&&) noexcept;

    /// The field as a view. D: dimension of the map.
    template <int D>
    [[nodiscard]] Field<D, Law> view() const;

    /// The values that the spline of a view points to; empty: the field is exact.
    [[nodiscard]] std::span<const float> grid_values() const;

    /// Sum of the potential over all ordered pairs of different points of the map, for a law with a normalizer.
    [[nodiscard]] double normalizer() const { return normalizer_; }

private:
    struct State;
    std::unique_ptr<State> state_;
    double normalizer_ = 0;
};

}  // namespace dunlin::placement
