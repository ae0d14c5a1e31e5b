// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/formats.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Throws Error{bad_file} with the name of the format and a way to convert, for files that people bring and that are
/// not read: other programs' tables, pictures, web pages, pointers of Git LFS.
void refuse_foreign(const Bytes& bytes);

/// Throws that error for a file in this format.
[[noreturn]] void refuse(const formats::Refused& format, const std::string& file);

}  // namespace dunlin::io
