// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves_input.hpp"

/// Files that dunlin waves writes.
namespace dunlin::app {

/// Content of a picture. automatic: activation on graphs and grids, spacetime on lines and rings.
enum class Shown { automatic, activation, v, w, spacetime, curve };
constexpr std::array<std::string_view, 6> names(Shown) {
    return {"auto", "activation", "v", "w", "spacetime", "curve"};
}

struct WavesLook {
    Shown show = Shown::automatic;
    std::string map;  ///< file with the drawing of the graph
    picture::Options picture;
};

/// Resolves automatic; throws Error{bad_input} for what this domain cannot show.
Shown settle_shown(Shown show, const WavesDomain& domain, bool has_map);

/// The picture of this path is a page, which plays the states of the run.
inline bool is_page(const fs::path& path) { return path.extension() == ".html"; }

/// Times of `count` pictures from 0 to the end.
std::vector<double> times_of_frames(double end, int count);

/// Table (.csv .tsv), state (.npy) or picture, by the extension. False: a picture was cancelled.
bool write_waves(const fs::path& path, const WavesDomain& domain, const waves::Result& result, const WavesLook& look,
                 const CommonOptions& common);

/// The matrix of activation times.
void write_times(const fs::path& path, const WavesDomain& domain, const std::vector<float>& times);

}  // namespace dunlin::app
