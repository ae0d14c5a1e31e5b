// SPDX-License-Identifier: Apache-2.0
#include "browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX does not declare it

namespace dunlin::app {

Redirect::Redirect(const std::string& address) {
    std::error_code none;  // without a folder of temporary files the address itself is opened
    path_ = (std::filesystem::temp_directory_path(none) / "dunlin-XXXXXX.html").string();
    if (none) return;
    const int file = mkstemps(path_.data(), 5);
    if (file < 0) return;
    const std::string page = fmt::format(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={0}\">\n"
        "<a href=\"{0}\">the map</a>\n",
        address);
    made_ = ::write(file, page.data(), page.size()) == std::ssize(page);
    ::close(file);
}

Redirect::~Redirect() { ::unlink(path_.c_str()); }

void Redirect::open() const {
    if (!made_ || (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)) return;
    std::string program = "xdg-open", path = path_;
    char* arguments[] = {program.data(), path.data(), nullptr};
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    // Not waited for: it may last as long as the browser, which waits for this program's server
    pid_t process = 0;
    posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
}

}  // namespace dunlin::app
