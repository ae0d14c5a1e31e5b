// SPDX-License-Identifier: Apache-2.0
#include "surface/cuda/marching.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "device/fail.hpp"
#include "device/scratch.cuh"
#include "math/at.hpp"
#include "surface/cuda/emit.cuh"
#include "surface/inside.hpp"
#include "surface/problem.hpp"

namespace dunlin::surface {

using device::Cuda;

namespace {

constexpr int words_in_block = 256;
constexpr int words_of_warp = 8;

/// Sums over words of a block in one integer: at most 57,344 vertices, 98,304 triangles, 256 words and 8,192 cells.
class BlockCounts {
public:
    BlockCounts() = default;
    __device__ BlockCounts(int vertices, int triangles, int words, int cells)
        : sums_(static_cast<std::uint64_t>(vertices) | static_cast<std::uint64_t>(triangles) << 16 |
                static_cast<std::uint64_t>(words) << 33 | static_cast<std::uint64_t>(cells) << 42) {}

    __device__ BlockCounts operator+(const BlockCounts& o) const {
        BlockCounts sum;
        sum.sums_ = sums_ + o.sums_;
        return sum;
    }
    [[nodiscard]] __device__ Offset vertices() const { return part(0, 16); }
    [[nodiscard]] __device__ Offset triangles() const { return part(16, 17); }
    [[nodiscard]] __device__ Offset words() const { return part(33, 9); }
    [[nodiscard]] __device__ Offset cells() const { return part(42, 14); }

private:
    [[nodiscard]] __device__ Offset part(int first, int bits) const {
        return static_cast<Offset>(sums_ >> first & ((std::uint64_t{1} << bits) - 1));
    }

    std::uint64_t sums_ = 0;
};

struct AddCounts {
    __host__ __device__ WordCounts operator()(const WordCounts& a, const WordCounts& b) const {
        return {a.vertices + b.vertices, a.triangles + b.triangles, a.words + b.words, a.cells + b.cells};
    }
};

__device__ BlockCounts counts_of(const CubeWord& cubes) {
    if (is_empty(cubes)) return {};
    int triangles = 0;
    for (std::uint32_t bits = cubes.cells; bits != 0; bits &= bits - 1)
        triangles += device_table.count[cubes.cube_case(lowest_bit(bits))];
    return {cubes.vertices(), triangles, 1, count_bits(cubes.cells)};
}

/// False only if no edge of a word is crossed: all nodes that its edges join are on one side. Nodes that follow in
/// memory are read too, which are not always neighbors.
__device__ bool may_be_crossed(const Shape& shape, const std::uint32_t* inside, std::uint32_t word) {
    const auto all = static_cast<std::uint32_t>(shape.all_words()), words = static_cast<std::uint32_t>(shape.words);
    std::uint32_t any = 0, every = ~0U;
#pragma unroll
    for (std::uint32_t row = 0; row < 4; ++row) {
        const std::uint32_t there = word + ((row >> 1) * static_cast<std::uint32_t>(shape.ny) + (row & 1)) * words;
#pragma unroll
        for (std::uint32_t next = 0; next < 2; ++next) {
            const std::uint32_t bits = there + next < all ? inside[there + next] : inside[word];
            any |= bits;
            every &= bits;
        }
    }
    return any != 0 && every != ~0U;
}

/// A warp for 8 consecutive words: all loads are issued before the first is needed. whole_words: rows end with words,
/// so that the nodes of all words are consecutive.
template <bool whole_words, class Real>
__global__ void inside_kernel(Shape shape, const Real* values, Real limit, std::uint32_t* inside, Found* found) {
    constexpr Real most = std::numeric_limits<Real>::max();
    const auto all = static_cast<std::uint32_t>(shape.all_words());
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t first = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * words_of_warp;
    if (first >= all) return;
    const auto words = static_cast<std::uint32_t>(shape.words);
    const auto node_of = [&](std::uint32_t word) {
        if constexpr (whole_words) return Offset{32} * word + lane;
        return Offset{word / words} * shape.nz + 32 * (word % words) + lane;
    };
    Real value[words_of_warp];
    std::uint32_t bad = 0, there = 0;
#pragma unroll
    for (int k = 0; k < words_of_warp; ++k) {
        const std::uint32_t word = first + k;
        const bool is_there = word < all && (whole_words || 32 * (word % words) + lane < shape.nz);
        value[k] = is_there ? __ldcs(values + node_of(word)) : Real(0);
        if (is_there) there |= 1U << k;
    }
    std::uint32_t mine = 0;
#pragma unroll
    for (int k = 0; k < words_of_warp; ++k) {
        const std::uint32_t bits = __ballot_sync(~0U, (there >> k & 1) != 0 && value[k] > limit);
        if (lane == static_cast<unsigned>(k)) mine = bits;
        if (!(fabs(value[k]) <= most)) bad |= 1U << k;
    }
    if (lane < words_of_warp && first + lane < all) inside[first + lane] = mine;
    if (bad == 0) return;
    for (int k = 0; k < words_of_warp; ++k) {
        if ((bad >> k & 1) == 0) continue;
        atomicMin(&found->first_bad, static_cast<unsigned long long>(node_of(first + k)));
    }
}

/// Whether one of the nodes of a word lies on the border and is inside.
__device__ bool touches_border(const Shape& shape, const WordPlace& at, std::uint32_t inside) {
    const bool is_side = at.x == 0 || at.x == shape.nx - 1 || at.y == 0 || at.y == shape.ny - 1;
    std::uint32_t border = is_side ? ~0U : 0U;
    if (at.w == 0) border |= 1U;
    if (at.w == shape.words - 1) border |= 1U << ((shape.nz - 1) % 32);
    return (inside & border) != 0;
}

__global__ void count_kernel(Shape shape, const std::uint32_t* inside, WordCounts* blocks, Found* found) {
    using Reduce = cub::BlockReduce<BlockCounts, words_in_block>;
    __shared__ typename Reduce::TempStorage storage;
    const std::uint32_t word = blockIdx.x * words_in_block + threadIdx.x;
    BlockCounts counts;
    if (word < static_cast<std::uint32_t>(shape.all_words())) {
        const bool may_cross = may_be_crossed(shape, inside, word);
        if (may_cross || inside[word] != 0) {
            const WordPlace place = place_of(shape, word);
            if (may_cross) counts = counts_of(cube_word(shape, inside + word, place.x, place.y, place.w));
            if (touches_border(shape, place, inside[word])) found->touches_border = 1;
        }
    }
    const BlockCounts sum = Reduce(storage).Reduce(counts, [](const auto& a, const auto& b) { return a + b; });
    if (threadIdx.x == 0) blocks[blockIdx.x] = {sum.vertices(), sum.triangles(), sum.words(), sum.cells()};
}

struct Lists {
    std::uint32_t* slot;
    std::uint32_t* word;
    EdgeWord* edges;
    VertexTask* vertices;
    CellTask* cells;
};

__global__ void list_kernel(Shape shape, const std::uint32_t* inside, const WordCounts* blocks, Lists lists) {
    using Scan = cub::BlockScan<BlockCounts, words_in_block>;
    __shared__ typename Scan::TempStorage storage;
    const std::uint32_t word = blockIdx.x * words_in_block + threadIdx.x;
    CubeWord cubes{};
    BlockCounts counts, before;
    if (word < static_cast<std::uint32_t>(shape.all_words()) && may_be_crossed(shape, inside, word)) {
        const WordPlace place = place_of(shape, word);
        cubes = cube_word(shape, inside + word, place.x, place.y, place.w);
        counts = counts_of(cubes);
    }
    Scan(storage).ExclusiveScan(counts, before, BlockCounts{}, [](const auto& a, const auto& b) { return a + b; });
    if (counts.words() == 0) return;
    const WordCounts& block = blocks[blockIdx.x];
    const auto slot = static_cast<std::uint32_t>(block.words + before.words());
    const Offset first_vertex = block.vertices + before.vertices();
    lists.slot[word] = slot;
    lists.word[slot] = word;
    EdgeWord edges{static_cast<Index>(first_vertex), {}};
    VertexTask* vertex = lists.vertices + first_vertex;
#pragma unroll
    for (int m = 1; m < 8; ++m) {
        edges.crossed[m - 1] = cubes.crossed[m - 1];
        for (std::uint32_t bits = cubes.crossed[m - 1]; bits != 0; bits &= bits - 1)
            *vertex++ = {slot, static_cast<std::uint32_t>(32 * m + lowest_bit(bits))};
    }
    lists.edges[slot] = edges;
    CellTask* cell = lists.cells + block.cells + before.cells();
    auto triangle = static_cast<Index>(block.triangles + before.triangles());
    for (std::uint32_t bits = cubes.cells; bits != 0; bits &= bits - 1) {
        const int i = lowest_bit(bits), cube_case = cubes.cube_case(i);
        *cell++ = {word, static_cast<std::uint32_t>(32 * cube_case + i), triangle};
        triangle += device_table.count[cube_case];
    }
}

/// counts[i] = sum of the counts before i; the last one is 0 before and the sum of all after.
void scan(Cuda& cuda, device::CudaBuffer<Index>& counts) {
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(),
                                             static_cast<Offset>(counts.size()), cuda.stream());
    });
}

Offset last_of(Cuda& cuda, const device::CudaBuffer<Index>& counts) {
    Index last = 0;
    cuda.copy_out(&last, counts.data() + counts.size() - 1, sizeof(last));
    return last;
}

unsigned blocks_for(Offset items, Offset of_block) { return static_cast<unsigned>((items + of_block - 1) / of_block); }

}  // namespace

template <class Real>
CudaMarching<Real>::CudaMarching(Cuda& cuda, const GridView<Real>& grid, bool is_open)
    : cuda_(cuda), grid_(grid), is_open_(is_open) {
    constexpr Offset most = Offset{1} << 31;
    if (grid.shape.all_words() < most && BorderTriangles{grid.shape}.count() < most) return;
    throw Error(Fault::no_device,
                "device cuda: the grid has 2^31 or more words of 32 nodes, or border triangles, beyond 32-bit indices; "
                "use device cpu",
                {.option = "device"});
}

template <class Real>
void CudaMarching<Real>::find_inside() {
    const Shape& shape = grid_.shape;
    cuda_.resize(inside_, at(shape.all_words()));
    cuda_.set(found_on_device_, Found{~0ULL, {}, 0});
    constexpr int threads = 256;
    const auto kernel = shape.nz % 32 == 0 ? inside_kernel<true, Real> : inside_kernel<false, Real>;
    kernel<<<blocks_for(shape.all_words(), threads / 32 * words_of_warp), threads, 0, cuda_.stream()>>>(
        shape, grid_.values, floor_of<Real>(grid_.level), inside_.data(), cuda_.address(found_on_device_));
    device::cuda_check(cudaGetLastError());
}

template <class Real>
void CudaMarching<Real>::count_words() {
    const Shape& shape = grid_.shape;
    const unsigned blocks = blocks_for(shape.all_words(), words_in_block);
    cuda_.resize(before_, std::size_t{blocks} + 1);
    Found* const found = cuda_.address(found_on_device_);
    count_kernel<<<blocks, words_in_block, 0, cuda_.stream()>>>(shape, inside_.data(), before_.data(), found);
    device::cuda_check(cudaGetLastError());
    // The last element is not read by the sums before it
    device::with_scratch(cuda_, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(scratch, bytes, before_.data(), before_.data(), AddCounts{}, WordCounts{},
                                              static_cast<Offset>(blocks) + 1, cuda_.stream());
    });
    device::cuda_check(cudaMemcpyAsync(&found->all, before_.data() + blocks, sizeof(WordCounts),
                                       cudaMemcpyDeviceToDevice, cuda_.stream()));
}

template <class Real>
void CudaMarching<Real>::count_cap() {
    const BorderNodes nodes{grid_.shape};
    const BorderTriangles triangles{grid_.shape};
    device::CudaBuffer<Index> edges(at(triangles.count() + 1), cuda_.stream());
    cuda_.resize(cap_triangles_, at(triangles.count() + 1));
    cuda_.each(triangles.count() + 1, CountCapTriangle{triangles, inside_.data(), cap_triangles_.data(), edges.data()});
    scan(cuda_, edges);
    sizes_.border_edges = last_of(cuda_, edges);
    if (is_open_) return;
    cuda_.resize(cap_vertex_, at(nodes.count() + 1));
    cuda_.each(nodes.count() + 1, MarkCapVertex{nodes, inside_.data(), cap_vertex_.data()});
    scan(cuda_, cap_vertex_);
    scan(cuda_, cap_triangles_);
    sizes_.cap_vertices = last_of(cuda_, cap_vertex_);
    sizes_.cap_triangles = last_of(cuda_, cap_triangles_);
}

template <class Real>
MeshSizes CudaMarching<Real>::count() {
    find_inside();
    count_words();
    found_ = cuda_.read(found_on_device_);
    if (found_.first_bad != ~0ULL) {
        const auto node = static_cast<Offset>(found_.first_bad);
        Real value{};
        cuda_.copy_out(&value, grid_.values + node, sizeof(value));
        refuse_value(grid_.shape, node, static_cast<double>(value));
    }
    sizes_.vertices = found_.all.vertices;
    sizes_.triangles = found_.all.triangles;
    if (found_.touches_border != 0) count_cap();
    require_numbers(sizes_);
    return sizes_;
}

template <class Real>
void CudaMarching<Real>::list_words() {
    cuda_.resize(slot_, inside_.size());
    cuda_.resize(word_, at(found_.all.words));
    cuda_.resize(edges_, at(found_.all.words));
    cuda_.resize(vertices_, at(sizes_.vertices));
    cuda_.resize(cells_, at(found_.all.cells));
    const Lists lists{slot_.data(), word_.data(), edges_.data(), vertices_.data(), cells_.data()};
    list_kernel<<<blocks_for(grid_.shape.all_words(), words_in_block), words_in_block, 0, cuda_.stream()>>>(
        grid_.shape, inside_.data(), before_.data(), lists);
    device::cuda_check(cudaGetLastError());
}

template <class Real>
void CudaMarching<Real>::emit_cells(CudaMesh& mesh) {
    if (found_.all.cells == 0) return;
    cell_kernel<<<blocks_for(found_.all.cells, cells_in_block), cells_in_block, 0, cuda_.stream()>>>(
        {grid_.shape, slot_.data(), edges_.data()}, cells_.data(), found_.all.cells, mesh.triangles.data());
    device::cuda_check(cudaGetLastError());
}

template <class Real>
void CudaMarching<Real>::emit_cap(CudaMesh& mesh) {
    const BorderNodes nodes{grid_.shape};
    const BorderTriangles triangles{grid_.shape};
    cuda_.each(nodes.count(), EmitCapVertex<Real>{grid_, cap_vertex_.data(), sizes_.vertices, mesh.positions.data(),
                                                  mesh.normals.data()});
    cuda_.each(triangles.count(), EmitCapTriangle{{grid_.shape, slot_.data(), edges_.data()},
                                                  inside_.data(),
                                                  cap_vertex_.data(),
                                                  cap_triangles_.data(),
                                                  static_cast<Index>(sizes_.vertices),
                                                  sizes_.triangles,
                                                  mesh.triangles.data()});
}

template <class Real>
CudaMesh CudaMarching<Real>::emit() {
    CudaMesh mesh;
    mesh.sizes = sizes_;
    cuda_.resize(mesh.positions, at(3 * sizes_.all_vertices()));
    cuda_.resize(mesh.normals, at(3 * sizes_.all_vertices()));
    cuda_.resize(mesh.triangles, at(3 * sizes_.all_triangles()));
    if (sizes_.vertices > 0) {
        list_words();
        cuda_.each(sizes_.vertices,
                   EmitVertex<Real>{grid_, word_.data(), vertices_.data(), mesh.positions.data(), mesh.normals.data()});
        emit_cells(mesh);
    }
    if (sizes_.cap_triangles > 0) emit_cap(mesh);
    return mesh;
}

template class CudaMarching<float>;
template class CudaMarching<double>;

}  // namespace dunlin::surface
