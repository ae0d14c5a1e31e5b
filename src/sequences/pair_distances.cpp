// SPDX-License-Identifier: Apache-2.0
#include "sequences/pair_distances.hpp"

#include <algorithm>
#include <numeric>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/pieces.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::sequences {

namespace {

constexpr Index columns_at_once = 256;

std::vector<std::unique_ptr<ItemDistances::ThreadMemory>> workspaces(const device::Cpu& cpu,
                                                                     const ItemDistances& pairs) {
    std::vector<std::unique_ptr<ItemDistances::ThreadMemory>> all(at(cpu.threads()));
    for (auto& each : all) each = pairs.workspace();
    return all;
}

/// A part of the rows and of the columns, as positions.
struct TileRange {
    Index row, rows, column, columns;
};

/// Tiles of the columns from `first(row)` on.
template <class First>
std::vector<TileRange> tiles_of(Index rows, Index rows_at_once, Index columns, const First& first) {
    std::vector<TileRange> tiles;
    for (Index row = 0; row < rows; row += rows_at_once) {
        for (Index column = first(row); column < columns; column += columns_at_once)
            tiles.push_back(
                {row, std::min(rows_at_once, rows - row), column, std::min(columns_at_once, columns - column)});
    }
    return tiles;
}

/// Copies the computed entry of each pair, which is not negative, to the other one.
void mirror(device::Cpu& cpu, float* all, Index n) {
    constexpr Offset block = 64;
    cpu.blocks(n, block, [&](Offset begin, Offset end, int) {
        for (Offset column = begin; column < n; column += block) {
            for (Offset i = begin; i < end; ++i) {
                for (Offset j = std::max(column, i + 1); j < std::min<Offset>(n, column + block); ++j) {
                    float &upper = all[i * n + j], &lower = all[j * n + i];
                    upper = lower = std::max(upper, lower);
                }
            }
        }
    });
}

/// Tiles of pairs i < j of the ordered items. Entries of other pairs stay as they are.
void compute_upper(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> order, const Run& run,
                   float* all) {
    const Index n = pairs.size();
    const auto spaces = workspaces(cpu, pairs);
    const std::vector<TileRange> tiles = tiles_of(n, pairs.rows_at_once(), n, [](Index row) { return row; });
    constexpr Offset tiles_at_once = 64;
    progress::ProgressReporter reporter(run, "distances", std::ssize(tiles));
    for (Offset done = 0; done < std::ssize(tiles); done += tiles_at_once) {
        cpu.blocks(std::min(tiles_at_once, std::ssize(tiles) - done), 1, [&](Offset begin, Offset, int worker) {
            const TileRange& tile = tiles[at(done + begin)];
            const auto rows = order.subspan(at(tile.row), at(tile.rows)),
                       columns = order.subspan(at(tile.column), at(tile.columns));
            std::vector<float> values(at(Offset{tile.rows} * tile.columns));
            pairs.tile(*spaces[at(worker)], rows, columns, values.data());
            for (std::size_t r = 0; r < rows.size(); ++r) {
                for (std::size_t c = 0; c < columns.size(); ++c)
                    all[at(Offset{rows[r]} * n + columns[c])] = values[r * columns.size() + c];
            }
        });
        reporter.tick(std::min(done + tiles_at_once, std::ssize(tiles)));
    }
}

void compute_on_gpu(const ItemDistances& pairs, const PairTask& task, const Run& run) {
    const ItemArrays arrays = pairs.arrays();
    if (const auto* const strings = std::get_if<StringArrays>(&arrays)) {
        compute_strings_on_cuda(*strings, task, run);
    } else {
        compute_tracks_on_cuda(std::get<TrackArrays>(arrays), task, run);
    }
}

/// Bytes that a task of all columns takes.
std::uint64_t gpu_bytes(const ItemDistances& pairs) {
    return std::visit([&](const auto& arrays) { return gpu_plan(arrays, pairs.size()).bytes; }, pairs.arrays());
}

/// Computes the same pairs on a GPU.
void compute_upper_on_gpu(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> order, const Run& run,
                          float* all) {
    const Index n = pairs.size();
    progress::ProgressReporter reporter(run, "distances", n);
    const auto take = [&](const ComputedRows& part) {
        cpu.blocks(part.rows, 1, [&](Offset r, Offset, int) {
            const float* const values = part.values + r * part.columns;
            float* const row = all + Offset{order[at(part.row + r)]} * n;
            for (Index column = static_cast<Index>(part.row + r) + 1; column < n; ++column)
                row[order[at(column)]] = values[column - part.column];
        });
        reporter.tick(part.row + part.rows);
    };
    compute_on_gpu(pairs, {order, order, true, take}, run);
}

/// Bytes of all pairs.
std::uint64_t bytes_of_all(Index n) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * sizeof(float);
}

}  // namespace

Device choose_device(const ItemDistances& pairs, const Run& run) {
    constexpr double enough_seconds = 0.25;  // of one thread; the start of a GPU takes some tenths of a second
    const auto fits = [&] {
        return run.gpu() < device::cuda_devices() && gpu_bytes(pairs) <= device::gpu_allowance(run);
    };
    const bool worth = run.device == Device::automatic && pairs.seconds_of_all() >= enough_seconds && fits();
    return device::choose(run, worth);
}

void fill_rows(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> items,
               std::span<float* const> rows) {
    const Index n = pairs.size();
    std::vector<Index> columns(at(n));
    std::iota(columns.begin(), columns.end(), 0);
    const auto spaces = workspaces(cpu, pairs);
    const std::vector<TileRange> tiles =
        tiles_of(static_cast<Index>(items.size()), pairs.rows_at_once(), n, [](Index) { return Index{0}; });
    cpu.blocks(std::ssize(tiles), 1, [&](Offset begin, Offset, int worker) {
        const TileRange& tile = tiles[at(begin)];
        std::vector<float> values(at(Offset{tile.rows} * tile.columns));
        pairs.tile(*spaces[at(worker)], items.subspan(at(tile.row), at(tile.rows)),
                   std::span(columns).subspan(at(tile.column), at(tile.columns)), values.data());
        for (Index r = 0; r < tile.rows; ++r) {
            const float* const from = values.data() + Offset{r} * tile.columns;
            std::copy_n(from, tile.columns, rows[at(tile.row + r)] + tile.column);
        }
    });
    for (std::size_t r = 0; r < items.size(); ++r) rows[r][items[r]] = 0;
}

void fill_rows_on_gpu(device::Cpu& cpu, const ItemDistances& pairs, std::span<const Index> items,
                      std::span<float* const> rows, const Run& run) {
    const std::vector<Index> order = pairs.order();
    std::vector<Index> rank(order.size()), places(items.size()), ordered(items.size());
    for (std::size_t c = 0; c < order.size(); ++c) rank[at(order[c])] = static_cast<Index>(c);
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(),
              [&](Index r, Index s) { return rank[at(items[at(r)])] < rank[at(items[at(s)])]; });
    for (std::size_t r = 0; r < places.size(); ++r) ordered[r] = items[at(places[r])];
    const auto take = [&](const ComputedRows& part) {
        cpu.blocks(part.rows, 1, [&](Offset r, Offset, int) {
            float* const row = rows[at(places[at(part.row + r)])];
            for (Index c = 0; c < part.columns; ++c) row[order[at(c)]] = part.values[r * part.columns + c];
        });
    };
    compute_on_gpu(pairs, {ordered, order, false, take}, run);
    for (std::size_t r = 0; r < items.size(); ++r) rows[r][items[r]] = 0;
}

Matrix all_pairs(const ItemDistances& pairs, Device device, const Run& run) {
    const Index n = pairs.size();
    device::require_memory(run, bytes_of_all(n), "all pairs of sequences", "use fewer items");
    std::vector<float> all;
    device::Cpu cpu(run);
    const bool done = progress::run_cancellable(run.stop, [&] {
        device::assign_in_pieces(all, at(Offset{n} * n), -1.0F);
        const std::vector<Index> order = pairs.order();
        const auto compute = device == Device::cuda ? compute_upper_on_gpu : compute_upper;
        compute(cpu, pairs, order, run, all.data());
        mirror(cpu, all.data(), n);
        for (Index i = 0; i < n; ++i) all[at(Offset{i} * n + i)] = 0;
    });
    return done ? Matrix(n, n, std::move(all)) : Matrix();
}

bool computes_all(const ItemDistances& pairs, const Options& options, Device device, const Run& run) {
    if (options.pairs != Pairs::automatic) return options.pairs == Pairs::all;
    const double most_seconds = device == Device::cuda ? 60000 : 600;  // of one thread
    constexpr std::uint64_t usual = std::uint64_t{16} << 30;           // not what is free: the choice changes results
    const std::uint64_t available = run.memory > 0 ? run.memory : usual;
    return bytes_of_all(pairs.size()) <= available / 2 && pairs.seconds_of_all() <= most_seconds;
}

}  // namespace dunlin::sequences
