#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include <dunlin/options.hpp>

/// From the one list of an options struct, its `fields`, to flags with help and to the report's JSON.
namespace dunlin::app {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

inline std::string listed(auto all) {
    std::string text;
    for (const auto name : all) text += (text.empty() ? "" : "|") + std::string(name);
    return text;
}

/// The words that a flag takes: listed in the help once, and in the error.
inline auto one_of(auto all) { return CLI::IsMember(std::vector<std::string>(all.begin(), all.end())).description(""); }

template <Nameable E>
void add_flag(CLI::App& app, const std::string& flag, E& member, const std::string& help) {
    const auto all = names(E{});
    app.add_option_function<std::string>(
           flag, [&member](const std::string& name) { member = *value_named<E>(name); }, help)
        ->check(one_of(all))
        ->type_name(listed(all))
        ->default_str(std::string(name_of(member)));
}

template <class T>
void add_flag(CLI::App& app, const std::string& flag, std::optional<T>& member, const std::string& help) {
    auto* option = app.add_option_function<T>(flag, [&member](const T& value) { member = value; }, help);
    if (member) option->default_str(fmt::format("{}", *member));
}

template <Nameable E>
void add_flag(CLI::App& app, const std::string& flag, std::optional<E>& member, const std::string& help) {
    const auto all = names(E{});
    app.add_option_function<std::string>(
           flag, [&member](const std::string& name) { member = value_named<E>(name); }, help)
        ->check(one_of(all))
        ->type_name(listed(all));
}

/// --name, or --no-name where the member holds already.
inline void add_flag(CLI::App& app, const std::string& flag, bool& member, const std::string& help) {
    if (!member) {
        app.add_flag(flag, member, help);
    } else {
        const std::string no = "--no-" + flag.substr(2);
        app.add_flag(flag + ",!" + no, member, help + " (default: on)");
    }
}

template <class T>
    requires std::is_arithmetic_v<T> || std::is_same_v<T, std::string>
void add_flag(CLI::App& app, const std::string& flag, T& member, const std::string& help) {
    app.add_option(flag, member, help)->capture_default_str();
}

/// One flag per field, but for those in `but`, which the command reads in its own way.
template <class Options>
void add_flags(CLI::App& app, Options& options, std::initializer_list<std::string_view> but = {}) {
    fields(
        [&](std::string_view name, auto& member, std::string_view help) {
            if (std::find(but.begin(), but.end(), name) != but.end()) return;
            add_flag(app, "--" + std::string(name), member, std::string(help));
        },
        options);
}

template <class T>
nlohmann::ordered_json json_of(const T& value) {
    if constexpr (IsOptional<T>::value) {
        return value ? json_of(*value) : nlohmann::ordered_json(nullptr);
    } else if constexpr (Nameable<T>) {
        return std::string(name_of(value));
    } else if constexpr (std::is_same_v<T, float>) {
        return std::stod(fmt::format("{}", value));  // 0.8, not the 0.800000011920929 that a float 0.8 is in double
    } else {
        return value;
    }
}

template <class Options>
nlohmann::ordered_json fields_as_json(Options options) {
    auto json = nlohmann::ordered_json::object();
    fields([&](std::string_view name, auto& member, std::string_view) { json[std::string(name)] = json_of(member); },
           options);
    return json;
}

}  // namespace dunlin::app
