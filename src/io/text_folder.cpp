// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "io/as_text.hpp"
#include "io/documents.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/memory.hpp"
#include "io/readers.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

namespace fs = std::filesystem;

/// The texts of a folder in the order of their paths, and how much else is in it.
struct TextFiles {
    std::vector<fs::path> paths;
    std::uint64_t bytes = 0;
    std::size_t others = 0, hidden = 0, linked = 0;
};

bool is_text_name(const fs::path& path) {
    const std::string extension = extension_of(path.string());
    return extension == ".txt" || extension == ".text";
}

/// Looks into folders at any depth, but neither into hidden ones nor through links, which may lead back.
TextFiles files_below(const fs::path& folder) {
    TextFiles files;
    fs::path entered = folder;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error); !error && entry != fs::recursive_directory_iterator();
         entry.increment(error)) {
        progress::cancellation_point();
        const bool is_folder = entry->is_directory(error);
        if (entry->path().filename().string().starts_with('.')) {
            entry.disable_recursion_pending();
            ++files.hidden;
        } else if (is_folder && entry->is_symlink(error)) {
            ++files.linked;
        } else if (is_folder) {
            entered = entry->path();
        } else if (entry->is_regular_file(error) && is_text_name(entry->path())) {
            files.paths.push_back(entry->path());
            files.bytes += entry->file_size(error);
        } else {
            ++files.others;
        }
        error.clear();  // of a link that leads nowhere, which is no text
    }
    if (error) bad_file("cannot read the folder '{}': {}", entered.string(), error.message());
    std::sort(files.paths.begin(), files.paths.end());
    return files;
}

/// What of the folder is not read; empty: nothing.
std::string left_out(const TextFiles& files) {
    std::string all;
    const auto add = [&all](std::size_t count, const char* what) {
        if (count > 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", count, what);
    };
    add(files.others, "files that are no .txt");
    add(files.hidden, "hidden files or folders");
    add(files.linked, "links to folders");
    return all;
}

}  // namespace

FolderTexts read_folder_texts(const fs::path& folder) {
    const TextFiles files = files_below(folder);
    const std::string others = left_out(files);
    if (files.paths.empty()) {
        bad_file("'{}' is a folder without .txt files, at any depth{}; name a file in it", folder.string(),
                 others.empty() ? "" : fmt::format(" ({})", others));
    }
    require_memory(files.bytes, "the texts of the folder");

    FolderTexts read;
    StringInterner labels;
    bool has_labels = false;
    for (const fs::path& path : files.paths) {
        progress::cancellation_point();
        const Bytes text = load(path);
        if (read.texts.notes.empty()) note_said(text, read.texts.notes);
        read.texts.values.emplace_back(text.view());
        const fs::path name = path.lexically_relative(folder);
        read.texts.ids.push_back(name.generic_string());
        labels.add(name.parent_path().generic_string());
        has_labels = has_labels || name.has_parent_path();
    }
    if (has_labels) read.labels = std::move(labels).labels();
    if (!others.empty()) read.texts.notes.push_back({"read without " + others, ""});
    return read;
}

Points read_folder(const fs::path& folder) {
    FolderTexts read = read_folder_texts(folder);
    Points points = points_of_texts(read.texts.values, folder.string());
    points.ids = std::move(read.texts.ids);
    points.labels = std::move(read.labels);
    points.notes.insert(points.notes.end(), read.texts.notes.begin(), read.texts.notes.end());
    return points;
}

}  // namespace dunlin::io
