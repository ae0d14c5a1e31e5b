// SPDX-License-Identifier: Apache-2.0
#include "layout/check.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>

#include "forces/places.hpp"
#include "math/at.hpp"

namespace dunlin::layout {

void check_given(const Given& given, Index n) {
    const auto require = [n](std::size_t size, std::string_view what) {
        if (size == at(n)) return;
        throw Error(Fault::bad_input, fmt::format("there are {} {} and {} vertices; they must agree", size, what, n));
    };
    if (given.start != nullptr) {
        forces::require_places(*given.start, "start");
        require(at(given.start->size()), "start positions");
    }
    if (!given.pinned.empty()) require(given.pinned.size(), "marks of pinned vertices");
    if (!given.radii.empty()) require(given.radii.size(), "radii");
    if (!given.masses.empty()) require(given.masses.size(), "masses");
    if (!given.pinned.empty() && given.start == nullptr) {
        throw Error(Fault::bad_input, "vertices are pinned to their start; give a start");
    }
    for (std::size_t i = 0; i < given.radii.size(); ++i) {
        if (given.radii[i] >= 0 && std::isfinite(given.radii[i])) continue;
        throw Error(Fault::bad_input,
                    fmt::format("the radius of vertex {} is {}; it must be at least 0", i, given.radii[i]),
                    {.row = static_cast<Offset>(i)});
    }
    for (std::size_t i = 0; i < given.masses.size(); ++i) {
        if (given.masses[i] > 0 && std::isfinite(given.masses[i])) continue;
        throw Error(Fault::bad_input,
                    fmt::format("the mass of vertex {} is {}; it must be above 0", i, given.masses[i]),
                    {.row = static_cast<Offset>(i)});
    }
}

}  // namespace dunlin::layout
