// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/sections.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace dunlin::checkpoint {

namespace {

void write_at(int descriptor, std::span<const std::byte> bytes, std::uint64_t at) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw WriteFailure{std::strerror(written < 0 ? errno : ENOSPC)};
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        at += static_cast<std::uint64_t>(written);
    }
}

std::uint64_t checksum_of(const FileHeader& header, std::span<const SectionEntry> table) {
    const auto before = std::as_bytes(std::span(&header, 1)).first(offsetof(FileHeader, checksum));
    return math::hash_of(math::hash_of(0, before), std::as_bytes(table));
}

std::string_view name_of(const SectionEntry& entry) {
    return {entry.name.data(), ::strnlen(entry.name.data(), entry.name.size())};
}

/// The header of these bytes, whose lengths fit them.
FileHeader header_of(std::span<const std::byte> bytes) {
    if (!may_be_checkpoint(bytes)) throw Damage{"it is no checkpoint of Dunlin", true};
    FileHeader header;
    if (bytes.size() < sizeof header) throw Damage{"it is truncated"};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != file_magic) throw Damage{"its header is missing: its writing was interrupted"};
    if (header.version != format_version) {
        throw Damage{
            fmt::format("its format is version {}, and this program reads version {}", header.version, format_version)};
    }
    if (header.bytes != bytes.size())
        throw Damage{fmt::format("it has {} bytes and says that they are {}", bytes.size(), header.bytes)};
    const std::uint64_t of_table = std::uint64_t{header.sections} * sizeof(SectionEntry);
    if (header.table < sizeof header || header.table > bytes.size() || bytes.size() - header.table != of_table)
        throw Damage{"its table of sections does not fit its length"};
    return header;
}

}  // namespace

bool may_be_checkpoint(std::span<const std::byte> bytes) {
    const auto begin = bytes.first(std::min(bytes.size(), file_magic.size()));
    const bool zeros = std::all_of(begin.begin(), begin.end(), [](std::byte b) { return b == std::byte{0}; });
    return zeros || std::memcmp(begin.data(), file_magic.data(), begin.size()) == 0;
}

void fail_for_damage(const std::string& why) { throw Damage{why}; }

SectionWriter::SectionWriter(int descriptor) : descriptor_(descriptor) {
    if (::ftruncate(descriptor, 0) != 0) throw WriteFailure{std::strerror(errno)};
    buffer_.reserve(Checksum::chunk);
}

void SectionWriter::begin(std::string_view name) {
    end_section();
    SectionEntry& entry = table_.emplace_back();
    std::copy_n(name.begin(), std::min(name.size(), entry.name.size()), entry.name.begin());
    entry.offset = at_;
    checksum_ = {};
}

void SectionWriter::end_section() {
    if (table_.empty()) return;
    flush();
    table_.back().bytes = at_ - table_.back().offset;
    table_.back().checksum = checksum_.value();
}

void SectionWriter::append(const void* from, std::size_t count) {
    const auto* bytes = static_cast<const std::byte*>(from);
    while (count > 0) {
        const std::size_t part = std::min(count, Checksum::chunk - buffer_.size());
        buffer_.insert(buffer_.end(), bytes, bytes + part);
        bytes += part;
        count -= part;
        if (buffer_.size() == Checksum::chunk) flush();
    }
}

void SectionWriter::flush() {
    if (buffer_.empty()) return;
    checksum_.add(buffer_);
    write_at(descriptor_, buffer_, at_);
    at_ += buffer_.size();
    buffer_.clear();
}

std::uint64_t SectionWriter::finish() {
    end_section();
    const auto table = std::as_bytes(std::span(table_));
    FileHeader header{file_magic, format_version, static_cast<std::uint32_t>(table_.size()), at_ + table.size(), at_};
    header.checksum = checksum_of(header, table_);
    write_at(descriptor_, table, at_);
    if (::fsync(descriptor_) != 0) throw WriteFailure{std::strerror(errno)};
    write_at(descriptor_, std::as_bytes(std::span(&header, 1)), 0);
    if (::fsync(descriptor_) != 0) throw WriteFailure{std::strerror(errno)};
    return header.bytes;
}

Sections::Sections(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
    const FileHeader header = header_of(bytes_);
    table_.resize(header.sections);
    if (!table_.empty()) std::memcpy(table_.data(), bytes_.data() + header.table, table_.size() * sizeof(SectionEntry));
    if (checksum_of(header, table_) != header.checksum) throw Damage{"the checksum of its header is wrong"};
    device::Cpu cpu(1);
    for (const SectionEntry& entry : table_) {
        const std::string_view name = name_of(entry);
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; }))
            throw Damage{"the name of a section is no word"};
        const bool fits =
            entry.offset >= sizeof header && entry.offset <= header.table && entry.bytes <= header.table - entry.offset;
        if (!fits) throw Damage{fmt::format("its section '{}' does not fit its length", name)};
        if (checkpoint::checksum_of(cpu, std::span<const std::byte>(bytes_).subspan(entry.offset, entry.bytes)) !=
            entry.checksum) {
            throw Damage{fmt::format("the checksum of its section '{}' is wrong", name)};
        }
    }
}

bool Sections::has(std::string_view name) const {
    return std::any_of(table_.begin(), table_.end(), [&](const SectionEntry& e) { return name_of(e) == name; });
}

std::span<const std::byte> Sections::of(std::string_view name) const {
    const auto found =
        std::find_if(table_.begin(), table_.end(), [&](const SectionEntry& e) { return name_of(e) == name; });
    if (found == table_.end()) return {};
    return std::span<const std::byte>(bytes_).subspan(found->offset, found->bytes);
}

}  // namespace dunlin::checkpoint
