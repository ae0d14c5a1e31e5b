// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dunlin::io {

/// A file that appears whole or not at all: written beside its place, then renamed. What is no regular file (a pipe,
/// a terminal) is written directly. Throws Error{bad_file} with the reason if it cannot be written.
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

    /// The shortest decimal that reads back as the same value.
    template <class T>
    void number(T value) {
        constexpr std::size_t longest = 32;
        if (buffer_.size() - used_ < longest) flush();
        used_ = static_cast<std::size_t>(
            std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), value).ptr - buffer_.data());
    }

    /// The bytes of an array.
    template <class T>
    void raw(const std::vector<T>& values) {
        text({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }

    /// A cell of a table: quoted where it has to be.
    void field(std::string_view word, char delimiter);

    /// Puts the file in its place. Without it nothing remains.
    void commit();

private:
    void make_room(std::string_view bytes);
    void flush();
    void write(std::string_view bytes);
    [[noreturn]] void fail(const char* doing) const;

    std::filesystem::path path_, temporary_;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    int descriptor_ = -1;
};

/// The path's extension, in lower case, if it is one of these; else throws Error{bad_input}: "'PATH': `what` written as
/// ...".
std::string format_of(const std::filesystem::path& path, std::string_view what,
                      std::span<const std::string_view> formats);

}  // namespace dunlin::io
