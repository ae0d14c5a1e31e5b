// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/check.hpp>

/// Defaults that follow from an options list alone.
namespace dunlin::options {

/// Gives absent options their default where the list has one, and takes back what is not read: then the list says
/// which options counted.
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
