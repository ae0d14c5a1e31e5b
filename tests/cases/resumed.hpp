// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <dunlin/run.hpp>

#include "cases/result_bytes.hpp"
#include "folder.hpp"

/// Runs that are stopped or killed and resumed have the bytes of a run that is not.
namespace dunlin::cases {

/// Calls seen(version) from a thread of its own for the files that take the place of a file, as far as it sees them.
class FileWatcher {
public:
    FileWatcher(std::filesystem::path file, std::function<void(int)> seen)
        : thread_([file = std::move(file), seen = std::move(seen)](const std::stop_token& stop) {
              ino_t last = 0;
              for (int version = 0; !stop.stop_requested();) {
                  struct stat status{};
                  if (::stat(file.c_str(), &status) == 0 && status.st_ino != last) {
                      last = status.st_ino;
                      seen(++version);
                  } else {
                      std::this_thread::sleep_for(std::chrono::microseconds(20));
                  }
              }
          }) {}

private:
    std::jthread thread_;
};

class Resumed : public InFolder {
protected:
    using Run = dunlin::Run;  // which testing::Test::Run would hide

    /// Thousands of files are flushed: to a folder in memory where there is one.
    Resumed() {
        const std::filesystem::path in_memory = "/dev/shm";
        std::error_code absent;
        const std::filesystem::path folder = in_memory / folder_.filename();
        if (!std::filesystem::create_directory(folder, absent)) return;
        std::filesystem::remove_all(folder_);
        folder_ = folder;
    }

    /// make(run) returns the bytes of a result. The run is stopped, at moments that the threads' timing decides, and
    /// resumed with other numbers of threads; then it is resumed when it has finished, and from the files that a killed
    /// run leaves.
    template <class Make>
    void expect_resumed(const Make& make, const Run& plain = {}) const {
        const std::vector<std::byte> wanted = make(plain);
        ASSERT_FALSE(wanted.empty());
        expect_stopped(make, plain, wanted);
        expect_killed(make, plain, wanted);
    }

    template <class Make>
    void expect_stopped(const Make& make, const Run& plain, const std::vector<std::byte>& wanted) const {
        Run run = fresh("stopped.ckpt", plain);
        for (const int versions : {1, 2, 5}) {
            std::stop_source source;
            Run stopped = run;
            stopped.stop = source.get_token();
            stopped.threads = versions % 3 + 1;
            {
                const FileWatcher watcher(run.checkpoint, [&](int version) {
                    if (version == versions) source.request_stop();
                });
                make(stopped);
            }
            run.resume = true;
        }
        for (const char* again : {"stopped and resumed", "finished and resumed"})
            EXPECT_TRUE(make(run) == wanted) << again;
    }

    /// A run that is killed leaves the file of its last write: copies that are made while it runs.
    template <class Make>
    void expect_killed(const Make& make, const Run& plain, const std::vector<std::byte>& wanted) const {
        namespace fs = std::filesystem;
        const Run run = fresh("written.ckpt", plain);
        int copies = 0;
        {
            const FileWatcher watcher(run.checkpoint, [&](int version) {
                // One descriptor: copy_file takes size and content of what may be two files
                std::ifstream now(run.checkpoint, std::ios::binary);
                if (copies < 200 && now && std::ofstream(copy(copies), std::ios::binary) << now.rdbuf()) ++copies;
                (void)version;
            });
            EXPECT_TRUE(make(run) == wanted) << "writing after each iteration";
        }
        // A short run may end before a copy is made; the file of its last write is there
        if (copies == 0) {
            fs::copy_file(run.checkpoint, copy(0));
            copies = 1;
        }
        for (int c = 0; c < copies; c += std::max(1, copies / 4)) {
            Run resumed = fresh("resumed.ckpt", plain);
            fs::rename(copy(c), resumed.checkpoint);
            resumed.resume = true;
            resumed.threads = 2;
            EXPECT_TRUE(make(resumed) == wanted) << "killed at write " << c << " of " << copies;
        }
    }

    /// A run that writes after each iteration to a file that is not there yet.
    [[nodiscard]] Run fresh(const std::string& name, const Run& plain) const {
        for (const char* suffix : {"", ".previous"}) std::filesystem::remove(path(name + suffix));
        Run run = plain;
        run.checkpoint = path(name);
        run.checkpoint_every = 0;
        return run;
    }

private:
    [[nodiscard]] std::filesystem::path copy(int number) const { return path("copy" + std::to_string(number)); }
};

}  // namespace dunlin::cases
