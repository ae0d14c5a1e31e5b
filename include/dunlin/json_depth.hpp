// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin {

/// Whether the lists and objects of a JSON text nest deeper than any that is read here: code over its values recurses,
/// and the stack would end.
inline bool nests_too_deeply(std::string_view json) {
    constexpr int most = 64;
    int depth = 0;
    bool in_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_text) {
            if (c == '\\') ++i;
            in_text = c != '"';
        } else if (c == '"') {
            in_text = true;
        } else if (c == '[' || c == '{') {
            if (++depth > most) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace dunlin
