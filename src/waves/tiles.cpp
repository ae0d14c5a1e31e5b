// SPDX-License-Identifier: Apache-2.0
#include "waves/tiles.hpp"

#include <algorithm>
#include <utility>

#include "progress/cancel.hpp"
#include "waves/saved_state.hpp"
#include "waves/spans.hpp"
#include "waves/tile.hpp"

namespace dunlin::waves {

namespace {

/// Nodes of a tile along an axis and its steps at once, by the number of axes: three copies of a tile of two species,
/// with halo, fit into a cache of 1 MB, and the halo adds little work.
constexpr std::array<Offset, 3> default_size{2048, 96, 24}, default_depth{64, 4, 1};

std::array<Offset, 3> size_of(const Problem& problem) {
    const auto axis = at(axes_of(problem.domain) - 1);
    const Offset side = problem.options.tile > 0 ? problem.options.tile : default_size[axis];
    std::array<Offset, 3> size{};
    for (std::size_t a = 0; a < 3; ++a) size[a] = std::min<Offset>(side, std::max(problem.domain.nodes[a], 1));
    return size;
}

Offset depth_of(const Problem& problem) {
    return problem.options.depth > 0 ? problem.options.depth : default_depth[at(axes_of(problem.domain) - 1)];
}

/// Calls visit(tile) for the tiles of an axis that a span loads, until one returns false.
template <class Visit>
bool each_loaded(const TileSpan& span, Offset n, Offset size, const Visit& visit) {
    for (Offset x = span.low; x < span.high;) {
        const Offset node = (x % n + n) % n, tile = node / size;
        if (!visit(tile)) return false;
        x += std::min((tile + 1) * size, n) - node;
    }
    return true;
}

}  // namespace

TileSpan tile_span(Index n, bool periodic, Offset tile, Offset size, Offset halo) {
    TileSpan span{.begin = tile * size, .end = std::min<Offset>((tile + 1) * size, n)};
    const bool ends = !periodic || n == 1;  // a single node is its own neighbor
    span.low = ends ? std::max<Offset>(span.begin - halo, 0) : span.begin - halo;
    span.high = ends ? std::min<Offset>(span.end + halo, n) : span.end + halo;
    span.has_low_end = ends && span.low == 0;
    span.has_high_end = ends && span.high == n;
    return span;
}

TiledEngine::TiledEngine(device::Cpu& cpu, const Problem& problem, State start)
    : cpu_(cpu),
      problem_(problem),
      field_rates_(problem),
      euler_(euler_row(problem)),
      next_(problem),
      activation_(std::move(start.activation)),
      size_(size_of(problem)),
      depth_(depth_of(problem)),
      updates_(problem.options.scheme == Scheme::euler ? 1 : 2) {
    now_.v = std::move(start.v);
    now_.w = std::move(start.w);
    for (std::size_t a = 0; a < 3; ++a) count_[a] = (problem.domain.nodes[a] + size_[a] - 1) / size_[a];
    const std::size_t tiles = at(count_[0] * count_[1] * count_[2]);
    rests_.assign(tiles, 0);
    next_rests_.assign(tiles, 1);
    awake_.assign(tiles, 0);
}

std::array<TileSpan, 3> TiledEngine::spans_of(Offset tile, Offset halo) const {
    const std::array<Offset, 3> number{tile % count_[0], tile / count_[0] % count_[1], tile / count_[0] / count_[1]};
    std::array<TileSpan, 3> spans;
    for (std::size_t a = 0; a < 3; ++a)
        spans[a] = tile_span(problem_.domain.nodes[a], problem_.domain.periodic[a], number[a], size_[a], halo);
    return spans;
}

void TiledEngine::find_awake(double begin, double end) {
    const auto [nx, ny, nz] = problem_.domain.nodes;
    std::fill(awake_.begin(), awake_.end(), std::uint8_t{0});
    for (const Stimulus& s : problem_.stimuli) {
        const bool is_over = s.every <= 0 && (s.to <= begin || s.from > end);
        if (is_over) continue;
        const Offset x = s.vertex % nx / size_[0], y = s.vertex / nx % ny / size_[1], z = s.vertex / nx / ny / size_[2];
        awake_[at(x + count_[0] * (y + count_[1] * z))] = 1;
    }
}

bool TiledEngine::stays_at_rest(const std::array<TileSpan, 3>& spans) const {
    if (problem_.noise > 0 || !problem_.current.empty()) return false;
    const auto& n = problem_.domain.nodes;
    return each_loaded(spans[2], n[2], size_[2], [&](Offset z) {
        return each_loaded(spans[1], n[1], size_[1], [&](Offset y) {
            return each_loaded(spans[0], n[0], size_[0], [&](Offset x) {
                const std::size_t tile = at(x + count_[0] * (y + count_[1] * z));
                return rests_[tile] == 1 && awake_[tile] == 0;
            });
        });
    });
}

void TiledEngine::advance_block(Offset first, Offset steps, double dt) {
    find_awake(time_of(dt, first), time_of(dt, first + steps));
    std::vector<TileScratch> scratch(at(cpu_.threads()));
    std::vector<Offset> skipped(scratch.size());
    cpu_.blocks(static_cast<Offset>(rests_.size()), 1, [&](Offset number, Offset, int worker) {
        const auto spans = spans_of(number, steps * updates_);
        GridTile tile(problem_, euler_, spans, scratch[at(worker)]);
        if (stays_at_rest(spans)) {
            if (next_rests_[at(number)] == 0) tile.store_rest(next_);
            next_rests_[at(number)] = 1;
            skipped[at(worker)] += tile.size() * steps;
            return;
        }
        tile.load(now_);
        for (Offset k = 0; k < steps; ++k) {
            tile.step(first + k, dt, k * updates_);
            tile.activate(first + k, dt, activation_);
        }
        tile.store(next_);
        next_rests_[at(number)] = tile.rests() ? 1 : 0;
    });
    for (const Offset count : skipped) skipped_ += count;
    std::swap(now_, next_);
    std::swap(rests_, next_rests_);
    completed_ = first + steps;
}

void TiledEngine::advance(Offset first, Offset steps, double dt) {
    for (Offset k = first; k < first + steps; k += depth_) advance_block(k, std::min(depth_, first + steps - k), dt);
}

/// Tiles at rest in the next values follow: those are at rest when they are made.
void TiledEngine::write(checkpoint::ArchiveWriter& archive, double time) const {
    archive(now_.v), archive(now_.w), write_times(archive, activation_, time);
    archive(rests_), archive(completed_), archive(skipped_);
}

void TiledEngine::read(checkpoint::ArchiveReader& archive) {
    const std::size_t tiles = rests_.size();
    read_values(archive, now_.v), read_values(archive, now_.w), read_times(archive, activation_);
    archive(rests_), read_count(archive, completed_), read_count(archive, skipped_);
    archive.require(rests_.size() == tiles, "number of tiles");
}

void TiledEngine::changed(Offset begin, Offset end) {
    if (begin == end) return;
    const auto axis = at(axes_of(problem_.domain) - 1);
    Offset tiles = 1;  // of a layer of tiles
    for (std::size_t a = 0; a < axis; ++a) tiles *= count_[a];
    const Offset first = begin / size_[axis], last = (end - 1) / size_[axis] + 1;
    std::fill(rests_.begin() + first * tiles, rests_.begin() + last * tiles, std::uint8_t{0});
}

double TiledEngine::fastest(double t) { return largest_rate(cpu_, problem_, field_rates_, now_, t, rate_); }

}  // namespace dunlin::waves
