// SPDX-License-Identifier: Apache-2.0
#include "io/bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/memory.hpp"
#include "io/path.hpp"
#include "io/read_progress.hpp"
#include "progress/cancel.hpp"
#include "progress/file_mappings.hpp"

namespace dunlin::io {

namespace {

/// A mapping that is watched while it is there.
struct Watched {
    template <class... Mapping>
    explicit Watched(std::shared_ptr<const char> pages, Mapping&&... mapping)
        : whole(std::move(pages)), watch(std::forward<Mapping>(mapping)...) {}

    std::shared_ptr<const char> whole;
    progress::WatchedMapping watch;
};

class File {
public:
    /// Opens without waiting for the writer of a pipe. read() waits for it, and checks for a stop.
    explicit File(const std::filesystem::path& path) : name_(path.string()) {
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor_ < 0) bad_file("cannot open '{}': {}", name_, std::strerror(errno));
        if (::fstat(descriptor_, &status_) != 0)
            bad_file("cannot read the status of '{}': {}", name_, std::strerror(errno));
        version_ = progress::FileVersion(descriptor_);
        if (S_ISDIR(status_.st_mode)) bad_file("'{}' is a directory; name a file in it", name_);
    }
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] bool has_size() const { return S_ISREG(status_.st_mode) && size() > 0; }

    /// Whether a copy leaves most of the memory to others. What is read is the same either way.
    [[nodiscard]] bool can_be_copied() const {
        constexpr std::size_t most = std::size_t{1} << 26;
        return size() <= most && leaves_most_memory(size());
    }

    /// A copy in large pages.
    [[nodiscard]] Bytes copy() const {
        constexpr std::size_t large_page = std::size_t{1} << 21, step = std::size_t{1} << 23;
        const bool is_large = size() >= large_page;
        const std::size_t length = size() + Bytes::padding + (is_large ? large_page : 0);
        void* start = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) throw std::bad_alloc();
        const std::shared_ptr<const char> whole = until_unmapped(start, length);
        char* const begin = static_cast<char*>(start) +
                            (is_large ? large_page - reinterpret_cast<std::uintptr_t>(start) % large_page : 0);
        if (is_large) ::madvise(begin, size(), MADV_HUGEPAGE);
        for (std::size_t at = 0; at < size(); at += step) {
            progress::cancellation_point();
            fill(begin + at, at, std::min(step, size() - at));
        }
        if (!(progress::FileVersion(descriptor_) == version_)) progress::refuse_changed(name_);
        return {std::shared_ptr<const char>(whole, begin), size(), name_};
    }

    /// Maps the whole pages of the file over a longer mapping, which provides the padding. The rest of the file is
    /// copied behind them: another program may write behind the end of a file, in its last page.
    [[nodiscard]] Bytes map() const {
        const std::size_t length = size() + Bytes::padding, rest = size() % page_size(), pages = size() - rest;
        void* start = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return read();
        const std::shared_ptr<const char> whole = until_unmapped(start, length);
        char* const begin = static_cast<char*>(start);
        if (pages > 0 && ::mmap(start, pages, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor_, 0) == MAP_FAILED)
            return read();
        fill(begin + pages, pages, rest);
        const auto watched = std::make_shared<const Watched>(whole, begin, pages, descriptor_, version_, name_);
        if (!watched->watch) return read();
        return {std::shared_ptr<const char>(watched, begin), size(), name_};
    }

    [[nodiscard]] Bytes read() const {
        GrowableBuffer<char> content("reading '" + name_ + "'");
        // One byte more than the size, so that reading the end does not grow the buffer
        if (S_ISREG(status_.st_mode)) content.room(size() + Bytes::padding + 1);
        for (;;) {
            progress::cancellation_point();
            if (!S_ISREG(status_.st_mode) && !is_ready()) continue;
            char* to = content.room(Bytes::padding + 1);
            const std::size_t most = content.capacity() - content.size() - Bytes::padding;
            const ssize_t got = ::read(descriptor_, to, most);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got < 0) bad_file("cannot read '{}': {}", name_, std::strerror(errno));
            if (got == 0) break;
            content.add(static_cast<std::size_t>(got));
        }
        return padded(content, name_);
    }

private:
    static std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

    static std::shared_ptr<const char> until_unmapped(void* start, std::size_t length) {
        return {static_cast<const char*>(start), [length](const char* p) { ::munmap(const_cast<char*>(p), length); }};
    }

    /// Reads the bytes [from, from + count) of the file.
    void fill(char* to, std::size_t from, std::size_t count) const {
        while (count > 0) {
            const ssize_t got = ::pread(descriptor_, to, count, static_cast<off_t>(from));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) bad_file("cannot read '{}': {}", name_, std::strerror(errno));
            if (got == 0) progress::refuse_changed(name_);
            const auto some = static_cast<std::size_t>(got);
            to += some;
            from += some;
            count -= some;
        }
    }

    /// Waits at most 50 ms for input from a pipe, so that the caller can check for cancellation.
    [[nodiscard]] bool is_ready() const {
        constexpr int milliseconds = 50;
        pollfd one{descriptor_, POLLIN, 0};
        return ::poll(&one, 1, milliseconds) > 0;
    }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }

    std::string name_;
    int descriptor_ = -1;
    struct stat status_{};
    progress::FileVersion version_{-1};
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
    if (!file.has_size()) return as_text(decompressed(file.read()));
    return as_text(decompressed(file.can_be_copied() ? file.copy() : file.map()));
}

}  // namespace dunlin::io
