// SPDX-License-Identifier: Apache-2.0
#include "io/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <set>
#include <utility>

#include <dunlin/outputs.hpp>

namespace dunlin {

namespace {

/// The files that are to be removed. Never destroyed: a thread may write while the program ends.
struct Files {
    std::mutex mutex;
    std::multiset<std::string> paths;
};

Files& unfinished() {
    static auto* const files = new Files;
    return *files;
}

}  // namespace

void remove_unfinished_outputs() noexcept {
    Files& files = unfinished();
    const std::lock_guard held(files.mutex);
    for (const std::string& path : files.paths) ::unlink(path.c_str());
}

namespace io {

namespace fs = std::filesystem;

namespace {

/// ".NAME.0123456789abcdef" beside the target; a long name is cut, because names have at most 255 bytes.
std::string fresh_name(const fs::path& target) {
    std::random_device random;
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    const std::string name = target.filename().string().substr(0, 200);
    return (target.parent_path() / fmt::format(".{}.{:016x}", name, number)).string();
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
    Files& files = unfinished();
    const std::lock_guard held(files.mutex);
    files.paths.insert(path_);
}

Unfinished::~Unfinished() {
    if (path_.empty()) return;
    Files& files = unfinished();
    const std::lock_guard held(files.mutex);
    ::unlink(path_.c_str());
    files.paths.erase(files.paths.find(path_));
}

bool Unfinished::move_to(const fs::path& target) {
    Files& files = unfinished();
    const std::lock_guard held(files.mutex);
    if (::rename(path_.c_str(), target.c_str()) != 0) return false;
    files.paths.erase(files.paths.find(path_));
    path_.clear();
    return true;
}

fs::path target_of(const fs::path& path) {
    std::error_code error;
    // weakly_canonical leaves a relative path relative if no part of it exists
    fs::path target = fs::weakly_canonical(fs::absolute(path, error), error);
    constexpr int most_links = 40;  // as Linux follows
    for (int link = 0; link < most_links && !error && fs::is_symlink(target, error); ++link)
        target = fs::weakly_canonical(target.parent_path() / fs::read_symlink(target, error), error);
    return target.empty() ? path : target;
}

Replacement::Replacement(const fs::path& path) : target_(target_of(path)) {
    struct stat old{};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    const std::string fresh = fresh_name(target_);
    descriptor_ = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, replaces ? 0600 : 0666);
    if (descriptor_ < 0) return;
    file_.emplace(fresh);
    if (!replaces) return;
    // Only root may give files away, and a member of its group a group; else the owner is who writes
    const int failed = ::fchown(descriptor_, old.st_uid, old.st_gid);
    ::fchmod(descriptor_, old.st_mode & (failed == 0 ? 07777 : 0777));
}

Replacement::~Replacement() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool Replacement::commit() {
    // Else a machine that fails may have the new name without the content. Not every file system can do it
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) return false;
    if (::close(std::exchange(descriptor_, -1)) != 0) return false;
    return file_->move_to(target_);
}

}  // namespace io

}  // namespace dunlin
