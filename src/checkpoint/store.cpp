// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dunlin/error.hpp>

#include "io/path.hpp"

namespace dunlin::checkpoint {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& file, const std::string& why) {
    throw Error(Fault::bad_file, fmt::format("checkpoint {}: {}", file, why), {.option = "checkpoint", .file = file});
}

/// Reads the bytes of a file from a position on; returns whether there were so many.
bool fill(int descriptor, std::span<std::byte> bytes, std::size_t from) {
    while (from < bytes.size()) {
        const ssize_t got = ::pread(descriptor, bytes.data() + from, bytes.size() - from, static_cast<off_t>(from));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        from += static_cast<std::size_t>(got);
    }
    return true;
}

/// Content of a file; empty optional: it does not exist. Throws Damage if it cannot be read.
std::optional<std::vector<std::byte>> content_of(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return std::nullopt;
    if (descriptor < 0) throw Damage{fmt::format("it cannot be read: {}", std::strerror(errno))};
    struct stat status{};
    const bool known = ::fstat(descriptor, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        throw Damage{"it is not a file", true};
    }
    std::vector<std::byte> bytes(std::min(sizeof(FileHeader), static_cast<std::size_t>(status.st_size)));
    bool filled = fill(descriptor, bytes, 0);
    if (filled && may_be_checkpoint(bytes)) {  // else a large foreign file is not read
        const std::size_t begun = bytes.size();
        bytes.resize(static_cast<std::size_t>(status.st_size));
        filled = fill(descriptor, bytes, begun);
    }
    ::close(descriptor);
    if (bytes.empty()) throw Damage{"it is empty", false, true};
    if (!filled) throw Damage{"it cannot be read to its end"};
    return bytes;
}

void rename_to(const fs::path& from, const fs::path& to) {
    if (from != to && ::rename(from.c_str(), to.c_str()) != 0) throw WriteFailure{std::strerror(errno)};
}

void sync_folder(const fs::path& file) {
    const int descriptor = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);  // where folders cannot be synced, the rename is all there is
    ::close(descriptor);
}

}  // namespace

Store::Store(const fs::path& file) : shown_(file.string()) {
    io::require_whole(file);
    std::error_code error;
    file_ = io::target_of(fs::absolute(file, error));  // a rename would replace a symbolic link
    if (error) fail(shown_, error.message());
    if (fs::is_directory(file_, error)) fail(shown_, "it is a folder; name a file in it");
    if (fs::exists(file_, error) && !fs::is_regular_file(file_, error))
        fail(shown_, "it is not a regular file; name a file on a disk");
    previous_ = file_;
    previous_ += ".previous";
    try {
        const io::Replacement attempt(file_);  // the folder can be written
        if (attempt.descriptor() < 0) throw WriteFailure{std::strerror(errno)};
        take_lock(file_.string() + ".lock");
    } catch (const WriteFailure& failure) {
        fail(shown_, fmt::format("{} cannot be written: {}", file_.string(), failure.why));
    }
}

Store::~Store() {
    lock_file_.reset();  // before the lock is given up: what another run has locked then is another file
    if (lock_ >= 0) ::close(lock_);
}

void Store::take_lock(const std::string& path) {
    constexpr int most_tries = 100;  // its holder may have removed it between two lines here
    for (int attempt = 0; attempt < most_tries; ++attempt) {
        lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (lock_ < 0) throw WriteFailure{fmt::format("{}: {}", path, std::strerror(errno))};
        const bool locked = ::flock(lock_, LOCK_EX | LOCK_NB) == 0;
        if (!locked && errno == EWOULDBLOCK) {
            ::close(std::exchange(lock_, -1));
            throw WriteFailure{"another run is writing it"};
        }
        struct stat held{}, there{};
        const bool same = ::fstat(lock_, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
                          held.st_ino == there.st_ino && held.st_dev == there.st_dev;
        if (!same) {
            ::close(std::exchange(lock_, -1));
            continue;
        }
        if (held.st_size == 0) lock_file_.emplace(path);  // a file of another kind stays
        return;
    }
    throw WriteFailure{"another run is writing it"};
}

std::optional<Sections> Store::newest(std::string& damage) {
    std::array<Damage, 2> found;
    for (const bool of_previous : {false, true}) {
        try {
            auto bytes = content_of(of_previous ? previous_ : file_);
            if (!bytes) continue;
            Sections sections(std::move(*bytes));
            good_file_ = !of_previous;
            if (of_previous) damage = found[0].why;
            return sections;
        } catch (Damage& why) {
            found[of_previous ? 1 : 0] = std::move(why);
        }
    }
    if (found[0].empty && (found[1].empty || found[1].why.empty())) {  // as mktemp leaves it: nothing is lost
        damage = found[0].why;
        return std::nullopt;
    }
    if (!found[0].why.empty() && !found[1].why.empty())
        fail(shown_, fmt::format("{}, and of the one before, {}: {}; remove both to begin anew", found[0].why,
                                 previous_.string(), found[1].why));
    if (!found[0].why.empty()) {
        fail(shown_, found[0].foreign ? found[0].why + "; name another file"
                                      : found[0].why + ", and there is none before it; remove it to begin anew");
    }
    if (!found[1].why.empty())
        fail(shown_, fmt::format("{}: {}; remove it to begin anew", previous_.string(), found[1].why));
    return std::nullopt;
}

std::uint64_t Store::replace(const std::function<void(SectionWriter&)>& write) {
    io::Replacement fresh(file_);
    if (fresh.descriptor() < 0) throw WriteFailure{std::strerror(errno)};
    SectionWriter writer(fresh.descriptor());
    write(writer);
    const std::uint64_t size = writer.finish();
    rename_to(file_, good_file_ ? previous_ : file_);
    good_file_ = false;
    if (!fresh.commit()) throw WriteFailure{std::strerror(errno)};
    good_file_ = true;
    sync_folder(file_);
    return size;
}

}  // namespace dunlin::checkpoint
