// Error and time of the grid, of a map scaled to given spans, against forces in double at a sample of the points.
//   bench_grid MAP.npy|N,DIM THREADS SPACING SPAN...      (spacing 0: the default)
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "forces/grid.hpp"
#include "math/rng.hpp"

using namespace dunlin;

namespace {

// Clusters with dense cores, of many sizes, and a few outliers
Map generated(Index n, int dim) {
    Map map{dim, {}};
    for (Offset i = 0; i < Offset{n} * dim; ++i) {
        const auto item = static_cast<std::uint64_t>(i / dim), draw = static_cast<std::uint64_t>(i % dim);
        const std::uint64_t cluster = math::random_below(60, 1, item);
        const double off = math::random_normal(4, item, draw), size = 0.5 + 4 * math::random_uniform(2, cluster);
        const double inside = 100 * (math::random_uniform(3, cluster, draw) - 0.5) + size * off * std::abs(off);
        const double outside = 120 * (math::random_uniform(5, item, draw) - 0.5);
        map.coordinates.push_back(static_cast<float>(item % 97 == 0 ? outside : inside));
    }
    return map;
}

template <class Real>
Map values(const std::string& bytes, std::size_t begin, int n, int dim) {
    Map map{dim, {}};
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * static_cast<std::size_t>(dim); ++i) {
        Real value;
        std::memcpy(&value, bytes.data() + begin + i * sizeof(Real), sizeof(Real));
        map.coordinates.push_back(static_cast<float>(value));
    }
    return map;
}

Map read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::uint16_t length = 0;
    std::memcpy(&length, bytes.data() + 8, 2);
    const std::string header = bytes.substr(10, length);
    const auto shape = header.find("'shape': (") + 10;
    const int n = std::stoi(header.substr(shape)), dim = std::stoi(header.substr(header.find(',', shape) + 1));
    const std::size_t begin = 10 + std::size_t{length};
    return header.find("f8") != std::string::npos ? values<double>(bytes, begin, n, dim)
                                                  : values<float>(bytes, begin, n, dim);
}

Map scaled(const Map& map, double span) {
    double widest = 0;
    for (int d = 0; d < map.dim; ++d) {
        float least = map.coordinates[static_cast<std::size_t>(d)], most = least;
        for (Index i = 0; i < map.size(); ++i) {
            least = std::min(least, map.view()(i, d)), most = std::max(most, map.view()(i, d));
        }
        widest = std::max(widest, static_cast<double>(most - least));
    }
    Map out = map;
    for (float& v : out.coordinates) v = static_cast<float>(static_cast<double>(v) * span / widest);
    return out;
}

double quantile(std::vector<double> v, double q) {
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1))];
}

double cpu_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double wall_ms() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(since).count();
}

struct Errors {
    std::vector<double> force;
    double mass = 0;  // meaningful where the sample is everything
};

Errors compare(const Map& map, const std::vector<float>& force, double mass, Index sample) {
    Errors errors;
    double total = 0;
    for (Index s = 0; s < sample; ++s) {
        const auto i = static_cast<Index>(Offset{s} * map.size() / sample);
        double sum[3] = {}, off2 = 0, size2 = 0;
        for (Index j = 0; j < map.size(); ++j) {
            double r2 = 0, delta[3] = {};
            for (int d = 0; d < map.dim; ++d) {
                delta[d] = static_cast<double>(map.view()(i, d)) - static_cast<double>(map.view()(j, d));
                r2 += delta[d] * delta[d];
            }
            for (int d = 0; d < map.dim; ++d) sum[d] += forces::StudentT::strength(r2) * delta[d];
            if (j != i) total += forces::StudentT::mass(r2);
        }
        for (int d = 0; d < map.dim; ++d) {
            const double found = static_cast<double>(force[static_cast<std::size_t>(i * map.dim + d)]);
            off2 += (found - sum[d]) * (found - sum[d]);
            size2 += sum[d] * sum[d];
        }
        errors.force.push_back(std::sqrt(off2 / size2));
    }
    errors.mass = sample == map.size() ? std::abs(mass / total - 1) : std::nan("");
    return errors;
}

void measure(device::Cpu& cpu, const Map& map, float spacing, double span) {
    forces::Grid<forces::StudentT> grid(spacing);
    std::vector<float> force(map.coordinates.size());
    device::Cell<double> mass;
    std::vector<double> wall, busy;
    for (int round = 0; round < 16; ++round) {
        const double wall_begin = wall_ms(), cpu_begin = cpu_ms();
        grid.repel(cpu, map.view(), {force.data(), map.size(), map.dim}, mass);
        wall.push_back(wall_ms() - wall_begin);
        busy.push_back(cpu_ms() - cpu_begin);
    }
    const Errors errors =
        compare(map, force, mass.value, std::min<Index>(map.size(), map.size() <= 20000 ? 20000 : 1000));
    const double first = busy[0];
    wall.erase(wall.begin()), busy.erase(busy.begin());
    fmt::print(
        "span {:6g} nodes {:4} {:4} {:3} spacing {:6.4g} error median {:.3f}% p99 {:6.2f}% mass {:.1e} | "
        "wall {:.2f} ms, cpu {:.2f} ms, first {:.2f} ms\n",
        span, grid.nodes()[0], grid.nodes()[1], grid.nodes()[2], grid.spacing(), 100 * quantile(errors.force, 0.5),
        100 * quantile(errors.force, 0.99), errors.mass, quantile(wall, 0.5), quantile(busy, 0.25), first);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return fmt::print("bench_grid MAP.npy|N,DIM THREADS SPACING SPAN...\n"), 1;
    const std::string what = argv[1];
    const auto comma = what.find(',');
    const Map map =
        comma == std::string::npos ? read(what) : generated(std::stoi(what), std::stoi(what.substr(comma + 1)));
    device::Cpu cpu(std::stoi(argv[2]));
    for (int a = 4; a < argc; ++a)
        measure(cpu, scaled(map, std::stod(argv[a])), std::stof(argv[3]), std::stod(argv[a]));
}
