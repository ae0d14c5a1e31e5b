#include <fmt/format.h>

#include <new>

#include "commands.hpp"
#include "exit_code.hpp"
#include "report.hpp"

namespace dunlin::app {
namespace {

int complain(const std::string& sentence, int code) {
    fmt::print(stderr, "dunlin: {}\n", sentence);
    return code;
}

int run(int argc, char** argv) {
    CLI::App app("Dunlin turns points into maps, with a picture and an honest score.", "dunlin");
    app.set_version_flag("--version", std::string("dunlin ") + version);
    app.require_subcommand(1);
    Action action;
    add_map(app, action);
    add_tsne(app, action);
    add_neighbors(app, action);
    add_score(app, action);
    add_draw(app, action);
    add_info(app, action);
    add_absent(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& fault) {
        return complain(fault.what() + std::string("; see dunlin --help"), 2);
    }
    return action();
}

}  // namespace
}  // namespace dunlin::app

int main(int argc, char** argv) {
    using namespace dunlin;
    try {
        return app::run(argc, argv);
    } catch (const Error& error) {
        return app::complain(error.what(), app::exit_code(error.fault()));
    } catch (const std::bad_alloc&) {
        return app::complain("out of memory; use fewer points or neighbours, or a larger machine", 5);
    } catch (const std::exception& error) {
        return app::complain(std::string("unexpected: ") + error.what(), 1);
    }
}
