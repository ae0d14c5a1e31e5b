// SPDX-License-Identifier: Apache-2.0
#include "io/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dunlin/io.hpp>
#include <dunlin/spreadsheet.hpp>

#include "io/fail.hpp"
#include "io/path.hpp"
#include "io/spreadsheet.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

thread_local bool spreadsheet_safe = false;

constexpr std::size_t buffer_size = std::size_t{1} << 20;

/// Whether it is a pipe or a terminal. Throws for a directory.
bool is_no_regular_file(const std::filesystem::path& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return false;
    if (S_ISDIR(status.st_mode)) bad_file("cannot write '{}': it is a directory; name a file in it", path.string());
    return true;
}

}  // namespace

bool write_spreadsheet_safe(bool safe) { return std::exchange(spreadsheet_safe, safe); }

bool is_spreadsheet_safe() { return spreadsheet_safe; }

Output::Output(const std::filesystem::path& path) : path_(path), buffer_(buffer_size) {
    require_whole(path);
    const bool stream = is_no_regular_file(path);
    if (stream)
        stream_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    else
        file_.emplace(path);
    if (descriptor() < 0) fail(stream ? "open" : "create");
}

Output::~Output() {
    if (stream_ >= 0) ::close(stream_);
}

void Output::fail(const char* doing) const {
    bad_file("cannot {} '{}': {}", doing, path_.string(), std::strerror(errno));
}

void Output::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Output::flush() {
    write({buffer_.data(), used_});
    used_ = 0;
}

void Output::make_room(std::string_view bytes) {
    flush();
    if (bytes.size() > buffer_.size()) {
        write(bytes);
        return;
    }
    used_ = bytes.copy(buffer_.data(), bytes.size());
}

void Output::field(std::string_view word, char delimiter) {
    const char special[] = {delimiter, '"', '\n', '\r', '\0'};
    const bool guarded = is_spreadsheet_safe() && begins_as_formula(word) && !is_number(word);
    const bool blank = !word.empty() && (word.front() == ' ' || word.back() == ' ' || word.front() == '#');
    if (!guarded && !blank && word.find_first_of(special) == std::string_view::npos) {
        text(word);
        return;
    }
    character('"');
    if (guarded) character('\'');
    for (const char c : word) {
        if (c == '"') character('"');
        character(c);
    }
    character('"');
}

void Output::commit() {
    flush();
    if (file_ ? !file_->commit() : ::close(std::exchange(stream_, -1)) != 0) fail("write");
}

std::string format_of(const std::filesystem::path& path, std::string_view what,
                      std::span<const std::string_view> formats) {
    std::string extension = lower(path.extension().string());
    if (std::find(formats.begin(), formats.end(), extension) != formats.end()) return extension;
    if (formats.size() == 1) bad_input("'{}': {} written as {}", path.string(), what, formats.front());
    const auto but_last = formats.first(formats.size() - 1);
    bad_input("'{}': {} written as {} or {}", path.string(), what, fmt::join(but_last, ", "), formats.back());
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    Output file(path);
    file.text(text);
    file.commit();
}

void require_writable(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.parent_path();
    std::error_code unknown;
    if (!folder.empty() && !std::filesystem::is_directory(folder, unknown))
        bad_file("{}: the folder {} does not exist; make it first", path.string(), folder.string());
    if (!is_no_regular_file(path)) {
        const Output attempt(path);                  // deletes its temporary file
    } else if (::access(path.c_str(), W_OK) != 0) {  // opening a pipe would block, or end its reader
        bad_file("cannot open '{}': {}", path.string(), std::strerror(errno));
    }
}

}  // namespace dunlin::io
