// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/bytes.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/read_progress.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t block = std::size_t{1} << 18;
constexpr const char* again = "download or compress it again";

bool begins_with(const Bytes& bytes, std::string_view magic) { return bytes.view().substr(0, magic.size()) == magic; }
bool is_gzip(const Bytes& bytes) { return begins_with(bytes, "\x1f\x8b"); }
bool is_xz(const Bytes& bytes) {
    return begins_with(bytes, std::string_view("\xfd"
                                               "7zXZ\0",
                                               6));
}

/// Owner of a zlib stream. window_bits: 15 + 16 for gzip, -15 for raw deflate.
class Inflater {
public:
    Inflater(std::string_view input, const std::string& name, int window_bits)
        : input_(input), name_(name), progress_("decompress", input) {
        if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Appends one inflated member (or the raw stream) to `content`, which may have at most `most` bytes in total.
    void member(GrowableBuffer<char>& content, std::size_t most) {
        for (int state = Z_OK; state != Z_STREAM_END;) {
            progress::cancellation_point();
            refill();
            progress_.advance(input_.data() + (next_ - stream_.avail_in));
            const std::size_t space = std::min(block, most - content.size());
            stream_.next_out = reinterpret_cast<Bytef*>(content.room(space));
            stream_.avail_out = static_cast<uInt>(space);
            state = inflate(&stream_, Z_NO_FLUSH);
            content.add(space - stream_.avail_out);
            if (state == Z_MEM_ERROR) throw std::bad_alloc();
            if (state == Z_OK && (stream_.avail_in > 0 || next_ < input_.size()) && content.size() < most) continue;
            if (state == Z_OK || state == Z_BUF_ERROR)
                bad_file("'{}' is truncated: its compressed data end early; {}", name_, again);
            if (state != Z_STREAM_END) {
                bad_file("'{}' is damaged: {}; {}", name_,
                         stream_.msg != nullptr ? stream_.msg : "not a deflate stream", again);
            }
        }
    }

    /// Whether another gzip member follows. Zero bytes after the last one are padding (tapes, block devices).
    bool another() {
        std::string_view rest = input_.substr(next_ - stream_.avail_in);
        if (rest.find_first_not_of('\0') == std::string_view::npos) return false;
        if (inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
        return true;
    }

private:
    // zlib's counts have 32 bits
    void refill() {
        if (stream_.avail_in > 0 || next_ == input_.size()) return;
        const std::size_t take = std::min<std::size_t>(input_.size() - next_, std::numeric_limits<uInt>::max() / 2);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data() + next_));
        stream_.avail_in = static_cast<uInt>(take);
        next_ += take;
    }

    std::string_view input_;
    std::string name_;
    std::size_t next_ = 0;
    ReadProgress progress_;
    z_stream stream_{};
};

Bytes gunzip(const Bytes& bytes) {
    GrowableBuffer<char> content("decompressing '" + bytes.name() + "'");
    Inflater inflater(bytes.view(), bytes.name(), 15 + 16);
    do {
        inflater.member(content, std::numeric_limits<std::size_t>::max());
    } while (inflater.another());
    return padded(content, bytes.name());
}

struct Lzma {
    lzma_stream stream = LZMA_STREAM_INIT;
    Lzma() {
        constexpr std::uint64_t memory = std::uint64_t{1} << 30;  // the largest preset takes 65 MiB
        if (lzma_stream_decoder(&stream, memory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
    }
    ~Lzma() { lzma_end(&stream); }
    Lzma(const Lzma&) = delete;
    Lzma& operator=(const Lzma&) = delete;
};

const char* meaning(lzma_ret state) {
    switch (state) {
        case LZMA_BUF_ERROR:
            return "its compressed data end early";
        case LZMA_DATA_ERROR:
            return "its data are corrupt or a checksum differs";
        case LZMA_FORMAT_ERROR:
            return "it is not an xz file throughout";
        case LZMA_OPTIONS_ERROR:
            return "it uses xz options that are not known here";
        case LZMA_MEMLIMIT_ERROR:
            return "its dictionary is larger than 1 GiB";
        default:
            return "it cannot be decompressed";
    }
}

Bytes unxz(const Bytes& bytes) {
    GrowableBuffer<char> content("decompressing '" + bytes.name() + "'");
    Lzma lzma;
    ReadProgress progress("decompress", bytes.view());
    lzma.stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.begin());
    lzma.stream.avail_in = bytes.size();
    for (lzma_ret state = LZMA_OK; state != LZMA_STREAM_END;) {
        progress.advance(bytes.end() - lzma.stream.avail_in);
        lzma.stream.next_out = reinterpret_cast<std::uint8_t*>(content.room(block));
        lzma.stream.avail_out = block;
        state = lzma_code(&lzma.stream, LZMA_FINISH);
        content.add(block - lzma.stream.avail_out);
        if (state == LZMA_MEM_ERROR) throw std::bad_alloc();
        if (state != LZMA_OK && state != LZMA_STREAM_END) {
            bad_file("'{}' is damaged: {}; {}", bytes.name(), meaning(state), again);
        }
    }
    return padded(content, bytes.name());
}

}  // namespace

Bytes decompressed(Bytes bytes) {
    if (is_gzip(bytes)) return gunzip(bytes);
    if (is_xz(bytes)) return unxz(bytes);
    const std::filesystem::path path(bytes.name());
    if (path.extension() == ".gz" && bytes.size() > 0)
        bad_file("'{}' is not a gzip file; rename it or {}", bytes.name(), again);
    if (path.extension() == ".xz" && bytes.size() > 0)
        bad_file("'{}' is not an xz file; rename it or {}", bytes.name(), again);
    return bytes;
}

Bytes inflated(std::string_view deflated, std::size_t size, const std::string& name) {
    GrowableBuffer<char> content("decompressing '" + name + "'");
    Inflater inflater(deflated, name, -15);
    // One extra byte detects a stream that is too long
    inflater.member(content, size + 1);
    if (content.size() != size)
        bad_file("'{}' inflates to {} bytes where {} were announced; write it again", name, content.size(), size);
    return padded(content, name);
}

}  // namespace dunlin::io
