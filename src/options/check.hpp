// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/check.hpp>

/// Defaults that follow from the list `fields` alone.
namespace dunlin::options {

/// Sets absent options to their default if `fields` has one, and resets options that are not read, so that the struct
/// holds the values that were used.
template <class Options>
void settle(Options& options) {
    const Options constructed;
    fields(
        [&]<class T>(const Field<T>& field) {
            if (!field.is_read()) {
                field.value = same_member(field, options, constructed);
                return;
            }
            if constexpr (is_optional<T>) {
                if (field.value) return;
                for (const auto& [value, condition] : field.defaults) {
                    if (condition.holds && (!field.value || !text_of(condition).empty())) field.value = value;
                }
            }
        },
        options);
}

}  // namespace dunlin::options
