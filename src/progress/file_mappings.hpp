// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Files that are mapped into memory, and the end of a run if another program writes to one of them.
///
/// The readers copy files of up to 64 MiB (io/bytes.cpp), in some 10 ms: nothing that is written to a file later
/// changes a copy. Larger files are mapped: of 220 MB `dunlin info` took 0.04 s of a processor with a mapping, 0.14 s
/// with a copy. A page that a mapping loses, because its file was cut short, is replaced by zeros where it is first
/// used (SIGBUS), and the run that used it ends with an error.
namespace dunlin::progress {

/// Version of an open file, which changes when the file is written to. It does not change if another file gets the same
/// name: an open descriptor still refers to the old one.
class FileVersion {
public:
    explicit FileVersion(int descriptor);
    bool operator==(const FileVersion&) const = default;

private:
    std::int64_t size_ = -1, seconds_ = 0, nanoseconds_ = 0;
};

/// Throws Error{bad_file}: the file was written to during its use.
[[noreturn]] void refuse_changed(const std::string& name);

/// Watches a mapping of a file, which must be made before this object. The handler of SIGBUS is installed while any
/// such object exists. It passes faults outside of watched mappings to the earlier handler.
class WatchedMapping {
public:
    /// version: version of the file before it was mapped. name: name of the file in messages.
    WatchedMapping(const char* begin, std::size_t length, int descriptor, const FileVersion& version, std::string name);
    ~WatchedMapping();
    WatchedMapping(const WatchedMapping&) = delete;
    WatchedMapping& operator=(const WatchedMapping&) = delete;

    /// False if too many files are mapped to watch another one.
    [[nodiscard]] explicit operator bool() const { return slot_ >= 0; }

private:
    int slot_ = -1;
};

/// Scope of a call of the library. Lost pages become zeros only within it, because only a call can report the error.
/// Elsewhere, such as in NumPy, an access to them faults as in any mapping.
class UseOfMappings {
public:
    UseOfMappings();
    ~UseOfMappings();
    UseOfMappings(const UseOfMappings&) = delete;
    UseOfMappings& operator=(const UseOfMappings&) = delete;
    UseOfMappings(UseOfMappings&&) = delete;
    UseOfMappings& operator=(UseOfMappings&&) = delete;

    /// Throws Error{bad_file} if another program has written to a file that is mapped, or that this thread has mapped
    /// in the scope.
    void require_unchanged() const;
};

}  // namespace dunlin::progress
