// SPDX-License-Identifier: Apache-2.0
#include "acts.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>

namespace dunlin::app {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::vector<T> numbers_of(const Json& json, const char* name) {
    std::vector<T> numbers;
    for (const Json& number : json.value(name, Json::array())) numbers.push_back(number.get<T>());
    return numbers;
}

live::Act act_of(const Json& json) {
    const std::string verb = json.at("act").get<std::string>();
    const auto known = value_named<live::Verb>(verb);
    if (!known) throw Error(Fault::bad_file, fmt::format("'{}' is no act", verb));
    live::Act act{
        .pass = json.at("pass").get<Index>(), .iteration = json.at("iteration").get<Offset>(), .verb = *known};
    if (*known == live::Verb::set) {
        act.option = json.at("option").get<std::string>();
        act.value = json.at("value").get<double>();
    }
    act.points = numbers_of<Index>(json, "points");
    act.places = numbers_of<float>(json, *known == live::Verb::nudge ? "by" : "places");
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
