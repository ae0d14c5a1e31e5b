// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "bench.cuh"
#include "device/cuda.cuh"
#include "waves/cuda/nodes.cuh"

namespace dunlin::bench {

namespace {

Graph graph_of(int n, std::vector<std::pair<int, int>>& edges) {
    const std::size_t count = edges.size();
    for (std::size_t e = 0; e < count; ++e) edges.emplace_back(edges[e].second, edges[e].first);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Graph graph;
    graph.offsets.assign(n + 1, 0);
    for (const auto& [from, to] : edges) ++graph.offsets[from + 1], graph.targets.push_back(to);
    std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
    graph.weights.assign(graph.targets.size(), 1);
    return graph;
}

/// Nearest neighbors of random points in a square of `side` x `side` cells of 4 points, symmetric. Vertices are
/// numbered by cell in blocks of 32 x 32 cells (near), or at random.
Graph neighbor_graph(int side, int k, bool is_near) {
    const int n = 4 * side * side;
    const std::vector<double> x = numbers(n, 11, 0, 1), y = numbers(n, 12, 0, 1), keys = numbers(n, 13, 0, 1);
    const auto place = [&](int i) { return std::pair{i / 4 % side + x[i], i / 4 / side + y[i]}; };
    std::vector<int> order(n), number(n);
    std::iota(order.begin(), order.end(), 0);
    const auto block = [&](int i) { return std::pair{i / 4 / side / 32 * 4096 + i / 4 % side / 32, i}; };
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return is_near ? block(a) < block(b) : keys[a] < keys[b]; });
    for (int r = 0; r < n; ++r) number[order[r]] = r;
    std::vector<std::pair<int, int>> edges;
    std::vector<std::pair<double, int>> near;
    for (int i = 0; i < n; ++i) {
        near.clear();
        const int cx = i / 4 % side, cy = i / 4 / side;
        for (int b = std::max(cy - 2, 0); b <= std::min(cy + 2, side - 1); ++b) {
            for (int a = std::max(cx - 2, 0); a <= std::min(cx + 2, side - 1); ++a) {
                for (int j = 4 * (b * side + a); j < 4 * (b * side + a) + 4; ++j) {
                    const auto [xi, yi] = place(i);
                    const auto [xj, yj] = place(j);
                    if (j != i) near.emplace_back((xi - xj) * (xi - xj) + (yi - yj) * (yi - yj), j);
                }
            }
        }
        std::nth_element(near.begin(), near.begin() + k, near.end());
        for (int e = 0; e < k; ++e) edges.emplace_back(number[i], number[near[e].second]);
    }
    return graph_of(n, edges);
}

/// A graph with hubs and vertices without edges.
Graph hub_graph(int n, bool is_weighted) {
    std::vector<std::pair<int, int>> edges;
    const std::vector<double> draws = numbers(8 * std::size_t(n), 21, 0, 1);
    for (std::size_t e = 0; e + 1 < draws.size(); e += 2) {
        const int from = static_cast<int>(n * std::pow(draws[e], 6)), to = static_cast<int>(n * draws[e + 1]);
        if (from != to) edges.emplace_back(from, to);
    }
    Graph graph = graph_of(n, edges);
    const std::vector<double> weights = numbers(graph.targets.size(), 22, 0.5, 1);
    if (is_weighted) graph.weights.assign(weights.begin(), weights.end());
    return graph;
}

struct DeviceGraph {
    Array<int> vertices, degrees, targets;
    Array<float> weights;
    Array<long long> begins;
    Array<double> sums;
    waves::SlicedGraph graph;

    explicit DeviceGraph(const waves::Slices& sliced)
        : vertices(sliced.vertices),
          degrees(sliced.degrees),
          targets(sliced.targets),
          weights(sliced.weights),
          begins(sliced.begins),
          sums(sliced.hubs),
          graph{sliced.rows,
                sliced.hubs,
                vertices.data(),
                degrees.data(),
                begins.data(),
                targets.data(),
                sliced.weights.empty() ? nullptr : weights.data(),
                {sums.data(), nullptr}} {}

    /// A step of Euler's method, as the library takes it.
    void launch(const waves::Coefficients& coefficients, double dt, const double* inverse_degree,
                const waves::Pair& values, const waves::Pair& next) const {
        waves::RightSide side;
        side.coefficients = coefficients;
        side.domain.graph = graph;
        side.domain.inverse_degree = inverse_degree;
        const waves::TakeEuler<FitzHughNagumo, true> take{
            side, {.dt = dt, .noise = 0, .seed = 0, .number = 0}, values, next};
        const int size = graph.rows + graph.hubs;
        if (graph.hubs > 0) waves::add_hubs<false><<<graph.hubs, 256>>>(graph, values);
        device::each_kernel<<<(size + 255) / 256, 256>>>(size, take);
        require_launch("graph");
    }
};

void step_graph_on_cpu(const Graph& graph, const waves::Coefficients& c, double dt, const std::vector<double>& inverse,
                       std::vector<double>& v, std::vector<double>& w) {
    using namespace waves;
    std::vector<double> next_v(v.size()), next_w(v.size());
    for (int i = 0; i < graph.size(); ++i) {
        double total = 0;
        for (long long block = graph.offsets[i]; block < graph.offsets[i + 1]; block += row_block) {
            double part = 0;
            for (long long e = block; e < std::min<long long>(block + row_block, graph.offsets[i + 1]); ++e)
                part = plus_edge(part, graph.weights[e], v[i], v[graph.targets[e]]);
            total = sum(total, part);
        }
        if (!inverse.empty()) total = product(inverse[i], total);
        const Node u{v[i], w[i]}, rate = rates<FitzHughNagumo>(c, u, {total, 0}, 0);
        next_v[i] = euler(dt, rate.v, u.v);
        next_w[i] = euler(dt, rate.w, u.w);
    }
    v = next_v;
    w = next_w;
}

waves::Coefficients graph_coefficients() {
    waves::Coefficients c;
    c.diffusion = 0.05;
    return c;
}

void check(Checks& checks, const std::string& what, const Graph& graph, bool is_random_walk) {
    const DeviceGraph device(waves::filled_slices(graph, 1024));
    std::vector<double> inverse;
    for (int i = 0; is_random_walk && i < graph.size(); ++i)
        inverse.push_back(1.0 / std::max<double>(1, graph.offsets[i + 1] - graph.offsets[i]));
    const Array<double> inverse_degree(inverse);
    Start start(graph.size());
    Array<double> v(start.v), w(start.w), v_out(start.v.size()), w_out(start.v.size());
    for (int step = 0; step < 3; ++step) {
        v_out.poison();
        w_out.poison();
        device.launch(graph_coefficients(), 0.01, is_random_walk ? inverse_degree.data() : nullptr,
                      {v.data(), w.data()}, {v_out.data(), w_out.data()});
        step_graph_on_cpu(graph, graph_coefficients(), 0.01, inverse, start.v, start.w);
        v.swap(v_out);
        w.swap(w_out);
    }
    checks.equal(what + ", v", v.get(), start.v);
    checks.equal(what + ", w", w.get(), start.w);
}

}  // namespace

void check_graph(Checks& checks) {
    for (const int n : {1, 2, 3, 31, 33, 1000, 70001}) {
        for (const bool is_weighted : {false, true}) {
            const Graph graph = hub_graph(n, is_weighted);
            check(checks, "graph with hubs, n " + std::to_string(n), graph, false);
            check(checks, "graph with hubs, random walk, n " + std::to_string(n), graph, true);
        }
    }
    check(checks, "neighbor graph", neighbor_graph(40, 16, false), false);
}

void time_graph() {
    for (const bool is_near : {false, true}) {
        const Graph graph = neighbor_graph(512, 17, is_near);
        const std::size_t n = graph.size();
        const Start start(n);
        const Array<double> v0(start.v), w0(start.w);
        Array<double> v(n), w(n), v_out(n), w_out(n);
        for (const int window : {1, 256, 4096, 1 << 20}) {
            const DeviceGraph device(waves::filled_slices(graph, window));
            const int launches = 32;
            const Times times = microseconds(
                [&] {
                    v.copy(v0);
                    w.copy(w0);
                },
                [&] {
                    for (int k = 0; k < launches; ++k) {
                        device.launch(graph_coefficients(), 0.01, nullptr, {v.data(), w.data()},
                                      {v_out.data(), w_out.data()});
                        v.swap(v_out);
                        w.swap(w_out);
                    }
                });
            report(std::string("graph ") + (is_near ? "near" : "random") + " order, window " + std::to_string(window) +
                       ", " + std::to_string(graph.targets.size()) + " entries, " +
                       std::to_string(device.targets.size()) + " stored",
                   static_cast<double>(n), 2.0 * static_cast<double>(graph.targets.size()) / static_cast<double>(n) + 8,
                   times, launches);
        }
    }
}

}  // namespace dunlin::bench
