// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/replacement.hpp"

namespace dunlin::io {

/// Buffered output into a Replacement, which commit() moves to its place. A pipe or a terminal is written directly.
/// Throws Error{bad_file} with the reason if the file cannot be written.
class Output {
public:
    explicit Output(const std::filesystem::path& path);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void text(std::string_view bytes) {
        if (bytes.size() > buffer_.size() - used_)
            make_room(bytes);
        else
            used_ += bytes.copy(buffer_.data() + used_, bytes.size());
    }
    void character(char c) {
        if (used_ == buffer_.size()) flush();
        buffer_[used_++] = c;
    }

    /// Writes the shortest decimal that reads back as the same value.
    template <class T>
    void number(T value) {
        constexpr std::size_t longest = 32;
        if (buffer_.size() - used_ < longest) flush();
        used_ = static_cast<std::size_t>(
            std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), value).ptr - buffer_.data());
    }

    /// Writes the bytes of an array.
    template <class T>
    void raw(const std::vector<T>& values) {
        text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }

    /// Writes a field of a table, quoted if necessary.
    void field(std::string_view word, char delimiter);

    /// Completes the file. Without this call the destructor discards it.
    void commit();

private:
    void make_room(std::string_view bytes);
    void flush();
    void write(std::string_view bytes);
    [[noreturn]] void fail(const char* doing) const;

    [[nodiscard]] int descriptor() const { return file_ ? file_->descriptor() : stream_; }

    std::filesystem::path path_;
    std::optional<Replacement> file_;
    int stream_ = -1;  ///< a pipe or a terminal
    std::vector<char> buffer_;
    std::size_t used_ = 0;
};

/// The path's extension in lower case. Throws Error{bad_input}, "'PATH': `what` written as ...", if it is not among
/// `formats`.
std::string format_of(const std::filesystem::path& path, std::string_view what,
                      std::span<const std::string_view> formats);

}  // namespace dunlin::io
