// SPDX-License-Identifier: Apache-2.0
#include "scores/co_rank.cuh"

#include "device/gpus.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/map_distance.hpp"
#include "scores/rank_keys.cuh"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Device memory of a row whose points are sorted, per point: two lists of keys and their spare, ranks in a map.
constexpr std::uint64_t bytes_of_sort = 3 * sizeof(std::uint64_t) + sizeof(Index);
constexpr std::uint64_t bytes_of_distance = sizeof(float);

/// Rows whose distances are in memory at once, and of these the rows that are sorted at once.
struct Batches {
    Index table, sort;
};

/// Keys of at most 512 rows have five digits of 8 bits; more than 2^26 keys do not sort faster.
Batches batches_of(Cuda& cuda, Index n, Index rows) {
    const std::uint64_t allowed = device::allowance(cuda), points = static_cast<std::uint64_t>(n);
    device::require_gpu_memory(2 * points * (bytes_of_distance + bytes_of_sort), allowed,
                               "rnx_auc of this many points");
    const auto most = [&](std::uint64_t bytes) { return static_cast<Offset>(allowed / 4 / (points * bytes)); };
    const Offset table = std::clamp<Offset>(std::min(most(bytes_of_distance), (Offset{1} << 30) / n), 1, rows);
    const Offset keys = std::min({most(bytes_of_sort), (Offset{1} << 26) / n, rows_of_keys(n), Offset{512}});
    return {static_cast<Index>(table), static_cast<Index>(std::clamp<Offset>(keys, 1, table))};
}

struct WriteDataKeys {
    const float* distances;
    Offset stride;
    const Index* ids;
    RankKey key;
    Index n;
    std::uint64_t* keys;
    __device__ void operator()(Index r, Index i) const {
        keys[Offset{r} * n + i] = ids[r] == i ? key.of_self(r, i) : key.of(r, distances[r * stride + i], i);
    }
};

struct WriteRanks {
    const std::uint64_t* keys;
    RankKey key;
    Index n;
    Index* ranks;
    __device__ void operator()(Index r, Index p) const {
        const Offset row = Offset{r} * n;
        ranks[row + key.id(keys[row + p])] = p;
    }
};

/// Sorted keys of a batch in the data, and the ranks of every point in a map, both from 0.
struct BothRanks {
    const std::uint64_t* data;
    const Index* map_rank;
    RankKey key;
    Index n;

    [[nodiscard]] __device__ Index in_map(Index r, Index place_in_data) const {
        return map_rank[Offset{r} * n + key.id(data[Offset{r} * n + place_in_data])];
    }
};

/// Block (b, r): a stretch of row r. Counts pairs by their larger rank and adds their weights.
__global__ void larger_ranks_kernel(BothRanks ranks, const std::int64_t* weights, unsigned* kept,
                                    unsigned long long* row_weights) {
    constexpr Index stretch = 4096;
    const auto r = static_cast<Index>(blockIdx.y);
    const Offset begin = Offset{blockIdx.x} * stretch, end = min(begin + stretch, Offset{ranks.n} - 1);
    long long weight = 0;
    for (Offset p = begin + threadIdx.x; p < end; p += blockDim.x) {
        const auto place = static_cast<Index>(p);
        const Index larger = max(place, ranks.in_map(r, place));
        weight += weights[larger];
        atomicAdd(kept + larger, 1U);
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) weight += __shfl_xor_sync(~0U, weight, lanes);
    if (threadIdx.x % 32 == 0) atomicAdd(row_weights + r, static_cast<unsigned long long>(weight));
}

/// Ranks of the nearest, from 1: neighbor j of row r in the map, in the data; and the row's j-th in the data, in the
/// map.
struct RankNearest {
    BothRanks ranks;
    const Index* neighbors;
    const float* own;  ///< their distances
    Index nearest;
    Index *data_ranks, *map_ranks;

    __device__ void operator()(Index r, Index j) const {
        const Offset place = Offset{r} * nearest + j;
        const std::uint64_t* row = ranks.data + Offset{r} * ranks.n;
        const std::uint64_t mine = ranks.key.of(r, own[place], neighbors[place]);
        Index low = 0, high = ranks.n - 1;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (row[middle] < mine) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        data_ranks[place] = low + 1;
        map_ranks[place] = ranks.in_map(r, j) + 1;
    }
};

/// Mean squared distances to the nearest, added in their order.
struct FindRadii {
    const std::uint64_t *data, *in_map;
    RankKey key;
    const float* map;
    int dim;
    const Index* ids;
    Index n, nearest;
    neighbors::Metric metric;
    double *data_radius, *map_radius;

    __device__ void operator()(Offset r) const {
        double data_sum = 0, map_sum = 0;
        for (Index j = 0; j < nearest; ++j) {
            data_sum += square_of(key.distance(data[r * n + j]), metric);
            const Index other = key.id(in_map[r * n + j]);
            map_sum += squared_distance(map + Offset{other} * dim, map + Offset{ids[r]} * dim, dim);
        }
        data_radius[r] = data_sum / nearest;
        map_radius[r] = map_sum / nearest;
    }
};

class DeviceCoRanker {
public:
    DeviceCoRanker(Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                   std::span<const std::vector<Index>> neighbors, Index nearest, std::span<const Index> rows)
        : cuda_(cuda),
          distances_(distances),
          rows_(rows),
          n_(distances.size()),
          nearest_(nearest),
          batches_(batches_of(cuda, n_, static_cast<Index>(rows.size()))),
          maps_(maps.size()) {
        cuda.upload(ids_, rows);
        for (std::size_t m = 0; m < maps.size(); ++m) {
            DeviceMap& map = maps_[m];
            cuda.upload(map.y, maps[m].coordinates);
            map.dim = maps[m].dim;
            cuda.upload(map.neighbors, neighbors[m]);
            map.own = distances.to_others(rows, neighbors[m]);
            cuda.fill(map.kept, at(n_ - 1), 0U);
            cuda.fill(map.sums, rows.size(), 0ULL);
            for (auto* buffer : {&map.data_ranks, &map.map_ranks}) cuda.resize(*buffer, neighbors[m].size());
            for (auto* buffer : {&map.data_radius, &map.map_radius}) cuda.resize(*buffer, rows.size());
        }
        const std::size_t keys = at(batches_.sort) * at(n_);
        for (auto* buffer : {&data_.keys, &data_.spare, &map_.keys}) cuda.resize(*buffer, keys);
        cuda.resize(map_rank_, keys);
        data_.n = map_.n = n_;
    }

    std::vector<CoRanking> rank() {
        const Offset stride = padded_stride(n_);
        CudaBuffer<float> table(at(batches_.table) * at(stride), cuda_.stream());
        for (std::size_t first = 0; first < rows_.size(); first += at(batches_.table)) {
            const auto some = rows_.subspan(first, std::min(at(batches_.table), rows_.size() - first));
            distances_.fill(distances_.gather(some), 0, n_, table.data(), stride);
            if (weights_.size() == 0) cuda_.upload(weights_, rnx_weights(n_));  // while the GPU computes distances
            for (std::size_t begin = 0; begin < some.size(); begin += at(batches_.sort)) {
                data_.rows = map_.rows = static_cast<Index>(std::min(at(batches_.sort), some.size() - begin));
                rank_batch(static_cast<Offset>(first + begin), table.data() + static_cast<Offset>(begin) * stride,
                           stride);
            }
        }
        std::vector<CoRanking> found;
        for (const DeviceMap& map : maps_) found.push_back(on_host(map));
        return found;
    }

private:
    /// A map, and what is found of it: of all rows, in their order.
    struct DeviceMap {
        CudaBuffer<float> y;
        int dim = 0;
        CudaBuffer<Index> neighbors;
        CudaBuffer<float> own;      ///< distances of the neighbors in the data
        CudaBuffer<unsigned> kept;  ///< a row adds at most 2 to a count
        CudaBuffer<unsigned long long> sums;
        CudaBuffer<Index> data_ranks, map_ranks;
        CudaBuffer<double> data_radius, map_radius;
    };

    /// Rows [first, first + data_.rows).
    void rank_batch(Offset first, const float* distances, Offset stride) {
        progress::cancellation_point();
        const Index* ids = ids_.data() + first;
        each_of_rows(cuda_, data_.rows, n_, WriteDataKeys{distances, stride, ids, data_.key(), n_, data_.keys.data()});
        data_.sort(cuda_);
        for (DeviceMap& map : maps_) {
            progress::cancellation_point();
            rank_in_map(first, ids, map);
        }
    }

    void rank_in_map(Offset first, const Index* ids, DeviceMap& map) {
        map_.spare.swap(data_.spare);  // one serves both
        sort_by_map(cuda_, map.y.data(), map.dim, ids, map_);
        map_.spare.swap(data_.spare);
        each_of_rows(cuda_, map_.rows, n_ - 1, WriteRanks{map_.keys.data(), map_.key(), n_, map_rank_.data()});
        const BothRanks ranks{data_.keys.data(), map_rank_.data(), data_.key(), n_};
        const dim3 grid(static_cast<unsigned>((n_ - 2) / 4096 + 1), static_cast<unsigned>(data_.rows));
        larger_ranks_kernel<<<grid, 256, 0, cuda_.stream()>>>(ranks, weights_.data(), map.kept.data(),
                                                              map.sums.data() + first);
        device::cuda_check(cudaGetLastError());
        const Offset near = first * nearest_;
        each_of_rows(cuda_, data_.rows, nearest_,
                     RankNearest{ranks, map.neighbors.data() + near, map.own.data() + near, nearest_,
                                 map.data_ranks.data() + near, map.map_ranks.data() + near});
        cuda_.each(data_.rows,
                   FindRadii{data_.keys.data(), map_.keys.data(), data_.key(), map.y.data(), map.dim, ids, n_, nearest_,
                             distances_.metric(), map.data_radius.data() + first, map.map_radius.data() + first});
    }

    [[nodiscard]] CoRanking on_host(const DeviceMap& map) {
        CoRanking found;
        found.n = n_;
        found.data_ranks = cuda_.host(map.data_ranks);
        found.map_ranks = cuda_.host(map.map_ranks);
        for (const unsigned long long sum : cuda_.host(map.sums))
            found.rnx_auc.push_back(static_cast<double>(static_cast<std::int64_t>(sum)) * rnx_unit - 1);
        const std::vector<unsigned> kept = cuda_.host(map.kept);
        found.kept.assign(kept.begin(), kept.end());
        found.data_radius = cuda_.host(map.data_radius);
        found.map_radius = cuda_.host(map.map_radius);
        return found;
    }

    Cuda& cuda_;
    DevicePairDistances& distances_;
    std::span<const Index> rows_;
    Index n_, nearest_;
    Batches batches_;
    CudaBuffer<std::int64_t> weights_;
    std::vector<DeviceMap> maps_;
    RankKeys data_, map_;
    CudaBuffer<Index> ids_, map_rank_;
};

}  // namespace

std::vector<CoRanking> co_rank(Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                               std::span<const Index> rows, std::span<const std::vector<Index>> neighbors,
                               Index nearest) {
    return DeviceCoRanker(cuda, distances, maps, neighbors, nearest, rows).rank();
}

}  // namespace dunlin::scores
