// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "file.hpp"
#include "io/fail.hpp"

/// Paths that links make: soft links are followed, those into other files are not, or any file could be read as points.
namespace dunlin::hdf5 {

namespace {

/// Puts the parts of a path before those that are there; the next one is the last.
void add_parts(std::string_view path, std::vector<std::string>& parts) {
    while (!path.empty()) {
        const std::size_t slash = path.rfind('/');
        const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
        if (const auto part = path.substr(begin); !part.empty() && part != ".") parts.emplace_back(part);
        path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    }
}

}  // namespace

Way way_to(hid_t file, const std::string& path) {
    constexpr int most_links = 64;  // more are a loop
    std::vector<std::string> parts;
    add_parts(path, parts);
    std::string at;
    for (int links = 0; !parts.empty();) {
        std::string next = at;
        next.append(1, '/').append(parts.back());
        parts.pop_back();
        H5L_info_t link;
        if (H5Lexists(file, next.c_str(), H5P_DEFAULT) <= 0 || H5Lget_info(file, next.c_str(), &link, H5P_DEFAULT) < 0)
            return {};
        if (link.type == H5L_TYPE_HARD) {
            at = std::move(next);
            continue;
        }
        if (link.type != H5L_TYPE_SOFT) return {.leaves = true};
        if (++links > most_links) return {};
        std::string target(link.u.val_size, '\0');
        if (target.empty() || H5Lget_val(file, next.c_str(), target.data(), target.size(), H5P_DEFAULT) < 0) return {};
        target.resize(std::min(target.size(), target.find('\0')));
        if (target.starts_with('/')) at.clear();
        add_parts(target, parts);
    }
    if (at.empty()) at.assign(1, '/');
    if (H5Oexists_by_name(file, at.c_str(), H5P_DEFAULT) <= 0) return {};
    return {at, false};
}

std::string path_within(const File& file, const std::string& path) {
    const Way way = way_to(file.handle.id(), path);
    if (way.leaves)
        io::bad_file("'{}': {} is a link into another file, which is not followed; copy into the file what it names",
                     file.name, path);
    return way.path;
}

bool has(hid_t file, const std::string& path) {
    const Way way = way_to(file, path);
    return way.leaves || !way.path.empty();
}

}  // namespace dunlin::hdf5
