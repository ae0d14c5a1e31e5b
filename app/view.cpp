// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include <dunlin/page.hpp>

#include "commands.hpp"
#include "drawn_map.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#ifdef DUNLIN_VIEWER
#include "serve/server.hpp"
#endif

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX does not declare it

namespace dunlin::app {

namespace {

struct ViewCommand {
    DrawnMapFiles files;
    CommonOptions common;
    picture::Options picture;
    std::string color = "labels";
    fs::path points, selection;
    neighbors::Metric metric = neighbors::Metric::euclidean;
    int port = 0;
    bool no_open = false;
};

#ifdef DUNLIN_VIEWER

/// A page that leads to the address, readable by this user only: the token is in no list of processes.
class Redirect {
public:
    explicit Redirect(const std::string& address) : path_((fs::temp_directory_path() / "dunlin-XXXXXX.html").string()) {
        const int file = mkstemps(path_.data(), 5);
        if (file < 0) return;
        const std::string page = fmt::format(
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
            "<a href=\"{0}\">the map</a>\n",
            address);
        made_ = ::write(file, page.data(), page.size()) == std::ssize(page);
        ::close(file);
    }
    ~Redirect() { ::unlink(path_.c_str()); }
    Redirect(const Redirect&) = delete;
    Redirect& operator=(const Redirect&) = delete;

    /// Opens it with the desktop's browser, if there is a desktop.
    void open() const {
        if (!made_ || (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)) return;
        std::string program = "xdg-open", path = path_;
        char* arguments[] = {program.data(), path.data(), nullptr};
        posix_spawn_file_actions_t actions{};
        posix_spawn_file_actions_init(&actions);
        for (const int output : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
        pid_t process = 0;
        if (posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments, environ) == 0)
            waitpid(process, nullptr, 0);
        posix_spawn_file_actions_destroy(&actions);
    }

private:
    std::string path_;
    bool made_ = false;
};

serve::Viewed viewed_of(ViewCommand& command) {
    const std::optional<ColorColumn> color = color_of(command.color, command.picture);
    DrawnMap drawn = read_drawn_map(command.files, command.common);
    const std::optional<picture::Coloring> coloring =
        color ? std::optional(coloring_of(*color, drawn.file)) : std::nullopt;
    if (command.picture.title.empty()) command.picture.title = title_of(command.files, drawn);
    serve::Viewed viewed;
    viewed.content = picture::page_content(drawn.file.map, drawn.graph, drawn.file.labels, drawn.file.ids,
                                           coloring ? &*coloring : nullptr, command.picture, command.common.run);
    if (command.common.run.stop.stop_requested()) throw Interrupted();
    if (!command.points.empty()) {
        io::Points points = read_input(command.points, command.common, command.metric);
        if (points.values.rows() != drawn.file.map.size())
            throw Error(Fault::bad_file,
                        fmt::format("{} has {} rows and the map {} points; give the points that the map was made from",
                                    command.points.string(), points.values.rows(), drawn.file.map.size()));
        viewed.points = std::move(points.values);
    }
    viewed.map = std::move(drawn.file.map);
    viewed.labels = std::move(drawn.file.labels);
    viewed.ids = std::move(drawn.file.ids);
    viewed.metric = command.metric;
    viewed.selection = command.selection;
    return viewed;
}

int view_map(ViewCommand& command) {
    command.common.run.stop = stop_on_interrupt();
    require_apart({command.files.map, command.files.graph, command.files.labels, command.points}, command.common,
                  {{"--select", command.selection}});
    const serve::Viewed viewed = viewed_of(command);
    std::optional<Redirect> redirect;
    serve::serve(viewed, command.port, command.common.run.stop, [&](const std::string& address) {
        fmt::print("{}\n", address);
        if (!command.common.quiet) fmt::print(stderr, "the map is at this address; Ctrl-C ends\n");
        std::fflush(stdout);
        if (command.no_open) return;
        redirect.emplace(address);
        redirect->open();
    });
    return done;
}

#else

int view_map(ViewCommand&) {
    throw Error(
        Fault::bad_input,
        "this dunlin was built without Boost.Beast, hence has no viewer; dunlin draw MAP -o FILE.html writes a page");
}

#endif

}  // namespace

void add_view(CLI::App& app, Action& action) {
    auto command = std::make_shared<ViewCommand>();
    CLI::App* sub = app.add_subcommand("view", "show a map in a browser");
    add_drawn_map_flags(*sub, command->files);
    sub->add_option("--of", command->points, "the points that the map was made from: neighbors in the data");
    add_flag(*sub, field("metric", command->metric, "distance between two of the points of --of"));
    sub->add_option("--port", command->port, "port on 127.0.0.1; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    sub->add_flag("--no-open", command->no_open, "only print the address, do not open a browser");
    sub->add_option("--select", command->selection, "file that the page may write selected points to")
        ->type_name("FILE");
    sub->add_flag("--quiet", command->common.quiet, "print only the address");
    add_flags(*sub, command->picture, {"color", "width", "height", "vertex-names"});
    add_color_flag(*sub, command->color);
    sub->callback([&action, command] { action = [command] { return view_map(*command); }; });
}

}  // namespace dunlin::app
