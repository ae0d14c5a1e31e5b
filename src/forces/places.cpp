// SPDX-License-Identifier: Apache-2.0
#include "forces/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

namespace dunlin::forces {

namespace {

void require_shape(const Map& map, std::string_view what, int most_dim) {
    if (map.dim < 1 || map.dim > most_dim)
        throw Error(Fault::bad_input,
                    fmt::format("the {} has {} dimensions; it must have 1 to {}", what, map.dim, most_dim));
    if (map.coordinates.size() % static_cast<std::size_t>(map.dim) == 0) return;
    throw Error(Fault::bad_input, fmt::format("the {} has {} coordinates, which are no rows of {} dimensions; give as "
                                              "many for each point",
                                              what, map.coordinates.size(), map.dim));
}

}  // namespace

void require_places(const Map& map, std::string_view what, Holes holes, int most_dim) {
    require_shape(map, what, most_dim);
    const bool may_lack = holes == Holes::allowed;
    for (Index r = 0; r < map.size(); ++r) {
        const auto row = map.view().row(r);
        const auto missing = std::count_if(row.begin(), row.end(), [](float y) { return std::isnan(y); });
        if (may_lack && missing == map.dim) continue;
        for (const float y : row) {
            if (std::abs(y) <= farthest_place) continue;
            if (std::isfinite(y)) {
                throw Error(Fault::bad_input,
                            fmt::format("row {} of the {} has the coordinate {}, and the limit is {:g} on both sides "
                                        "of zero; scale the {}, or subtract its center",
                                        r, what, y, farthest_place, what),
                            {.row = r});
            }
            throw Error(Fault::bad_input,
                        fmt::format("row {} of the {} is NaN or infinite{}; give finite coordinates{}", r, what,
                                    missing < map.dim ? " in part" : "",
                                    may_lack ? ", or NaN for all of a row without a place" : ""),
                        {.row = r});
        }
    }
}

void require_dim(const Map& given, int dim, std::string_view what) {
    if (given.dim == dim) return;
    throw Error(Fault::bad_input,
                fmt::format("the {} has {} dimensions and the map that is made has {}; they must agree: make dim {}, "
                            "or give {} coordinates of each point",
                            what, given.dim, dim, given.dim, dim),
                {.option = "dim"});
}

}  // namespace dunlin::forces
