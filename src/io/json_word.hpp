// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dunlin::io {

/// A word as JSON: quoted and escaped. Bytes that are not UTF-8 are replaced, as JSON cannot represent them.
inline std::string json_word(const std::string& word) {
    return nlohmann::json(word).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace dunlin::io
