// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace dunlin {

/// A test with a temporary folder.
class InFolder : public testing::Test {
protected:
    InFolder() : folder_(std::filesystem::temp_directory_path() / ("dunlin_test_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~InFolder() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] std::filesystem::path put(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    static std::string bytes(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder_;
};

}  // namespace dunlin
