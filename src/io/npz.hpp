// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <dunlin/io.hpp>
#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

bool is_npz(const Bytes& bytes);

/// A .npz archive: arrays by name.
class Npz {
public:
    /// Throws Error{bad_file} if `bytes` are not an archive. They must outlive this object.
    explicit Npz(const Bytes& bytes);

    /// Whether it has a sparse matrix in the form of scipy.sparse.save_npz.
    [[nodiscard]] bool is_sparse() const;

    /// {rows, columns} of a sparse matrix.
    [[nodiscard]] std::vector<Offset> shape() const;

    /// The CSR matrix, with the entries of a row in the order of the file. Throws Error{bad_file} for other forms.
    [[nodiscard]] SparseMatrix csr() const;

    [[nodiscard]] bool contains(const std::string& name) const { return members_.contains(name); }

    /// The .npy file of an array.
    [[nodiscard]] Bytes array(const std::string& name) const;

    /// The strings of an array of one axis.
    [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;

    /// Names of so many rows: the array "ids" or "names", if it has texts or whole numbers, a line in the notes if it
    /// has something else; empty if there is none. Throws Error{bad_file} for another number of them.
    [[nodiscard]] std::vector<std::string> names_of_rows(Index rows, std::vector<Note>& notes) const;

    /// The .npy file of the array `name`; an empty name selects the only one that does not name the rows. Throws
    /// Error{bad_input} with the names of all arrays if there is no such array, or several for an empty name.
    [[nodiscard]] Bytes chosen(const std::string& name) const;

private:
    [[nodiscard]] std::string text(const char* key) const;
    [[nodiscard]] std::vector<float> values() const;
    [[nodiscard]] std::string listed() const;

    const Bytes& bytes_;
    std::map<std::string, ZipMember> members_;
};

}  // namespace dunlin::io
