// Points in; a map, a picture and its cost out.
#include <cstdio>
#include <dunlin/error.hpp>
#include <dunlin/io.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/tsne.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: embed POINTS\n"), 2;
    try {
        const auto points = dunlin::io::read_points(argv[1]);
        const auto result = dunlin::tsne::embed(points.values.view(), {.perplexity = 40}, {.seed = 7});

        dunlin::io::write_map("map.csv", {result.map, points.ids, points.labels});
        dunlin::picture::draw("map.png", result.map, points.labels);
        std::printf("%d points, KL %.3f after %d iterations\n", result.map.size(), result.kl, result.iterations);
    } catch (const dunlin::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
