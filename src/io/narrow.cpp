// SPDX-License-Identifier: Apache-2.0
#include <dunlin/device.hpp>
#include <dunlin/narrow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/fail.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "io/array.hpp"
#include "io/magnitudes.hpp"
#include "io/narrow_on_gpu.hpp"
#include "io/narrowed_number.hpp"
#include "io/number_types.hpp"
#include "io/shift.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin {

namespace {

constexpr Offset none = std::numeric_limits<Offset>::max();

/// IEEE 754 binary16.
struct Half {
    std::uint16_t bits = 0;
    explicit operator double() const { return static_cast<double>(io::half_to_float(bits)); }
};

template <class T>
double loaded(const std::byte* place) {
    T value;
    std::memcpy(&value, place, sizeof value);
    return static_cast<double>(value);
}

/// Calls work(load), where load(place) is the number at an address as a double.
template <class Work>
void with_loader(NumberType type, const Work& work) {
    io::with_number_type<Half>(type, [&]<class T>(T) { work([](const std::byte* p) { return loaded<T>(p); }); });
}

const std::byte* place_of(const ForeignMatrix& matrix, Offset row, Offset column) {
    return static_cast<const std::byte*>(matrix.data) + row * matrix.row_stride + column * matrix.column_stride;
}

std::vector<double> sampled_shift(const ForeignMatrix& matrix, ColumnOffsets offsets) {
    const Index rows = std::min(matrix.rows, io::sample_size(at(matrix.cols)));
    std::vector<double> sample(at(Offset{rows} * matrix.cols));
    with_loader(matrix.type, [&](const auto& load) {
        for (Index i = 0; i < rows; ++i) {
            const Index row = io::sampled_row(i, rows, matrix.rows);
            for (Index c = 0; c < matrix.cols; ++c)
                sample[at(Offset{i} * matrix.cols + c)] = load(place_of(matrix, row, c));
        }
    });
    return io::choose_shift(sample, matrix.cols, offsets);
}

std::vector<double> sampled_shift(const io::ForeignOnGpu& foreign, ColumnOffsets offsets) {
    if (offsets == ColumnOffsets::keep) return {};
    const ForeignMatrix& matrix = foreign.matrix;
    const Index rows = std::min(matrix.rows, io::sample_size(at(matrix.cols)));
    return io::choose_shift(io::sample_on_gpu(foreign, rows), matrix.cols, offsets);
}

/// rows: what the rows are.
[[noreturn]] void fail_at(Offset row, Offset column, double value, std::string_view rows) {
    const std::string place = fmt::format("row {}, column {} of the {} (counted from 0)", row, column, rows);
    if (std::isfinite(value)) {
        device::bad_row(row, fmt::format("{} is {}, too large for float32; scale the column down", place, value),
                        column);
    }
    device::bad_row(row,
                    fmt::format("{} is {}; {} must be finite: remove the row or fill the value in", place,
                                std::isnan(value) ? "NaN" : "infinity (inf)", rows),
                    column);
}

[[noreturn]] void fail_for_small_numbers() {
    throw Error(Fault::bad_input, "all values are too small for float32; scale the points up");
}

/// Throws if all numbers of a column that are not 0 are too small for float32.
template <class Load>
void require_visible_columns(const ForeignMatrix& matrix, const Narrowed& narrowed, const Load& load) {
    io::VanishedColumns columns;
    std::vector<double> row(at(matrix.cols));
    for (Index r = 0; r < matrix.rows; ++r) {
        if (r % 1024 == 0) progress::cancellation_point();
        for (Index c = 0; c < matrix.cols; ++c) row[at(c)] = load(place_of(matrix, r, c));
        columns.look_at(row.data(), narrowed.shift.empty() ? nullptr : narrowed.shift.data(), narrowed.values.row(r));
    }
    const io::VanishedColumns::VanishedNumber small = columns.found(narrowed.values.view());
    if (small.number == 0) return;
    throw Error(Fault::bad_input,
                fmt::format("all numbers of column {} (counted from 0) are too small for float32, such as {}; scale "
                            "the column up",
                            small.column, small.number),
                {.column = static_cast<Offset>(small.column)});
}

template <class Load>
Narrowed narrow_by(const ForeignMatrix& matrix, std::vector<double> shift_of_columns, const Run& run,
                   std::string_view rows, const Load& load) {
    const Offset size = Offset{matrix.rows} * matrix.cols;
    device::require_memory(run, static_cast<std::uint64_t>(size) * sizeof(float), "float32 points");
    Narrowed narrowed{{}, std::move(shift_of_columns)};
    const std::vector<double>& shift = narrowed.shift;
    std::vector<float> values(at(size));
    std::atomic<Offset> bad = none;  // the first number that float32 cannot hold
    std::atomic<bool> visible = false, vanished = false;
    device::Cpu cpu(run);
    progress::ProgressReporter reporter(run, "read", 1);
    const Offset grain = std::max<Offset>(1, 65536 / std::max<Index>(matrix.cols, 1));
    cpu.blocks(matrix.rows, grain, [&](Offset begin, Offset end, int) {
        bool finite = true, any = false, lost = false;
        for (Offset r = begin; r < end; ++r) {
            float* const out = values.data() + r * matrix.cols;
            for (Offset c = 0; c < matrix.cols; ++c) {
                const auto [exact, stored] =
                    io::narrowed_number(load(place_of(matrix, r, c)), shift.empty() ? 0 : shift[at(c)]);
                out[c] = stored;
                finite &= std::isfinite(out[c]);
                any |= stored != 0;
                lost |= io::is_tiny(exact);
            }
        }
        if (any) visible = true;
        if (lost) vanished = true;
        if (finite) return;
        Offset first = begin * matrix.cols;
        while (std::isfinite(values[at(first)])) ++first;
        Offset before = bad;
        while (first < before && !bad.compare_exchange_weak(before, first)) continue;
    });
    if (bad != none) {
        const Offset row = bad / matrix.cols, column = bad % matrix.cols;
        fail_at(row, column, load(place_of(matrix, row, column)), rows);
    }
    const bool are_points = rows == "points";
    if (vanished && !visible) fail_for_small_numbers();
    if (values.empty()) values.resize(1);
    narrowed.values = Matrix(matrix.rows, matrix.cols, std::move(values));
    if (vanished && are_points) require_visible_columns(matrix, narrowed, load);
    reporter.announce(1);
    return narrowed;
}

void check_size(const ForeignMatrix& matrix) {
    if (matrix.rows < 0 || matrix.cols < 0)
        throw Error(Fault::bad_input, fmt::format("a matrix of {} x {} numbers", matrix.rows, matrix.cols));
}

}  // namespace

bool has_offsets(const ForeignMatrix& matrix, ColumnOffsets offsets) {
    check_size(matrix);
    return matrix.rows > 0 && matrix.cols > 0 && !sampled_shift(matrix, offsets).empty();
}

Narrowed narrow(const ForeignMatrix& matrix, ColumnOffsets offsets, const Run& run) {
    return narrow(matrix, matrix, offsets, run);
}

Narrowed narrow(const ForeignMatrix& matrix, const ForeignMatrix& reference, ColumnOffsets offsets, const Run& run) {
    device::check(run);
    check_size(matrix);
    check_size(reference);
    if (matrix.cols != reference.cols) {
        throw Error(Fault::bad_input, fmt::format("{} columns and {} in the rows that they are compared with; both "
                                                  "must have the same",
                                                  matrix.cols, reference.cols));
    }
    Narrowed narrowed;
    const bool whole = progress::run_cancellable(run.stop, [&] {
        with_loader(matrix.type, [&](const auto& load) {
            narrowed = narrow_by(matrix, sampled_shift(reference, offsets), run,
                                 matrix.data == reference.data ? "points" : "queries", load);
        });
    });
    return whole ? narrowed : Narrowed{};
}

bool has_offsets(const ForeignMatrix& matrix, int gpu, void* stream, ColumnOffsets offsets) {
    check_size(matrix);
    return matrix.rows > 0 && matrix.cols > 0 && !sampled_shift({matrix, gpu, stream}, offsets).empty();
}

DeviceNarrowed narrow(const ForeignMatrix& matrix, int gpu, void* stream, ColumnOffsets offsets) {
    check_size(matrix);
    device::cuda_device(gpu);
    if (matrix.rows == 0 || matrix.cols == 0) return {{matrix.rows, matrix.cols, gpu, nullptr}, {}};
    const io::ForeignOnGpu foreign{matrix, gpu, stream};
    std::vector<double> shift = sampled_shift(foreign, offsets);
    const io::NarrowedOnGpu found = io::narrow_on_gpu(foreign, shift);
    if (found.bad >= 0) fail_at(found.bad / matrix.cols, found.bad % matrix.cols, found.number, "points");
    if (found.vanished && !found.visible) fail_for_small_numbers();
    return {found.values, std::move(shift)};
}

}  // namespace dunlin
