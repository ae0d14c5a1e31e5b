// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <dunlin/clusters.hpp>
#include <dunlin/communities.hpp>
#include <dunlin/components.hpp>
#include <dunlin/density.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/names.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/overlap.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/parametric.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "cases/graphs.hpp"
#include "math/rng.hpp"
#include "sparse_rows.hpp"

/// Every stage that can be cancelled, with its input: the table of tests/unit/cancelled_stages_test.cpp and of
/// bench/cancellation.cpp.
namespace dunlin::cancellable {

/// Small inputs for tests; inputs that take more than half a second on two cores for benchmarks.
enum class InputSize { test, bench };

/// Runs a stage. Returns what is wrong with a result after a stop; empty: nothing.
using Work = std::function<std::string(const Run&)>;

struct StageCase {
    std::string name;
    std::function<Work()> prepare;  ///< makes the input
};

using StageCases = std::vector<StageCase>;

// Inputs

/// n rows around 50 centers.
inline Matrix points_of(Index n, Index cols) {
    constexpr std::size_t centers = 50;
    std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(cols));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t center = i / static_cast<std::size_t>(cols) % centers,
                          column = i % static_cast<std::size_t>(cols);
        values[i] = static_cast<float>(4 * math::random_normal(7, center, column) + math::random_normal(8, i));
    }
    return {n, cols, std::move(values)};
}

/// The same with 99 in 100 values 0.
inline Matrix sparse_points(Index n, Index cols) {
    const Matrix dense = points_of(n, cols);
    std::vector<float> values(dense.view().data, dense.view().data + dense.view().size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (math::random_below(100, 9, i) != 0) values[i] = 0;
    }
    return {n, cols, std::move(values)};
}

inline Map map_of(Index n, int dim = 2) {
    const Matrix points = points_of(n, dim);
    return {dim, std::vector<float>(points.view().data, points.view().data + points.view().size())};
}

inline Graph lattice(Index side) { return made::lattice(side, side); }

// Results after a stop

inline std::string fault_of(const Map& map) {
    const bool finite =
        std::all_of(map.coordinates.begin(), map.coordinates.end(), [](float x) { return std::isfinite(x); });
    return finite ? "" : "a coordinate is not finite";
}

inline std::string fault_of_whole(const Map& map, Index n) {
    return map.size() == n ? fault_of(map) : "the map has " + std::to_string(map.size()) + " points";
}

// Cases

inline StageCases searches(InputSize size) {
    using neighbors::Method, neighbors::Metric;
    const bool small = size == InputSize::test;
    StageCases cases;
    const auto add = [&](const std::string& name, const auto& points, const neighbors::Options& options) {
        cases.push_back({"neighbors " + name, [=]() -> Work {
                             return [data = points(), options](const Run& run) -> std::string {
                                 const auto found = neighbors::search(data.view(), options, run);
                                 const bool empty = found.graph.size() == 0 || !run.stop.stop_requested();
                                 return empty ? "" : "the result is not empty";
                             };
                         }});
    };
    add("exact", [=] { return small ? points_of(20000, 24) : points_of(30000, 100); },
        {.k = 30, .method = Method::exact});
    add("exact of 3 columns", [=] { return points_of(small ? 60000 : 400000, 3); }, {.k = 30, .method = Method::exact});
    add("approximate", [=] { return small ? points_of(20000, 24) : points_of(100000, 100); },
        {.k = 30, .method = Method::approximate});
    neighbors::Options codes{.k = 10, .method = Method::approximate, .codes = small ? 8 : 16};
    if (small) codes.recall = 0.9;
    add("codes", [=] { return small ? points_of(20000, 24) : points_of(60000, 64); }, codes);
    for (const Method method : {Method::exact, Method::approximate}) {
        const Index n = small ? 20000 : 40000;
        cases.push_back({"neighbors of queries " + std::string(name_of(method)), [=]() -> Work {
                             const Matrix queries = points_of(n, 25);  // other rows than the points
                             return [points = points_of(n, 24), queries, method, n](const Run& run) -> std::string {
                                 const MatrixView<const float> apart{queries.view().data, n, 24};
                                 const auto found =
                                     neighbors::search(points.view(), apart, {.k = 30, .method = method}, run);
                                 const bool empty = found.graph.size() == 0 || !run.stop.stop_requested();
                                 return empty ? "" : "the result is not empty";
                             };
                         }});
    }
    cases.push_back({"neighbors of a sparse matrix", [=]() -> Work {
                         return [rows = sparse_of(sparse_points(small ? 4000 : 12000, 2000).view())](const Run& run) {
                             const auto found = neighbors::search(view_of(rows), {.k = 30}, run);
                             const bool empty = found.graph.size() == 0 || !run.stop.stop_requested();
                             return std::string(empty ? "" : "the result is not empty");
                         };
                     }});
    if (small) return cases;
    add("exact of sparse rows", [] { return sparse_points(8000, 2000); }, {.k = 30, .method = Method::exact});
    add("inner-product", [] { return points_of(12000, 200); },
        {.k = 30, .metric = Metric::inner_product, .method = Method::exact});
    add("manhattan", [] { return points_of(12000, 100); }, {.k = 30, .metric = Metric::manhattan});
    return cases;
}

inline StageCases tsne_stages(InputSize size) {
    StageCases cases;
    const auto add_whole = [&](const std::string& name, Index n, Index cols, const tsne::Options& options) {
        cases.push_back({"tsne " + name, [=]() -> Work {
                             return [points = points_of(n, cols), options](const Run& run) -> std::string {
                                 const auto result = tsne::embed(points.view(), options, run);
                                 if (run.stop.stop_requested() && result.stopped != Stopped::cancelled)
                                     return "it was not cancelled";
                                 return fault_of_whole(result.map, points.rows());
                             };
                         }});
    };
    const auto add_pacmap = [&](const std::string& name, Index n, Index cols, const pacmap::Options& options) {
        cases.push_back({"pacmap " + name, [=]() -> Work {
                             return [points = points_of(n, cols), options](const Run& run) {
                                 return fault_of_whole(pacmap::embed(points.view(), options, run).map, points.rows());
                             };
                         }});
    };
    cases.push_back({"umap place", [=]() -> Work {
                         const Index n = size == InputSize::test ? 6000 : 40000;
                         return [points = points_of(n, 30), map = map_of(n, 2)](const Run& run) {
                             placement::place(points.view(), map, points.view(), {.method = placement::Method::umap},
                                              run);
                             return std::string();
                         };
                     }});
    cases.push_back({"pacmap grow", [=]() -> Work {
                         const Index n = size == InputSize::test ? 6000 : 40000;
                         Map some = map_of(n, 2);
                         std::fill_n(some.coordinates.begin(), n / 2, std::numeric_limits<float>::quiet_NaN());
                         return [points = points_of(n, 30), some](const Run& run) {
                             pacmap::continued(points.view(), some, descent::Continuation::grow,
                                               {.iterations = "0,0,20"}, run);
                             return std::string();
                         };
                     }});
    add_pacmap("whole", size == InputSize::test ? 6000 : 20000, 30, {.iterations = "20,20,20"});
    add_pacmap("spectral start", size == InputSize::test ? 6000 : 40000, 30,
               {.start = tsne::Start::spectral, .iterations = "10,10,10"});
    if (size == InputSize::test) {
        for (const auto repulsion : {tsne::Repulsion::exact, tsne::Repulsion::tree, tsne::Repulsion::grid}) {
            add_whole(std::string(name_of(repulsion)), 6000, 30, {.repulsion = repulsion});
        }
        return cases;
    }
    add_whole("whole", 20000, 60, {.iterations = 100});
    add_whole("wide pca", 8000, 1500, {.pca = 50, .iterations = 20});
    cases.push_back({"tsne affinities", []() -> Work {
                         const Matrix points = points_of(60000, 10);
                         Graph graph = neighbors::search(points.view(), {.k = 90}).graph;
                         return [graph = std::move(graph)](const Run& run) {
                             tsne::affinities(graph, 30, run);
                             return std::string();
                         };
                     }});
    for (const auto& [repulsion, n, dim] :
         {std::tuple(tsne::Repulsion::exact, Index{15000}, 2), std::tuple(tsne::Repulsion::tree, Index{300000}, 2),
          std::tuple(tsne::Repulsion::grid, Index{600000}, 2), std::tuple(tsne::Repulsion::grid, Index{100000}, 3)}) {
        cases.push_back({"tsne " + std::string(name_of(repulsion)) + " in " + std::to_string(dim),
                         [repulsion = repulsion, n = n, dim = dim]() -> Work {
                             const Matrix points = points_of(n, 2);
                             const Graph graph = neighbors::search(points.view(), {.k = 30}).graph;
                             Graph affinities = tsne::affinities(graph, 10);
                             return [affinities = std::move(affinities), start = map_of(n, dim), repulsion,
                                     dim](const Run& run) {
                                 const tsne::Options options{.dim = dim, .iterations = 200, .repulsion = repulsion};
                                 return fault_of(tsne::embed(affinities, start, options, run).map);
                             };
                         }});
    }
    return cases;
}

inline StageCases clusterings(InputSize size) {
    using namespace kmeans;
    const bool small = size == InputSize::test;
    StageCases cases;
    const auto add = [&](const std::string& name, Index n, Index cols, const auto& call) {
        cases.push_back({name, [=]() -> Work {
                             return [points = points_of(n, cols), call](const Run& run) {
                                 call(points.view(), run);
                                 return std::string();
                             };
                         }});
    };
    const auto add_cluster = [&](const std::string& name, Index n, Index cols, const kmeans::Options& options) {
        add("kmeans " + name, n, cols,
            [options](MatrixView<const float> points, const Run& run) { cluster(points, options, run); });
    };
    if (small) {
        for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
            add_cluster(std::string(name_of(start)), 30000, 20, {.clusters = 100, .start = start, .restarts = 5});
        }
    } else {
        add_cluster("plusplus", 400000, 30, {.clusters = 500, .iterations = 2, .stop = Rule::never});
        add_cluster("parallel", 400000, 30,
                    {.clusters = 500, .start = Start::parallel, .iterations = 2, .stop = Rule::never});
        add_cluster("lloyd", 400000, 30,
                    {.clusters = 500, .start = Start::random, .iterations = 30, .stop = Rule::never});
        add_cluster("sequential", 60000, 30,
                    {.clusters = 50, .start = Start::random, .iterations = 30, .method = Method::sequential});
    }
    cases.push_back({"kmeans of a sparse matrix", [=]() -> Work {
                         return [rows = sparse_of(sparse_points(small ? 4000 : 12000, 2000).view())](const Run& run) {
                             cluster(view_of(rows), {.clusters = 200, .iterations = 30, .stop = Rule::never}, run);
                             return std::string();
                         };
                     }});
    for (const Criterion criterion : {Criterion::bic, Criterion::silhouette}) {
        if (small && criterion == Criterion::bic) continue;
        add("kmeans up to by " + std::string(name_of(criterion)), small ? 30000 : 60000, small ? 20 : 30,
            [criterion, most = small ? 40 : 30](MatrixView<const float> points, const Run& run) {
                choose(points, most, criterion, {.clusters = 20}, run);
            });
    }
    for (const auto covariance : {mixture::Covariance::diagonal, mixture::Covariance::full}) {
        if (small && covariance == mixture::Covariance::diagonal) continue;
        add("mixture " + std::string(name_of(covariance)), small ? 30000 : 200000, 20,
            [covariance](MatrixView<const float> points, const Run& run) {
                mixture::fit(points, {.components = 20, .covariance = covariance}, run);
            });
    }
    for (const auto& [columns, n] :
         {std::pair(Index{2}, small ? 60000 : 1000000), std::pair(Index{30}, small ? 4000 : 20000)}) {
        for (const auto method : {clusters::Method::exact, clusters::Method::graph}) {
            add("clusters of " + std::to_string(columns) + " columns, " + std::string(name_of(method)), n, columns,
                [method](MatrixView<const float> points, const Run& run) {
                    clusters::cluster(points, {.method = method}, run);
                });
        }
    }
    for (const auto method : {communities::Method::leiden, communities::Method::louvain}) {
        cases.push_back({"communities " + std::string(name_of(method)), [=]() -> Work {
                             return [graph = lattice(small ? 150 : 700), method](const Run& run) {
                                 communities::find(graph, {.iterations = -1, .method = method}, run);
                                 return std::string();
                             };
                         }});
    }
    add("names by columns", small ? 20000 : 200000, 30, [](MatrixView<const float> points, const Run& run) {
        std::vector<Index> fine, coarse;
        for (Index p = 0; p < points.rows; ++p) fine.push_back(p % 96), coarse.push_back(p % 96 / 8);
        naming::of_columns(tree_of_partitions({fine, coarse}), points, {}, {}, run);
    });
    add("mixture up to", small ? 20000 : 100000, 20, [](MatrixView<const float> points, const Run& run) {
        mixture::choose(points, 12, mixture::Criterion::bic, {.components = 1}, run);
    });
    if (small) return cases;
    cases.push_back({"kmeans assign", []() -> Work {
                         return [points = points_of(1000000, 30), centroids = points_of(1000, 30)](const Run& run) {
                             assign(points.view(), centroids.view(), Metric::euclidean, run);
                             return std::string();
                         };
                     }});
    return cases;
}

inline StageCases layouts(InputSize size) {
    using layout::Method;
    const bool small = size == InputSize::test;
    StageCases cases;
    const std::vector<std::pair<Method, Index>> sides = {
        {Method::multilevel, 500},  {Method::eades, 300},    {Method::fruchterman_reingold, 300},
        {Method::forceatlas2, 300}, {Method::annealing, 60}, {Method::stress, 100},
        {Method::stress, 300}};
    for (const auto& [method, bench_side] : sides) {
        const Index side = small ? 120 : bench_side;
        if (small && method == Method::stress && bench_side == 300) continue;  // one size is enough
        cases.push_back({"layout " + std::string(name_of(method)) + " of " + std::to_string(side * side),
                         [method = method, side]() -> Work {
                             return [graph = lattice(side), method](const Run& run) {
                                 return fault_of_whole(layout::place(graph, {.method = method}, run).map, graph.size());
                             };
                         }});
    }
    if (small) return cases;
    cases.push_back({"layout overlap", []() -> Work {
                         return [map = map_of(40000)](const Run& run) {
                             Map copy = map;
                             const std::vector<float> radii(static_cast<std::size_t>(map.size()), 0.05F);
                             layout::remove_overlaps(copy, radii, 0, run);
                             return std::string();
                         };
                     }});
    return cases;
}

inline StageCases scalings(InputSize size) {
    using mds::Method;
    const bool small = size == InputSize::test;
    StageCases cases;
    const auto add = [&](const std::string& name, Index n, const auto& call) {
        cases.push_back({"mds " + name, [=]() -> Work {
                             const auto items = mds::Dissimilarities::of_points(points_of(n, small ? 40 : 60));
                             return [items, call](const Run& run) { return fault_of(call(items, run)); };
                         }});
    };
    const std::vector<std::pair<Method, Index>> sizes = {
        {Method::dunlin, 6000},    {Method::smacof, 4000},   {Method::classical, 5000},
        {Method::landmark, 60000}, {Method::pivot, 60000},   {Method::stochastic, 4000},
        {Method::gpu_sf, 4000},    {Method::glimmer, 20000}, {Method::hybrid, 6000}};
    for (const auto& [method, n] : sizes) {
        add(std::string(name_of(method)), small ? 2500 : n,
            [method = method](const mds::Dissimilarities& items, const Run& run) {
                return mds::place(items, {.method = method}, run).map;
            });
    }
    if (small) return cases;
    add("smacof ordinal", 1500, [](const mds::Dissimilarities& items, const Run& run) {
        return mds::place(items, {.method = Method::smacof, .transform = mds::Transform::ordinal}, run).map;
    });
    add("stress", 20000, [map = map_of(20000)](const mds::Dissimilarities& items, const Run& run) {
        mds::stress(items, map, {}, run);
        return map;
    });
    add("stress per point", 20000, [map = map_of(20000)](const mds::Dissimilarities& items, const Run& run) {
        mds::stress_per_point(items, map, {}, run);
        return map;
    });
    cases.push_back({"mds paths of a graph", []() -> Work {
                         return [graph = lattice(150)](const Run& run) {
                             mds::place(mds::Dissimilarities::of_graph(graph, run), {.landmarks = 500}, run);
                             return std::string();
                         };
                     }});
    return cases;
}

/// Parametric maps by each pretraining and optimizer; for benchmarks of MNIST's size.
inline StageCases trainings(InputSize size) {
    using namespace parametric;
    const bool small = size == InputSize::test;
    StageCases cases;
    const auto add = [&](const std::string& name, const Options& options) {
        cases.push_back({"train " + name, [=]() -> Work {
                             return [points = small ? points_of(3000, 50) : points_of(60000, 784),
                                     options](const Run& run) -> std::string {
                                 const Result result = train(points.view(), options, run);
                                 if (run.stop.stop_requested() && result.stopped != Stopped::cancelled)
                                     return "it was not cancelled";
                                 if (result.model.layers.empty()) return result.map.size() == 0 ? "" : "a map alone";
                                 return fault_of_whole(result.map, points.rows());
                             };
                         }});
    };
    Options o;
    if (small) o.layers = "300,300";
    add("after t-SNE", o);
    o.pretrain = Pretrain::rbm;
    add("after machines", o);
    o.pretrain = Pretrain::none;
    o.loss = Loss::whole;
    add("by the whole map", o);
    o.loss = Loss::batch;
    o.optimizer = Optimizer::conjugate_gradients;
    add("by searches", o);
    return cases;
}

inline StageCase reliability_stage(Index n, Index cols) {
    return {"reliability of points", [=]() -> Work {
                return [points = points_of(n, cols), map = map_of(n)](const Run& run) {
                    reliability::evaluate(map, points.view(), {.perturb = true, .bootstrap = 2, .null = true}, run);
                    return std::string();
                };
            }};
}

inline StageCase density_stage(Index n) {
    return {"density and peaks", [=]() -> Work {
                return [map = map_of(n)](const Run& run) -> std::string {
                    const density::Result found = density::estimate(map, {}, run);
                    const bool stopped = found.stopped == Stopped::cancelled;
                    if (stopped != found.field.values.empty()) return "the field is not empty";
                    if (!stopped) density::peaks(found.field, 0, run);
                    return "";
                };
            }};
}

inline StageCases score_stages(InputSize size) {
    if (size == InputSize::test) {
        return {{"score of points",
                 []() -> Work {
                     return [points = points_of(30000, 20), map = map_of(30000)](const Run& run) {
                         scores::evaluate(map, points.view(), {}, {}, {}, run);
                         return std::string();
                     };
                 }},
                reliability_stage(10000, 20),
                density_stage(300000)};
    }
    return {{"score of points",
             []() -> Work {
                 const Matrix points = points_of(20000, 60);
                 const Graph graph = neighbors::search(points.view(), {.k = 30}).graph;
                 return [points, affinities = tsne::affinities(graph, 10), map = map_of(20000)](const Run& run) {
                     scores::evaluate(map, points.view(), affinities, {}, {}, run);
                     return std::string();
                 };
             }},
            reliability_stage(60000, 20),
            density_stage(20000000),
            {"score of a drawing",
             []() -> Work {
                 return [graph = lattice(140), map = map_of(140 * 140)](const Run& run) {
                     scores::evaluate(graph, map, {}, run);
                     return std::string();
                 };
             }},
            {"components", []() -> Work {
                 return [graph = lattice(2000)](const Run& run) {
                     graph::components(graph, run);
                     return std::string();
                 };
             }}};
}

}  // namespace dunlin::cancellable
