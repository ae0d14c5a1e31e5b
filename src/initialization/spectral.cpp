// SPDX-License-Identifier: Apache-2.0
#include "initialization/spectral.hpp"

#include <vector>

#include "graph/coarsen.hpp"
#include "graph/components.hpp"
#include "initialization/noisy_coordinate.hpp"
#include "initialization/spectral_block.hpp"

namespace dunlin::initialization {

RitzBasis ritz_basis(const std::vector<double>& gram, const std::vector<double>& product, int m) {
    // Whiten by the eigenvectors of the Gram matrix; directions without length stay out
    const Eigenpairs lengths = leading_eigenpairs(gram, m, m);
    std::vector<double> whitener(at(Offset{m} * m));  // [from * m + to]
    for (int to = 0; to < m; ++to) {
        const double value = lengths.values[at(to)];
        if (!(value > 1e-14 * lengths.values[0])) continue;
        for (int from = 0; from < m; ++from)
            whitener[at(from * m + to)] = lengths.vectors[at(to * m + from)] / std::sqrt(value);
    }
    std::vector<double> whitened(at(Offset{m} * m));  // W' A W
    for (int a = 0; a < m; ++a) {
        for (int b = 0; b < m; ++b) {
            double sum = 0;
            for (int i = 0; i < m; ++i) {
                for (int j = 0; j < m; ++j)
                    sum += whitener[at(i * m + a)] * product[at(i * m + j)] * whitener[at(j * m + b)];
            }
            whitened[at(a * m + b)] = sum;
        }
    }
    const Eigenpairs pairs = leading_eigenpairs(whitened, m, m);
    RitzBasis basis{pairs.values, std::vector<double>(at(Offset{m} * m))};
    for (int from = 0; from < m; ++from) {
        for (int to = 0; to < m; ++to) {
            for (int w = 0; w < m; ++w)
                basis.vectors[at(from * m + to)] += whitener[at(from * m + w)] * pairs.vectors[at(to * m + w)];
        }
    }
    return basis;
}

std::vector<float> dense_vectors(const Graph& graph, int columns, std::uint64_t seed) {
    const Index n = graph.size(), count = std::min<Index>(n, columns + 1);
    std::vector<double> root(at(n)), matrix(at(Offset{n} * n));
    for (Index i = 0; i < n; ++i) {
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e)
            root[at(i)] += static_cast<double>(graph.weights[at(e)]);
        root[at(i)] = std::sqrt(root[at(i)]);
    }
    for (Index i = 0; i < n; ++i) {
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e) {
            const Index j = graph.targets[at(e)];
            const double both = root[at(i)] * root[at(j)];
            if (both > 0) matrix[at(Offset{i} * n + j)] = static_cast<double>(graph.weights[at(e)]) / both;
        }
    }
    Eigenpairs pairs = leading_eigenpairs(std::move(matrix), n, count);
    make_signs_canonical(pairs.vectors.data(), n, count);
    std::vector<float> block(at(Offset{n} * columns));
    for (Offset i = 0; i < n; ++i) {
        for (Index c = 0; c < columns; ++c) {
            // The first one is trivial
            const auto item = static_cast<std::uint64_t>(i * columns + c);
            block[at(i * columns + c)] = c + 1 < count ? static_cast<float>(pairs.vectors[at((c + 1) * Offset{n} + i)])
                                                       : static_cast<float>(math::random_normal(seed, item));
        }
    }
    return block;
}

Graph part_of(const Graph& graph, std::span<const Index> members, std::span<Index> number) {
    for (std::size_t m = 0; m < members.size(); ++m) number[at(members[m])] = static_cast<Index>(m);
    Graph part;
    part.offsets.reserve(members.size() + 1);
    for (const Index i : members) {
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e) {
            part.targets.push_back(number[at(graph.targets[at(e)])]);
            part.weights.push_back(graph.weights[at(e)]);
        }
        part.offsets.push_back(static_cast<Offset>(part.targets.size()));
    }
    return part;
}

namespace {

/// Center and root mean square distance from it of some rows of a map.
struct Place {
    std::vector<double> center;
    double radius = 0;
};

template <class RowOf>
Place place_of(Offset count, int dim, const RowOf& row_of) {
    Place place{std::vector<double>(at(dim)), 0};
    for (Offset m = 0; m < count; ++m) {
        for (int c = 0; c < dim; ++c)
            place.center[at(c)] += static_cast<double>(row_of(m)[c]) / static_cast<double>(count);
    }
    double squares = 0;
    for (Offset m = 0; m < count; ++m) {
        for (int c = 0; c < dim; ++c)
            squares +=
                std::pow(static_cast<double>(row_of(m)[c]) - place.center[at(c)], 2) / static_cast<double>(count);
    }
    place.radius = std::sqrt(squares);
    return place;
}

/// Makes the entry of largest magnitude of each axis positive, so that the signs do not depend on the solver.
void make_signs_positive(std::vector<float>& map, int dim) {
    const std::vector<double> rows(map.begin(), map.end());
    const auto n = static_cast<Index>(static_cast<Offset>(map.size()) / dim);
    std::vector<double> columns = transposed(rows, dim, n);
    make_signs_canonical(columns.data(), n, dim);
    const std::vector<double> back = transposed(columns, n, dim);
    std::copy(back.begin(), back.end(), map.begin());
}

}  // namespace

Map assembled(const graph::Components& components, Map start, double deviation, std::uint64_t seed,
              const EigenmapOf& eigenmap_of) {
    const int dim = start.dim;
    float* y = start.coordinates.data();
    for (Index c = 0; c < components.count(); ++c) {
        const std::span<const Index> members = components.members_of(c);
        const auto count = static_cast<Offset>(members.size());
        if (count <= dim + 1) continue;
        std::vector<float> map = eigenmap_of(members);
        make_signs_positive(map, dim);
        const auto row = [&](Offset m) { return map.data() + m * dim; };
        const Place own = place_of(count, dim, row);
        Place wanted = place_of(count, dim, [&](Offset m) { return y + Offset{members[at(m)]} * dim; });
        double scale = own.radius > 0 ? wanted.radius / own.radius : 0;
        double noise = 0.01 * wanted.radius / std::sqrt(dim);
        if (components.count() == 1) {
            const double first = place_of(count, 1, row).radius;
            scale = first > 0 ? deviation / first : 0;
            noise = 0.01 * deviation;
            wanted.center.assign(at(dim), 0.0);
        }
        for (Offset m = 0; m < count; ++m) {
            for (int axis = 0; axis < dim; ++axis) {
                const Offset to = Offset{members[at(m)]} * dim + axis;
                const double random = noise * math::random_normal(seed, static_cast<std::uint64_t>(to));
                y[to] = static_cast<float>(wanted.center[at(axis)] + random +
                                           scale * (static_cast<double>(row(m)[axis]) - own.center[at(axis)]));
            }
        }
    }
    return start;
}

Map spectral_start(device::Cpu& cpu, const Graph& graph, Map start, double deviation, std::uint64_t seed) {
    const graph::Components components = graph::components(cpu, graph);
    const int dim = start.dim;
    std::vector<Index> number(at(graph.size()));
    const auto same = [](const Graph& on_host) -> const Graph& { return on_host; };
    return assembled(components, std::move(start), deviation, seed, [&](std::span<const Index> members) {
        if (components.count() == 1) return eigenmap(cpu, graph::Level{&graph, {}}, dim, seed, same);
        const Graph part = part_of(graph, members, number);
        return eigenmap(cpu, graph::Level{&part, {}}, dim, seed, same);
    });
}

}  // namespace dunlin::initialization
