// SPDX-License-Identifier: Apache-2.0
// OpenCL on the first device that has double: a processor by PoCL, or a GPU whose driver is installed. Compilation and
// copies are beside the clock.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>

#define DEVICE_MEMORY
#include "workloads.hpp"

static void must(cl_int code, const char* what) {
    if (code != CL_SUCCESS) throw std::runtime_error(std::string(what) + ": OpenCL's error " + std::to_string(code));
}

struct Device {
    cl_device_id id{};
    cl_context context{};
    cl_command_queue queue{};
    cl_program program{};
    cl_uint units = 1;

    explicit Device(const char* source) {
        id = find();
        clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
        char name[256] = "";
        clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, nullptr);
        std::printf("note %s\n", name);
        tell_threads(static_cast<int>(units));
        cl_int code = 0;
        context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
        must(code, "context");
        queue = clCreateCommandQueue(context, id, 0, &code);
        must(code, "queue");
        program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
        must(code, "source");
        if (clBuildProgram(program, 1, &id, "", nullptr, nullptr) != CL_SUCCESS) {
            std::string log(16384, ' ');
            clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
            throw std::runtime_error(log.c_str());
        }
    }

    static cl_device_id find() {
        cl_platform_id platforms[16];
        cl_uint count = 0;
        if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) count = 0;
        for (cl_uint p = 0; p < count; ++p) {
            cl_device_id devices[16];
            cl_uint found = 0;
            if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &found) != CL_SUCCESS) continue;
            for (cl_uint d = 0; d < found; ++d) {
                cl_device_fp_config config = 0;
                clGetDeviceInfo(devices[d], CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, nullptr);
                if (config != 0) return devices[d];
            }
        }
        missing("OpenCL has no device (Debian: pocl-opencl-icd)");
    }
};

template <class T>
struct Buffer {
    cl_mem memory;
    std::size_t bytes;

    Buffer(const Device& device, std::size_t count) : bytes(count * sizeof(T)) {
        cl_int code = 0;
        memory = clCreateBuffer(device.context, CL_MEM_READ_WRITE, bytes, nullptr, &code);
        must(code, "memory");
    }
    void put(const Device& device, const std::vector<T>& values) const {
        must(clEnqueueWriteBuffer(device.queue, memory, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr),
             "write");
    }
    void get(const Device& device, std::vector<T>& values) const {
        must(clEnqueueReadBuffer(device.queue, memory, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr), "read");
    }
};

class Kernel {
public:
    Kernel(const Device& device, const char* name) : queue_(device.queue) {
        cl_int code = 0;
        kernel_ = clCreateKernel(device.program, name, &code);
        must(code, name);
    }
    template <class... Values>
    void operator()(std::size_t items, const Values&... values) const {
        cl_uint place = 0;
        (must(clSetKernelArg(kernel_, place++, sizeof values, &values), "argument"), ...);
        must(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), "launch");
    }

private:
    cl_command_queue queue_;
    cl_kernel kernel_{};
};

// begin kmeans
static const char* const kmeans_source = R"(
kernel void assign(global const float2* points, global const float2* centroids, uint clusters, global int* labels) {
    const size_t i = get_global_id(0);
    const float2 point = points[i];
    float best = 3e38f;
    int label = 0;
    for (uint c = 0; c < clusters; ++c) {
        const float2 d = point - centroids[c];
        const float squared = d.x * d.x + d.y * d.y;
        label = squared < best ? (int)c : label;
        best = squared < best ? squared : best;
    }
    labels[i] = label;
}

kernel void add(global const float2* points, global const int* labels, ulong n, uint size, global double* sums) {
    const size_t part = get_global_id(0), parts = get_global_size(0);
    global double* own = sums + part * size;
    for (uint s = 0; s < size; ++s) own[s] = 0;
    for (size_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
        global double* sum = own + 3 * labels[i];
        sum[0] += points[i].x;
        sum[1] += points[i].y;
        sum[2] += 1;
    }
})";

struct DeviceMeans {
    Device device{kmeans_source};
    Kernel assign{device, "assign"}, add{device, "add"};
    std::size_t parts, size;
    Buffer<float> points, centroids;
    Buffer<std::int32_t> labels;
    Buffer<double> sums;

    explicit DeviceMeans(const Means& m)
        : parts(device.units * 16),
          size(3 * m.clusters),
          points(device, 2 * m.n),
          centroids(device, 2 * m.clusters),
          labels(device, m.n),
          sums(device, parts * size) {}
};

static DeviceMeans& on_device(const Means& m) {
    static DeviceMeans all(m);
    return all;
}

void load(Means& m) { on_device(m).points.put(on_device(m).device, m.points); }
void store(Means& m) { on_device(m).labels.get(on_device(m).device, m.labels); }

void run(Means& m) {
    const DeviceMeans& d = on_device(m);
    std::vector<double> sums(d.parts * d.size);
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        d.centroids.put(d.device, m.centroids);
        d.assign(m.n, d.points.memory, d.centroids.memory, static_cast<cl_uint>(m.clusters), d.labels.memory);
        d.add(d.parts, d.points.memory, d.labels.memory, static_cast<cl_ulong>(m.n), static_cast<cl_uint>(d.size),
              d.sums.memory);
        d.sums.get(d.device, sums);
        for (std::size_t i = d.size; i < sums.size(); ++i) sums[i % d.size] += sums[i];
        for (std::size_t c = 0; c < m.clusters; ++c) {
            m.centroids[2 * c] = static_cast<float>(sums[3 * c] / sums[3 * c + 2]);
            m.centroids[2 * c + 1] = static_cast<float>(sums[3 * c + 1] / sums[3 * c + 2]);
        }
    }
}
// end kmeans

// begin waves
static const char* const waves_source = R"(
#pragma OPENCL FP_CONTRACT OFF
kernel void move(global const double* v, global const double* w, global double* next_v, global double* next_w,
                 double a, double gamma, double dt, double r, double k) {
    const size_t i = get_global_id(0), last = get_global_size(0) - 1;
    const double left = v[i == 0 ? 1 : i - 1], right = v[i == last ? last - 1 : i + 1];
    next_v[i] = v[i] + (r * ((left - 2 * v[i]) + right) + dt * (v[i] * (1 - v[i]) * (v[i] - a) - w[i]));
    next_w[i] = w[i] + k * (v[i] - gamma * w[i]);
})";

struct DeviceWave {
    Device device{waves_source};
    Kernel move{device, "move"};
    Buffer<double> v, w, next_v, next_w;

    explicit DeviceWave(const Wave& u) : v(device, u.n), w(device, u.n), next_v(device, u.n), next_w(device, u.n) {}
};

static DeviceWave& on_device(const Wave& u) {
    static DeviceWave all(u);
    return all;
}

void load(Wave& u) {
    DeviceWave& d = on_device(u);
    d.v.put(d.device, u.v), d.w.put(d.device, u.w);
}

void store(Wave& u) {
    DeviceWave& d = on_device(u);
    d.v.get(d.device, u.v), d.w.get(d.device, u.w);
}

void run(Wave& u) {
    DeviceWave& d = on_device(u);
    for (std::size_t s = 0; s < u.steps; ++s) {
        d.move(u.n, d.v.memory, d.w.memory, d.next_v.memory, d.next_w.memory, Wave::a, Wave::gamma, Wave::dt, Wave::r,
               Wave::k);
        std::swap(d.v, d.next_v);
        std::swap(d.w, d.next_w);
    }
    must(clFinish(d.device.queue), "finish");
}
// end waves

// begin solve
/// The partition method: a part of the system for each work item
static const char* const solve_source = R"(
kernel void eliminate(global const double* lower, global const double* diagonal, global const double* upper,
                      global const double* right, ulong n, ulong parts, global double* z) {
    const size_t t = get_global_id(0), from = n * t / parts, to = n * (t + 1) / parts;
    global double *z_lower = z, *z_diagonal = z + 2 * parts, *z_upper = z + 4 * parts, *z_right = z + 6 * parts;
    double outer = lower[from + 1], pivot = diagonal[from + 1], known = right[from + 1];
    for (size_t i = from + 2; i < to; ++i) {
        const double ratio = lower[i] / pivot;
        outer *= -ratio;
        pivot = diagonal[i] - ratio * upper[i - 1];
        known = right[i] - ratio * known;
    }
    z_lower[2 * t + 1] = outer, z_diagonal[2 * t + 1] = pivot, z_upper[2 * t + 1] = upper[to - 1], z_right[2 * t + 1] = known;
    outer = upper[to - 2], pivot = diagonal[to - 2], known = right[to - 2];
    for (size_t i = to - 2; i-- > from;) {
        const double ratio = upper[i] / pivot;
        outer *= -ratio;
        pivot = diagonal[i] - ratio * lower[i + 1];
        known = right[i] - ratio * known;
    }
    z_lower[2 * t] = lower[from], z_diagonal[2 * t] = pivot, z_upper[2 * t] = outer, z_right[2 * t] = known;
}

kernel void fill(global const double* lower, global const double* diagonal, global const double* upper,
                 global const double* right, ulong n, ulong parts, global const double* z, global double* x,
                 global double* ratios) {
    const size_t t = get_global_id(0), from = n * t / parts, to = n * (t + 1) / parts;
    x[from] = z[6 * parts + 2 * t], x[to - 1] = z[6 * parts + 2 * t + 1];
    double ratio = 0;
    for (size_t i = from + 1; i < to - 1; ++i) {
        const double pivot = 1 / (diagonal[i] - lower[i] * ratio);
        ratios[i] = ratio = upper[i] * pivot;
        x[i] = (right[i] - lower[i] * x[i - 1]) * pivot;
    }
    for (size_t i = to - 1; i-- > from + 1;) x[i] -= ratios[i] * x[i + 1];
})";

struct DeviceSystem {
    Device device{solve_source};
    Kernel eliminate{device, "eliminate"}, fill{device, "fill"};
    std::size_t parts;
    Buffer<double> lower, diagonal, upper, right, x, ratios, z;

    explicit DeviceSystem(const System& s)
        : parts(s.n >= 65536 ? 4001 : 15),  // no power of two: parts would lie at the same places of the caches
          lower(device, s.n),
          diagonal(device, s.n),
          upper(device, s.n),
          right(device, s.n),
          x(device, s.n),
          ratios(device, s.n),
          z(device, 8 * parts) {}
};

static DeviceSystem& on_device(const System& s) {
    static DeviceSystem all(s);
    return all;
}

void load(System& s) {
    const DeviceSystem& d = on_device(s);
    d.lower.put(d.device, s.lower), d.diagonal.put(d.device, s.diagonal);
    d.upper.put(d.device, s.upper), d.right.put(d.device, s.right);
}

void store(System& s) { on_device(s).x.get(on_device(s).device, s.x); }

void run(System& s) {
    const DeviceSystem& d = on_device(s);
    const auto n = static_cast<cl_ulong>(s.n), parts = static_cast<cl_ulong>(d.parts);
    d.eliminate(d.parts, d.lower.memory, d.diagonal.memory, d.upper.memory, d.right.memory, n, parts, d.z.memory);
    std::vector<double> all(8 * d.parts);
    d.z.get(d.device, all);
    Interface z(d.parts);
    auto from = all.begin();
    for (auto* values : {&z.lower, &z.diagonal, &z.upper, &z.right}) {
        std::copy_n(from, 2 * d.parts, values->begin());
        from += static_cast<std::ptrdiff_t>(2 * d.parts);
    }
    z.solve();
    std::copy(z.right.begin(), z.right.end(), all.begin() + static_cast<std::ptrdiff_t>(6 * d.parts));
    d.z.put(d.device, all);
    d.fill(d.parts, d.lower.memory, d.diagonal.memory, d.upper.memory, d.right.memory, n, parts, d.z.memory, d.x.memory,
           d.ratios.memory);
    must(clFinish(d.device.queue), "finish");
}
// end solve
