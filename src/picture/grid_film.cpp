// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include <dunlin/error.hpp>
#include <dunlin/plots.hpp>

#include "io/markup.hpp"
#include "io/output.hpp"
#include "math/at.hpp"
#include "picture/formats.hpp"
#include "picture/frames.hpp"
#include "picture/groups.hpp"
#include "picture/html_page.hpp"
#include "picture/page_content.hpp"
#include "picture/palettes.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 1> film_formats{".html"};

Offset nodes_of(const GridFilm& film) { return Offset{film.rows} * film.columns; }

void check(const GridFilm& film) {
    const auto refuse = [](const std::string& why) { throw Error(Fault::bad_input, "picture: " + why); };
    const Offset n = nodes_of(film), frames = std::ssize(film.frames);
    if (n <= 0 || frames == 0) refuse("there are no values to draw");
    if (film.captions.size() != film.frames.size())
        refuse(fmt::format("the film has {} frames and {} captions; give one for each", frames, film.captions.size()));
    if (n > most_film_values / (frames + 1)) {
        refuse(fmt::format("a film of {} frames of {} values; give at most {} values in all", frames, n,
                           most_film_values));
    }
    for (std::size_t f = 0; f < film.frames.size(); ++f) {
        if (std::ssize(film.frames[f]) != n)
            refuse(fmt::format("frame {} of the film has {} values; the others have {}", f, film.frames[f].size(), n));
    }
    if (!film.last.empty() && std::ssize(film.last) != n)
        refuse(fmt::format("the picture after the film has {} values; the frames have {}", film.last.size(), n));
}

struct FilmScale {
    ColorScale colors;
    bool has_none = false;  ///< some value is not finite
};

FilmScale scale_over(const std::vector<std::span<const double>>& frames, const std::string& name,
                     const Options& options) {
    FilmScale scale{empty_scale(name)};
    scale.colors.ramp = scale_colors(options);
    for (const std::span<const double> frame : frames) {
        progress::cancellation_point();
        widen(scale.colors, frame);
        scale.has_none |= !std::all_of(frame.begin(), frame.end(), [](double value) { return std::isfinite(value); });
    }
    close(scale.colors);
    return scale;
}

json facts_of(const Axis& axis) {
    return {{"name", io::clean_text(axis.name)},
            {"begin", axis.begin},
            {"end", axis.end},
            {"ticks", ticks_from(axis.begin, axis.end)}};
}

json facts_of_steps(const FilmScale& scale) {
    json facts = facts_of(scale.colors, scale.has_none);
    facts["low"] = scale.colors.low;
    facts["high"] = scale.colors.high;
    return facts;
}

/// The states and what is shown after them, each with its scale.
struct Scales {
    FilmScale film, last;
};

json facts_of(const GridFilm& film, const Scales& scales, const std::string& title) {
    json facts{{"title", title},          {"rows", film.rows},
               {"columns", film.columns}, {"captions", json::array()},
               {"x", facts_of(film.x)},   {"y", facts_of(film.y)},
               {"steps", value_steps},    {"scale", facts_of_steps(scales.film)}};
    for (const std::string& caption : film.captions) facts["captions"].push_back(io::clean_text(caption));
    facts["last"] = film.last.empty() ? json() : facts_of_steps(scales.last);
    return facts;
}

/// All frames one after another, then what is shown after them, a byte per value.
std::vector<std::string> frames_of(device::Cpu& cpu, const GridFilm& film, const Scales& scales) {
    const Offset n = nodes_of(film), frames = std::ssize(film.frames);
    const Offset total = n * (frames + (film.last.empty() ? 0 : 1));
    std::vector<std::string> made(at((total + items_per_frame - 1) / items_per_frame));
    cpu.blocks(total, items_per_frame, [&](Offset first, Offset last, int) {
        std::string bytes;
        bytes.reserve(at(last - first));
        for (Offset i = first; i < last; ++i) {
            const bool is_after = i / n == frames;
            const double value = is_after ? film.last[at(i % n)] : film.frames[at(i / n)][at(i % n)];
            bytes.push_back(static_cast<char>(step_of(is_after ? scales.last.colors : scales.film.colors, value)));
        }
        const FrameHeader header{.kind = FrameKind::colors,
                                 .last = last == total,
                                 .deflated = true,
                                 .width = 1,
                                 .first = static_cast<std::uint32_t>(first),
                                 .count = static_cast<std::uint32_t>(last - first)};
        made[at(first / items_per_frame)] = header_of(header, FrameLattice{}) + deflated(bytes);
    });
    return made;
}

}  // namespace

bool draw(const std::filesystem::path& path, const GridFilm& film, const Options& options, const Run& run) {
    io::format_of(path, "a film is", film_formats);
    check(options);
    check(film);
    const Options none;
    if (!options.range.empty() || options.scale != none.scale || options.center)
        throw Error(Fault::bad_input,
                    "picture: range, scale and center are given, and a film spans the values of all its frames; leave "
                    "them out");
    return progress::run_cancellable(run.stop, [&] {
        const progress::ProgressReporter reporter(run, "picture", 1);
        device::Cpu cpu(run);
        const Scales scales{scale_over(film.frames, film.name, options),
                            scale_over({film.last}, film.last_name, options)};
        const std::string title = title_of(options);
        json about = facts_of(film, scales, title);
        if (options.dark) about["dark"] = true;
        const std::string facts = about.dump();
        const std::vector<std::string> frames = frames_of(cpu, film, scales);
        const std::vector<PageScript> scripts{{page_plot_script, page_plot_script_sha256}};
        io::Output file(path);
        file.text(html_file({title, page_plot_body, facts, frames, scripts}));
        file.commit();
    });
}

}  // namespace dunlin::picture
