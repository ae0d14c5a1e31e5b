// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/output.hpp"

namespace dunlin::io {

/// A file within a zip archive.
struct ZipMember {
    std::string name;
    int method = 0;  ///< 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::uint64_t size = 0;    ///< inflated
    std::string_view content;  ///< as it lies in the archive
};

/// What a zip archive holds (zip64 too). Throws Error{bad_file} if its directory is damaged.
std::vector<ZipMember> zip_members(const Bytes& bytes);

/// A member's content, inflated, its checksum compared.
Bytes zip_content(const ZipMember& member, const std::string& archive);

/// Writes an archive of stored members.
class ZipOutput {
public:
    explicit ZipOutput(Output& out) : out_(out) {}

    /// A member made of two parts.
    void add(const std::string& name, std::string_view head, std::string_view body);

    /// The directory, at the end.
    void finish();

private:
    struct MemberRecord {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size, offset;
    };
    void put(std::uint64_t value, int bytes);
    /// What a member's own head and its entry in the directory both say.
    void put_common(const MemberRecord& entry);
    void put_entry(const MemberRecord& entry);

    Output& out_;
    std::uint64_t written_ = 0;
    std::vector<MemberRecord> entries_;
};

}  // namespace dunlin::io
