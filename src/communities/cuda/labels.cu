// SPDX-License-Identifier: Apache-2.0
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <bit>
#include <cub/device/device_scan.cuh>

#include "communities/cuda/lists.cuh"
#include "math/at.hpp"
#include "numerics/sort.cuh"

namespace dunlin::communities {

namespace {

using device::CudaBuffer;

struct Follow {
    Index* vertex;
    const Index* of;
    __device__ void operator()(Offset v) const { vertex[v] = of[vertex[v]]; }
};

struct FindFirst {
    const Index* labels;
    Index* first;
    __device__ void operator()(Offset i) const {
        const auto v = static_cast<Index>(i);
        Index* const of = first + labels[v];
        // Vertices come in about ascending order: most need no atomic. What the first read sees may be old
        if (*of > v && *static_cast<volatile Index*>(of) > v) atomicMin(of, v);
    }
};
struct IsFirstOfLabel {
    const Index* labels;
    const Index* first;
    Index n;
    __device__ Index operator()(Index v) const { return v < n && first[labels[v]] == v ? 1 : 0; }
};
struct SetNumber {
    Index* labels;
    const Index* first;
    const Index* number;
    __device__ void operator()(Offset v) const { labels[v] = number[first[labels[v]]]; }
};

struct CountLabel {
    const Index* labels;
    std::uint32_t* sizes;
    __device__ void operator()(Offset v) const { atomicAdd(sizes + labels[v], 1U); }
};
/// The same for few labels, which are counted by blocks before; their number is that of the words of shared memory.
__global__ void count_few_labels(const Index* labels, Offset n, Index count, std::uint32_t* sizes) {
    extern __shared__ std::uint32_t own[];
    for (Index c = static_cast<Index>(threadIdx.x); c < count; c += static_cast<Index>(blockDim.x)) own[c] = 0;
    __syncthreads();
    for (Offset v = Offset{blockIdx.x} * blockDim.x + threadIdx.x; v < n; v += Offset{gridDim.x} * blockDim.x)
        atomicAdd(own + labels[v], 1U);
    __syncthreads();
    for (Index c = static_cast<Index>(threadIdx.x); c < count; c += static_cast<Index>(blockDim.x)) {
        if (own[c] != 0) atomicAdd(sizes + c, own[c]);
    }
}

void count_labels(device::Cuda& cuda, const CudaBuffer<Index>& labels, Index count, std::uint32_t* sizes) {
    constexpr int threads = 512, blocks_each = 2;
    constexpr Index most_few = 12288;  // 48 KB
    const auto n = static_cast<Offset>(labels.size());
    if (count > most_few) return cuda.each(n, CountLabel{labels.data(), sizes});
    const Offset blocks = std::min<Offset>((n + threads - 1) / threads, Offset{cuda.multiprocessors()} * blocks_each);
    count_few_labels<<<static_cast<unsigned>(blocks), threads, at(count) * sizeof(std::uint32_t), cuda.stream()>>>(
        labels.data(), n, count, sizes);
    device::cuda_check(cudaGetLastError());
}

/// Large ones first.
struct SizeKey {
    std::uint32_t* sizes;
    __device__ void operator()(Offset c) const { sizes[c] = ~sizes[c]; }
};
struct Invert {
    const Index* order;
    Index* number;
    __device__ void operator()(Offset rank) const { number[order[rank]] = static_cast<Index>(rank); }
};

struct OfPart {
    const Index* community;
    const Index* part;
    Index* to;
    __device__ void operator()(Offset v) const { to[part[v]] = community[v]; }  // the same for all of a part
};

// Connected components, as graph::Forest: a root is only linked to a smaller one

__device__ Index root_of(Index* parent, Index v) {
    const auto up = [&](Index of) { return *static_cast<volatile Index*>(parent + of); };
    for (Index above = up(v); above != v; above = up(v)) {
        const Index next = up(above);
        if (next != above) *static_cast<volatile Index*>(parent + v) = next;
        v = next;
    }
    return v;
}

/// For row_sums_kernel: unites the ends of an edge in a community.
struct Unite {
    const Index* targets;
    const Index* labels;
    Index* parent;
    __device__ Weight operator()(Index v, Offset e) const {
        const Index u = targets[e];
        if (u >= v || labels[u] != labels[v]) return 0;
        Index a = root_of(parent, v), b = root_of(parent, u);
        while (a != b) {
            if (a < b) {
                const Index larger = b;
                b = a;
                a = larger;
            }
            if (atomicCAS(parent + a, a, b) == a) break;
            a = root_of(parent, a);
            b = root_of(parent, b);
        }
        return 0;
    }
};
struct DoNothing {
    __device__ void operator()(Index, Weight) const {}
};
struct SetRoot {
    Index* parent;
    Index* labels;
    __device__ void operator()(Offset v) const { labels[v] = root_of(parent, static_cast<Index>(v)); }
};

// Division of parts along communities

struct SetLabelOfPart {
    const Index* labels;
    const Index* parts;
    Index* of_part;
    __device__ void operator()(Offset v) const { of_part[parts[v]] = labels[v]; }  // of any of its vertices
};
struct FindDivided {
    const Index* labels;
    const Index* parts;
    const Index* of_part;
    int* some;
    __device__ void operator()(Offset v) const {
        if (of_part[parts[v]] != labels[v]) *some = 1;
    }
};
struct PartAndLabel {
    const Index* labels;
    const Index* parts;
    std::uint64_t* keys;
    __device__ void operator()(Offset v) const {
        keys[v] = static_cast<std::uint64_t>(parts[v]) << 32 | static_cast<std::uint64_t>(labels[v]);
    }
};
struct BeginsRun {
    const std::uint64_t* keys;
    __device__ Index operator()(Index i) const { return i > 0 && keys[i] != keys[i - 1] ? 1 : 0; }
};
struct PutBack {
    const Index* order;
    const Index* numbers;
    Index* to;
    __device__ void operator()(Offset i) const { to[order[i]] = numbers[i]; }
};

// Terms

struct AddTotal {
    const Index* labels;
    const Weight* masses;
    unsigned long long* totals;
    __device__ void operator()(Offset v) const {
        atomicAdd(totals + labels[v], static_cast<unsigned long long>(masses[v]));
    }
};
struct LinkOfLabel {
    LevelView level;
    const Index* labels;
    __device__ Weight operator()(Index v, Offset e) const {
        return labels[level.targets[e]] == labels[v] ? level.weights[e] : 0;
    }
};
struct SetInside {
    Weight* inside;
    __device__ void operator()(Index v, Weight sum) const { inside[v] = sum; }
};
using One = math::Vec<std::int64_t, 1>;
struct InsideOf {
    const Weight* inside;
    __device__ One operator()(Offset v) const { return {{inside[v]}}; }
};
/// The square of a total below 2^52 in limbs of 40 bits, so that sums of 2^23 of them fit; more are added in parts.
constexpr int limb_bits = 40;
constexpr Offset most_squares = Offset{1} << 22;
using Limbs = math::Vec<std::int64_t, 3>;
struct SquareOf {
    const unsigned long long* totals;
    __device__ Limbs operator()(Offset c) const {
        constexpr std::uint64_t mask = (std::uint64_t{1} << limb_bits) - 1;
        const Wide square = Wide{static_cast<Weight>(totals[c])} * Wide{static_cast<Weight>(totals[c])};
        return {{static_cast<std::int64_t>(static_cast<std::uint64_t>(square) & mask),
                 static_cast<std::int64_t>(static_cast<std::uint64_t>(square >> limb_bits) & mask),
                 static_cast<std::int64_t>(square >> (2 * limb_bits))}};
    }
};

template <class Flags>
void sum_flags(device::Cuda& cuda, Index n, const Flags& flags, Index* sums, bool inclusive) {
    const auto values = thrust::make_transform_iterator(thrust::counting_iterator<Index>(0), flags);
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return inclusive ? cub::DeviceScan::InclusiveSum(scratch, bytes, values, sums, n, cuda.stream())
                         : cub::DeviceScan::ExclusiveSum(scratch, bytes, values, sums, n, cuda.stream());
    });
}

}  // namespace

CudaCommunityEngine::Labels CudaCommunityEngine::from_host(const std::vector<Index>& labels) {
    Labels result;
    cuda_.upload(result, labels);
    return result;
}

std::vector<std::vector<Index>> CudaCommunityEngine::to_host(const std::vector<Labels>& all) {
    std::vector<std::vector<Index>> host(all.size());
    device::Cpu cpu(cuda_.run());  // to touch new memory takes longer than the copy
    cpu.each(std::ssize(host), [&](Offset l) { host[at(l)].resize(all[at(l)].size()); }, 1);
    for (std::size_t l = 0; l < all.size(); ++l)
        cuda_.copy_out(host[l].data(), all[l].data(), all[l].size() * sizeof(Index));
    return host;
}

CudaCommunityEngine::Labels CudaCommunityEngine::copy(const Labels& labels) {
    Labels result(labels.size(), cuda_.stream());
    if (labels.size() == 0) return result;
    device::cuda_check(cudaMemcpyAsync(result.data(), labels.data(), labels.size() * sizeof(Index),
                                       cudaMemcpyDeviceToDevice, cuda_.stream()));
    return result;
}

CudaCommunityEngine::Labels CudaCommunityEngine::numbers() {
    Labels result;
    numerics::count_up(cuda_, base_.size(), result);
    return result;
}

void CudaCommunityEngine::follow(Labels& vertex, const Labels& of) {
    cuda_.each(static_cast<Offset>(vertex.size()), Follow{vertex.data(), of.data()});
}

Index CudaCommunityEngine::number_by_first(Labels& labels) {
    const auto n = static_cast<Index>(labels.size());
    if (n == 0) return 0;
    cuda_.fill(first_, at(n) + 1, n);
    cuda_.each(n, FindFirst{labels.data(), first_.data()});
    cuda_.resize(number_, at(n) + 1);
    sum_flags(cuda_, n + 1, IsFirstOfLabel{labels.data(), first_.data(), n}, number_.data(), false);
    cuda_.each(n, SetNumber{labels.data(), first_.data(), number_.data()});
    Index count = 0;
    cuda_.copy_out(&count, number_.data() + n, sizeof count);
    return count;
}

void CudaCommunityEngine::number_by_size(Labels& labels) {
    const Index count = number_by_first(labels);
    if (count == 0) return;
    const auto n = static_cast<Offset>(labels.size());
    CudaBuffer<std::uint32_t> sizes;
    cuda_.fill(sizes, at(count), 0U);
    count_labels(cuda_, labels, count, sizes.data());
    cuda_.each(count, SizeKey{sizes.data()});
    CudaBuffer<Index> order;
    numerics::count_up(cuda_, count, order);
    numerics::sort_pairs(cuda_, sizes, order, 0, 32);
    cuda_.each(count, Invert{order.data(), number_.data()});
    cuda_.each(n, Follow{labels.data(), number_.data()});
}

CudaCommunityEngine::Labels CudaCommunityEngine::of_parts(Labels& community, const Labels& part, Index parts) {
    number_by_first(community);
    Labels result(at(parts), cuda_.stream());
    cuda_.each(static_cast<Offset>(part.size()), OfPart{community.data(), part.data(), result.data()});
    return result;
}

void CudaCommunityEngine::divide_into_components(Labels& labels) {
    const Index n = base_.size();
    CudaBuffer<Index> parent;
    numerics::count_up(cuda_, n, parent);
    each_row(cuda_, base_.view(), base_.rows, 0, Unite{base_.targets.data(), labels.data(), parent.data()},
             DoNothing{});
    cuda_.each(n, SetRoot{parent.data(), labels.data()});
    number_by_size(labels);
}

void CudaCommunityEngine::divide_along(const Labels& labels, Labels& parts) {
    const auto n = static_cast<Index>(parts.size());
    const CudaBuffer<Index> of_part(at(n), cuda_.stream());
    device::CudaCell<int> some;
    cuda_.set(some, 0);
    cuda_.each(n, SetLabelOfPart{labels.data(), parts.data(), of_part.data()});
    cuda_.each(n, FindDivided{labels.data(), parts.data(), of_part.data(), cuda_.address(some)});
    if (cuda_.read(some) == 0) return;
    CudaBuffer<std::uint64_t> keys(at(n), cuda_.stream());
    CudaBuffer<Index> order;
    numerics::count_up(cuda_, n, order);
    cuda_.each(n, PartAndLabel{labels.data(), parts.data(), keys.data()});
    numerics::sort_pairs(cuda_, keys, order, 0, 64);
    const CudaBuffer<Index> numbers(at(n), cuda_.stream());
    sum_flags(cuda_, n, BeginsRun{keys.data()}, numbers.data(), true);
    cuda_.each(n, PutBack{order.data(), numbers.data(), parts.data()});
}

Terms CudaCommunityEngine::terms(const Labels& labels, MassKind kind) {
    const auto n = static_cast<Offset>(labels.size());
    const bool of_degrees = kind == MassKind::degrees && degrees_.size() > 0;
    CudaBuffer<unsigned long long> totals;
    cuda_.fill(totals, labels.size(), 0ULL);
    cuda_.each(n, AddTotal{labels.data(), of_degrees ? degrees_.data() : base_.masses.data(), totals.data()});
    CudaBuffer<Weight> inside(labels.size(), cuda_.stream());
    each_row(cuda_, base_.view(), base_.rows, 0, LinkOfLabel{base_.view(), labels.data()}, SetInside{inside.data()});
    device::CudaCell<One> sum;
    cuda_.sum(n, InsideOf{inside.data()}, sum);
    Terms terms{cuda_.read(sum).at[0], 0};
    for (Offset first = 0; first < n; first += most_squares) {
        device::CudaCell<Limbs> limbs;
        cuda_.sum(std::min(most_squares, n - first), SquareOf{totals.data() + first}, limbs);
        const Limbs squares = cuda_.read(limbs);
        for (int l = 0; l < 3; ++l) terms.squares += Wide{squares.at[l]} << (l * limb_bits);
    }
    return terms;
}

}  // namespace dunlin::communities
