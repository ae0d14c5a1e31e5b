// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "descent/state.hpp"
#include "live/steered_loop.hpp"
#include "math/at.hpp"

namespace dunlin::descent {

/// Carries out pin, free and nudge. Sets the speed of pinned and moved points to 0 and fixes pinned points in place.
template <class Exec>
void move_points(Exec& exec, DescentState<Exec>& state, const live::Act& act) {
    const std::size_t dim = at(state.dim), axes = at(state.map_dim);
    const bool moves = live::moves_points(act);
    const auto copy = [&](const auto& buffer) {
        const auto& values = exec.host(buffer);
        return std::vector(values.begin(), values.end());
    };
    auto y = copy(state.y), velocity = copy(state.velocity), home = copy(state.home);
    auto fixed = copy(state.fixed);
    const auto original = copy(state.original);
    std::vector<Index> place(original.size());
    for (std::size_t i = 0; i < original.size(); ++i) place[at(original[i])] = static_cast<Index>(i);
    home.resize(y.size());
    fixed.resize(place.size());
    for (std::size_t i = 0; i < act.points.size(); ++i) {
        const std::size_t point = at(act.points[i]), from = at(place[point]) * dim;
        for (std::size_t c = 0; moves && c < axes; ++c) {
            const double origin = origin_of(state.origin, c);
            y[from + c] = from_map(live::place_after(act, i, c, axes, in_map(y[from + c], origin)), origin);
        }
        if (act.verb == live::Verb::pin) fixed[point] = 1;
        if (act.verb == live::Verb::free) fixed[point] = 0;
        if (act.verb != live::Verb::free) std::fill_n(velocity.begin() + static_cast<Offset>(from), dim, 0.0F);
        std::copy_n(y.begin() + static_cast<Offset>(from), dim, home.begin() + static_cast<Offset>(point * dim));
    }
    exec.upload(state.y, std::span<const float>(y));
    exec.upload(state.velocity, std::span<const float>(velocity));
    if (std::count(fixed.begin(), fixed.end(), 0) == std::ssize(fixed)) {
        state.home = {};
        state.fixed = {};
        return;
    }
    exec.upload(state.home, std::span<const float>(home));
    exec.upload(state.fixed, std::span<const std::uint8_t>(fixed));
}

}  // namespace dunlin::descent
