// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>

/// Validation of an options struct by its list `fields`: ranges, and options that the chosen method does not read.
/// Every method validates its options; callers may do so before a long run.
namespace dunlin::options {

/// Throws Error{bad_input}: "theta is -1; it must be at least 0".
[[noreturn]] DUNLIN_API void fail_range(std::string_view name, const std::string& value, const std::string& range);
/// Throws Error{bad_input}: "theta is 0.5, but it is read only with repulsion tree, and repulsion is grid; ..".
[[noreturn]] DUNLIN_API void fail_unread(std::string_view name, const std::string& value, const Condition& condition);

/// The member of `other` that corresponds to field.value in `options`.
template <class T, class Options>
const T& same_member(const Field<T>& field, const Options& options, const Options& other) {
    const auto place = reinterpret_cast<const std::byte*>(&field.value) - reinterpret_cast<const std::byte*>(&options);
    return *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(&other) + place);
}

template <class T>
void check_range(const Field<T>& field) {
    if constexpr (is_optional<T>) {
        if (!field.value) return;
    }
    if constexpr (is_number<ValueOf<T>>) {
        ValueOf<T> value{};
        if constexpr (is_optional<T>) {
            value = *field.value;
        } else {
            value = field.value;
        }
        if (!field.range.contains(static_cast<double>(value)))
            fail_range(field.name, text_of(value), text_of(field.range));
    }
}

/// Throws Error{bad_input} for a number outside its range, and for an option that differs from its default although the
/// chosen method does not read it.
template <class Options>
void check(Options options) {
    const Options constructed;
    fields(
        [&]<class T>(const Field<T>& field) {
            const bool given = field.value != same_member(field, options, constructed);
            check_range(field);
            for (const Condition& condition : field.conditions) {
                if (given && !condition.holds) fail_unread(field.name, text_of(field.value), condition);
            }
        },
        options);
}

}  // namespace dunlin::options
