// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Items that are sequences: strings, texts of words, trajectories, time series; and the dissimilarities between two of
/// them. mds::Dissimilarities::of_strings and of_tracks use them; docs/sequences.md has the equations.
namespace dunlin::sequences {

/// Sequences of symbols: code points of strings, or numbers of words. Item i is symbols[offsets[i] .. offsets[i + 1]);
/// it may be empty.
struct Strings {
    std::vector<std::uint32_t> symbols;
    std::vector<Offset> offsets{0};

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] std::span<const std::uint32_t> item(Index i) const {
        const auto k = static_cast<std::size_t>(i);
        return {symbols.data() + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k])};
    }
};

/// Symbols of a text. characters: code points of UTF-8. words: strings between blanks.
enum class Unit { characters, words };
constexpr std::array<std::string_view, 2> names(Unit) { return {"characters", "words"}; }

/// The symbols of texts in UTF-8. A byte that begins no valid code point is a symbol of its own, different from all
/// code points. Words are numbered in the order of their first appearance.
DUNLIN_API Strings strings_of(std::span<const std::string> texts, Unit unit = Unit::characters);

/// Trajectories or time series: item i has the positions offsets[i] .. offsets[i + 1], at least one, in their order.
struct Tracks {
    int dim = 2;                    ///< coordinates of a position, at least 1
    std::vector<double> positions;  ///< [position][coordinate]
    std::vector<Offset> offsets{0};
    bool geographic = false;  ///< positions are latitude and longitude in degrees, distances meters on the sphere

    [[nodiscard]] Index size() const { return static_cast<Index>(offsets.size()) - 1; }
    [[nodiscard]] Offset length(Index i) const {
        return offsets[static_cast<std::size_t>(i) + 1] - offsets[static_cast<std::size_t>(i)];
    }
};

/// Dissimilarity of two items.
/// edit: least number of insertions, deletions and substitutions of symbols (Levenshtein 1966).
/// dtw: dynamic time warping: least sum of distances along a monotone matching of all positions (Sakoe and Chiba 1978);
///     no triangle inequality.
/// frechet: discrete Frechet distance: least maximum along such a matching (Eiter and Mannila 1994).
/// hausdorff: largest distance of a position of one track to the nearest one of the other; ignores their order.
/// great_circle: distance of two positions on a sphere; every item has one position.
enum class Metric { edit, dtw, frechet, hausdorff, great_circle };
constexpr std::array<std::string_view, 5> names(Metric) {
    return {"edit", "dtw", "frechet", "hausdorff", "great-circle"};
}

/// Cost that dtw sums along a matching. distance: the distances. square: the squared distances; the result is the root
/// of the sum.
enum class WarpingCost { distance, square };
constexpr std::array<std::string_view, 2> names(WarpingCost) { return {"distance", "square"}; }

/// When dissimilarities are computed. all: once, into a matrix in memory. on_demand: when a method requests them.
/// automatic: all if the matrix fits into memory and takes at most some minutes.
enum class Pairs { automatic, all, on_demand };
constexpr std::array<std::string_view, 3> names(Pairs) { return {"auto", "all", "on-demand"}; }

struct Options {
    std::optional<Metric> metric = {};  ///< default: strings edit, tracks frechet
    /// dtw, frechet: positions i and j of items with m >= n positions match only if -band <= j - i <= band + m - n
    /// (Sakoe and Chiba's band); default: any
    std::optional<Index> band = {};
    WarpingCost cost = WarpingCost::distance;  ///< dtw
    Pairs pairs = Pairs::automatic;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto matched = when("metric", o.metric.value_or(Metric::frechet), {Metric::dtw, Metric::frechet});
    visit(field("metric", o.metric, "strings, tracks: dissimilarity of two items")
              .by_rule("strings: edit; tracks: frechet"));
    visit(field("band", o.band, "largest shift of matched positions, beyond the difference of the lengths")
              .at_least(0)
              .read(matched));
    visit(field("cost", o.cost, "what is added along a matching; square: and the root of the sum is taken")
              .read(when("metric", o.metric.value_or(Metric::frechet), {Metric::dtw})));
    visit(field("pairs", o.pairs, "strings, tracks: compute all dissimilarities at once, or those that are needed"));
}

/// Mean radius of the Earth in meters (IUGG: (2 a + b) / 3 of the WGS 84 ellipsoid).
constexpr double earth_radius = 6371008.8;

/// The dissimilarity of items i and j. Throws as distances() does.
DUNLIN_API double between(const Strings& items, Index i, Index j, const Options& options = {});
DUNLIN_API double between(const Tracks& items, Index i, Index j, const Options& options = {});

/// All dissimilarities, n x n; of several GPUs the first computes them. On a GPU those of strings are to be the same
/// (their kernel has not run on a GPU since its last correction), those of tracks differ by rounding in double before
/// they become floats. Throws Error{bad_input} for a metric that is not of such items, an item without a
/// position, a position that is not finite (with the item), a latitude beyond 90 degrees, and several positions with
/// great_circle; Error{out_of_memory} before the run. Stage: "distances". Empty if cancelled.
DUNLIN_API Matrix distances(const Strings& items, const Options& options = {}, const Run& run = {});
DUNLIN_API Matrix distances(const Tracks& items, const Options& options = {}, const Run& run = {});

}  // namespace dunlin::sequences
