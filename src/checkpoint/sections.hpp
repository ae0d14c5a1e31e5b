// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/archive.hpp"
#include "checkpoint/checksum.hpp"

/// The file format: a header, sections, and a table of the sections with their lengths and checksums. The header is
/// written last, so that a file whose writing was interrupted has none. Nothing in a file is executed;
/// docs/checkpoints.md.
namespace dunlin::checkpoint {

constexpr std::array<char, 8> file_magic{'D', 'U', 'N', 'L', 'I', 'N', 'C', 'P'};
constexpr std::uint32_t format_version = 1;

struct FileHeader {
    std::array<char, 8> magic{};
    std::uint32_t version = 0;
    std::uint32_t sections = 0;
    std::uint64_t bytes = 0;     ///< of the file
    std::uint64_t table = 0;     ///< position of the table, which ends the file
    std::uint64_t checksum = 0;  ///< of the members before and of the table
};
static_assert(sizeof(FileHeader) == 40);

struct SectionEntry {
    std::array<char, 24> name{};  ///< ends with zeros
    std::uint64_t offset = 0, bytes = 0, checksum = 0;
};
static_assert(sizeof(SectionEntry) == 48);

/// Why a file cannot be written: the words of the system.
struct WriteFailure {
    std::string why;
};

/// Writes sections to an open file, from its beginning. Throws WriteFailure.
class SectionWriter : public ArchiveWriter {
public:
    explicit SectionWriter(int descriptor);

    using ArchiveWriter::operator();

    void begin(std::string_view name);
    void append(const void* from, std::size_t count) override;
    /// Ends the file and waits until it is on the disk; returns its size.
    std::uint64_t finish();

private:
    void end_section();
    void flush();

    int descriptor_;
    std::uint64_t at_ = sizeof(FileHeader);  ///< position of the next byte that is flushed
    std::vector<std::byte> buffer_;          ///< at most a chunk of the present section
    Checksum checksum_;
    std::vector<SectionEntry> table_;
};

/// Whether the first bytes of a file are those of a checkpoint, or of one whose writing was interrupted.
[[nodiscard]] bool may_be_checkpoint(std::span<const std::byte> bytes);

/// The sections in the bytes of a file.
class Sections {
public:
    /// Throws Damage unless all lengths and checksums agree.
    explicit Sections(std::vector<std::byte> bytes);

    /// Empty if there is none of this name.
    [[nodiscard]] std::span<const std::byte> of(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const;

private:
    std::vector<std::byte> bytes_;
    std::vector<SectionEntry> table_;
};

/// Why the bytes of a file are no checkpoint.
struct Damage {
    std::string why;
    bool foreign = false;  ///< it does not begin like a checkpoint
    bool empty = false;    ///< it has no bytes
};

/// ArchiveReader::Fail that throws Damage.
[[noreturn]] void fail_for_damage(const std::string& why);

}  // namespace dunlin::checkpoint
