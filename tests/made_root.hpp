// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "folder.hpp"

namespace dunlin {

/// A test with a root folder, in which it makes the files of proc and sys that tell of control groups.
class InMadeRoot : public InFolder {
protected:
    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories(path(file).parent_path());
        std::ofstream(path(file)) << text;
    }
    void is_in(const std::string& memberships) const { write("proc/self/cgroup", memberships); }
};

}  // namespace dunlin
