// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dunlin {

using Index = std::int32_t;   ///< a point, a vertex, a column
using Offset = std::int64_t;  ///< an index into an array of edges or coordinates, a number of pairs

/// A row-major matrix that does not own its values.
template <class T>
struct MatrixView {
    T* data = nullptr;
    Index rows = 0;
    Index cols = 0;

    [[nodiscard]] std::span<T> row(Index r) const { return {data + Offset{r} * cols, static_cast<std::size_t>(cols)}; }
    [[nodiscard]] T& operator()(Index r, Index c) const { return data[Offset{r} * cols + c]; }
    [[nodiscard]] Offset size() const { return Offset{rows} * cols; }
};

/// Points: an immutable row-major float32 matrix, rows x cols. Copies share the values, which live in memory
/// or in a memory-mapped file.
class Matrix {
public:
    Matrix() = default;

    /// Takes `values`, which holds rows * cols floats, row after row.
    Matrix(Index rows, Index cols, std::vector<float> values) : rows_(rows), cols_(cols) {
        auto owner = std::make_shared<const std::vector<float>>(std::move(values));
        values_ = std::shared_ptr<const float>(owner, owner->data());
    }

    /// Shares `values`; its deleter releases the memory (a mapping, a foreign buffer).
    Matrix(Index rows, Index cols, std::shared_ptr<const float> values)
        : rows_(rows), cols_(cols), values_(std::move(values)) {}

    [[nodiscard]] Index rows() const { return rows_; }
    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] MatrixView<const float> view() const { return {values_.get(), rows_, cols_}; }
    [[nodiscard]] std::span<const float> row(Index r) const { return view().row(r); }

private:
    Index rows_ = 0;
    Index cols_ = 0;
    std::shared_ptr<const float> values_;
};

/// A sparse matrix in compressed rows: row r holds columns[offsets[r] .. offsets[r + 1]), ascending.
struct SparseMatrix {
    Index rows = 0;
    Index cols = 0;
    std::vector<Offset> offsets{0};
    std::vector<Index> columns;
    std::vector<float> values;
};

/// A weighted graph in compressed rows: the edges of vertex v are targets[offsets[v] .. offsets[v + 1]).
/// A kNN list (weight: distance, nearest first), t-SNE's affinities (weight: p_ij) and a drawing are all a Graph.
struct Graph {
    std::vector<Offset> offsets{0};
    std::vector<Index> targets;
    std::vector<float> weights;

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] Offset edges() const { return offsets.back(); }
};

/// Positions of points: coordinates holds size() * dim floats, [point][axis], less `origin`.
struct Map {
    int dim = 2;
    std::vector<float> coordinates;
    std::vector<double> origin = {};  ///< of a map far from zero: what is to be added to each axis; empty: zeros

    [[nodiscard]] Index size() const { return static_cast<Index>(coordinates.size() / static_cast<std::size_t>(dim)); }
    [[nodiscard]] MatrixView<const float> view() const { return {coordinates.data(), size(), dim}; }
};

/// The entry of Labels::of for a point without a label.
constexpr Index no_label = -1;

/// A class for every point: names[of[i]], or none where of[i] is no_label. Empty if the data have no labels. Names are
/// in order of first appearance, or ascending if all of them are numbers.
struct Labels {
    std::vector<Index> of;
    std::vector<std::string> names;

    [[nodiscard]] bool empty() const { return of.empty(); }
};

}  // namespace dunlin
