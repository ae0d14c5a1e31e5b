// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/io.hpp>

#include "io/bytes.hpp"

/// Documents as points.
namespace dunlin::io {

/// The words of a text in UTF-8, in lower case: runs of two or more characters that is_of_word() has.
std::vector<std::string> words_of(std::string_view text);

/// The texts of a folder, and the folders of each as its labels.
struct FolderTexts {
    TextColumn texts;
    Labels labels;
};

/// The .txt and .text files of a folder and of its folders, at any depth. ids and labels: as read_folder() says.
FolderTexts read_folder_texts(const std::filesystem::path& folder);

/// The .txt and .text files of a folder and of its folders, at any depth. ids: their paths in it; labels: the paths of
/// their folders in it, none for the files beside these.
Points read_folder(const std::filesystem::path& folder);

/// The texts of a column of a table, with its ids and labels.
Points read_text_column(const Bytes& bytes, const ReadOptions& options);

}  // namespace dunlin::io
