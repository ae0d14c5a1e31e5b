// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/tiles.hpp"

namespace dunlin::waves {

/// Memory of a worker for a tile: three copies of its loaded nodes, each row with a ghost node at both ends.
struct TileScratch {
    std::array<Values, 3> copies;
    std::vector<double> current;
};

/// A loaded tile. Positions are those of the domain; along a periodic axis they may lie beyond its ends.
class GridTile {
public:
    GridTile(const Problem& problem, RowKernel euler, const std::array<TileSpan, 3>& spans, TileScratch& scratch);

    void load(const Values& field);
    /// Does one step of euler or heun; `before` updates of all nodes have been done since load().
    void step(Offset number, double dt, Offset before);
    /// Sets the times of nodes that the last step activated.
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
    [[nodiscard]] Row row_at(const Values& from, Values& to, Line line, Offset x) const;
    template <class Visit>
    void each_row(Offset updates, const Visit& visit) const;
    template <class Visit>
    void each_own_row(const Visit& visit) const;
    void find_held();
    void hold(double t, Values& values) const;
    void set_ghosts(std::vector<double>& values, Line line) const;
    void update(Values& from, Values& to, double dt, Offset updates) const;
    void add_noise_to(Values& to, Offset number, double dt, Offset updates) const;

    const Problem& problem_;
    RowKernel euler_;
    std::array<TileSpan, 3> spans_;
    Offset width_, height_;
    TileScratch& scratch_;
    Values *now_, *next_, *spare_;
    std::vector<Held> held_;
};

}  // namespace dunlin::waves
