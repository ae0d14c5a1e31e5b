#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

/// Options are plain structs. Each has one function `fields(visit, options)` that lists its members once:
///     visit("name-of-the-flag", options.member, "what it means, its unit and its default rule");
/// Flags, help, the report and checks all come from that list. A member is a number, a bool, a std::string, an enum
/// with a `names(Enum)` beside it, or a std::optional of one of these, whose absence means "by rule".
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

}  // namespace dunlin
