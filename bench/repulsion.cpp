// Time and error of exact, tree and grid repulsion over n and span: where one overtakes another.
//   bench_repulsion THREADS DIM N[,N...] SPAN[,SPAN...] [THETA[,THETA...]]      (theta < 0: the grid alone)
//   bench_repulsion THREADS MAP.npy 0 SPAN[,SPAN...] [THETA[,THETA...]]         (span 0: as it is)
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>

#include "forces/exact.hpp"
#include "forces/grid.hpp"
#include "forces/tree.hpp"
#include "math/rng.hpp"

using namespace dunlin;

namespace {

/// Twelve discs or balls of even density: what a finished map looks like.
Map discs(Index n, int dim) {
    Map map{dim, {}};
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i), disc = item % 12;
        double direction[3], length = 0;
        for (int d = 0; d < dim; ++d) {
            direction[d] = math::random_normal(6, item, static_cast<std::uint64_t>(d));
            length += direction[d] * direction[d];
        }
        const double radius = 0.12 * std::pow(math::random_uniform(5, item), 1.0 / dim) / std::sqrt(length);
        for (int d = 0; d < dim; ++d) {
            const double centre = 0.75 * math::random_uniform(9, disc, static_cast<std::uint64_t>(d));
            map.coordinates.push_back(static_cast<float>(centre + radius * direction[d]));
        }
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
    Map map{dim, {}};
    const bool wide = header.find("f8") != std::string::npos;
    for (Offset i = 0; i < Offset{n} * dim; ++i) {
        double value = 0;
        float narrow = 0;
        const char* place = bytes.data() + 10 + length + i * (wide ? 8 : 4);
        if (wide) std::memcpy(&value, place, 8);
        if (!wide) std::memcpy(&narrow, place, 4);
        map.coordinates.push_back(wide ? static_cast<float>(value) : narrow);
    }
    return map;
}

Map scaled(Map map, double span) {
    if (span == 0) return map;
    double widest = 0;
    for (int d = 0; d < map.dim; ++d) {
        float low = map.view()(0, d), high = low;
        for (Index i = 0; i < map.size(); ++i) {
            low = std::min(low, map.view()(i, d));
            high = std::max(high, map.view()(i, d));
        }
        widest = std::max(widest, static_cast<double>(high) - static_cast<double>(low));
    }
    for (float& v : map.coordinates) v = static_cast<float>(static_cast<double>(v) * span / widest);
    return map;
}

std::vector<double> numbers(const std::string& list) {
    std::vector<double> found;
    std::istringstream stream(list);
    for (std::string item; std::getline(stream, item, ',');) found.push_back(std::stod(item));
    return found;
}

double wall_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// Exact forces, in double, on up to 500 points spread over the order.
struct Oracle {
    std::vector<Index> points;
    std::vector<double> forces;

    explicit Oracle(MatrixView<const float> y) {
        const Index size = std::min(y.rows, Index{500});
        for (Index s = 0; s < size; ++s) {
            const auto i = static_cast<Index>(Offset{s} * y.rows / size);
            double sum[3] = {};
            for (Index j = 0; j < y.rows; ++j) {
                double delta[3] = {}, r2 = 0;
                for (Index d = 0; d < y.cols; ++d) {
                    delta[d] = static_cast<double>(y(i, d)) - static_cast<double>(y(j, d));
                    r2 += delta[d] * delta[d];
                }
                for (Index d = 0; d < y.cols; ++d) sum[d] += forces::StudentT::strength(r2) * delta[d];
            }
            points.push_back(i);
            forces.insert(forces.end(), sum, sum + y.cols);
        }
    }

    /// Relative errors, ascending.
    [[nodiscard]] std::vector<double> errors(MatrixView<float> force) const {
        std::vector<double> found;
        for (std::size_t s = 0; s < points.size(); ++s) {
            double off = 0, size = 0;
            for (Index d = 0; d < force.cols; ++d) {
                const double right = forces[s * static_cast<std::size_t>(force.cols) + static_cast<std::size_t>(d)];
                off += std::pow(static_cast<double>(force(points[s], d)) - right, 2);
                size += right * right;
            }
            found.push_back(std::sqrt(off / size));
        }
        std::sort(found.begin(), found.end());
        return found;
    }
};

using Engine = std::function<void(MatrixView<const float>, MatrixView<float>, device::Cell<double>&)>;

void measure(const std::string& name, const Map& map, double span, const Oracle& oracle, const Engine& engine) {
    std::vector<float> force(map.coordinates.size());
    const MatrixView<float> out{force.data(), map.size(), map.dim};
    device::Cell<double> mass;
    std::vector<double> walls, cpus;
    const double begin = wall_ms();
    while (walls.size() < 3 || (walls.size() < 40 && wall_ms() - begin < 400)) {
        const double wall = wall_ms(), cpu = cpu_ms();
        engine(map.view(), out, mass);
        walls.push_back(wall_ms() - wall);
        cpus.push_back(cpu_ms() - cpu);
    }
    std::sort(walls.begin(), walls.end());
    std::sort(cpus.begin(), cpus.end());
    const std::vector<double> errors = oracle.errors(out);
    fmt::print("{},{},{:g},{},{:.3f},{:.3f},{:.3f},{:.1e},{:.1e}\n", map.dim, map.size(), span, name, walls[0],
               walls[walls.size() / 2], cpus[cpus.size() / 2], errors[errors.size() / 2],
               errors[errors.size() * 99 / 100]);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    device::Cpu cpu(std::stoi(argv[1]));
    const std::string source = argv[2];
    const std::vector<double> thetas = argc > 5 ? numbers(argv[5]) : std::vector<double>{0.5};
    fmt::print("dim,n,span,engine,wall_least_ms,wall_median_ms,cpu_median_ms,error_median,error_p99\n");
    for (const double n : numbers(argv[3])) {
        const Map shape = source.size() > 1 ? read(source) : discs(static_cast<Index>(n), std::stoi(source));
        for (const double span : numbers(argv[4])) {
            const Map map = scaled(shape, span);
            const Oracle oracle(map.view());
            for (const double theta : thetas) {
                if (theta < 0) continue;
                forces::Tree<forces::StudentT> tree(static_cast<float>(theta));
                measure(fmt::format("tree {:g}", theta), map, span, oracle,
                        [&](auto y, auto force, auto& mass) { tree.repel(cpu, y, force, mass); });
            }
            forces::Grid<forces::StudentT> grid;
            measure("grid", map, span, oracle,
                    [&](auto y, auto force, auto& mass) { grid.repel(cpu, y, force, mass); });
            if (map.size() > 50000 || thetas[0] < 0) continue;
            measure("exact", map, span, oracle, [&](auto y, auto force, auto& mass) {
                forces::repel_exact<forces::StudentT>(cpu, y, force, mass);
            });
        }
    }
}
