// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dunlin::app {

/// The text of a report or a log. Bytes of names of files that are not UTF-8, which JSON cannot have, become U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& json, int indent) {
    return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace dunlin::app
