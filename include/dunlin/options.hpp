// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Options are plain structs. Each has one function `fields(visit, options)` that lists its members:
///     visit(field("theta", o.theta, "largest cell side over distance").at_least(0).otherwise(0.5F));
/// Flags, help, range checks, "not read" errors, reports and the tables in docs/ follow from this list. A member is a
/// number, a bool, a std::string, an enum with a function `names(Enum)`, or a std::optional of one of these; nullopt
/// means the default.
namespace dunlin {

/// An enum is nameable when `names(E{})` lists its values' names in order.
template <class E>
concept Nameable = requires(E e) { names(e).size(); };

template <Nameable E>
constexpr std::string_view name_of(E value) {
    return names(value)[static_cast<std::size_t>(value)];
}

template <Nameable E>
constexpr std::optional<E> value_named(std::string_view name) {
    const auto all = names(E{});
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end()) return std::nullopt;
    return static_cast<E>(found - all.begin());
}

template <class T>
struct OptionalTraits {
    using Value = T;
    static constexpr bool is_optional = false;
};
template <class T>
struct OptionalTraits<std::optional<T>> {
    using Value = T;
    static constexpr bool is_optional = true;
};
/// T, or the T of a std::optional<T>.
template <class T>
using ValueOf = typename OptionalTraits<T>::Value;
template <class T>
constexpr bool is_optional = OptionalTraits<T>::is_optional;

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// A value as the text of a flag: the shortest digits that give the same number, the name of an enum value, on or off.
template <class T>
std::string text_of(const T& value) {
    if constexpr (is_optional<T>) {
        return value ? text_of(*value) : std::string();
    } else if constexpr (Nameable<T>) {
        return std::string(name_of(value));
    } else if constexpr (std::is_same_v<T, bool>) {
        return value ? "on" : "off";
    } else if constexpr (is_number<T>) {
        std::array<char, 64> digits{};
        return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
    } else {
        return std::string(value);
    }
}

/// A condition on other options and its text: "method: eades, annealing" or "no learning-rate is given".
struct Condition {
    std::string option;  ///< the option that decides; empty: `values` is a phrase
    std::string values;  ///< its values for which the condition holds
    std::string value;   ///< its current value
    bool holds = true;
};

/// Condition that the option `option`, whose value is `value`, has one of `values`.
template <Nameable E>
Condition when(std::string_view option, E value, std::initializer_list<E> values) {
    Condition condition{std::string(option), {}, std::string(name_of(value)), false};
    for (const E each : values) {
        condition.values += (condition.values.empty() ? "" : ", ") + std::string(name_of(each));
        condition.holds |= each == value;
    }
    return condition;
}
inline Condition when(std::string_view phrase, bool holds) { return {{}, std::string(phrase), {}, holds}; }

/// Range of a numeric option. Infinity and NaN are never allowed.
struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool least_excluded = false, most_excluded = false;

    [[nodiscard]] bool contains(double number) const {
        return std::isfinite(number) && (least_excluded ? number > least : number >= least) &&
               (most_excluded ? number < most : number <= most);
    }
};

/// One option: name, reference to its value, and description.
template <class T>
struct Field {
    using Value = ValueOf<T>;
    struct Default {
        Value value;
        Condition condition;
    };

    std::string_view name;
    T& value;
    std::string_view help;              ///< meaning and unit
    Range range = {};                   ///< range of a number
    std::vector<Condition> conditions;  ///< the option is read only if all hold
    std::vector<Default> defaults;      ///< defaults of an absent value: the last whose condition holds
    std::string_view rule = {};         ///< how the default follows from the data or other options, if it does
    bool takes_file = false;            ///< the flag also accepts the name of a file
    bool steerable = false;             ///< may change during a run

    Field&& at_least(double least) && { return range.least = least, std::move(*this); }
    Field&& at_most(double most) && { return range.most = most, std::move(*this); }
    Field&& above(double least) && { return range.least = least, range.least_excluded = true, std::move(*this); }
    Field&& below(double most) && { return range.most = most, range.most_excluded = true, std::move(*this); }
    Field&& read(Condition condition) && { return conditions.push_back(std::move(condition)), std::move(*this); }
    Field&& otherwise(Value number, Condition condition = {}) && {
        return defaults.push_back({number, std::move(condition)}), std::move(*this);
    }
    Field&& by_rule(std::string_view text) && { return rule = text, std::move(*this); }
    Field&& or_file() && { return takes_file = true, std::move(*this); }
    Field&& may_change() && { return steerable = true, std::move(*this); }

    /// True if the chosen method reads this option.
    [[nodiscard]] bool is_read() const {
        return std::all_of(conditions.begin(), conditions.end(), [](const Condition& c) { return c.holds; });
    }
};

template <class T>
Field<T> field(std::string_view name, T& value, std::string_view help) {
    return {.name = name, .value = value, .help = help, .conditions = {}, .defaults = {}};
}

/// Description of a field for help and docs.
struct FieldText {
    std::string name;
    std::string help;
    std::string values;    ///< "auto|exact|tree", "NUMBER", "above 0", "from 0 to 1"
    std::string fallback;  ///< the default: a value, "1.2 with method multilevel, else 0.9", a rule; empty: none
    std::string readers;   ///< "method eades, annealing"; empty: always read
};

inline std::string text_of(const Condition& condition) {
    return condition.option.empty() ? condition.values : condition.option + " " + condition.values;
}

inline std::string text_of(const Range& range) {
    const bool from = std::isfinite(range.least), to = std::isfinite(range.most);
    const std::string least = (range.least_excluded ? "above " : "at least ") + text_of(range.least);
    const std::string most = (range.most_excluded ? "below " : "at most ") + text_of(range.most);
    if (from && to && !range.least_excluded && !range.most_excluded)
        return "from " + text_of(range.least) + " to " + text_of(range.most);
    return from && to ? least + " and " + most : from ? least : to ? most : "";
}

template <class T>
std::string values_of(const Field<T>& field) {
    using Value = ValueOf<T>;
    std::string text;
    if constexpr (Nameable<Value>) {
        for (const std::string_view name : names(Value{})) text += (text.empty() ? "" : "|") + std::string(name);
    } else if constexpr (is_number<Value>) {
        text = text_of(field.range);
    }
    return field.takes_file ? text + (text.empty() ? "FILE" : "|FILE") : text;
}

/// `field` must refer to a default-constructed options struct.
template <class T>
std::string default_of(const Field<T>& field) {
    if (!field.rule.empty()) return std::string(field.rule);
    if constexpr (!is_optional<T>) return text_of(field.value);
    std::string text, last;
    for (const auto& [value, condition] : field.defaults) {
        const std::string words = text_of(condition);
        if (words.empty()) {
            last = text_of(value);
        } else {
            text += text_of(value) + " with " + words + ", ";
        }
    }
    return text.empty() ? last : last.empty() ? text.substr(0, text.size() - 2) : text + "else " + last;
}

template <class T>
FieldText described(const Field<T>& field) {
    FieldText text{std::string(field.name), std::string(field.help), values_of(field), default_of(field), {}};
    for (const Condition& condition : field.conditions) {
        text.readers += (text.readers.empty() ? "" : "; ") + text_of(condition);
    }
    return text;
}

/// Descriptions of all fields of an options struct.
template <class Options>
std::vector<FieldText> described_fields() {
    std::vector<FieldText> all;
    Options options;
    fields([&](const auto& field) { all.push_back(described(field)); }, options);
    return all;
}

}  // namespace dunlin
