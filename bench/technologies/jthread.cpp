// SPDX-License-Identifier: Apache-2.0
// A pool of std::jthread with two barriers: the threads wait for a job, and the caller for them.
#include <algorithm>
#include <barrier>
#include <functional>
#include <thread>

#include "workloads.hpp"

// begin kmeans
class Pool {
public:
    explicit Pool(std::size_t size) : begin_(static_cast<std::ptrdiff_t>(size) + 1), end_(begin_of(size)) {
        for (std::size_t t = 0; t < size; ++t) {
            threads_.emplace_back([this, t] {
                for (;;) {
                    begin_.arrive_and_wait();
                    if (!job_) return;
                    job_(t);
                    end_.arrive_and_wait();
                }
            });
        }
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() { job_ = nullptr, begin_.arrive_and_wait(); }

    [[nodiscard]] std::size_t size() const { return threads_.size(); }
    void run(std::function<void(std::size_t)> job) {
        job_ = std::move(job);
        begin_.arrive_and_wait();
        end_.arrive_and_wait();
    }

private:
    static std::ptrdiff_t begin_of(std::size_t size) { return static_cast<std::ptrdiff_t>(size) + 1; }
    std::barrier<> begin_, end_;
    std::function<void(std::size_t)> job_;
    std::vector<std::jthread> threads_;
};

static Pool& pool() {
    static Pool all(std::max(1U, std::thread::hardware_concurrency()));
    return all;
}

constexpr std::size_t tile = 256;

static void assign(const float* points, std::size_t rows, const float* centroids, std::size_t clusters,
                   std::int32_t* labels) {
    float best[tile];
    for (std::size_t i = 0; i < rows; ++i) best[i] = 3e38F;
    for (std::size_t c = 0; c < clusters; ++c) {
        const float x = centroids[2 * c], y = centroids[2 * c + 1];
        for (std::size_t i = 0; i < rows; ++i) {
            const float dx = points[2 * i] - x, dy = points[2 * i + 1] - y, squared = dx * dx + dy * dy;
            labels[i] = squared < best[i] ? static_cast<std::int32_t>(c) : labels[i];
            best[i] = squared < best[i] ? squared : best[i];
        }
    }
}

/// Labels and sums of the rows of thread t
static void assign_part(Means& m, std::size_t t, std::vector<double>& sums) {
    sums.assign(3 * m.clusters, 0);
    const std::size_t from = m.n * t / pool().size(), to = m.n * (t + 1) / pool().size();
    for (std::size_t begin = from; begin < to; begin += tile) {
        const std::size_t rows = std::min(tile, to - begin);
        assign(&m.points[2 * begin], rows, m.centroids.data(), m.clusters, &m.labels[begin]);
        for (std::size_t i = begin; i < begin + rows; ++i) {
            double* sum = &sums[3 * static_cast<std::size_t>(m.labels[i])];
            sum[0] += static_cast<double>(m.points[2 * i]);
            sum[1] += static_cast<double>(m.points[2 * i + 1]);
            sum[2] += 1;
        }
    }
}

void run(Means& m) {
    tell_threads(static_cast<int>(pool().size()));
    for (std::size_t iteration = 0; iteration < m.iterations; ++iteration) {
        std::vector<std::vector<double>> sums(pool().size());
        pool().run([&](std::size_t t) { assign_part(m, t, sums[t]); });
        for (std::size_t t = 1; t < sums.size(); ++t) {
            std::transform(sums[0].begin(), sums[0].end(), sums[t].begin(), sums[0].begin(), std::plus{});
        }
        for (std::size_t c = 0; c < m.clusters; ++c) {
            m.centroids[2 * c] = static_cast<float>(sums[0][3 * c] / sums[0][3 * c + 2]);
            m.centroids[2 * c + 1] = static_cast<float>(sums[0][3 * c + 1] / sums[0][3 * c + 2]);
        }
    }
}
// end kmeans

// begin waves
static void move(const Wave& u, std::size_t before, std::size_t i, std::size_t after, double* next_v, double* next_w) {
    const double v = u.v[i], w = u.w[i];
    next_v[i] = v + (Wave::r * ((u.v[before] - 2 * v) + u.v[after]) + Wave::dt * (v * (1 - v) * (v - Wave::a) - w));
    next_w[i] = w + Wave::k * (v - Wave::gamma * w);
}

void run(Wave& u) {
    tell_threads(static_cast<int>(pool().size()));
    for (std::size_t s = 0; s < u.steps; ++s) {
        double *next_v = u.next_v.data(), *next_w = u.next_w.data();
        pool().run([&](std::size_t t) {
            const std::size_t inner = u.n - 2, from = 1 + inner * t / pool().size(),
                              to = 1 + inner * (t + 1) / pool().size();
            for (std::size_t i = from; i < to; ++i) move(u, i - 1, i, i + 1, next_v, next_w);
        });
        move(u, 1, 0, 1, next_v, next_w);
        move(u, u.n - 2, u.n - 1, u.n - 2, next_v, next_w);
        u.v.swap(u.next_v);
        u.w.swap(u.next_w);
    }
}
// end waves

// begin solve
/// The equations of the first and the last unknown of part t, rows [from, to)
static void eliminate(const System& s, std::size_t from, std::size_t to, std::size_t t, Interface& z) {
    double outer = s.lower[from + 1], pivot = s.diagonal[from + 1], right = s.right[from + 1];
    for (std::size_t i = from + 2; i < to; ++i) {
        const double ratio = s.lower[i] / pivot;
        outer *= -ratio;
        pivot = s.diagonal[i] - ratio * s.upper[i - 1];
        right = s.right[i] - ratio * right;
    }
    z.lower[2 * t + 1] = outer, z.diagonal[2 * t + 1] = pivot, z.upper[2 * t + 1] = s.upper[to - 1],
                    z.right[2 * t + 1] = right;
    outer = s.upper[to - 2], pivot = s.diagonal[to - 2], right = s.right[to - 2];
    for (std::size_t i = to - 2; i-- > from;) {
        const double ratio = s.upper[i] / pivot;
        outer *= -ratio;
        pivot = s.diagonal[i] - ratio * s.lower[i + 1];
        right = s.right[i] - ratio * right;
    }
    z.lower[2 * t] = s.lower[from], z.diagonal[2 * t] = pivot, z.upper[2 * t] = outer, z.right[2 * t] = right;
}

/// Thomas' algorithm between two known unknowns
static void fill(System& s, std::size_t from, std::size_t to, double first, double last) {
    s.x[from] = first, s.x[to - 1] = last;
    double ratio = 0;
    for (std::size_t i = from + 1; i < to - 1; ++i) {
        const double pivot = 1 / (s.diagonal[i] - s.lower[i] * ratio);
        s.scratch[i] = ratio = s.upper[i] * pivot;
        s.x[i] = (s.right[i] - s.lower[i] * s.x[i - 1]) * pivot;
    }
    for (std::size_t i = to - 1; i-- > from + 1;) s.x[i] -= s.scratch[i] * s.x[i + 1];
}

void run(System& s) {
    tell_threads(static_cast<int>(pool().size()));
    const auto edge = [&](std::size_t t) { return s.n * t / pool().size(); };
    Interface z(pool().size());
    pool().run([&](std::size_t t) { eliminate(s, edge(t), edge(t + 1), t, z); });
    z.solve();
    pool().run([&](std::size_t t) { fill(s, edge(t), edge(t + 1), z.right[2 * t], z.right[2 * t + 1]); });
}
// end solve
