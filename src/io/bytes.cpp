// SPDX-License-Identifier: Apache-2.0
#include "io/bytes.hpp"
#include "device/cancel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/path.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

class File {
public:
    explicit File(const std::filesystem::path& path)
        : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) bad_file("cannot open '{}': {}", name_, std::strerror(errno));
        if (::fstat(descriptor_, &status_) != 0)
            bad_file("cannot read the status of '{}': {}", name_, std::strerror(errno));
        if (S_ISDIR(status_.st_mode)) bad_file("'{}' is a directory; name a file in it", name_);
    }
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] bool can_be_mapped() const { return S_ISREG(status_.st_mode) && size() > 0; }

    /// Maps the file over the front of a longer mapping of zeros, which provides the padding.
    [[nodiscard]] Bytes map() const {
        const std::size_t length = size() + Bytes::padding;
        void* start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return read();
        std::shared_ptr<const char> data(static_cast<const char*>(start),
                                         [length](const char* p) { ::munmap(const_cast<char*>(p), length); });
        if (::mmap(start, size(), PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor_, 0) == MAP_FAILED) return read();
        return {std::move(data), size(), name_};
    }

    [[nodiscard]] Bytes read() const {
        GrowableBuffer<char> content("reading '" + name_ + "'");
        // One byte more than the size, so that reading the end does not grow the buffer
        if (S_ISREG(status_.st_mode)) content.room(size() + Bytes::padding + 1);
        for (;;) {
            device::cancellation_point();
            if (!S_ISREG(status_.st_mode) && !is_ready()) continue;
            char* to = content.room(Bytes::padding + 1);
            const std::size_t most = content.capacity() - content.size() - Bytes::padding;
            const ssize_t got = ::read(descriptor_, to, most);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) bad_file("cannot read '{}': {}", name_, std::strerror(errno));
            if (got == 0) break;
            content.add(static_cast<std::size_t>(got));
        }
        return padded(content, name_);
    }

private:
    /// Waits at most 50 ms for input from a pipe, so that the caller can check for cancellation.
    [[nodiscard]] bool is_ready() const {
        constexpr int milliseconds = 50;
        pollfd one{descriptor_, POLLIN, 0};
        return ::poll(&one, 1, milliseconds) != 0;
    }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }

    std::string name_;
    int descriptor_ = -1;
    struct stat status_{};
};

}  // namespace

std::string shown(std::string_view text, std::size_t longest) {
    std::string out;
    for (const char c : text.substr(0, longest)) {
        const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
        out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return text.size() > longest ? out + "..." : out;
}

Bytes Bytes::copy(std::string_view content, std::string name) {
    std::shared_ptr<char> data(new char[content.size() + padding](), std::default_delete<char[]>());
    if (!content.empty()) std::memcpy(data.get(), content.data(), content.size());
    return {std::move(data), content.size(), std::move(name)};
}

Bytes padded(GrowableBuffer<char>& content, std::string name) {
    const std::size_t size = content.size();
    std::memset(content.room(Bytes::padding), 0, Bytes::padding);
    content.add(Bytes::padding);
    return {content.release(), size, std::move(name)};
}

Bytes load(const std::filesystem::path& path) {
    require_whole(path);
    const File file(path);
    return as_text(decompressed(file.can_be_mapped() ? file.map() : file.read()));
}

}  // namespace dunlin::io
