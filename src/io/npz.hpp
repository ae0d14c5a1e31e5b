// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

bool is_npz(const Bytes& bytes);

/// The arrays of a .npz archive by their names.
class Npz {
public:
    /// Throws Error{bad_file} if `bytes` are no archive. They must outlive it.
    explicit Npz(const Bytes& bytes);

    /// Is it a sparse matrix as scipy.sparse.save_npz writes it?
    [[nodiscard]] bool is_sparse() const;

    /// Of a sparse matrix: {rows, columns}.
    [[nodiscard]] std::vector<Offset> shape() const;

    /// A CSR matrix, the entries of a row in the order of the file. Throws Error{bad_file} for other sparse forms.
    [[nodiscard]] SparseMatrix csr() const;

    [[nodiscard]] bool contains(const std::string& name) const { return members_.contains(name); }

    /// The .npy file of an array.
    [[nodiscard]] Bytes array(const std::string& name) const;

    /// The .npy file of the array called `name`, or where `name` is empty of the only one. Throws Error{bad_input} with
    /// the names of all arrays if there is no such array, or several.
    [[nodiscard]] Bytes chosen(const std::string& name) const;

private:
    [[nodiscard]] std::string text(const char* key) const;
    [[nodiscard]] std::vector<float> values() const;
    [[nodiscard]] std::string listed() const;

    const Bytes& bytes_;
    std::map<std::string, ZipMember> members_;
};

}  // namespace dunlin::io
