// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"

/// Documents as points.
namespace dunlin::io {

/// The words of a text in UTF-8, in lower case.
std::vector<std::string> words_of(std::string_view text);

/// The .txt files of a folder; those of its folders have these as labels. ids: the names of the files.
Points read_folder(const std::filesystem::path& folder);

/// The texts of a column of a table, with its ids and labels.
Points read_text_column(const Bytes& bytes, const ReadOptions& options);

}  // namespace dunlin::io
