// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>
#include <dunlin/json_depth.hpp>

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

/// A member of an act.
const Json& member(const Json& json, const char* name) {
    if (!json.is_object() || !json.contains(name)) throw Error(Fault::bad_file, fmt::format("it has no {}", name));
    return json[name];
}

double number_of(const Json& json, const char* name) {
    if (!json.is_number()) throw Error(Fault::bad_file, fmt::format("{} is {}; a number is wanted", name, json.dump()));
    return json.get<double>();
}

std::string text_of(const Json& json, const char* name) {
    if (!json.is_string()) throw Error(Fault::bad_file, fmt::format("{} is {}; a text is wanted", name, json.dump()));
    return json.get<std::string>();
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
    const std::string verb = text_of(member(json, "act"), "act");
    const auto known = value_named<live::Verb>(verb);
    if (!known) throw Error(Fault::bad_file, fmt::format("'{}' is no act", verb));
    live::Act act{.pass = count_of<Index>(member(json, "pass"), "pass"),
                  .iteration = count_of<Offset>(member(json, "iteration"), "iteration"),
                  .verb = *known};
    if (*known == live::Verb::set) {
        act.option = text_of(member(json, "option"), "option");
        act.value = number_of(member(json, "value"), "value");
    }
    const char* const places = *known == live::Verb::nudge ? "by" : "places";
    act.points = list_of(json, "points", [](const Json& point) { return count_of<Index>(point, "a point"); });
    act.places = list_of(
        json, places, [](const Json& coordinate) { return static_cast<float>(number_of(coordinate, "a coordinate")); });
    for (const auto& [name, value] : json.items()) {
        const bool is_of_set = *known == live::Verb::set && (name == "option" || name == "value");
        const bool is_read =
            name == "pass" || name == "iteration" || name == "act" || name == "points" || name == places;
        if (!is_read && !is_of_set) throw Error(Fault::bad_file, fmt::format("{} has no {}", verb, name));
    }
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

std::vector<live::Act> read_acts(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) throw Error(Fault::bad_file, fmt::format("--steer: cannot open '{}'", path.string()));
    return read_acts(file, path.string());
}

std::vector<live::Act> read_acts(std::istream& file, const std::string& name) {
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Json log = nests_too_deeply(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
    if (log.is_discarded())
        throw Error(
            Fault::bad_file,
            fmt::format("--steer: {} is no JSON, or not whole; give the log or the report of a steered run", name));
    if (!log.is_object() || !log.contains("steering") || !log["steering"].is_array())
        throw Error(
            Fault::bad_file,
            fmt::format("--steer: {} has no list \"steering\"; give the log or the report of a steered run", name));
    std::vector<live::Act> acts;
    for (const Json& json : log["steering"]) {
        try {
            acts.push_back(act_of(json));
        } catch (const std::exception& error) {
            throw Error(Fault::bad_file, fmt::format("--steer: {}, act {}: {}", name, acts.size(), error.what()));
        }
    }
    return acts;
}

}  // namespace dunlin::app
