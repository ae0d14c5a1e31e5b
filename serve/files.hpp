// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <dunlin/page.hpp>

namespace dunlin::serve {

struct ServedFile {
    std::string type, content;
};

/// The file at a path. The page has no data: these come through the socket, which wants the token.
std::optional<ServedFile> served_file(const picture::PageFiles& files, std::string_view path);

}  // namespace dunlin::serve
