// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <dunlin/descent.hpp>
#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/run.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/types.hpp>
#include <dunlin/umap.hpp>

/// Placing new points in a map of a neighbor embedding, which stays as it is, and maps that go on from a map of some of
/// their points.
namespace dunlin::placement {

/// The method that made the map.
enum class Method { tsne, umap, pacmap };
constexpr std::array<std::string_view, 3> names(Method) { return {"tsne", "umap", "pacmap"}; }

/// How the potential of the map's points is evaluated. automatic: exactly for at most 300 points and on a line.
enum class Potential { automatic, exact, grid };
constexpr std::array<std::string_view, 3> names(Potential) { return {"auto", "exact", "grid"}; }

/// Weights of the edges of a new point. joint: from both ends of an edge, as for a point of the map, so that points of
/// the map return to their places. own: from the new point alone. best: places each point by both and keeps the place
/// that preserves more of its 15 nearest points (Result::preservation), or the one by joint if both preserve as many.
enum class Affinity { joint, own, best };
constexpr std::array<std::string_view, 3> names(Affinity) { return {"joint", "own", "best"}; }

/// Options of placing. affinity, starts, steps, tolerance, repulsion, spacing and score are free. All others must be
/// those with which the map was made; exaggeration: the late one.
struct Options {
    Method method = Method::tsne;
    std::optional<float> perplexity = {};  ///< of t-SNE; default 30, or (n - 1) / 3 where that is smaller
    std::optional<Index> k = {};           ///< neighbors per point as the method counts them; its default
    std::optional<Index> pca = {};         ///< the map is of this many principal components of the points
    neighbors::Metric metric = neighbors::Metric::euclidean;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};  ///< of the neighbors an approximate search finds; default 0.99
    float min_dist = umap::Options{}.min_dist, spread = umap::Options{}.spread;
    std::optional<float> a = {}, b = {};  ///< default: fitted to min_dist and spread
    float local_connectivity = umap::Options{}.local_connectivity, mix = umap::Options{}.mix;
    float negatives = umap::Options{}.negatives, repulsion_strength = umap::Options{}.repulsion_strength;
    float softening = umap::Options{}.softening;
    float further = pacmap::Options{}.further;
    Affinity affinity = Affinity::joint;
    float exaggeration = 1;   ///< factor of t-SNE's affinities
    float freedom = 1;        ///< degrees of freedom of t-SNE's kernel
    int starts = 4;           ///< starts of a point: the median of its 10 nearest, then its nearest ones
    int steps = 50;           ///< most Newton steps from a start
    float tolerance = 1e-4F;  ///< length of the last step, in median nearest-neighbor distances of the map
    Potential repulsion = Potential::automatic;
    std::optional<float> spacing = {};  ///< grid: largest distance between nodes; default: that of the method
    bool score = true;                  ///< estimate the neighbors kept
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto of = [&](Method method) {
        return [&visit, &o, method]<class T>(dunlin::Field<T> only) {
            visit(std::move(only).read(when("method", o.method, {method})));
        };
    };
    visit(field("method", o.method, "method that made the map"));
    of(Method::tsne)(field("perplexity", o.perplexity, "effective number of neighbors")
                         .at_least(1)
                         .by_rule("30, or (n - 1) / 3 or a third of k if smaller"));
    visit(field("k", o.k, "neighbors per point, as the method of the map counts them")
              .at_least(1)
              .by_rule("tsne: 3 * perplexity, umap: 15, of given neighbors all; pacmap: 10"));
    descent::search_fields(visit, o);
    umap::curve_fields(of(Method::umap), o);
    umap::membership_fields(of(Method::umap), o);
    umap::strength_fields(of(Method::umap), o);
    of(Method::pacmap)(
        field("further", o.further, "repulsion: expected effect of this many further pairs per point").at_least(0));
    visit(field("affinity", o.affinity,
                "weights of a new point's edges; joint: as for a point of the map; own: of the new point alone; best: "
                "for each point the place by either that keeps more of its 15 nearest points"));
    of(Method::tsne)(
        field("exaggeration", o.exaggeration, "factor of the affinities; late-exaggeration of the map").above(0));
    of(Method::tsne)(field("freedom", o.freedom, "degrees of freedom of the map's kernel").at_least(0.1).at_most(100));
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
              .by_rule("that of the method"));
    visit(field("score", o.score, "estimate the share of neighbors kept, from up to 1,000 of the points placed"));
}

/// Throws Error{bad_input}, naming the option, for a t-SNE map whose loss placing does not have: several perplexities,
/// affinities other than Gaussian, anchors.
DUNLIN_API void require_placeable(const tsne::Options& made);
/// The same for a densMAP, in which the place of a point changes the densities of all.
DUNLIN_API void require_placeable(const umap::Options& made);

/// Options for placing in a map that was made with these resolved options. Options of t-SNE that require_placeable
/// refuses get their defaults.
DUNLIN_API Options options_of(const tsne::Options& made);
DUNLIN_API Options options_of(const umap::Options& made);
DUNLIN_API Options options_of(const pacmap::Options& made);

/// Share of the rows of a map that are NaN (points without a place). 0 for an empty map.
DUNLIN_API double share_of_new(const Map& some);

/// Places of new points and their scores. Stages: "neighbors", "affinities", "place".
struct Result : Outcome<Options> {
    Map map;                      ///< of the queries
    std::vector<float> cost;      ///< the loss at the place, with the edges that led to it
    std::vector<float> gap;       ///< how much higher the next minimum is; infinity: no other was found
    std::vector<float> distance;  ///< to the nearest point in the data
    /// Least ratio of the distance to a neighbor and that neighbor's distance to its own farthest one of k. Above 1 no
    /// neighbor would count the point among its k nearest: the point is far from the data of the map.
    std::vector<float> remoteness;
    std::vector<std::uint8_t> by_own;  ///< Affinity::best: whether the place is the one by own; else empty
    Index far = 0;                     ///< number of points with a remoteness above 1
    double far_of_map = 0;             ///< share of the map's own points, each left out, with a remoteness above 1
    double neighbor_distance = 0;      ///< median distance of a point of the map to its nearest one in the map
    /// Mean share of the 15 nearest in the data (of min(15, n)) that are among the 15 nearest in the map, of up to
    /// 1,000 queries, evenly chosen; NaN: not computed. Of a query whose list of neighbors is shorter than 15, these
    /// count. With its standard error, 0 if all queries count. Affinity::best chooses by it.
    double preservation = std::numeric_limits<double>::quiet_NaN(), preservation_se = 0;
    double search_recall = 1, search_recall_se = 0;
};

/// Data that placing needs besides the points and the map: for each point the scale of its affinities. Computing it
/// takes a search for the neighbors of all points. --state of the command that makes the map writes it to a file.
struct State {
    Method method = Method::tsne;
    Index rows = 0, cols = 0;       ///< of the points
    std::uint64_t fingerprint = 0;  ///< of their values
    float perplexity = 0;           ///< t-SNE
    float local_connectivity = 0;   ///< UMAP
    Index k = 0;                    ///< neighbors per point
    Index pca = 0;                  ///< principal components; cols: none
    neighbors::Metric metric = neighbors::Metric::euclidean;
    /// [point][4]: two numbers of the method, the distance of the farthest neighbor, another number. t-SNE: beta, least
    /// distance, .., log of the sum; UMAP: rho, sigma; PaCMAP: the scale of the point, the largest scaled distance of
    /// its near pairs.
    std::vector<float> scales;
    double mean_distance = 0;  ///< UMAP: of the neighbors of all points, themselves counted
    double far_of_map = 0;     ///< Result::far_of_map
    /// Hash of the coordinates of a map of these points, and Result::neighbor_distance of that map. A call with another
    /// map, which has another hash, computes the distance again.
    std::uint64_t map_fingerprint = 0;
    double neighbor_distance = 0;
};

/// Given results of stages; null: to be computed.
struct Given {
    const Graph* neighbors = nullptr;  ///< of the map's points: n rows of distances, no point its own neighbor
    const State* state = nullptr;      ///< of these points; in place of `neighbors`
};

/// A map prepared for placing: place() does not search for the neighbors of the map's points again. The points must
/// outlive the Placer. If a GPU searches them, a copy of the points stays in its memory until the Placer is destroyed.
class DUNLIN_API Placer {
public:
    /// Throws as place().
    Placer(MatrixView<const float> points, const Map& map, const Options& options = {}, const Run& run = {},
           const Given& given = {});
    ~Placer();
    Placer(Placer&&) noexcept;
    Placer& operator=(Placer&&) noexcept;

    /// Returns the same bytes as place(). Uses the device and GPUs of the constructor and ignores those of `run`.
    /// start: one place per query from which its minimum is searched. Null: options.starts starts per query.
    [[nodiscard]] Result place(MatrixView<const float> queries, const Run& run = {}, const Map* start = nullptr) const;

    /// Empty (0 rows) if the constructor was cancelled.
    [[nodiscard]] const State& state() const;

private:
    struct Prepared;
    std::unique_ptr<Prepared> prepared_;
};

/// Places every query (m x d) in the map of `points` (n x d), which is not changed. A place minimizes the loss of the
/// method as a function of the position y of one point x, all else fixed, with r_j = |y - y_j|^2:
///   t-SNE    f(y) = - sum_j p_j log q_j + ((n + 1) / 2) log(Z + 2 sum_j q_j), q_j = (1 + r_j / freedom)^-freedom,
///            p_j = (p_j|x + p_x|j) / 2, Z the normalizer of the map;
///   UMAP     f(y) = sum_j mu_j log(1 + u_j) + (m sum_j mu_j / (2 (n + 1))) sum_j log((1 + u_j) / (e + u_j)) / (1 - e),
///            u_j = a r_j^b, mu_j the memberships of x joined from both ends, m the negative samples, e the softening;
///   PaCMAP   f(y) = sum_j w_j d_j / (10 + d_j) + (2 further / n) sum_j 1 / (1 + d_j), d_j = 1 + r_j,
///            w_j the number of the ends that choose the other as near pair;
/// by Newton's method from several starts (docs/transform.md). The place of a query depends on the map, its points, the
/// options and the seed, never on other queries or on threads: placing queries one at a time gives the same bytes on
/// one device; Device::automatic chooses by the size of the map. Throws Error{bad_input}, with the row where there is
/// one, for NaN or infinity in points, map or queries, another number of rows or columns, a map of more than 3
/// dimensions, a state of other points or options; Error{out_of_memory}. If cancelled, the map is empty.
DUNLIN_API Result place(MatrixView<const float> points, const Map& map, MatrixView<const float> queries,
                        const Options& options = {}, const Run& run = {}, const Given& given = {});

/// Places queries whose edges are given: row q of `affinities` has the edges of query q to points of the map, with p_j,
/// mu_j or w_j as weights. The strongest edge comes first unless there is a start (as in Placer::place). Reads the
/// options method, its law, exaggeration, starts, steps, tolerance, repulsion and spacing. Does not set distance,
/// remoteness, by_own and the scores. Throws Error{bad_input} for affinity best, which needs the points.
DUNLIN_API Result place(const Map& map, const Graph& affinities, const Options& options = {}, const Run& run = {},
                        const Map* start = nullptr);

}  // namespace dunlin::placement

namespace dunlin::tsne {

using placement::Affinity, placement::Potential, placement::Placer, placement::place;
using PlaceOptions = placement::Options;
using Placed = placement::Result;
using PlaceState = placement::State;
using PlaceGiven = placement::Given;

/// Completes a map: places the points whose rows are NaN by means of the other points. The other rows keep their bits.
/// options: those of the map to be made. If cancelled, the result is empty. Throws as place(), and Error{bad_input} for
/// a row that is NaN in part or infinite, and if all rows are NaN.
DUNLIN_API Map completed(MatrixView<const float> points, const Map& some, const Options& options = {},
                         const Run& run = {});

/// Options of a map that goes on from a map of some of its points; new_share: that of the others among all. Around
/// fixed points: 250 iterations without early exaggeration. To grow, with t = min(1, 2 new_share) and the schedule of
/// `options` for a new map: a share t of its exaggerated iterations, with its exaggeration raised to the power
/// new_share, and between 50 iterations and its own, a share t of the way (docs/transform.md).
DUNLIN_API Options continuing(descent::Continuation how, double new_share, Options options = {});

/// A map of all n points that goes on from `some`, a map of some of them with rows of NaN for the others: these are
/// placed (completed), then all are optimized, or all but those of `some`. options: those of continuing(), or others.
/// Stages: "place", then those of embed(). Throws as completed() and embed(), and Error{bad_input} if given has a start
/// or fixed points, or options.start is not pca. If cancelled before there is a start, the map is empty.
DUNLIN_API Result continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                            const Options& options, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::tsne

namespace dunlin::umap {

/// As in tsne. continuing: 250 iterations around fixed points, 50 to grow, whatever the share.
DUNLIN_API Map completed(MatrixView<const float> points, const Map& some, const Options& options = {},
                         const Run& run = {});
DUNLIN_API Options continuing(descent::Continuation how, double new_share, Options options = {});
DUNLIN_API Result continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                            const Options& options, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::umap

namespace dunlin::pacmap {

/// As in tsne. continuing: iterations of the third phase alone, 250 around fixed points and 50 to grow, at a learning
/// rate of 0.1: Adam's first steps have the length of the rate, whatever the forces.
DUNLIN_API Map completed(MatrixView<const float> points, const Map& some, const Options& options = {},
                         const Run& run = {});
DUNLIN_API Options continuing(descent::Continuation how, double new_share, Options options = {});
DUNLIN_API Result continued(MatrixView<const float> points, const Map& some, descent::Continuation how,
                            const Options& options, const Run& run = {}, const Given& given = {});

}  // namespace dunlin::pacmap

namespace dunlin::io {

/// A State as .npz. The write is atomic.
DUNLIN_API void write_place_state(const std::filesystem::path& path, const placement::State& state);
/// Throws Error{bad_file} for another file.
DUNLIN_API placement::State read_place_state(const std::filesystem::path& path, const Run& run = {});

}  // namespace dunlin::io
