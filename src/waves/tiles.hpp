// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "checkpoint/archive.hpp"
#include "device/cpu.hpp"
#include "waves/rates.hpp"

namespace dunlin::waves {

/// Part of an axis: a tile owns [begin, end) and loads [low, high), whose nodes beyond the ends of a periodic axis are
/// those of its other end.
struct TileSpan {
    Offset begin = 0, end = 0, low = 0, high = 0;
    bool has_low_end = false, has_high_end = false;  ///< the first, the last loaded node is an end without flux

    /// Loaded nodes whose values are valid after `updates` updates of all nodes.
    [[nodiscard]] Offset first_valid(Offset updates) const { return has_low_end ? low : low + updates; }
    [[nodiscard]] Offset last_valid(Offset updates) const { return has_high_end ? high : high - updates; }
};

/// The span of tile number `tile` of an axis of n nodes, with a halo for this number of updates.
TileSpan tile_span(Index n, bool periodic, Offset tile, Offset size, Offset halo);

/// Integrates lines, rings and grids by euler or heun in overlapping tiles: a tile with a halo does several steps in
/// the cache, and each node gets the same operations as in PlainEngine, hence the same bytes. A tile at rest with its
/// halo, without input, stays at rest and is skipped.
class TiledEngine {
public:
    TiledEngine(device::Cpu& cpu, const Problem& problem, State start);

    /// Does the steps first, first + 1, ... of length dt. If cancelled, completed() steps are done.
    void advance(Offset first, Offset steps, double dt);
    double fastest(double t);
    [[nodiscard]] State state() const& { return {now_.v, now_.w, activation_}; }
    [[nodiscard]] State state() && { return {std::move(now_.v), std::move(now_.w), std::move(activation_)}; }
    [[nodiscard]] const std::vector<double>& activation() const { return activation_; }
    [[nodiscard]] ValuePointers values() { return {now_.v.data(), now_.w.data()}; }
    [[nodiscard]] const double* times() const { return activation_.data(); }
    /// These layers along the last axis were changed from outside: tiles with them are no longer at rest.
    void changed(Offset begin, Offset end);
    [[nodiscard]] Offset completed() const { return completed_; }
    [[nodiscard]] Offset skipped() const { return skipped_; }
    [[nodiscard]] Offset evaluations() const { return completed_ * updates_; }
    void write(checkpoint::ArchiveWriter& archive, double time) const;
    void read(checkpoint::ArchiveReader& archive);

private:
    void advance_block(Offset first, Offset steps, double dt);
    [[nodiscard]] std::array<TileSpan, 3> spans_of(Offset tile, Offset halo) const;
    [[nodiscard]] bool stays_at_rest(const std::array<TileSpan, 3>& spans) const;
    void find_awake(double begin, double end);

    device::Cpu& cpu_;
    const Problem& problem_;
    FieldRates field_rates_;
    RowKernel euler_;
    Values now_, next_, rate_;
    std::vector<double> activation_;
    std::array<Offset, 3> size_{}, count_{};        ///< nodes of a tile, and tiles, along each axis
    std::vector<std::uint8_t> rests_, next_rests_;  ///< per tile: all its nodes are at rest in now_, in next_
    std::vector<std::uint8_t> awake_;               ///< per tile: a stimulus may hold one of its nodes
    Offset depth_, updates_;                        ///< steps at once; updates of a step (euler 1, heun 2)
    Offset completed_ = 0, skipped_ = 0;
};

}  // namespace dunlin::waves
