#include <cstdio>
#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/tsne.hpp>

int main(int argc, char** argv) try {
    const auto points = dunlin::io::read_points(argc > 1 ? argv[1] : "examples/digits.csv.gz");
    const auto result = dunlin::tsne::embed(points.values.view(), {.perplexity = 40}, {.seed = 7});
    dunlin::io::write_map("map.csv", {result.map, points.ids, points.labels});
    dunlin::picture::draw("map.png", result.map, points.labels);
    std::printf("%d points, KL %.3f\n", result.map.size(), result.kl);
} catch (const dunlin::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
}
