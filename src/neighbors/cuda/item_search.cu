// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/item_search.cuh"

namespace dunlin::neighbors {

ItemRows ApartQueries::load(device::Cuda& cuda, Index first, Index count, LoadedRows& loaded) const {
    cuda.upload(loaded.values, std::span(rows_.data + Offset{first} * rows_.cols,
                                         static_cast<std::size_t>(count) * static_cast<std::size_t>(rows_.cols)));
    DeviceRows rows{.values = loaded.values.data(), .count = count, .cols = rows_.cols};
    normalize(cuda, metric_, rows, loaded.space);
    return {.rows = rows, .first = items_ + first};
}

}  // namespace dunlin::neighbors
