// SPDX-License-Identifier: Apache-2.0
#include "descent/repulsion.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

namespace dunlin::descent {

Repulsion quickest(Index n, float span, int dim, float spacing) {
    if (n <= most_for_exact(dim)) return Repulsion::exact;
    const auto points = static_cast<double>(n);
    const double cells = static_cast<double>(span) / static_cast<double>(spacing);
    if (dim == 2) return points >= cells * cells / 27 ? Repulsion::grid : Repulsion::tree;
    return points >= 2000 + 0.0256 * cells * cells * cells ? Repulsion::grid : Repulsion::tree;
}

Repulsion quickest_on_gpu(Index n, int dim) {
    if (n <= (dim < 3 ? 10000 : 25000)) return Repulsion::exact;
    return dim == 1 || (dim == 3 && n <= 500000) ? Repulsion::tree : Repulsion::grid;
}

namespace {

/// The engine in more than 3 dimensions.
Repulsion resolve_wide(Repulsion wanted, Index n, int dim) {
    if (wanted == Repulsion::automatic) return n <= most_for_exact_wide ? Repulsion::exact : Repulsion::drawn;
    if (wanted == Repulsion::exact || wanted == Repulsion::drawn) return wanted;
    throw Error(Fault::bad_input,
                fmt::format("repulsion is {} and dim is {}; maps of more than 3 dimensions have no tree and no grid, "
                            "take auto, drawn or exact",
                            name_of(wanted), dim),
                {.option = "repulsion"});
}

}  // namespace

Repulsion resolve_repulsion(Repulsion wanted, Index n, int dim, Device where) {
    if (dim > 3) return resolve_wide(wanted, n, dim);
    if (wanted == Repulsion::drawn) {
        throw Error(Fault::bad_input,
                    fmt::format("repulsion is drawn and dim is {}; draws are for UMAP and PaCMAP in more than 3 "
                                "dimensions, below take auto, exact, tree or grid",
                                dim),
                    {.option = "repulsion"});
    }
    if (dim == 1 && (wanted == Repulsion::grid || wanted == Repulsion::adaptive)) {
        throw Error(Fault::bad_input,
                    fmt::format("repulsion is {} and dim is 1; maps on a line have no grid, take auto, tree or exact",
                                name_of(wanted)));
    }
    if (where == Device::cuda) {
        if (wanted == Repulsion::adaptive) {
            throw Error(
                Fault::bad_input,
                "repulsion adaptive is for a CPU; on a GPU, where one engine suits all spans, take auto, tree or grid");
        }
        return wanted == Repulsion::automatic ? quickest_on_gpu(n, dim) : wanted;
    }
    if (wanted != Repulsion::automatic) return wanted;
    if (n <= most_for_exact(dim)) return Repulsion::exact;
    return dim == 1 ? Repulsion::tree : Repulsion::adaptive;
}

}  // namespace dunlin::descent
