// SPDX-License-Identifier: Apache-2.0
#include "fixed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include <dunlin/error.hpp>

namespace dunlin::app {

namespace {

/// A flag and its file.
struct Named {
    std::string_view flag;
    const fs::path& path;
};

[[noreturn]] void refuse(const Named& named, const std::string& why) {
    throw Error(Fault::bad_file, fmt::format("{} {}: {}", named.flag, named.path.string(), why));
}

/// The item of each point of the map.
std::vector<Index> items_of(const io::MapFile& some, const Named& named, const std::vector<std::string>& ids) {
    std::vector<Index> items;
    if (some.ids.empty()) {
        for (Index k = 0; k < some.map.size(); ++k) items.push_back(k);
        return items;
    }
    if (ids.empty()) refuse(named, "it has ids and the input has none; name the input's column with --ids");
    std::unordered_map<std::string, Index> item_of;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!item_of.emplace(ids[i], static_cast<Index>(i)).second)
            refuse(named, fmt::format("the input has '{}' twice, so that its ids are not unique", ids[i]));
    }
    for (const std::string& id : some.ids) {
        const auto found = item_of.find(id);
        if (found == item_of.end()) refuse(named, fmt::format("'{}' is not among the input's ids; take it out", id));
        items.push_back(found->second);
    }
    return items;
}

}  // namespace

Map map_by_ids(std::string_view flag, const io::MapFile& some, const fs::path& path,
               const std::vector<std::string>& ids, Index count) {
    const Named named{flag, path};
    const int dim = some.map.dim;
    Map all{dim,
            std::vector<float>(static_cast<std::size_t>(Offset{count} * dim), std::numeric_limits<float>::quiet_NaN())};
    const std::vector<Index> items = items_of(some, named, ids);
    if (some.ids.empty() && some.map.size() > count) {
        refuse(named, fmt::format("it has {} points and the input has {}", some.map.size(), count));
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
        float* place = all.coordinates.data() + Offset{items[k]} * dim;
        if (!std::isnan(*place)) refuse(named, fmt::format("it has '{}' twice", some.ids[k]));
        std::copy_n(some.map.coordinates.data() + static_cast<Offset>(k) * dim, dim, place);
    }
    return all;
}

}  // namespace dunlin::app
