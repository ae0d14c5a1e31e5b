// SPDX-License-Identifier: Apache-2.0
#include "../../app/acts.cpp"  // NOLINT(bugprone-suspicious-include): of the command, not of the library

#include <algorithm>
#include <sstream>

namespace dunlin::fuzz {
void check(const std::vector<live::Act>& acts);  // before run(), which calls it
}

#include "fuzz.hpp"

using namespace dunlin;

namespace dunlin::fuzz {

/// Acts that are written are those that were read.
void check(const std::vector<live::Act>& acts) {
    for (const live::Act& act : acts) {
        require(act.pass >= 0 && act.iteration >= 0);
        for (const Index point : act.points) require(point >= 0);
        if (!std::ranges::all_of(act.places, [](float place) { return std::isfinite(place); })) return;
    }
    std::istringstream again(app::Json{{"steering", app::acts_as_json(acts)}}.dump());
    require(app::read_acts(again, "again") == acts);
}

}  // namespace dunlin::fuzz

/// Logs of steered runs.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::run([&] {
        std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
        return app::read_acts(file, "log.json");
    });
}
