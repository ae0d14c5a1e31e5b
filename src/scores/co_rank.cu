// SPDX-License-Identifier: Apache-2.0
#include "scores/co_rank.cuh"

#include "device/cancel.hpp"
#include "device/gpus.hpp"
#include "math/at.hpp"
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
    bool manhattan;
    double *data_radius, *map_radius;

    __device__ void operator()(Offset r) const {
        double data_sum = 0, map_sum = 0;
        for (Index j = 0; j < nearest; ++j) {
            const auto near = static_cast<double>(key.distance(data[r * n + j]));
            data_sum += manhattan ? __dmul_rn(near, near) : near;
            const Index other = key.id(in_map[r * n + j]);
            map_sum += squared_distance(map + Offset{other} * dim, map + Offset{ids[r]} * dim, dim);
        }
        data_radius[r] = data_sum / nearest;
        map_radius[r] = map_sum / nearest;
    }
};

template <class T>
void append(Cuda& cuda, const CudaBuffer<T>& from, std::size_t count, std::vector<T>& to) {
    const std::size_t old = to.size();
    to.resize(old + count);
    cuda.copy_out(to.data() + old, from.data(), count * sizeof(T));
}

class DeviceCoRanker {
public:
    DeviceCoRanker(Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                   std::span<const std::vector<Index>> neighbors, Index nearest, Index rows)
        : cuda_(cuda),
          distances_(distances),
          n_(distances.size()),
          nearest_(nearest),
          neighbors_(neighbors),
          batches_(batches_of(cuda, n_, rows)),
          maps_(maps.size()),
          kept_(maps.size()),
          found_(maps.size()) {
        cuda.upload(weights_, rnx_weights(n_));
        for (std::size_t m = 0; m < maps.size(); ++m) {
            cuda.upload(maps_[m].y, maps[m].coordinates);
            maps_[m].dim = maps[m].dim;
            cuda.fill(kept_[m], at(n_ - 1), 0U);
            found_[m].n = n_;
        }
        const std::size_t keys = at(batches_.sort) * at(n_);
        for (auto* buffer : {&data_.keys, &data_.spare, &map_.keys}) cuda.resize(*buffer, keys);
        cuda.resize(map_rank_, keys);
        data_.n = map_.n = n_;
    }

    std::vector<CoRanking> rank(std::span<const Index> rows) {
        const Offset stride = padded_stride(n_);
        CudaBuffer<float> table(at(batches_.table) * at(stride), cuda_.stream());
        for (std::size_t first = 0; first < rows.size(); first += at(batches_.table)) {
            const auto some = rows.subspan(first, std::min(at(batches_.table), rows.size() - first));
            distances_.fill(distances_.gather(some), 0, n_, table.data(), stride);
            for (std::size_t begin = 0; begin < some.size(); begin += at(batches_.sort)) {
                const auto batch = some.subspan(begin, std::min(at(batches_.sort), some.size() - begin));
                rank_batch(first + begin, batch, table.data() + static_cast<Offset>(begin) * stride, stride);
            }
        }
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            const std::vector<unsigned> kept = cuda_.host(kept_[m]);
            found_[m].kept.assign(kept.begin(), kept.end());
        }
        return std::move(found_);
    }

private:
    struct DeviceMap {
        CudaBuffer<float> y;
        int dim;
    };

    void rank_batch(std::size_t first, std::span<const Index> rows, const float* distances, Offset stride) {
        device::cancellation_point();
        cuda_.upload(ids_, rows);
        data_.rows = map_.rows = static_cast<Index>(rows.size());
        each_of_rows(cuda_, data_.rows, n_,
                     WriteDataKeys{distances, stride, ids_.data(), data_.key(), n_, data_.keys.data()});
        data_.sort(cuda_);
        for (std::size_t m = 0; m < maps_.size(); ++m) {
            device::cancellation_point();
            rank_in_map(first, rows, m);
        }
    }

    void rank_in_map(std::size_t first, std::span<const Index> rows, std::size_t m) {
        const DeviceMap& map = maps_[m];
        map_.spare.swap(data_.spare);  // one serves both
        sort_by_map(cuda_, map.y.data(), map.dim, ids_.data(), map_);
        map_.spare.swap(data_.spare);
        each_of_rows(cuda_, map_.rows, n_ - 1, WriteRanks{map_.keys.data(), map_.key(), n_, map_rank_.data()});
        const BothRanks ranks{data_.keys.data(), map_rank_.data(), data_.key(), n_};
        add_pairs(ranks, m);
        const auto own = neighbors_[m];
        rank_nearest(ranks, rows, std::span(own).subspan(first * at(nearest_), rows.size() * at(nearest_)), m);
        find_radii(map, rows.size(), m);
    }

    void add_pairs(const BothRanks& ranks, std::size_t m) {
        CudaBuffer<unsigned long long> sums;
        cuda_.fill(sums, at(data_.rows), 0ULL);
        const dim3 grid(static_cast<unsigned>((n_ - 2) / 4096 + 1), static_cast<unsigned>(data_.rows));
        larger_ranks_kernel<<<grid, 256, 0, cuda_.stream()>>>(ranks, weights_.data(), kept_[m].data(), sums.data());
        device::cuda_check(cudaGetLastError());
        for (const unsigned long long sum : cuda_.host(sums))
            found_[m].rnx_auc.push_back(static_cast<double>(static_cast<std::int64_t>(sum)) * rnx_unit - 1);
    }

    void rank_nearest(const BothRanks& ranks, std::span<const Index> rows, std::span<const Index> neighbors,
                      std::size_t m) {
        const CudaBuffer<float> own = distances_.to_others(rows, neighbors);
        CudaBuffer<Index> theirs;
        cuda_.upload(theirs, neighbors);
        CudaBuffer<Index> data_ranks(neighbors.size(), cuda_.stream()), map_ranks(neighbors.size(), cuda_.stream());
        each_of_rows(cuda_, data_.rows, nearest_,
                     RankNearest{ranks, theirs.data(), own.data(), nearest_, data_ranks.data(), map_ranks.data()});
        append(cuda_, data_ranks, neighbors.size(), found_[m].data_ranks);
        append(cuda_, map_ranks, neighbors.size(), found_[m].map_ranks);
    }

    void find_radii(const DeviceMap& map, std::size_t rows, std::size_t m) {
        CudaBuffer<double> data_radius(rows, cuda_.stream()), map_radius(rows, cuda_.stream());
        cuda_.each(static_cast<Offset>(rows),
                   FindRadii{data_.keys.data(), map_.keys.data(), data_.key(), map.y.data(), map.dim, ids_.data(), n_,
                             nearest_, distances_.manhattan(), data_radius.data(), map_radius.data()});
        append(cuda_, data_radius, rows, found_[m].data_radius);
        append(cuda_, map_radius, rows, found_[m].map_radius);
    }

    Cuda& cuda_;
    DevicePairDistances& distances_;
    Index n_, nearest_;
    std::span<const std::vector<Index>> neighbors_;
    Batches batches_;
    CudaBuffer<std::int64_t> weights_;
    std::vector<DeviceMap> maps_;
    std::vector<CudaBuffer<unsigned>> kept_;  ///< of every map: a row adds at most 2 to a count
    RankKeys data_, map_;
    CudaBuffer<Index> ids_, map_rank_;
    std::vector<CoRanking> found_;
};

}  // namespace

std::vector<CoRanking> co_rank(Cuda& cuda, DevicePairDistances& distances, std::span<const Map> maps,
                               std::span<const Index> rows, std::span<const std::vector<Index>> neighbors,
                               Index nearest) {
    return DeviceCoRanker(cuda, distances, maps, neighbors, nearest, static_cast<Index>(rows.size())).rank(rows);
}

}  // namespace dunlin::scores
