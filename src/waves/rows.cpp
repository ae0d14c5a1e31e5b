// SPDX-License-Identifier: Apache-2.0
#include "waves/rows.hpp"

#include "device/clones.hpp"
#include "waves/law.hpp"

namespace dunlin::waves {

namespace {

template <int axes>
DUNLIN_INLINE double laplacian_at(const RowOfSpecies& row, Offset x) {
    const double v = row.here[x];
    if constexpr (axes == 1) {
        return laplacian_1d(v, row.here[x - 1], row.here[x + 1]);
    } else {
        const double plane = laplacian_2d(v, row.here[x - 1], row.here[x + 1], row.below[x], row.above[x]);
        if constexpr (axes == 2) return plane;
        return laplacian_3d(plane, v, row.front[x], row.back[x]);
    }
}

template <class Law, int axes, bool steps>
DUNLIN_INLINE bool update_row_as(const Coefficients& coefficients, double dt, Offset n, const Row& given) {
    const Coefficients c = coefficients;  // copies, which no write to the row can change
    const Row row = given;
    std::int64_t signs = 0;
    DUNLIN_NO_OVERLAP
    for (Offset x = 0; x < n; ++x) {
        Node u{row.v.here[x], 0}, laplacian{laplacian_at<axes>(row.v, x), 0};
        if constexpr (Law::recovers) u.w = row.w.here[x];
        if constexpr (Law::spreads) laplacian.w = laplacian_at<axes>(row.w, x);
        double current = 0;
        if constexpr (Law::driven) current = row.current[x];
        const Node rate = rates<Law>(c, u, laplacian, current);
        const Node out = steps ? Node{euler(dt, rate.v, u.v), euler(dt, rate.w, u.w)} : rate;
        row.v.out[x] = out.v;
        if constexpr (Law::recovers) row.w.out[x] = out.w;
        if constexpr (steps)
            signs |= watches_recovery(Law::model) ? crossing_sign(u.w, out.w, row.level)
                                                  : crossing_sign(u.v, out.v, row.level);
    }
    return signs < 0;
}

#define DUNLIN_COMMA ,
DUNLIN_TEMPLATE_CLONES(class Law DUNLIN_COMMA int axes DUNLIN_COMMA bool steps,
                       Law DUNLIN_COMMA axes DUNLIN_COMMA steps, update_row,
                       (const Coefficients& c, double dt, Offset n, const Row& row), (c, dt, n, row))

template <bool steps>
RowKernel kernel_of(const Problem& problem) {
    const int axes = axes_of(problem.domain);
    return with_law(problem, [axes]<class Law>() -> RowKernel {
        return axes == 1   ? update_row_chosen<Law, 1, steps>()
               : axes == 2 ? update_row_chosen<Law, 2, steps>()
                           : update_row_chosen<Law, 3, steps>();
    });
}

}  // namespace

RowKernel euler_row(const Problem& problem) { return kernel_of<true>(problem); }
RowKernel rates_row(const Problem& problem) { return kernel_of<false>(problem); }

int axes_of(const Domain& domain) { return domain.nodes[2] > 1 ? 3 : domain.nodes[1] > 1 ? 2 : 1; }

}  // namespace dunlin::waves
