// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dunlin::io {

/// The decompressed content of a file, and its name in messages. At least `padding` zero bytes follow the content, so
/// that scans for a digit or a word need no check for the end.
class Bytes {
public:
    static constexpr std::size_t padding = 16;

    Bytes(std::shared_ptr<const char> data, std::size_t size, std::string name)
        : data_(std::move(data)), size_(size), name_(std::move(name)) {}

    /// A padded copy of `content`.
    static Bytes copy(std::string_view content, std::string name);

    [[nodiscard]] const char* begin() const { return data_.get(); }
    [[nodiscard]] const char* end() const { return data_.get() + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::string_view view() const { return {data_.get(), size_}; }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// What is to be said of how the content was found, as a note says it; empty: nothing.
    [[nodiscard]] const std::string& said() const { return said_; }
    void say(std::string sentence) { said_ = std::move(sentence); }
    [[nodiscard]] const std::shared_ptr<const char>& owner() const { return data_; }

private:
    std::shared_ptr<const char> data_;
    std::size_t size_ = 0;
    std::string name_, said_;
};

template <class T>
class GrowableBuffer;

/// The content with its padding; the buffer is empty then.
Bytes padded(GrowableBuffer<char>& content, std::string name);

/// Loads a file: copies it, or maps it if it is large (progress/file_mappings.hpp); decompresses gzip and xz, and makes
/// a text table of what holds one in another form (as_text.hpp).
Bytes load(const std::filesystem::path& path);

/// Decompresses gzip (any number of members) and xz (any number of streams); returns other bytes unchanged.
Bytes decompressed(Bytes bytes);

/// Inflates a raw deflate stream with `size` bytes of content (zip members).
Bytes inflated(std::string_view deflated, std::size_t size, const std::string& name);

}  // namespace dunlin::io
