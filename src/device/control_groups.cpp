// SPDX-License-Identifier: Apache-2.0
#include "device/control_groups.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace dunlin::device {

namespace {

namespace fs = std::filesystem;

/// Over a group and its ancestors. In a container the path may be that of the host; its folders do not exist then, and
/// only `top`, the container's own group, counts.
double least_upwards(const fs::path& top, fs::path group, GroupLimit limit) {
    double least = limit(top);
    for (group = group.relative_path(); !group.empty(); group = group.parent_path())
        least = std::min(least, limit(top / group));
    return least;
}

bool lists(const std::string& controllers, std::string_view controller) {
    std::istringstream list(controllers);
    for (std::string one; std::getline(list, one, ',');) {
        if (one == controller) return true;
    }
    return false;
}

}  // namespace

double least_group_limit(const fs::path& root, std::string_view controller, GroupLimit version_1,
                         GroupLimit version_2) {
    const fs::path groups = root / "sys/fs/cgroup";
    double least = no_limit;
    // Lines "ID:CONTROLLERS:PATH"; version 2 has the only line without controllers
    std::ifstream memberships(root / "proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty()) least = std::min(least, least_upwards(groups, path, version_2));
        if (!lists(controllers, controller)) continue;
        for (const std::string& folder : {controllers, std::string(controller)})
            least = std::min(least, least_upwards(groups / folder, path, version_1));
    }
    return least;
}

}  // namespace dunlin::device
