// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "annotated.hpp"
#include "io/fail.hpp"
#include "io/hdf5_module.hpp"
#include "io/replacement.hpp"

namespace dunlin::hdf5 {

namespace {

namespace fs = std::filesystem;

File open_to_read(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        io::bad_file("cannot open '{}': {}", path, error ? error.message() : "it is no regular file");
    return open_file(path, false);
}

io::Points read_points_of(const std::string& path, const io::ReadOptions& options) {
    const Locked locked;
    return read_points(open_to_read(path), options);
}

io::NumberColumn read_column_of(const std::string& path, const std::string& column) {
    const Locked locked;
    return read_column(open_to_read(path), column);
}

bool holds_classes_of(const std::string& path, const std::string& column) {
    const Locked locked;
    return holds_classes(open_to_read(path), column);
}

io::LabelColumn read_label_column_of(const std::string& path, const std::string& column) {
    const Locked locked;
    return read_label_column(open_to_read(path), column);
}

std::vector<std::pair<std::string, std::string>> read_colors_of(const std::string& path, const std::string& column) {
    const Locked locked;
    return read_colors(open_to_read(path), column);
}

io::MapFile read_map_of(const std::string& path, const io::StoredMapOptions& options) {
    const Locked locked;
    return read_map(open_to_read(path), options);
}

/// Makes the writers of one folder wait for each other. The folder is locked and not the file, which is replaced by
/// each of them, and which HDF5 locks itself. Does nothing where folders cannot be locked; see Version.
class FolderLock {
public:
    explicit FolderLock(const fs::path& file)
        : descriptor_(
              ::open(file.has_parent_path() ? file.parent_path().c_str() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) continue;
    }
    ~FolderLock() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int descriptor_;
};

/// What tells whether another program has written a file meanwhile.
class Version {
public:
    explicit Version(const fs::path& file) : there_(::stat(file.c_str(), &status_) == 0) {}
    bool operator==(const Version& other) const {
        if (!there_ || !other.there_) return there_ == other.there_;
        return status_.st_dev == other.status_.st_dev && status_.st_ino == other.status_.st_ino &&
               status_.st_size == other.status_.st_size && status_.st_mtim.tv_sec == other.status_.st_mtim.tv_sec &&
               status_.st_mtim.tv_nsec == other.status_.st_mtim.tv_nsec;
    }

private:
    struct stat status_{};
    bool there_;
};

[[noreturn]] void cannot_write(const std::string& path, const std::string& why) {
    io::bad_file("cannot write '{}': {}", path, why);
}

/// Copies the source; a new target has its permissions. They are not those of fs::copy_file, which would also set them
/// for a target that has its own.
void copy_into(const io::Replacement& fresh, const std::string& path, const std::string& source, bool is_new) {
    const int from = ::open(source.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) io::bad_file("cannot open '{}': {}", source, std::strerror(errno));
    struct stat status{};
    bool copied = ::fstat(from, &status) == 0;
    for (ssize_t part = 1; copied && part != 0;) {
        part = ::sendfile(fresh.descriptor(), from, nullptr, std::size_t{1} << 30);
        copied = part >= 0 || errno == EINTR;
    }
    if (copied && is_new) ::fchmod(fresh.descriptor(), status.st_mode & 0777);
    const int reason = errno;
    ::close(from);
    if (!copied) cannot_write(path, std::strerror(reason));
}

/// What an older target has in obsm and the new file lacks, if it is an annotated matrix of the same cells.
std::vector<std::string> keep_obsm_of(const fs::path& target, const fs::path& source, const File& file) {
    std::error_code none;
    if (!fs::is_regular_file(target, none) || fs::equivalent(target, source, none)) return {};
    if (H5Fis_hdf5(target.c_str()) <= 0) return {};
    return keep_obsm(file, open_file(target.string(), false));
}

/// Writes once. Returns false, and leaves the target as it was, if another program changed the target or the source
/// meanwhile.
bool write_once(const std::string& path, const std::string& source, const io::ObsmMap& map,
                std::vector<std::string>& kept) {
    const Locked locked;
    io::Replacement fresh(path);
    if (fresh.descriptor() < 0) cannot_write(path, std::strerror(errno));
    const Version of_target(fresh.target()), of_source(source);
    {
        std::error_code none;
        const File held = open_to_read(source);  // other programs with HDF5 do not write it while it is copied
        copy_into(fresh, path, source, !fs::exists(fresh.target(), none));
        File file = open_file(fresh.path(), true);
        file.name = path;  // that of messages
        kept = keep_obsm_of(fresh.target(), source, file);
        std::erase(kept, map.name);
        write_obsm(file, map);
    }
    if (!(of_target == Version(fresh.target())) || !(of_source == Version(source))) return false;
    if (!fresh.commit()) cannot_write(path, std::strerror(errno));
    return true;
}

std::vector<std::string> write_obsm_of(const std::string& path, const std::string& source, const io::ObsmMap& map) {
    const FolderLock lock(io::target_of(path));
    std::vector<std::string> kept;
    constexpr int most_tries = 20;
    for (int attempt = 0; attempt < most_tries; ++attempt) {
        if (write_once(path, source, map, kept)) return kept;
    }
    io::bad_file("'{}' is being written by another program, so {} is not in it; try again", path, map.name);
}

}  // namespace

}  // namespace dunlin::hdf5

extern "C" __attribute__((visibility("default"))) const dunlin::io::Hdf5Module* dunlin_hdf5_module() {
    static const dunlin::io::Hdf5Module module{DUNLIN_VERSION,
                                               dunlin::hdf5::read_points_of,
                                               dunlin::hdf5::read_column_of,
                                               dunlin::hdf5::holds_classes_of,
                                               dunlin::hdf5::read_label_column_of,
                                               dunlin::hdf5::read_colors_of,
                                               dunlin::hdf5::read_map_of,
                                               dunlin::hdf5::write_obsm_of};
    return &module;
}
