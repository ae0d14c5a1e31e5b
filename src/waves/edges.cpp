// SPDX-License-Identifier: Apache-2.0
#include "waves/edges.hpp"

#include <algorithm>

#include "waves/law.hpp"

namespace dunlin::waves {

namespace {

/// Laplacians of both species at a vertex.
template <class Law>
DUNLIN_INLINE Node laplacian_of_row(const Graph& graph, const double* v, const double* w, Offset vertex) {
    const Index* targets = graph.targets.data();
    const float* weights = graph.weights.data();
    const Offset end = graph.offsets.data()[vertex + 1];
    Node total;
    for (Offset block = graph.offsets.data()[vertex]; block < end; block += row_block) {
        const Offset stop = std::min(block + row_block, end);
        Node part;
        for (Offset e = block; e < stop; ++e) {
            part.v = plus_edge(part.v, weights[e], v[vertex], v[targets[e]]);
            if constexpr (Law::spreads) part.w = plus_edge(part.w, weights[e], w[vertex], w[targets[e]]);
        }
        total = {sum(total.v, part.v), sum(total.w, part.w)};
    }
    return total;
}

template <class Law>
DUNLIN_INLINE void vertex_rates_as(const Problem& problem, const Vertices& given, Offset begin, Offset end) {
    const Coefficients c = problem.coefficients;
    const Vertices at = given;
    const Graph& graph = *problem.domain.graph;
    const double* inverse = problem.inverse_degree.empty() ? nullptr : problem.inverse_degree.data();
    for (Offset i = begin; i < end; ++i) {
        Node u{at.v[i], 0};
        if constexpr (Law::recovers) u.w = at.w[i];
        Node laplacian = laplacian_of_row<Law>(graph, at.v, at.w, i);
        if (inverse != nullptr) laplacian = {product(inverse[i], laplacian.v), product(inverse[i], laplacian.w)};
        double current = 0;
        if constexpr (Law::driven) current = problem.current.data()[i];
        const Node rate = rates<Law>(c, u, laplacian, current);
        at.rate_v[i] = rate.v;
        if constexpr (Law::recovers) at.rate_w[i] = rate.w;
    }
}

DUNLIN_TEMPLATE_CLONES(class Law, Law, vertex_rates,
                       (const Problem& problem, const Vertices& vertices, Offset begin, Offset end),
                       (problem, vertices, begin, end))

}  // namespace

VertexKernel rates_of_vertices(const Problem& problem) {
    return with_law(problem, []<class Law>() -> VertexKernel { return vertex_rates_chosen<Law>(); });
}

}  // namespace dunlin::waves
