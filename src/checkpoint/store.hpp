// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint/sections.hpp"
#include "io/replacement.hpp"

namespace dunlin::checkpoint {

/// The files of a checkpoint: FILE, the one before it, FILE.previous, and FILE.lock while a run may write. A file is
/// complete before it is renamed to FILE, so that a run that is killed leaves a good one.
class Store {
public:
    /// Locks FILE.lock until the end, so that two runs do not write one checkpoint. Throws Error{bad_file} if the
    /// folder cannot be written or another run has the lock.
    explicit Store(const std::filesystem::path& file);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    Store(Store&&) = delete;
    Store& operator=(Store&&) = delete;

    /// The newest good file. If FILE is damaged and FILE.previous is good, `damage` becomes why. Empty if there is no
    /// file. Throws Error{bad_file} if all that there are are damaged.
    [[nodiscard]] std::optional<Sections> newest(std::string& damage);
    /// Replaces FILE by the sections that write() writes; returns the size. Throws WriteFailure, after which FILE is
    /// what it was.
    std::uint64_t replace(const std::function<void(SectionWriter&)>& write);

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const std::string& shown() const { return shown_; }  ///< the path as it was given

private:
    void take_lock(const std::string& path);

    std::string shown_;
    std::filesystem::path file_, previous_;
    int lock_ = -1;  ///< of FILE.lock
    std::optional<io::Unfinished> lock_file_;
    bool good_file_ = false;  ///< FILE may become FILE.previous
};

}  // namespace dunlin::checkpoint
