// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Values as bytes, for checkpoints and the messages of shards. A function content(archive, state) lists the members of
/// a state once, for both ArchiveWriter and ArchiveReader.
namespace dunlin::checkpoint {

/// Whether a number is finite. True for types other than floating point.
template <class T>
[[nodiscard]] bool is_finite(const T& value) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
    return true;
}

/// Trivially copyable values as they are in memory; vectors and texts with their number of elements before them.
class ArchiveWriter {
public:
    ArchiveWriter() = default;
    virtual ~ArchiveWriter() = default;
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;
    ArchiveWriter(ArchiveWriter&&) = default;
    ArchiveWriter& operator=(ArchiveWriter&&) = default;

    template <class T>
    void operator()(const T& value) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        append(&value, sizeof(T));
    }
    template <class T>
    void operator()(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
        operator()(static_cast<std::uint64_t>(values.size()));
        append(values.data(), values.size() * sizeof(T));
    }
    void operator()(const std::string& text) {
        operator()(static_cast<std::uint64_t>(text.size()));
        append(text.data(), text.size());
    }

    virtual void append(const void* from, std::size_t count) = 0;
};

/// Appends to a vector.
class MemoryWriter : public ArchiveWriter {
public:
    using ArchiveWriter::operator();

    void append(const void* from, std::size_t count) override {
        if (count == 0) return;
        const std::size_t size = bytes_.size();
        bytes_.resize(size + count);
        std::memcpy(bytes_.data() + size, from, count);
    }
    [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what ArchiveWriter wrote. Calls fail(why), which throws, if the bytes end too early or if an enum has no such
/// value. Readers also call it for states that do not fit: a checksum shows that a file is complete, not that its
/// values are valid. Check every number that an index, a count or a loop depends on where it is read.
class ArchiveReader {
public:
    using Fail = void (*)(const std::string& why);

    ArchiveReader(std::span<const std::byte> bytes, Fail on_damage) : left_(bytes), fail_(on_damage) {}

    template <class T>
    void operator()(T& value) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_same_v<T, bool>);
        if constexpr (std::is_enum_v<T>) {
            std::underlying_type_t<T> number{};
            take(&number, sizeof number);
            require(static_cast<std::size_t>(number) < names(T{}).size(), "number of a name");
            value = static_cast<T>(number);
        } else {
            take(&value, sizeof(T));
        }
    }
    template <class T>
    void operator()(std::vector<T>& values) {
        values.resize(count_of(sizeof(T)));
        take(values.data(), values.size() * sizeof(T));
    }
    /// Reads a number. Fails if it is not finite.
    template <class T>
    void finite(T& value) {
        operator()(value);
        require(is_finite(value), "number");
    }
    /// Reads exactly `count` numbers. Fails if there are more or fewer, or if one is not finite. `what` names them.
    template <class T>
    void finite(std::vector<T>& values, std::size_t count, std::string_view what) {
        operator()(values);
        require(values.size() == count, what);
        require(std::all_of(values.begin(), values.end(), is_finite<T>), what);
    }
    void operator()(std::string& text) {
        text.resize(count_of(1));
        take(text.data(), text.size());
    }
    /// Copies bytes that have no count before them.
    void take(void* to, std::size_t count) {
        if (count > left_.size()) fail("it is truncated");
        if (count > 0) std::memcpy(to, left_.data(), count);
        left_ = left_.subspan(count);
    }
    /// Fails unless all bytes have been read.
    void end() const {
        if (!left_.empty()) fail("it has more bytes than its content");
    }
    /// Fails unless `fits`.
    void require(bool fits, std::string_view what) const {
        if (!fits) fail("its " + std::string(what) + " does not fit");
    }
    [[noreturn]] void fail(const std::string& why) const {
        fail_(why);
        std::abort();
    }

private:
    /// Reads the number of elements that follow. Fails if the remaining bytes cannot hold them.
    std::size_t count_of(std::size_t bytes_of_each) {
        std::uint64_t count = 0;
        operator()(count);
        if (count > left_.size() / bytes_of_each) fail("it is truncated");
        return count;
    }

    std::span<const std::byte> left_;
    Fail fail_;
};

}  // namespace dunlin::checkpoint
