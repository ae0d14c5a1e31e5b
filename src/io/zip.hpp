// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/output.hpp"

namespace dunlin::io {

/// A member of a zip archive.
struct ZipMember {
    std::string name;
    int method = 0;  ///< 0 stored, 8 deflated
    std::uint32_t crc = 0;
    std::uint64_t size = 0;    ///< uncompressed size
    std::string_view content;  ///< compressed content
};

/// Members of a zip archive, also zip64. Throws Error{bad_file} if its directory is damaged.
std::vector<ZipMember> zip_members(const Bytes& bytes);

/// Decompresses a member and verifies its checksum.
Bytes zip_content(const ZipMember& member, const std::string& archive);

/// Writes an archive of uncompressed members.
class ZipOutput {
public:
    explicit ZipOutput(Output& out) : out_(out) {}

    /// Adds a member with content `head` + `body`.
    void add(const std::string& name, std::string_view head, std::string_view body);

    /// Writes the directory.
    void finish();

private:
    struct MemberRecord {
        std::string name;
        std::uint32_t crc;
        std::uint64_t size, offset;
    };
    void put(std::uint64_t value, int bytes);
    /// Writes the part that a member's local header and its directory entry have in common.
    void put_common(const MemberRecord& entry);
    void put_entry(const MemberRecord& entry);

    Output& out_;
    std::uint64_t written_ = 0;
    std::vector<MemberRecord> entries_;
};

}  // namespace dunlin::io
