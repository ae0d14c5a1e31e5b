#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "commands.hpp"

namespace dunlin::app {

/// The families that are planned and not built: their names answer, and say so.
void add_absent(CLI::App& app, Action& action) {
    for (const std::string name : {"mds"}) {
        CLI::App* sub = app.add_subcommand(name, "not in this version");
        sub->allow_extras();
        sub->callback([&action, name] {
            action = [name]() -> int {
                throw Error(Fault::bad_input, fmt::format("{} is not in version 0.1; dunlin tsne maps points, dunlin layout graphs", name));
            };
        });
    }
}

}  // namespace dunlin::app
