// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <dunlin/target.hpp>

namespace dunlin::io {

/// A file that is removed with the object, and by remove_unfinished_outputs(), unless it was kept.
class Unfinished {
public:
    explicit Unfinished(std::string path);
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    /// Renames it, so that it stays; returns whether that was done, else errno says why.
    bool move_to(const std::filesystem::path& target);

private:
    std::string path_;
};

/// The one way to write a file: a new one beside it, of a random name, which takes its place at once when it is
/// complete. No link is followed, nothing of another's is overwritten, and the permissions of the file that it replaces
/// are kept.
class Replacement {
public:
    /// Creates the new file. If that fails, descriptor() is below 0 and errno says why.
    explicit Replacement(const std::filesystem::path& path);
    ~Replacement();
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const std::string& path() const { return file_->path(); }  ///< of the new file
    [[nodiscard]] const std::filesystem::path& target() const { return target_; }

    /// Waits until the new file is on the disk, closes it and moves it to its place; returns whether that was done,
    /// else errno says why.
    bool commit();

private:
    std::filesystem::path target_;
    std::optional<Unfinished> file_;
    int descriptor_ = -1;
};

}  // namespace dunlin::io
