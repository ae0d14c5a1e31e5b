// SPDX-License-Identifier: Apache-2.0
#include "io/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

using std::chrono::milliseconds;

/// Both ends of a pipe that child processes do not inherit.
std::array<int, 2> pipe_or_throw() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) bad_file("cannot make a pipe: {}", std::strerror(errno));
    return ends;
}

void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
}

/// Blocks SIGPIPE, so that a write to a closed pipe returns an error.
class WithoutBrokenPipe {
public:
    WithoutBrokenPipe() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutBrokenPipe() {
        const timespec no_time{};
        if (sigismember(&before_, SIGPIPE) == 0) {
            while (sigtimedwait(&pipe_, nullptr, &no_time) > 0) continue;
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
    WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

private:
    sigset_t pipe_{}, before_{};
};

/// Starts `sh -c command` with these descriptors as standard input and output, in a process group of its own, with
/// default signal handling.
int spawn(const std::string& command, int input, int output, pid_t& id) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::string shell = "sh", option = "-c", text = command;
    std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
    const int fault = ::posix_spawn(&id, "/bin/sh", &files, &how, words.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return fault;
}

}  // namespace

Process::Process(const std::string& command) {
    std::array<int, 2> to = pipe_or_throw(), from = pipe_or_throw();
    const int fault = spawn(command, to[0], from[1], id_);
    close_end(to[0]);
    close_end(from[1]);
    to_ = to[1];
    from_ = from[0];
    if (fault != 0) {
        close_end(to_);
        close_end(from_);
        bad_file("cannot start '{}': {}", command, std::strerror(fault));
    }
    for (const int end : {to_, from_}) ::fcntl(end, F_SETFL, O_NONBLOCK);
}

Process::~Process() { end(false); }

std::string Process::exchange(std::string_view& input, milliseconds most) {
    const bool has_input = to_ >= 0 && !input.empty();
    std::array<pollfd, 2> ends{pollfd{from_, POLLIN, 0}, pollfd{has_input ? to_ : -1, POLLOUT, 0}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(most.count())) <= 0) return "";
    if (ends[1].revents != 0) write_some(input);
    return ends[0].revents != 0 ? read_some() : "";
}

void Process::write_some(std::string_view& input) {
    const WithoutBrokenPipe quiet;
    const ssize_t written = ::write(to_, input.data(), input.size());
    if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) close_end(to_);
}

std::string Process::read_some() {
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(from_, bytes.data(), bytes.size());
    if (got > 0) return {bytes.data(), static_cast<std::size_t>(got)};
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) close_end(from_);
    return "";
}

bool Process::has_ended_within(milliseconds most) {
    constexpr milliseconds nap{5};
    for (milliseconds waited{0}; id_ > 0; waited += nap) {
        if (::waitpid(id_, &status_, WNOHANG) != 0) id_ = -1;
        if (id_ < 0 || waited >= most) break;
        std::this_thread::sleep_for(nap);
    }
    return id_ < 0;
}

void Process::end(bool at_once) {
    constexpr milliseconds grace{1000};
    close_end(to_);
    close_end(from_);
    const pid_t group = id_;
    if (group < 0) return;
    if (!at_once && has_ended_within(grace)) return;
    ::kill(-group, SIGTERM);
    has_ended_within(grace);
    ::kill(-group, SIGKILL);
    while (id_ > 0 && !has_ended_within(grace)) continue;
}

std::string Process::ending() const {
    if (WIFSIGNALED(status_)) return fmt::format("signal {}", WTERMSIG(status_));
    return fmt::format("exit status {}", WEXITSTATUS(status_));
}

}  // namespace dunlin::io
