// SPDX-License-Identifier: Apache-2.0
#include "scores/rank_keys.cuh"

#include "math/at.hpp"
#include "scores/map_distance.hpp"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int longest_run = 32;  ///< of equal roundings that one thread sorts

/// Squared distances in a map of points from the rows of a batch.
struct FromRows {
    const float* map;
    int dim;
    const Index* ids;
    [[nodiscard]] __device__ double operator()(Index row, Index point) const {
        return squared_distance(map + Offset{point} * dim, map + Offset{ids[row]} * dim, dim);
    }
};

struct WriteMapKeys {
    FromRows squared;
    RankKey key;
    Index n;
    std::uint64_t* keys;
    __device__ void operator()(Index r, Index i) const {
        keys[Offset{r} * n + i] =
            squared.ids[r] == i ? key.of_self(r, i) : key.of(r, static_cast<float>(squared(r, i)), i);
    }
};

/// The thread at the first of a short run of equal roundings sorts it by doubles and ids.
struct SortShortRuns {
    FromRows squared;
    RankKey key;
    Index n;
    std::uint64_t* keys;

    __device__ void operator()(Index r, Index p) const {
        std::uint64_t* row = keys + Offset{r} * n;
        if (p > 0 && key.ties(row[p - 1], row[p])) return;
        int length = 1;
        while (length <= longest_run && p + length < n - 1 && key.ties(row[p], row[p + length])) ++length;
        if (length == 1 || length > longest_run) return;
        std::uint64_t run[longest_run];
        double values[longest_run];
        for (int i = 0; i < length; ++i) {
            const std::uint64_t own = row[p + i];
            const double value = squared(r, key.id(own));
            int to = i;  // ids ascend, so that equal doubles stay in order
            for (; to > 0 && values[to - 1] > value; --to) values[to] = values[to - 1], run[to] = run[to - 1];
            values[to] = value;
            run[to] = own;
        }
        for (int i = 0; i < length; ++i) row[p + i] = run[i];
    }
};

/// Whether a longer run is out of order.
struct FindDisorder {
    FromRows squared;
    RankKey key;
    Index n;
    const std::uint64_t* keys;
    int* found;
    __device__ void operator()(Index r, Index p) const {
        const std::uint64_t* row = keys + Offset{r} * n;
        if (p + 1 >= n - 1 || !key.ties(row[p], row[p + 1])) return;
        const Index a = key.id(row[p]), b = key.id(row[p + 1]);
        const double of_a = squared(r, a), of_b = squared(r, b);
        if (of_a > of_b || (of_a == of_b && a > b)) *found = 1;
    }
};

/// Doubles of at least 0, whose order is that of their bits; the row itself comes last.
struct WriteDoubles {
    FromRows squared;
    Index n;
    std::uint64_t* bits;
    std::uint32_t* places;
    __device__ void operator()(Index r, Index i) const {
        const Offset place = Offset{r} * n + i;
        const double value = squared(r, i);
        bits[place] = squared.ids[r] == i ? ~std::uint64_t{0} : static_cast<std::uint64_t>(__double_as_longlong(value));
        places[place] = static_cast<std::uint32_t>(place);
    }
};

struct RowOfPlace {
    const std::uint32_t* places;
    Index n;
    std::uint32_t* rows;
    __device__ void operator()(Offset p) const { rows[p] = places[p] / static_cast<std::uint32_t>(n); }
};

struct KeysFromPlaces {
    FromRows squared;
    RankKey key;
    Index n;
    const std::uint32_t* places;
    std::uint64_t* keys;
    __device__ void operator()(Index r, Index p) const {
        const Offset place = Offset{r} * n + p;
        const auto i = static_cast<Index>(places[place] % static_cast<std::uint32_t>(n));
        keys[place] = squared.ids[r] == i ? key.of_self(r, i) : key.of(r, static_cast<float>(squared(r, i)), i);
    }
};

/// Sorts by the doubles themselves, which takes about four times as long.
void sort_by_doubles(Cuda& cuda, const FromRows& squared, RankKeys& batch) {
    const Offset count = Offset{batch.rows} * batch.n;
    CudaBuffer<std::uint64_t> bits(at(count), cuda.stream());
    CudaBuffer<std::uint32_t> places(at(count), cuda.stream());
    each_of_rows(cuda, batch.rows, batch.n, WriteDoubles{squared, batch.n, bits.data(), places.data()});
    numerics::sort_pairs(cuda, bits, places, 0, 64);
    bits = {};
    if (batch.rows > 1) {
        CudaBuffer<std::uint32_t> rows(at(count), cuda.stream());
        cuda.each(count, RowOfPlace{places.data(), batch.n, rows.data()});
        numerics::sort_pairs(cuda, rows, places, 0, bits_of(batch.rows));
    }
    each_of_rows(cuda, batch.rows, batch.n,
                 KeysFromPlaces{squared, batch.key(), batch.n, places.data(), batch.keys.data()});
}

}  // namespace

void sort_by_map(Cuda& cuda, const float* map, int dim, const Index* ids, RankKeys& batch) {
    const FromRows squared{map, dim, ids};
    const RankKey key = batch.key();
    const Index n = batch.n;
    each_of_rows(cuda, batch.rows, n, WriteMapKeys{squared, key, n, batch.keys.data()});
    batch.sort(cuda);
    each_of_rows(cuda, batch.rows, n - 1, SortShortRuns{squared, key, n, batch.keys.data()});
    device::CudaCell<int> disorder;
    cuda.set(disorder, 0);
    each_of_rows(cuda, batch.rows, n - 1, FindDisorder{squared, key, n, batch.keys.data(), cuda.address(disorder)});
    if (cuda.read(disorder) != 0) sort_by_doubles(cuda, squared, batch);
}

}  // namespace dunlin::scores
