// SPDX-License-Identifier: Apache-2.0
// Time and error of exact, tree and grid repulsion over n and span, to find the crossover points.
//   bench_repulsion THREADS DIM N[,N...] SPAN[,SPAN...] [THETA[,THETA...]]      (theta < 0: the grid alone)
//   bench_repulsion THREADS MAP 0 SPAN[,SPAN...] [THETA[,THETA...]]         (span 0: as it is)
#include <fmt/core.h>
#include <dunlin/io.hpp>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "cases/maps.hpp"
#include "cases/repulsion.hpp"
#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

using namespace dunlin;

namespace {

std::vector<double> numbers(const std::string& list) {
    std::vector<double> found;
    std::istringstream stream(list);
    for (std::string item; std::getline(stream, item, ',');) found.push_back(std::stod(item));
    return found;
}

using Engine = std::function<void(MatrixView<const float>, MatrixView<float>, device::Cell<double>&)>;

void measure(const std::string& name, device::Cpu& cpu, const Map& map, double span, const Engine& engine) {
    std::vector<float> force(map.coordinates.size());
    device::Cell<double> mass;
    std::vector<double> walls, busy;
    progress::Stopwatch since_begin;
    for (double passed = 0; walls.size() < 3 || (walls.size() < 40 && passed < 0.4); passed += since_begin.lap()) {
        const double before = bench::processor_seconds();
        progress::Stopwatch watch;
        engine(map.view(), {force.data(), map.size(), map.dim}, mass);
        walls.push_back(1e3 * watch.lap());
        busy.push_back(1e3 * (bench::processor_seconds() - before));
    }
    const std::vector<double> errors = repulsion::sampled_errors(cpu, map.view(), force);
    fmt::print("{},{},{:g},{},{:.3f},{:.3f},{:.3f},{:.1e},{:.1e}\n", map.dim, map.size(), span, name,
               *std::min_element(walls.begin(), walls.end()), bench::median(walls), bench::median(busy),
               repulsion::quantile(errors, 0.5), repulsion::quantile(errors, 0.99));
    std::fflush(stdout);
}

}  // namespace

int bench_main(int argc, char** argv) {
    if (argc < 5) return 2;
    device::Cpu cpu(std::stoi(argv[1]));
    const std::string source = argv[2];
    const std::vector<double> thetas = argc > 5 ? numbers(argv[5]) : std::vector<double>{0.5};
    fmt::print("dim,n,span,engine,wall_least_ms,wall_median_ms,cpu_median_ms,error_median,error_p99\n");
    for (const double n : numbers(argv[3])) {
        const Map shape = source.size() > 1
                              ? io::read_map(source).map
                              : made::discs(static_cast<Index>(n), std::stoi(source), 1, made::twelve_discs);
        for (const double span : numbers(argv[4])) {
            const Map map = span == 0 ? shape : made::scaled(shape, span);
            for (const double theta : thetas) {
                if (theta < 0) continue;
                forces::Tree<forces::StudentT> tree(static_cast<float>(theta));
                measure(fmt::format("tree {:g}", theta), cpu, map, span,
                        [&](auto y, auto force, auto& mass) { tree.repel(cpu, y, force, mass); });
            }
            forces::Grid<forces::StudentT> grid;
            measure("grid", cpu, map, span, [&](auto y, auto force, auto& mass) { grid.repel(cpu, y, force, mass); });
            if (map.size() > 50000 || thetas[0] < 0) continue;
            measure("exact", cpu, map, span, [&](auto y, auto force, auto& mass) {
                forces::repel_exact<forces::StudentT>(cpu, y, force, mass);
            });
        }
    }
    return 0;
}
