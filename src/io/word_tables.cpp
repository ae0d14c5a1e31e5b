// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include <dunlin/texts.hpp>

#include "io/documents.hpp"
#include "io/fail.hpp"
#include "io/lda.hpp"
#include "io/lines.hpp"
#include "io/memory.hpp"
#include "io/mtx.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

struct CountCell {
    Index column;
    float value;
};

/// A sparse matrix from cells by rows, each row's put in order, those of one column added.
class RowsOfCells {
public:
    void add(Index column, float value) { row_.push_back({column, value}); }
    void end_row() {
        std::sort(row_.begin(), row_.end(), [](const CountCell& a, const CountCell& b) {
            return std::pair(a.column, a.value) < std::pair(b.column, b.value);
        });
        for (const CountCell& cell : row_) {
            const bool again =
                std::ssize(matrix_.columns) > matrix_.offsets.back() && matrix_.columns.back() == cell.column;
            if (again) {
                matrix_.values.back() += cell.value;
            } else {
                matrix_.columns.push_back(cell.column);
                matrix_.values.push_back(cell.value);
            }
        }
        matrix_.offsets.push_back(std::ssize(matrix_.columns));
        row_.clear();
    }
    SparseMatrix matrix(Index cols) {
        matrix_.rows = static_cast<Index>(matrix_.offsets.size()) - 1;
        matrix_.cols = cols;
        return std::move(matrix_);
    }

private:
    std::vector<CountCell> row_;
    SparseMatrix matrix_;
};

SparseMatrix in_order(const SparseMatrix& read) {
    RowsOfCells rows;
    for (Index r = 0; r < read.rows; ++r) {
        progress::cancellation_point();
        for (Offset e = read.offsets[at(r)]; e < read.offsets[at(r) + 1]; ++e)
            rows.add(read.columns[at(e)], read.values[at(e)]);
        rows.end_row();
    }
    return rows.matrix(read.cols);
}

SparseMatrix counts_of_mtx(const Bytes& bytes, const MtxHead& head) {
    std::vector<MtxEntries::Triplet> entries;
    MtxEntries reader(bytes, head);
    const std::uint64_t stored = at(head.entries) * (head.symmetric ? 2 : 1);
    require_memory(stored * (sizeof(MtxEntries::Triplet) + 2 * sizeof(CountCell)) + 3 * at(head.rows) * sizeof(Offset),
                   "the counts of '" + bytes.name() + "'");
    for (MtxEntries::Triplet entry; reader.next(entry);) {
        entries.push_back(entry);
        if (head.symmetric && entry.row != entry.col)
            entries.push_back({entry.col, entry.row, head.skew ? -entry.value : entry.value});
    }
    SparseMatrix read;
    read.rows = head.rows;
    read.cols = head.cols;
    read.offsets.assign(at(head.rows) + 1, 0);
    for (const auto& entry : entries) ++read.offsets[at(entry.row) + 1];
    for (std::size_t r = 0; r < at(head.rows); ++r) read.offsets[r + 1] += read.offsets[r];
    std::vector<Offset> next(read.offsets.begin(), read.offsets.end() - 1);
    read.columns.resize(entries.size());
    read.values.resize(entries.size());
    for (const auto& entry : entries) {
        const auto place = at(next[at(entry.row)]++);
        read.columns[place] = entry.col;
        read.values[place] = static_cast<float>(entry.value);
    }
    return in_order(read);
}

SparseMatrix counts_of_dense(const MatrixView<const float>& values, const std::vector<double>& shift) {
    RowsOfCells rows;
    for (Index r = 0; r < values.rows; ++r) {
        progress::cancellation_point();
        for (Index c = 0; c < values.cols; ++c) {
            const double offset = shift.empty() ? 0 : shift[at(c)];
            const auto value = static_cast<float>(static_cast<double>(values(r, c)) + offset);
            if (value != 0) rows.add(c, value);
        }
        rows.end_row();
    }
    return rows.matrix(values.cols);
}

WordTable counts_of_points(Points points) {
    WordTable table;
    table.counts = counts_of_dense(points.values.view(), points.shift);
    table.words = std::move(points.columns);
    table.ids = std::move(points.ids);
    table.notes = std::move(points.notes);
    return table;
}

WordTable read_counts(const Bytes& bytes) {
    WordTable table;
    if (is_npz(bytes)) {
        const Npz archive(bytes);
        if (archive.is_sparse()) {
            table.counts = in_order(archive.csr());
            table.ids = archive.names_of_rows(table.counts.rows, table.notes);
            return table;
        }
    } else if (is_mtx(bytes)) {
        const MtxHead head = parse_mtx_head(bytes);
        if (head.coordinate) {
            table.counts = counts_of_mtx(bytes, head);
            return table;
        }
    } else if (is_lda(bytes)) {
        RowsOfCells rows;
        const Index cols = each_lda_count(
            bytes, [&](Offset id, float count) { rows.add(static_cast<Index>(id), count); }, [&] { rows.end_row(); });
        table.counts = rows.matrix(cols);
        return table;
    }
    return counts_of_points(read_points(bytes, {}));
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

}  // namespace

WordTable read_counts(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_counts(load(path)); });
}

std::vector<std::string> read_words(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] {
        const Bytes bytes = load(path);
        std::vector<std::string> words;
        for (std::string_view rest = bytes.view(); !rest.empty();) words.emplace_back(trimmed(take_line(rest)));
        while (!words.empty() && words.back().empty()) words.pop_back();
        return words;
    });
}

TextColumn read_texts(const std::filesystem::path& path, const std::string& column, const Run& run) {
    if (std::error_code unknown; !std::filesystem::is_directory(path, unknown))
        return read_text_column(path, column, run);
    return run_reader(path, run, [&] { return read_folder_texts(path).texts; });
}

}  // namespace dunlin::io
