// SPDX-License-Identifier: Apache-2.0
#include <dunlin/formats.hpp>

#include <algorithm>
#include <sstream>

namespace dunlin::formats {

namespace {

bool lists(std::string_view extensions, std::string_view extension) {
    std::istringstream words{std::string(extensions)};
    for (std::string word; words >> word;) {
        if (word == extension) return true;
    }
    return false;
}

}  // namespace

bool is_graph_extension(std::string_view extension) {
    return std::any_of(known.begin(), known.end(), [extension](const Format& format) {
        return format.reads == graph && format.told != Told::by_content && lists(format.extensions, extension);
    });
}

std::string help_of(unsigned contents) {
    std::string text;
    for (const Format& format : known) {
        if ((format.reads & contents) == 0) continue;
        if (!text.empty()) text += ", ";
        text += format.extensions.empty() ? format.name : format.extensions;
    }
    return text;
}

}  // namespace dunlin::formats
