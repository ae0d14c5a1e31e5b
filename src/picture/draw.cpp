#include <fmt/format.h>

#include <dunlin/error.hpp>
#include <dunlin/picture.hpp>

#include "io/output.hpp"
#include "picture/formats.hpp"
#include "picture/names.hpp"

namespace dunlin::picture {

namespace {

constexpr int least_side = 100, largest_side = 16000;

void check_side(const char* name, int pixels) {
    if (pixels >= least_side && pixels <= largest_side) return;
    throw Error(Fault::bad_input, fmt::format("{}: {} pixels; use {} to {}", name, pixels, least_side, largest_side));
}

void check(const Options& options) {
    check_side("width", options.width);
    check_side("height", options.height);
    if (!(options.point_size >= 0 && options.point_size <= 200)) {
        throw Error(Fault::bad_input,
                    fmt::format("point-size: {} pixels; use 0 (by the number of points) to 200", options.point_size));
    }
    if (!(options.alpha >= 0 && options.alpha <= 1)) {
        throw Error(Fault::bad_input, fmt::format("alpha: {}; use 0 (by the number of points) to 1", options.alpha));
    }
}

}  // namespace

void draw(const std::filesystem::path& path, const Map& map, const Labels& labels, const std::vector<std::string>& ids,
          const Options& options, const Run& run) {
    const std::string extension = path.extension().string();
    if (extension != ".png" && extension != ".svg" && extension != ".html") {
        throw Error(Fault::bad_input, fmt::format("{}: a picture's name ends in .png, .svg or .html", path.string()));
    }
    check(options);
    if (!ids.empty() && ids.size() != static_cast<std::size_t>(map.size())) {
        throw Error(Fault::bad_input,
                    fmt::format("picture: the map has {} points and there are {} ids; give one for every "
                                "point, or none",
                                map.size(), ids.size()));
    }
    device::Cpu cpu(run);
    Flat flat = flatten(cpu, map);
    Groups groups = groups_of(labels, map.size());
    Page page = page_of(options, groups);
    const Style style = style_of(options, page, map.size());
    const Frame frame = frame_of(flat, page.plot, style.diameter);
    if (options.label_names) {
        for (Line& name : names_of(cpu, flat, groups, page, frame)) page.lines.push_back(std::move(name));
    }
    const Drawing drawing{map, labels, ids, options, std::move(groups), std::move(page), std::move(flat), style, frame};
    const std::string bytes = extension == ".png"   ? png_of(cpu, drawing)
                              : extension == ".svg" ? svg_of(cpu, drawing)
                                                    : html_of(drawing);
    io::Output file(path);
    file.text(bytes);
    file.commit();
}

}  // namespace dunlin::picture
