// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>

namespace dunlin::app {

namespace {

using Json = nlohmann::ordered_json;

/// A whole number from 0 that the type can hold.
template <class T>
T count_of(const Json& json, const char* name) {
    const bool fits = json.is_number_unsigned() &&
                      json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (!fits)
        throw Error(Fault::bad_file, fmt::format("{} is {}; whole numbers from 0 are wanted", name, json.dump()));
    return json.get<T>();
}

/// A list that may be absent; of(number) reads one.
template <class Of>
auto list_of(const Json& json, const char* name, const Of& of) {
    std::vector<decltype(of(json))> values;
    if (!json.contains(name)) return values;
    if (!json[name].is_array()) throw Error(Fault::bad_file, fmt::format("{} is no list", name));
    for (const Json& value : json[name]) values.push_back(of(value));
    return values;
}

live::Act act_of(const Json& json) {
    const std::string verb = json.at("act").get<std::string>();
    const auto known = value_named<live::Verb>(verb);
    if (!known) throw Error(Fault::bad_file, fmt::format("'{}' is no act", verb));
    live::Act act{.pass = count_of<Index>(json.at("pass"), "pass"),
                  .iteration = count_of<Offset>(json.at("iteration"), "iteration"),
                  .verb = *known};
    if (*known == live::Verb::set) {
        act.option = json.at("option").get<std::string>();
        act.value = json.at("value").get<double>();
    }
    act.points = list_of(json, "points", [](const Json& point) { return count_of<Index>(point, "a point"); });
    act.places = list_of(json, *known == live::Verb::nudge ? "by" : "places",
                         [](const Json& coordinate) { return coordinate.get<float>(); });
    return act;
}

}  // namespace

Json acts_as_json(const std::vector<live::Act>& acts) {
    Json list = Json::array();
    for (const live::Act& act : acts) {
        Json json{{"pass", act.pass}, {"iteration", act.iteration}, {"act", std::string(name_of(act.verb))}};
        if (act.verb == live::Verb::set) json.update({{"option", act.option}, {"value", act.value}});
        if (!act.points.empty()) json["points"] = act.points;
        if (!act.places.empty()) json[act.verb == live::Verb::nudge ? "by" : "places"] = act.places;
        list.push_back(std::move(json));
    }
    return list;
}

std::vector<live::Act> read_acts(const fs::path& path) {
    std::ifstream file(path);
    if (!file) throw Error(Fault::bad_file, fmt::format("--steer: cannot open '{}'", path.string()));
    const Json log = Json::parse(file, nullptr, false);
    if (!log.is_object() || !log.contains("steering") || !log["steering"].is_array())
        throw Error(Fault::bad_file,
                    fmt::format("--steer: {} has no list \"steering\"; give the log or the report of a steered run",
                                path.string()));
    std::vector<live::Act> acts;
    for (const Json& json : log["steering"]) {
        try {
            acts.push_back(act_of(json));
        } catch (const std::exception& error) {
            throw Error(Fault::bad_file,
                        fmt::format("--steer: {}, act {}: {}", path.string(), acts.size(), error.what()));
        }
    }
    return acts;
}

}  // namespace dunlin::app
