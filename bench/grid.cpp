// Error and time of the grid on a map (.npy of float32, n x 2 or n x 3) scaled to given spans.
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>

#include "forces/exact.hpp"
#include "forces/grid.hpp"
#include "math/rng.hpp"

using namespace dunlin;

namespace {

Map generated(Index n, int dim) {  // clusters with dense cores, of many sizes, and a few outliers
    Map map{dim, {}};
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i);
        const std::uint64_t cluster = math::random_below(60, 1, item);
        const double size = 0.5 + 4 * math::random_uniform(2, cluster);
        const bool outlier = i % 97 == 0;
        for (int d = 0; d < dim; ++d) {
            const auto draw = static_cast<std::uint64_t>(d);
            const double centre = 100 * (math::random_uniform(3, cluster, draw) - 0.5);
            const double off = math::random_normal(4, item, draw);
            map.coordinates.push_back(static_cast<float>(outlier ? 120 * (math::random_uniform(5, item, draw) - 0.5)
                                                                 : centre + size * off * std::abs(off)));
        }
    }
    return map;
}

Map read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    std::uint16_t header;
    std::memcpy(&header, all.data() + 8, 2);
    const std::string head = all.substr(10, header);
    const auto shape = head.find("'shape': (") + 10;
    const int n = std::stoi(head.substr(shape)), dim = std::stoi(head.substr(head.find(',', shape) + 1));
    Map map{dim, {}};
    const char* at = all.data() + 10 + header;
    for (int i = 0; i < n * dim; ++i) {
        if (head.find("f8") != std::string::npos) {
            double v;
            std::memcpy(&v, at + 8 * i, 8);
            map.coordinates.push_back(static_cast<float>(v));
        } else {
            float v;
            std::memcpy(&v, at + 4 * i, 4);
            map.coordinates.push_back(v);
        }
    }
    return map;
}

double median(std::vector<double> v, double q = 0.5) {
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
}

}  // namespace

// bench_grid MAP|n,dim threads spacing span...
int main(int argc, char** argv) {
    const std::string what = argv[1];
    Map map = what.find(',') != std::string::npos
                  ? generated(std::stoi(what), std::stoi(what.substr(what.find(',') + 1)))
                  : read(argv[1]);
    device::Cpu cpu(std::stoi(argv[2]));
    const float spacing = std::stof(argv[3]);
    const int dim = map.dim;
    const Index n = map.size();
    double widest = 0;
    for (int d = 0; d < dim; ++d) {
        float lo = 1e30F, hi = -1e30F;
        for (Index i = 0; i < n; ++i) lo = std::min(lo, map.view()(i, d)), hi = std::max(hi, map.view()(i, d));
        widest = std::max(widest, static_cast<double>(hi - lo));
    }
    for (int a = 4; a < argc; ++a) {
        const double span = std::stod(argv[a]);
        std::vector<float> y(map.coordinates.size()), force(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(map.coordinates[i] * span / widest);
        const MatrixView<const float> at{y.data(), n, dim};
        const MatrixView<float> out{force.data(), n, dim};
        forces::Grid<forces::StudentT> grid(spacing);
        device::Cell<double> mass;
        const auto now = [] { return std::chrono::steady_clock::now(); };
        auto t0 = now();
        grid.repel(cpu, at, out, mass);
        const double first = std::chrono::duration<double, std::milli>(now() - t0).count();
        std::vector<double> times;
        for (int r = 0; r < 15; ++r) {
            t0 = now();
            grid.repel(cpu, at, out, mass);
            times.push_back(std::chrono::duration<double, std::milli>(now() - t0).count());
        }
        std::vector<double> errors;  // against double, at a sample
        double sampled = 0, total_mass = 0, size = 0;
        std::vector<double> net(3);
        const Index sample = std::min<Index>(n, 2000);
        for (Index s = 0; s < sample; ++s) {
            const Index i = static_cast<Index>(Offset{s} * n / sample);
            double f[3] = {};
            for (Index j = 0; j < n; ++j) {
                double r2 = 0, d[3] = {};
                for (int c = 0; c < dim; ++c) d[c] = double(at(i, c)) - double(at(j, c)), r2 += d[c] * d[c];
                const double q = 1 / (1 + r2);
                if (j != i) total_mass += q;
                for (int c = 0; c < dim; ++c) f[c] += q * q * d[c];
            }
            double e2 = 0, f2 = 0;
            for (int c = 0; c < dim; ++c) e2 += std::pow(out(i, c) - f[c], 2), f2 += f[c] * f[c];
            errors.push_back(std::sqrt(e2 / f2));
            sampled += 1;
        }
        for (Index i = 0; i < n; ++i) {
            double f2 = 0;
            for (int c = 0; c < dim; ++c) net[static_cast<std::size_t>(c)] += out(i, c), f2 += out(i, c) * out(i, c);
            size += std::sqrt(f2);
        }
        std::string z = "-";
        if (sample == n) z = fmt::format("{:.1e}", std::abs(mass.value / total_mass - 1));
        fmt::print(
            "span {:7g} nodes {:4} {:4} {:4} h {:.3g}: median {:.3f}% p90 {:.2f}% p99 {:.2f}% Z {} net {:.1e} | {:.2f} "
            "ms (first {:.1f})\n",
            span, grid.nodes()[0], grid.nodes()[1], grid.nodes()[2], grid.spacing(), 100 * median(errors),
            100 * median(errors, .9), 100 * median(errors, .99), z,
            std::sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]) / size, median(times), first);
    }
}
