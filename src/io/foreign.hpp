// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

namespace dunlin::io {

/// Throws Error{bad_file} with the name of the format and a way to convert, for files that people bring and that are
/// not read: other programs' tables, pictures, web pages, pointers of Git LFS.
void refuse_foreign(const Bytes& bytes);

}  // namespace dunlin::io
