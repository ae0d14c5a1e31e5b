// SPDX-License-Identifier: Apache-2.0
#include "io/npz.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/remedy.hpp"
#include "io/zeros.hpp"

namespace dunlin::io {

namespace {

template <class T>
std::vector<T> integers(const Bytes& content, Offset largest) {
    const Array array = parse_npy(content);
    if ((array.kind != 'i' && array.kind != 'u') || array.shape.size() != 1)
        bad_file("'{}' is no list of integers", content.name());
    std::vector<T> values(array.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 65536 == 0) progress::cancellation_point();
        const double value = array.number(i);
        if (!(value >= 0 && value <= static_cast<double>(largest))) {
            bad_file("'{}': entry {} is {}, which is not from 0 to {}; save the matrix again", content.name(), i, value,
                     largest);
        }
        values[i] = static_cast<T>(value);
    }
    return values;
}

/// Duplicate entries are summed, as in SciPy.
Matrix dense_of(const SparseMatrix& sparse, const Bytes& bytes, bool transpose) {
    ZeroMatrix zeros(bytes, transpose ? sparse.cols : sparse.rows, transpose ? sparse.rows : sparse.cols);
    for (Index r = 0; r < sparse.rows; ++r) {
        progress::cancellation_point();
        const auto begin = static_cast<std::size_t>(sparse.offsets[static_cast<std::size_t>(r)]);
        const auto end = static_cast<std::size_t>(sparse.offsets[static_cast<std::size_t>(r) + 1]);
        for (std::size_t e = begin; e < end; ++e)
            (transpose ? zeros.at(sparse.columns[e], r) : zeros.at(r, sparse.columns[e])) += sparse.values[e];
    }
    Matrix matrix = zeros.matrix();
    check_finite(matrix.view(), bytes.name());
    return matrix;
}

bool names_rows(const std::string& array) { return array == "ids" || array == "names"; }

}  // namespace

bool is_npz(const Bytes& bytes) { return bytes.view().starts_with("PK"); }

Npz::Npz(const Bytes& bytes) : bytes_(bytes) {
    if (!is_npz(bytes))
        bad_file("'{}' is no .npz archive; save it with numpy.savez or scipy.sparse.save_npz", bytes.name());
    for (ZipMember& member : zip_members(bytes)) {
        std::string name = member.name.substr(0, member.name.rfind(".npy"));
        members_.emplace(std::move(name), std::move(member));
    }
}

bool Npz::is_sparse() const { return contains("format") && contains("shape") && contains("data"); }

Bytes Npz::array(const std::string& name) const {
    const auto found = members_.find(name);
    if (found == members_.end()) {
        bad_file("'{}' has no '{}'; it is no sparse matrix of SciPy (scipy.sparse.save_npz)", bytes_.name(), name);
    }
    return zip_content(found->second, bytes_.name());
}

std::string Npz::listed() const {
    std::string list;
    for (const auto& [name, member] : members_) list += fmt::format("{}'{}'", list.empty() ? "" : ", ", shown(name));
    return list;
}

Bytes Npz::chosen(const std::string& name) const {
    if (members_.empty()) bad_file("'{}' is an archive without arrays; save one with numpy.savez", bytes_.name());
    if (name.empty() && members_.size() == 1) return array(members_.begin()->first);
    if (name.empty()) {
        std::vector<std::string> others;
        for (const auto& [other, member] : members_) {
            if (!names_rows(other)) others.push_back(other);
        }
        if (others.size() == 1) return array(others.front());
        const std::string first = shown(others.empty() ? members_.begin()->first : others.front());
        refuse_unless({"array", first}, Fault::bad_input, "'{}' holds the arrays {}; say which one holds the input",
                      bytes_.name(), listed());
    }
    if (!contains(name))
        bad_option("array", "'{}' holds no array '{}'; it holds {}", bytes_.name(), shown(name), listed());
    return array(name);
}

std::vector<std::string> Npz::texts(const std::string& name) const {
    const Bytes content = array(name);
    const Array array = parse_npy(content);
    if (!array.is_text() || array.shape.size() != 1)
        bad_file("'{}' is no list of strings; save it again", content.name());
    std::vector<std::string> texts;
    texts.reserve(array.count());
    for (std::uint64_t i = 0; i < array.count(); ++i) texts.push_back(array.text(i));
    return texts;
}

std::vector<std::string> Npz::names_of_rows(Index rows, std::vector<Note>& notes) const {
    const std::string name = contains("ids") ? "ids" : "names";
    if (!contains(name)) return {};
    const Bytes content = array(name);
    Array found;
    try {
        found = parse_npy(content);
    } catch (const Error& error) {  // objects of Python
        rethrow_out_of_memory(error);
    }
    if (found.shape.size() != 1 || !(found.is_text() || found.kind == 'i' || found.kind == 'u')) {
        notes.push_back(
            {fmt::format("read without the array '{}', which is no list of texts: save {}.astype(str)", name, name),
             ""});
        return {};
    }
    if (found.count() != static_cast<std::uint64_t>(rows))
        bad_file("'{}' has {} names for {} rows; give one per row", content.name(), found.count(), rows);
    std::vector<std::string> names;
    names.reserve(found.count());
    for (std::uint64_t i = 0; i < found.count(); ++i) {
        if (!found.is_text() && std::abs(found.number(i)) > 0x1p53)
            bad_file("'{}' has numbers beyond 2^53, which are rounded; save {}.astype(str)", content.name(), name);
        names.push_back(found.is_text() ? found.text(i) : fmt::format("{:.0f}", found.number(i)));
    }
    return names;
}

std::string Npz::text(const char* key) const {
    const Bytes content = array(key);
    const Array word = parse_npy(content);
    return word.is_text() && word.count() == 1 ? word.text(0) : std::string("?");
}

std::vector<Offset> Npz::shape() const {
    std::vector<Offset> shape = integers<Offset>(array("shape"), most_items);
    if (shape.size() != 2) bad_file("'{}' is no matrix; its shape has {} axes", bytes_.name(), shape.size());
    return shape;
}

std::vector<float> Npz::values() const {
    const Bytes content = array("data");
    const Array data = parse_npy(content);
    if (data.is_text() || data.shape.size() != 1) bad_file("'{}' is no list of numbers", content.name());
    std::vector<float> values(data.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 65536 == 0) progress::cancellation_point();
        values[i] = static_cast<float>(data.number(i));
        if (!std::isfinite(values[i]))
            bad_file("'{}': entry {} is {}; values must be finite", content.name(), i, data.number(i));
    }
    return values;
}

SparseMatrix Npz::csr() const {
    const std::string format = text("format");
    if (format != "csr")
        bad_file("'{}' is sparse in the form '{}'; save it as CSR (matrix.tocsr())", bytes_.name(), shown(format));
    const std::vector<Offset> extents = shape();
    SparseMatrix matrix;
    matrix.rows = static_cast<Index>(extents[0]);
    matrix.cols = static_cast<Index>(extents[1]);
    matrix.offsets = integers<Offset>(array("indptr"), std::numeric_limits<Offset>::max());
    matrix.columns = integers<Index>(array("indices"), extents[1] - 1);
    matrix.values = values();
    const auto entries = static_cast<Offset>(matrix.columns.size());
    const bool fits = static_cast<Offset>(matrix.offsets.size()) == extents[0] + 1 && matrix.offsets.front() == 0 &&
                      matrix.offsets.back() == entries && static_cast<Offset>(matrix.values.size()) == entries &&
                      std::is_sorted(matrix.offsets.begin(), matrix.offsets.end());
    if (!fits)
        bad_file("'{}': indptr, indices, data and shape do not fit each other; save the matrix again", bytes_.name());
    return matrix;
}

Points read_npz(const Bytes& bytes, const ReadOptions& options) {
    const Npz archive(bytes);
    Points points;
    if (archive.is_sparse() && options.array.empty()) {
        const SparseMatrix sparse = archive.csr();
        if (sparse.rows == 0 || sparse.cols == 0)
            bad_file("'{}' is {} x {}; give at least one row and column", bytes.name(), sparse.rows, sparse.cols);
        if (sparse.rows == sparse.cols && options.holds == Holds::automatic) {
            bad_input(
                "'{}' holds a square sparse matrix, which is taken for a graph (dunlin layout draws it); say holds: "
                "documents if its rows are points",
                bytes.name());
        }
        points.values = dense_of(sparse, bytes, options.transpose);
    } else {
        ReadOptions without = options;
        without.array = {};
        points = read_npy(archive.chosen(options.array), without);
        if (!options.transpose) points.ids = archive.names_of_rows(points.values.rows(), points.notes);
        if (!options.labels.empty() && archive.contains(options.labels)) {
            const Bytes labels = archive.array(options.labels);
            points.labels = labels_of(parse_npy(labels), labels.name());
            if (points.labels.of.size() != static_cast<std::size_t>(points.values.rows())) {
                bad_file("'{}' holds {} labels for {} rows; give one per row", labels.name(), points.labels.of.size(),
                         points.values.rows());
            }
        }
    }
    points.kind = "npz";
    return points;
}

}  // namespace dunlin::io
