// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/aligned.hpp"
#include "waves/tiles.hpp"

namespace dunlin::waves {

using TileValues = device::AlignedBuffer<double>;

/// Memory of a worker for a tile: three copies of its loaded nodes. Each row begins with a cache line, because a kernel
/// that stores vectors across lines takes a sixth longer; a line before the loaded nodes and one after their last line
/// have the ghost nodes, and what updates of whole lines read beyond the nodes.
struct TileScratch {
    struct Copy {
        TileValues v, w;
    };
    std::array<Copy, 3> copies;
    TileValues current;
};

/// A loaded tile. Positions are those of the domain; along a periodic axis they may lie beyond its ends.
class GridTile {
public:
    GridTile(const Problem& problem, RowKernel euler, const std::array<TileSpan, 3>& spans, TileScratch& scratch);

    void load(const Values& field);
    /// Does one step of euler or heun; `before` updates of all nodes have been done since load().
    void step(Offset number, double dt, Offset before);
    /// Sets the times of nodes that the last step activated, if one may have been.
    void activate(Offset number, double dt, std::vector<double>& times);
    void store(Values& field) const;
    void store_rest(Values& field) const;
    [[nodiscard]] Offset size() const;
    /// Whether all nodes of the tile are at rest.
    [[nodiscard]] bool rests() const;

private:
    struct Held {
        Offset place;
        const Stimulus* stimulus;
    };
    struct Line {
        Offset y, z;
    };

    [[nodiscard]] Offset place(Offset x, Offset y, Offset z) const;
    [[nodiscard]] Offset node(Offset x, Offset y, Offset z) const;
    template <class Visit>
    void each_species(const Visit& visit) const;
    [[nodiscard]] TileValues& watched(TileScratch::Copy& copy) const;
    [[nodiscard]] Row row_at(const TileScratch::Copy& from, TileScratch::Copy& to, Line line, Offset x) const;
    template <class Visit>
    void each_row(Offset updates, const Visit& visit) const;
    template <class Visit>
    void each_own_row(const Visit& visit) const;
    void find_held();
    void hold(double t, TileScratch::Copy& copy) const;
    void set_ghosts(TileValues& values, Line line) const;
    bool update(TileScratch::Copy& from, TileScratch::Copy& to, double dt, Offset updates) const;
    bool take_mean(Offset updates);
    void add_noise_to(TileScratch::Copy& to, Offset number, double dt, Offset updates) const;

    const Problem& problem_;
    RowKernel euler_;
    std::array<TileSpan, 3> spans_;
    Offset width_, height_;
    TileScratch& scratch_;
    TileScratch::Copy *now_, *next_, *spare_;
    std::vector<Held> held_;
    bool rises_ = false;  ///< the last step may have activated a node
};

}  // namespace dunlin::waves
