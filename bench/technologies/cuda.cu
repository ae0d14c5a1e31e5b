// SPDX-License-Identifier: Apache-2.0
// CUDA as one writes it first: a thread for each point, node or part, all in global memory. Copies are beside the
// clock.
#define DEVICE_MEMORY
#include "workloads.hpp"

static void must(cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

template <class T>
struct Array {
    T* values = nullptr;
    std::size_t bytes;

    explicit Array(std::size_t count) : bytes(count * sizeof(T)) { must(cudaMalloc(&values, bytes)); }
    void put(const std::vector<T>& from) const { must(cudaMemcpy(values, from.data(), bytes, cudaMemcpyHostToDevice)); }
    void get(std::vector<T>& to) const { must(cudaMemcpy(to.data(), values, bytes, cudaMemcpyDeviceToHost)); }
};

static void need_gpu() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) missing("CUDA finds no GPU");
    cudaDeviceProp about{};
    must(cudaGetDeviceProperties(&about, 0));
    std::printf("note %s\n", about.name);
}

constexpr unsigned block = 256;
static unsigned blocks(std::size_t items) { return static_cast<unsigned>((items + block - 1) / block); }

// begin kmeans
__global__ void assign(const float2* points, std::size_t n, const float2* centroids, unsigned clusters,
                       std::int32_t* labels, double* sums) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float2 point = points[i];
    float best = 3e38F;
    int label = 0;
    for (unsigned c = 0; c < clusters; ++c) {
        const float dx = point.x - centroids[c].x, dy = point.y - centroids[c].y, squared = dx * dx + dy * dy;
        if (squared < best) best = squared, label = static_cast<int>(c);
    }
    labels[i] = label;
    atomicAdd(sums + 3 * label, static_cast<double>(point.x));
    atomicAdd(sums + 3 * label + 1, static_cast<double>(point.y));
    atomicAdd(sums + 3 * label + 2, 1.0);
}

__global__ void move(float2* centroids, const double* sums) {
    const unsigned c = threadIdx.x;
    centroids[c].x = static_cast<float>(sums[3 * c] / sums[3 * c + 2]);
    centroids[c].y = static_cast<float>(sums[3 * c + 1] / sums[3 * c + 2]);
}

struct DeviceMeans {
    Array<float> points, centroids;
    Array<std::int32_t> labels;
    Array<double> sums;

    explicit DeviceMeans(const Means& m)
        : points(2 * m.n), centroids(2 * m.clusters), labels(m.n), sums(3 * m.clusters) {}
};

static DeviceMeans& on_device(const Means& m) {
    static DeviceMeans all = (need_gpu(), DeviceMeans(m));
    return all;
}

void load(Means& m) {
    on_device(m).points.put(m.points);
    on_device(m).centroids.put(m.centroids);
}

void store(Means& m) {
    on_device(m).labels.get(m.labels);
    on_device(m).centroids.get(m.centroids);
}

void run(Means& m) {
    const DeviceMeans& d = on_device(m);
    auto* centroids = reinterpret_cast<float2*>(d.centroids.values);
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        must(cudaMemsetAsync(d.sums.values, 0, d.sums.bytes));
        assign<<<blocks(m.n), block>>>(reinterpret_cast<const float2*>(d.points.values), m.n, centroids,
                                       static_cast<unsigned>(m.clusters), d.labels.values, d.sums.values);
        move<<<1, static_cast<unsigned>(m.clusters)>>>(centroids, d.sums.values);
    }
    must(cudaDeviceSynchronize());
}
// end kmeans

// begin waves
__global__ void move(const double* v, const double* w, double* next_v, double* next_w, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double left = v[i == 0 ? 1 : i - 1], right = v[i + 1 == n ? i - 1 : i + 1],
                 reaction = v[i] * (1 - v[i]) * (v[i] - Wave::a);
    next_v[i] = v[i] + (Wave::r * ((left - 2 * v[i]) + right) + Wave::dt * (reaction - w[i]));
    next_w[i] = w[i] + Wave::k * (v[i] - Wave::gamma * w[i]);
}

struct DeviceWave {
    Array<double> v, w, next_v, next_w;

    explicit DeviceWave(const Wave& u) : v(u.n), w(u.n), next_v(u.n), next_w(u.n) {}
};

static DeviceWave& on_device(const Wave& u) {
    static DeviceWave all = (need_gpu(), DeviceWave(u));
    return all;
}

void load(Wave& u) { on_device(u).v.put(u.v), on_device(u).w.put(u.w); }
void store(Wave& u) { on_device(u).v.get(u.v), on_device(u).w.get(u.w); }

void run(Wave& u) {
    DeviceWave& d = on_device(u);
    for (std::size_t s = 0; s < u.steps; ++s) {
        move<<<blocks(u.n), block>>>(d.v.values, d.w.values, d.next_v.values, d.next_w.values, u.n);
        std::swap(d.v, d.next_v);
        std::swap(d.w, d.next_w);
    }
    must(cudaDeviceSynchronize());
}
// end waves

// begin solve
/// Parallel cyclic reduction: each sweep doubles the distance of the neighbors that a row still has
struct Rows {
    double *lower, *diagonal, *upper, *right;
};

__global__ void sweep(Rows from, Rows to, std::size_t n, std::size_t distance) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double lower = 0, diagonal = from.diagonal[i], upper = 0, right = from.right[i];
    if (i >= distance) {
        const std::size_t j = i - distance;
        const double ratio = from.lower[i] / from.diagonal[j];
        lower = -ratio * from.lower[j];
        diagonal -= ratio * from.upper[j];
        right -= ratio * from.right[j];
    }
    if (i + distance < n) {
        const std::size_t j = i + distance;
        const double ratio = from.upper[i] / from.diagonal[j];
        upper = -ratio * from.upper[j];
        diagonal -= ratio * from.lower[j];
        right -= ratio * from.right[j];
    }
    to.lower[i] = lower, to.diagonal[i] = diagonal, to.upper[i] = upper, to.right[i] = right;
}

__global__ void divide(Rows rows, double* x, std::size_t n) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) x[i] = rows.right[i] / rows.diagonal[i];
}

struct DeviceSystem {
    Array<double> lower, diagonal, upper, right, other, x;

    explicit DeviceSystem(const System& s)
        : lower(s.n), diagonal(s.n), upper(s.n), right(s.n), other(4 * s.n), x(s.n) {}
};

static DeviceSystem& on_device(const System& s) {
    static DeviceSystem all = (need_gpu(), DeviceSystem(s));
    return all;
}

void load(System& s) {
    const DeviceSystem& d = on_device(s);
    d.lower.put(s.lower), d.diagonal.put(s.diagonal), d.upper.put(s.upper), d.right.put(s.right);
}

void store(System& s) { on_device(s).x.get(s.x); }

void run(System& s) {
    const DeviceSystem& d = on_device(s);
    Rows from{d.lower.values, d.diagonal.values, d.upper.values, d.right.values};
    Rows to{d.other.values, d.other.values + s.n, d.other.values + 2 * s.n, d.other.values + 3 * s.n};
    for (std::size_t distance = 1; distance < s.n; distance *= 2) {
        sweep<<<blocks(s.n), block>>>(from, to, s.n, distance);
        std::swap(from, to);
    }
    divide<<<blocks(s.n), block>>>(from, d.x.values, s.n);
    must(cudaDeviceSynchronize());
}
// end solve
