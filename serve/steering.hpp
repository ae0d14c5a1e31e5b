// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <dunlin/steering.hpp>

namespace dunlin::serve {

/// Does what a page wants of a run: `act` is pause, resume, step or the name of a live::Verb; set has `option` and
/// `value`; pin, free and nudge have `places` of the points, or `selected`; pin may have coordinates `at`, nudge has
/// `by`. rows: the points by place; selected: a bit per place. Throws Error{bad_input} for what does not fit.
void steer(live::Steering& steering, const nlohmann::json& asked, std::span<const Index> rows,
           const std::vector<std::uint8_t>& selected);

/// What can be done to the run now, for pages.
nlohmann::json steering_state(const live::Steering& steering);

}  // namespace dunlin::serve
