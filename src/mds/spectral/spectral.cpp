// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/spectral.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "initialization/pca.hpp"
#include "mds/configuration.hpp"
#include "numerics/blas.hpp"

namespace dunlin::mds {

namespace {

using Doubles = Eigen::MatrixXd;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

void distances_to(device::Cpu& cpu, const Source& source, std::span<const Index> chosen, float* to, Index stride,
                  const Run& run) {
    source.request(cpu, chosen, run);
    cpu.blocks(source.size(), tile_columns, [&](Offset begin, Offset end, int) {
        std::vector<float> tile(chosen.size() * tile_columns);
        source.tile(chosen, static_cast<Index>(begin), static_cast<Index>(end - begin), tile.data(), tile_columns);
        for (Offset i = begin; i < end; ++i) {
            for (Offset k = 0; k < std::ssize(chosen); ++k)
                to[i * stride + k] = tile[static_cast<std::size_t>(k * tile_columns + i - begin)];
        }
    });
}

std::vector<double> gram(device::Cpu&, const Source& source, const std::vector<float>& c, Index count) {
    constexpr Offset at_once = 4096;
    const Offset n = source.size();
    Doubles product = Doubles::Zero(count, count);
    for (Offset first = 0; first < n; first += at_once) {
        const Offset rows = std::min(at_once, n - first);
        const Doubles part = Eigen::Map<const Floats>(c.data() + first * count, rows, count).cast<double>();
        product.noalias() += part.transpose() * part;
    }
    return {product.data(), product.data() + product.size()};
}

std::vector<double> squares_times(device::Cpu& cpu, const Source& source, const std::vector<double>& v, Index width) {
    const Index n = source.size();
    const Floats narrow = Eigen::Map<const Doubles>(v.data(), n, width).cast<float>();
    std::vector<double> result(v.size(), 0.0);
    Eigen::Map<Doubles> product(result.data(), n, width);
    numerics::hold_blas_to_one_thread();
    cpu.blocks(n, tile_rows, [&](Offset first, Offset last, int) {
        std::vector<Index> rows(static_cast<std::size_t>(last - first));
        std::iota(rows.begin(), rows.end(), static_cast<Index>(first));
        Floats tile(last - first, tile_columns), part(last - first, width);
        for (Index begin = 0; begin < n; begin += tile_columns) {
            const Index count = std::min(tile_columns, n - begin);
            source.tile(rows, begin, count, tile.data(), tile_columns);
            tile = tile.cwiseProduct(tile).eval();
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(last - first), width, count, 1.0F,
                        tile.data(), tile_columns, narrow.data() + Offset{begin} * width, width, 0.0F, part.data(),
                        width);
            product.middleRows(first, last - first) += part.cast<double>();
        }
    });
    return result;
}

std::vector<float> principal_axes(device::Cpu& cpu, const Dissimilarities& items, const Source&, int dim) {
    numerics::hold_blas_to_one_thread();
    return initialization::principal_coordinates(cpu, items.values().view(), dim);
}

}  // namespace dunlin::mds
