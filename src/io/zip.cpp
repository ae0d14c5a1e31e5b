// SPDX-License-Identifier: Apache-2.0
#include "io/zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint64_t all_ones = 0xffffffff;
constexpr int version64 = 45;

/// Reads little-endian fields with bounds checks.
class LittleEndianReader {
public:
    LittleEndianReader(const Bytes& bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

    std::uint64_t take(int size) {
        const std::string_view field = text(static_cast<std::uint64_t>(size));
        std::uint64_t value = 0;
        for (std::size_t i = field.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(field[i]);
        return value;
    }
    std::string_view text(std::uint64_t size) {
        if (at_ > bytes_.size() || size > bytes_.size() - at_) damaged();
        const std::string_view part = bytes_.view().substr(at_, size);
        at_ += size;
        return part;
    }
    void skip(std::uint64_t size) { text(size); }
    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[noreturn]] void damaged() const {
        bad_file("'{}' is truncated or no .npz archive; save or copy it again", bytes_.name());
    }

private:
    const Bytes& bytes_;
    std::uint64_t at_;
};

struct Directory {
    std::uint64_t entries = 0, offset = 0;
};

/// Finds the end record of the directory, in the last 64 KiB, before a comment.
Directory find_directory(const Bytes& bytes) {
    const std::string_view mark("PK\5\6", 4);
    const std::size_t found = bytes.view().rfind(mark);
    LittleEndianReader fields(bytes, found == std::string_view::npos ? bytes.size() + 1 : found + 10);
    Directory directory;
    directory.entries = fields.take(2);
    fields.skip(4);
    directory.offset = fields.take(4);
    fields.skip(fields.take(2));
    if (directory.offset != all_ones && directory.entries != 0xffff) return directory;
    // Zip64: a locator of 20 bytes precedes the end record
    LittleEndianReader locator(bytes, found < 20 ? bytes.size() + 1 : found - 20);
    if (locator.take(4) != locator_mark) return directory;
    locator.skip(4);
    LittleEndianReader end64(bytes, locator.take(8));
    if (end64.take(4) != end64_mark) end64.damaged();
    end64.skip(28);
    directory.entries = end64.take(8);
    end64.skip(8);
    directory.offset = end64.take(8);
    return directory;
}

/// CRC-32; zlib would restart the sum for a null pointer.
std::uint32_t checksum(std::uint32_t so_far, std::string_view part) {
    if (part.empty()) return so_far;
    return static_cast<std::uint32_t>(crc32_z(so_far, reinterpret_cast<const Bytef*>(part.data()), part.size()));
}

/// Reads the extra field, which has the sizes and the offset that exceed 32 bits, in this order.
void read_extra(const Bytes& bytes, std::uint64_t at, std::uint64_t size, std::uint64_t* const (&values)[3]) {
    const std::uint64_t end = at + size;
    for (LittleEndianReader extra(bytes, at); extra.at() + 4 <= end;) {
        const std::uint64_t kind = extra.take(2), length = extra.take(2);
        LittleEndianReader field(bytes, extra.at());
        extra.skip(length);
        if (kind != 1) continue;
        for (std::uint64_t* const value : values) {
            if (*value == all_ones) *value = field.take(8);
        }
    }
}

ZipMember read_entry(const Bytes& bytes, LittleEndianReader& fields) {
    if (fields.take(4) != entry_mark) fields.damaged();
    ZipMember member;
    fields.skip(4);
    const std::uint64_t flags = fields.take(2);
    member.method = static_cast<int>(fields.take(2));
    fields.skip(4);
    member.crc = static_cast<std::uint32_t>(fields.take(4));
    std::uint64_t packed = fields.take(4);
    member.size = fields.take(4);
    const std::uint64_t name = fields.take(2), extra = fields.take(2), comment = fields.take(2);
    fields.skip(8);
    std::uint64_t offset = fields.take(4);
    member.name = fields.text(name);
    const std::uint64_t extra_at = fields.at();
    fields.skip(extra);
    read_extra(bytes, extra_at, extra, {&member.size, &packed, &offset});
    fields.skip(comment);
    if ((flags & 1) != 0) bad_file("'{}' is encrypted; save it without a password", bytes.name());

    LittleEndianReader local(bytes, offset);
    if (local.take(4) != local_mark) local.damaged();
    local.skip(22);
    const std::uint64_t skipped = local.take(2) + local.take(2);
    local.skip(skipped);
    member.content = local.text(packed);
    return member;
}

}  // namespace

std::vector<ZipMember> zip_members(const Bytes& bytes) {
    const Directory directory = find_directory(bytes);
    LittleEndianReader fields(bytes, directory.offset);
    std::vector<ZipMember> members;
    members.reserve(std::min<std::size_t>(directory.entries, 64));  // the number in the file is untrusted
    for (std::uint64_t i = 0; i < directory.entries; ++i) members.push_back(read_entry(bytes, fields));
    return members;
}

Bytes zip_content(const ZipMember& member, const std::string& archive) {
    const std::string name = archive + ":" + member.name;
    if (member.method != 0 && member.method != 8) {
        bad_file("'{}' is compressed by method {}; save the archive stored or deflated", name, member.method);
    }
    if (member.method == 0 && member.content.size() != member.size) bad_file("'{}' is damaged; save it again", name);
    Bytes content =
        member.method == 0 ? Bytes::copy(member.content, name) : inflated(member.content, member.size, name);
    if (checksum(0, content.view()) != member.crc)
        bad_file("'{}' is damaged: its checksum differs; save or copy it again", name);
    return content;
}

void ZipOutput::put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i, value >>= 8) out_.character(static_cast<char>(value & 0xff));
    written_ += static_cast<std::uint64_t>(bytes);
}

// All sizes are zip64, as NumPy writes them
void ZipOutput::add(const std::string& name, std::string_view head, std::string_view body) {
    const std::uint32_t crc = checksum(checksum(0, head), body);
    const std::uint64_t size = head.size() + body.size();
    entries_.push_back({name, crc, size, written_});
    put(local_mark, 4);
    put_common(entries_.back());
    put(20, 2);
    out_.text(name);
    put(1, 2);
    put(16, 2);
    put(size, 8);
    put(size, 8);
    out_.text(head);
    out_.text(body);
    written_ += name.size() + size;
}

void ZipOutput::put_common(const MemberRecord& entry) {
    put(version64, 2);
    put(0, 2 + 2);       // flags, stored
    put(0x00210000, 4);  // 1 January 1980, so that the same graph gives the same bytes
    put(entry.crc, 4);
    put(all_ones, 4);
    put(all_ones, 4);
    put(entry.name.size(), 2);
}

void ZipOutput::put_entry(const MemberRecord& entry) {
    put(entry_mark, 4);
    put(version64, 2);
    put_common(entry);
    put(28, 2);
    put(0, 2 + 2 + 2 + 4);  // comment, disk, attributes
    put(all_ones, 4);
    out_.text(entry.name);
    written_ += entry.name.size();
    put(1, 2);
    put(24, 2);
    put(entry.size, 8);
    put(entry.size, 8);
    put(entry.offset, 8);
}

void ZipOutput::finish() {
    const std::uint64_t begin = written_;
    for (const MemberRecord& entry : entries_) put_entry(entry);
    const std::uint64_t end = written_;
    put(end64_mark, 4);
    put(44, 8);
    put(version64, 2);
    put(version64, 2);
    put(0, 4 + 4);
    put(entries_.size(), 8);
    put(entries_.size(), 8);
    put(end - begin, 8);
    put(begin, 8);
    put(locator_mark, 4);
    put(0, 4);
    put(end, 8);
    put(1, 4);
    put(end_mark, 4);
    put(0, 2 + 2);
    put(entries_.size(), 2);
    put(entries_.size(), 2);
    put(all_ones, 4);
    put(all_ones, 4);
    put(0, 2);
}

}  // namespace dunlin::io
