// SPDX-License-Identifier: Apache-2.0
#include "steering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include <dunlin/error.hpp>

namespace dunlin::serve {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Fault::bad_input, sentence); }

/// The numbers of a member, or none.
std::vector<double> numbers_of(const json& asked, const char* name) {
    std::vector<double> numbers;
    const json list = asked.value(name, json::array());
    if (!list.is_array()) refuse(fmt::format("{} must be a list of numbers", name));
    for (const json& number : list) {
        if (!number.is_number()) refuse(fmt::format("{} must be a list of numbers", name));
        numbers.push_back(number.get<double>());
    }
    return numbers;
}

/// The points that are named, in the order of the message.
std::vector<Index> points_of(const json& asked, std::span<const Index> rows,
                             const std::vector<std::uint8_t>& selected) {
    std::vector<Index> points;
    if (asked.value("selected", json()) == true) {
        for (std::size_t place = 0; place < rows.size(); ++place) {
            if ((selected[place / 8] >> (place % 8) & 1) != 0) points.push_back(rows[place]);
        }
        return points;
    }
    for (const double place : numbers_of(asked, "places")) {
        if (!(place >= 0 && place < static_cast<double>(rows.size())) || place != std::floor(place))
            refuse("there is no such place");
        points.push_back(rows[static_cast<std::size_t>(place)]);
    }
    return points;
}

/// Sorts points, and the coordinates `at` with them.
void put_points(live::Act& act, const std::vector<Index>& points, const std::vector<double>& coordinates) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
    const std::size_t axes = points.empty() ? 0 : coordinates.size() / points.size();
    if (axes * points.size() != coordinates.size()) refuse("as many coordinates are wanted for every point");
    for (const std::size_t i : order) {
        act.points.push_back(points[i]);
        for (std::size_t c = 0; c < axes; ++c) act.places.push_back(static_cast<float>(coordinates[i * axes + c]));
    }
}

}  // namespace

void steer(live::Steering& steering, const json& asked, std::span<const Index> rows,
           const std::vector<std::uint8_t>& selected) {
    const json word = asked.value("act", json());
    const std::string what = word.is_string() ? word.get<std::string>() : "";
    if (what == "pause") return steering.pause();
    if (what == "resume") return steering.resume();
    if (what == "step") return steering.step();
    const auto verb = value_named<live::Verb>(what);
    if (!verb) refuse("a run cannot be steered so");
    live::Act act{.verb = *verb};
    if (act.verb == live::Verb::set) {
        const json option = asked.value("option", json()), value = asked.value("value", json());
        if (!option.is_string() || !value.is_number()) refuse("an option and its value are wanted");
        act.option = option.get<std::string>();
        act.value = value.get<double>();
    }
    if (act.verb == live::Verb::pin || act.verb == live::Verb::free || act.verb == live::Verb::nudge) {
        put_points(act, points_of(asked, rows, selected),
                   act.verb == live::Verb::pin ? numbers_of(asked, "at") : std::vector<double>{});
        if (act.verb == live::Verb::nudge)
            for (const double by : numbers_of(asked, "by")) act.places.push_back(static_cast<float>(by));
    }
    steering.act(std::move(act));
}

json steering_state(const live::Steering& steering) {
    const live::Steering::Now now = steering.now();
    json fields = json::array();
    for (const live::SteerableField& field : now.fields) {
        json one{{"name", field.name}, {"help", field.help}, {"value", field.value}};
        if (std::isfinite(field.range.least)) one["least"] = field.range.least;
        if (std::isfinite(field.range.most)) one["most"] = field.range.most;
        fields.push_back(std::move(one));
    }
    return {{"open", now.is_open},        {"paused", now.is_paused}, {"resting", now.is_resting},
            {"iteration", now.iteration}, {"dim", now.dim},          {"acts", now.acts},
            {"fields", std::move(fields)}};
}

}  // namespace dunlin::serve
