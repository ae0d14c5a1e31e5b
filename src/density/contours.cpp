// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include <dunlin/density.hpp>
#include <dunlin/error.hpp>

#include "density/level_lines.hpp"
#include "density/prominence.hpp"
#include "device/choose.hpp"
#include "math/at.hpp"

namespace dunlin::density {

std::vector<Contour> contours(const ScalarField& field, double level, const Run& run) {
    check(field);
    device::require_cpu(run, "contours are");
    if (field.dim != 2) {
        throw Error(Fault::bad_input,
                    fmt::format("the field has {} dimensions; contours are of 2-D fields", field.dim));
    }
    if (!std::isfinite(level))
        throw Error(Fault::bad_input, fmt::format("the level is {}; it must be a finite number", level));
    std::vector<Contour> contours;
    const bool complete = progress::run_cancellable(run.stop, [&] {
        const auto value = [&](Index x, Index y) { return field.values[at(x + Offset{field.nodes[0]} * y)]; };
        for (LevelLine& line : level_lines(field.nodes[0], field.nodes[1], value, level, LineEnds::closed)) {
            for (auto& [x, y] : line.points) {
                x = field.coordinate(0, x);
                y = field.coordinate(1, y);
            }
            contours.push_back({std::move(line.points)});
        }
    });
    return complete ? contours : std::vector<Contour>{};
}

}  // namespace dunlin::density
