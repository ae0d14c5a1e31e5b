// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace dunlin::python {

/// A str of UTF-8; bytes that are none, as in tokens of word vectors, become \x..
inline nanobind::object text_of(const std::string& bytes) {
    return nanobind::steal(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

}  // namespace dunlin::python
