// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/descent.hpp>
#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/types.hpp>

/// Placing new points in a t-SNE map that stays as it is.
namespace dunlin::tsne {

/// How the potential of the map's points is evaluated. automatic: exactly for at most 300 points and on a line.
enum class Potential { automatic, exact, grid };
constexpr std::array<std::string_view, 3> names(Potential) { return {"auto", "exact", "grid"}; }

/// joint: p_j = (p_j|x + p_x|j) / 2, as t-SNE has it for a point of the map, so that points come back to their places.
/// own: p_j = p_j|x, by which a new point keeps more of its nearest points and a point of the map comes back less
/// exactly.
enum class Affinity { joint, own };
constexpr std::array<std::string_view, 2> names(Affinity) { return {"joint", "own"}; }

/// perplexity, k, pca, metric, search, recall and exaggeration (the late one) as the map was made.
struct PlaceOptions {
    std::optional<float> perplexity = {};  ///< default 30, or (n - 1) / 3 where that is smaller
    std::optional<Index> k = {};           ///< neighbors per point; default 3 * perplexity
    std::optional<Index> pca = {};         ///< the map is of this many principal components of the points
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};  ///< of the neighbors an approximate search finds; default 0.99
    Affinity affinity = Affinity::joint;
    float exaggeration = 1;   ///< factor of the affinities
    int starts = 4;           ///< starts of a point: the median of its 10 nearest, then its nearest ones
    int steps = 50;           ///< most Newton steps from a start
    float tolerance = 1e-4F;  ///< length of the last step, in median nearest-neighbor distances of the map
    Potential repulsion = Potential::automatic;
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default 1/3, in 3-D 0.4
    bool score = true;                  ///< estimate the neighbors kept
};

template <class Visit>
void fields(Visit&& visit, PlaceOptions& o) {
    visit(field("perplexity", o.perplexity, "effective number of neighbors")
              .at_least(1)
              .by_rule("30, or (n - 1) / 3 if smaller"));
    visit(field("k", o.k, "neighbors per point").at_least(1).by_rule("3 * perplexity"));
    descent::search_fields(visit, o);
    visit(
        field("affinity", o.affinity,
              "joint: as t-SNE would for a point of the map; own: of the new point alone, which keeps more neighbors"));
    visit(field("exaggeration", o.exaggeration, "factor of the affinities; late-exaggeration of the map").above(0));
    visit(field("starts", o.starts, "starts of a point: the median of its 10 nearest, then its nearest ones")
              .at_least(1)
              .at_most(16));
    visit(field("steps", o.steps, "most Newton steps from a start").at_least(0));
    visit(field("tolerance", o.tolerance,
                "length of the last Newton step, in median nearest-neighbor distances of the map")
              .above(0));
    visit(field("repulsion", o.repulsion, "evaluation of the potential of the map's points"));
    visit(field("spacing", o.spacing, "maximum distance between grid nodes, in map units")
              .above(0)
              .read(when("repulsion", o.repulsion, {Potential::automatic, Potential::grid}))
              .by_rule("1/3, in 3-D 0.4"));
    visit(field("score", o.score, "estimate the share of neighbors kept, from up to 1,000 of the points placed"));
}

/// The places of new points. Stages: "neighbors", "affinities", "place".
struct Placed : Outcome<PlaceOptions> {
    Map map;                      ///< of the queries
    std::vector<float> cost;      ///< the loss at the place, in nats
    std::vector<float> gap;       ///< how much higher the next minimum is, in nats; infinity: no other was found
    std::vector<float> distance;  ///< to the nearest point in the data
    /// Least ratio of the distance to a neighbor and that neighbor's distance to its own farthest one of k. Above 1 no
    /// neighbor would count the point among its k nearest: the point is far from the data of the map.
    std::vector<float> remoteness;
    Index far = 0;                 ///< number of points with a remoteness above 1
    double far_of_map = 0;         ///< share of the map's own points, each left out, with a remoteness above 1
    double neighbor_distance = 0;  ///< median distance of a point of the map to its nearest one in the map
    /// Mean share of the 15 nearest in the data (of min(15, n)) that are among the 15 nearest in the map, of up to
    /// 1,000 queries, evenly chosen; NaN: not computed. With its standard error, 0 if all queries count.
    double preservation = std::numeric_limits<double>::quiet_NaN(), preservation_se = 0;
    double search_recall = 1, search_recall_se = 0;
};

/// What placing needs to know of the data of a map besides the points: for each point the Gaussian of its affinities.
/// Making it is a search for the neighbors of all points; dunlin tsne --state keeps it in a file.
struct PlaceState {
    Index rows = 0, cols = 0;       ///< of the points
    std::uint64_t fingerprint = 0;  ///< of their values
    float perplexity = 0;           ///< of the affinities
    Index k = 0;                    ///< neighbors per point
    Index pca = 0;                  ///< principal components; cols: none
    neighbors::Metric metric = neighbors::Metric::euclidean;
    std::vector<float> gaussians;  ///< [point][beta, least distance, largest distance, log of the sum]
    double far_of_map = 0;         ///< Placed::far_of_map
};

/// Given results of stages; null: to be computed.
struct PlaceGiven {
    const Graph* neighbors = nullptr;   ///< of the map's points: n rows of distances, no point its own neighbor
    const PlaceState* state = nullptr;  ///< of these points; in place of `neighbors`
};

/// A map made ready: queries are placed without a search for the neighbors of its points. The points must outlive it.
class DUNLIN_API Placer {
public:
    /// Throws as place().
    Placer(MatrixView<const float> points, const Map& map, const PlaceOptions& options = {}, const Run& run = {},
           const PlaceGiven& given = {});
    ~Placer();
    Placer(Placer&&) noexcept;
    Placer& operator=(Placer&&) noexcept;

    /// The same bytes as place(). run.device and run.gpus are ignored: those of the constructor count. start: places of
    /// the queries from which their minima are searched; null: the starts of options.starts.
    [[nodiscard]] Placed place(MatrixView<const float> queries, const Run& run = {}, const Map* start = nullptr) const;

    /// Empty (0 rows) if the constructor was cancelled.
    [[nodiscard]] const PlaceState& state() const;

private:
    struct Prepared;
    std::unique_ptr<Prepared> prepared_;
};

/// Places every query (m x d) in the map of `points` (n x d), which is not changed. A place minimizes t-SNE's loss of
/// the map and that point as a function of the point's position,
///   f(y) = sum_j p_j log(1 + |y - y_j|^2) + ((n + 1) / 2) log(Z + 2 sum_j 1 / (1 + |y - y_j|^2)),
/// p_j = (p_j|x + p_x|j) / 2 (options.affinity) over the k nearest points j of x and Z the normalizer of the map, by
/// Newton's method from several starts (docs/transform.md). The place of a query depends on the map, its points, the
/// options and the seed, never on other queries or on threads: placing queries one at a time gives the same bytes on
/// one device; Device::automatic chooses by the size of the map. Throws Error{bad_input}, with the row where there is
/// one, for NaN or infinity in points, map or queries, another number of rows or columns, a map of more than 3
/// dimensions, a state of other points or options; Error{out_of_memory}. If cancelled, the map is empty.
DUNLIN_API Placed place(MatrixView<const float> points, const Map& map, MatrixView<const float> queries,
                        const PlaceOptions& options = {}, const Run& run = {}, const PlaceGiven& given = {});

/// The same of queries whose affinities are given: row q of `affinities` has its edges to points of the map, strongest
/// first unless there is a start (as Placer::place), and p_j as weights. Of the options exaggeration, starts, steps,
/// tolerance, repulsion and spacing are read. distance, remoteness and the scores are not set.
DUNLIN_API Placed place(const Map& map, const Graph& affinities, const PlaceOptions& options = {}, const Run& run = {},
                        const Map* start = nullptr);

/// A map of all n points, given a map of some: rows of NaN are placed by the others. options: of the map to be made.
/// The other rows keep their bits. If cancelled, the result is empty. Throws as place(), and Error{bad_input} for a row
/// that is NaN in part or infinite, and if all rows are NaN.
DUNLIN_API Map completed(MatrixView<const float> points, const Map& some, const Options& options = {},
                         const Run& run = {});

}  // namespace dunlin::tsne

namespace dunlin::io {

/// A PlaceState as .npz. The write is atomic.
DUNLIN_API void write_place_state(const std::filesystem::path& path, const tsne::PlaceState& state);
/// Throws Error{bad_file} for another file.
DUNLIN_API tsne::PlaceState read_place_state(const std::filesystem::path& path, const Run& run = {});

}  // namespace dunlin::io
