// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include <dunlin/options.hpp>
#include <dunlin/single_precision.hpp>

/// Generates flags with help, and the JSON of reports, from the `fields` of an options struct.
namespace dunlin::app {

/// Files given to flags that take a name or a file, by option.
using Files = std::map<std::string, std::filesystem::path>;

inline std::string listed(const auto& all) {
    std::string text;
    for (const auto name : all) text += (text.empty() ? "" : "|") + std::string(name);
    return text;
}

/// Validator of the values of a flag, without a list in its description: the help has one already.
inline auto one_of(auto all) { return CLI::IsMember(std::vector<std::string>(all.begin(), all.end())).description(""); }

/// "eades, annealing: charge of a vertex (default: 1)"; CLI11 adds plain defaults itself.
template <class T>
std::string help_of(const Field<T>& field) {
    const FieldText text = described(field);
    std::string help = text.readers.empty() ? text.help : text.readers + ": " + text.help;
    const bool is_plain = field.rule.empty() && !is_optional<T> && !std::is_same_v<T, bool>;
    if (is_plain || text.fallback.empty()) return help;
    if constexpr (std::is_same_v<T, bool>) return field.value ? help + " (default: on)" : help;
    return fmt::format("{} (default: {})", help, text.fallback);
}

/// Validator of the range of a number of type T.
template <class T>
CLI::Validator within(const Range& range) {
    return {[range](const std::string& text) {
                double number = 0;
                if (!CLI::detail::lexical_cast(text, number)) return std::string();
                const bool is_word = text.find_first_of("0123456789") == std::string::npos;  // inf
                const std::string limit = is_word ? "" : limit_of_precision<T>(number, range);
                if (limit.empty() && range.contains(number)) return std::string();
                const std::string values = limit.empty() ? text_of(range) : limit;
                return fmt::format("it is {} and must be {}", text, values.empty() ? "finite" : values);
            },
            ""};
}

template <class T>
CLI::Option* add_enum_flag(CLI::App& app, const std::string& flag, const Field<T>& field, Files* files) {
    using E = ValueOf<T>;
    const auto take = [&value = field.value, name = std::string(field.name), files](const std::string& word) {
        if (files != nullptr) files->erase(name);
        const std::optional<E> found = value_named<E>(word);
        if (!found) {
            (*files)[name] = word;
        } else if constexpr (is_optional<T>) {
            value = found;
        } else {
            value = *found;
        }
    };
    CLI::Option* option = app.add_option_function<std::string>(flag, take, help_of(field));
    if (files == nullptr) option->check(one_of(names(E{})));
    if constexpr (!is_optional<T>) option->default_str(std::string(name_of(field.value)));
    return option->type_name(values_of(field));
}

/// --name, or --name and --no-name if the default is true.
template <class T>
CLI::Option* add_bool_flag(CLI::App& app, const std::string& flag, const Field<T>& field) {
    const std::string both = field.value ? flag + ",!--no-" + flag.substr(2) : flag;
    return app.add_flag(both, field.value, help_of(field));
}

template <class T>
CLI::Option* add_flag(CLI::App& app, const Field<T>& field, Files* files = nullptr) {
    using Value = ValueOf<T>;
    // A name of one letter is also a short flag: -k is --k
    const std::string name(field.name), flag = (name.size() == 1 ? "-" + name + "," : "") + "--" + name;
    if constexpr (Nameable<Value>) {
        return add_enum_flag(app, flag, field, field.takes_file ? files : nullptr);
    } else if constexpr (std::is_same_v<T, bool>) {
        return add_bool_flag(app, flag, field);
    } else {
        CLI::Option* option = nullptr;
        if constexpr (is_optional<T>) {
            option = app.add_option_function<Value>(
                flag, [&value = field.value](const Value& given) { value = given; }, help_of(field));
        } else {
            option = app.add_option(flag, field.value, help_of(field));
            if (field.rule.empty()) option->capture_default_str();
        }
        if constexpr (is_number<Value>) option->check(within<Value>(field.range));
        return option;
    }
}

/// Adds one flag per field, except those in `but`, which the command adds itself. `files` receives the files of fields
/// that take a name or a file; it must outlive the flags.
template <class Options>
void add_flags(CLI::App& app, Options& options, std::initializer_list<std::string_view> but = {},
               Files* files = nullptr) {
    fields(
        [&](const auto& field) {
            if (std::find(but.begin(), but.end(), field.name) == but.end()) add_flag(app, field, files);
        },
        options);
}

template <class T>
nlohmann::ordered_json json_of(const T& value) {
    if constexpr (is_optional<T>) {
        return json_of(*value);
    } else if constexpr (Nameable<T>) {
        return std::string(name_of(value));
    } else if constexpr (std::is_same_v<T, float>) {
        return std::stod(text_of(value));  // 0.8, not the 0.800000011920929 that a float 0.8 is in double
    } else {
        return value;
    }
}

/// The options that were read and have a value; for an option given as a file, its path.
template <class Options>
nlohmann::ordered_json fields_as_json(Options options, const Files& files = {}) {
    auto json = nlohmann::ordered_json::object();
    fields(
        [&]<class T>(const Field<T>& field) {
            const std::string name(field.name);
            if (files.contains(name)) {
                json[name] = files.at(name).string();
                return;
            }
            const std::string text = text_of(field.value);
            const bool is_open = (is_optional<T> && text.empty()) || (Nameable<ValueOf<T>> && text == "auto");
            if (field.is_read() && !is_open) json[name] = json_of(field.value);
        },
        options);
    return json;
}

}  // namespace dunlin::app
