// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "io/npy.hpp"
#include "io/output.hpp"

namespace dunlin::io {

namespace {

void write_table(Output& out, const Columns& columns, const std::vector<std::string>& ids, char delimiter) {
    if (!ids.empty()) out.field("id", delimiter);
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
        if (c > 0 || !ids.empty()) out.character(delimiter);
        out.field(columns.names[c], delimiter);
    }
    for (const WordColumn& words : columns.words) out.character(delimiter), out.field(words.name, delimiter);
    out.character('\n');
    const std::size_t rows = columns.values.empty() ? 0 : columns.values.front().size();
    for (std::size_t r = 0; r < rows; ++r) {
        if (!ids.empty()) out.field(ids[r], delimiter);
        for (std::size_t c = 0; c < columns.values.size(); ++c) {
            if (c > 0 || !ids.empty()) out.character(delimiter);
            if (std::isfinite(columns.values[c][r])) out.number(columns.values[c][r]);
        }
        for (const WordColumn& words : columns.words) out.character(delimiter), out.field(words.values[r], delimiter);
        out.character('\n');
    }
}

}  // namespace

DoubleArray read_array(const std::filesystem::path& path) {
    const Bytes bytes = load(path);
    if (!is_npy(bytes)) {
        throw Error(Fault::bad_file, fmt::format("{} is not a .npy file; write it with numpy.save", path.string()),
                    {.file = path.string()});
    }
    const Array array = parse_npy(bytes);
    if (array.is_text() || (array.fortran && array.shape.size() > 1)) {
        throw Error(Fault::bad_file,
                    fmt::format("{} holds {}; save numbers in C order (numpy.ascontiguousarray)", path.string(),
                                array.is_text() ? "text" : "an array in Fortran order"),
                    {.file = path.string()});
    }
    DoubleArray result{array.shape, std::vector<double>(array.count())};
    for (std::uint64_t i = 0; i < array.count(); ++i) result.values[i] = array.number(i);
    return result;
}

void write_array(const std::filesystem::path& path, const DoubleArray& array) {
    Output out(path);
    out.text(npy_header("<f8", array.shape));
    out.raw(array.values);
    out.commit();
}

void write_columns(const std::filesystem::path& path, const Columns& columns, const std::vector<std::string>& ids) {
    const std::string extension = format_of(path, "columns of numbers are", formats::tables);
    if (extension == ".npy") {
        DoubleArray array{{columns.values.empty() ? 0 : columns.values.front().size(), columns.values.size()}, {}};
        for (std::size_t r = 0; r < array.shape[0]; ++r) {
            for (const auto& column : columns.values) array.values.push_back(column[r]);
        }
        return write_array(path, array);
    }
    Output out(path);
    write_table(out, columns, ids, extension == ".csv" ? ',' : '\t');
    out.commit();
}

}  // namespace dunlin::io
