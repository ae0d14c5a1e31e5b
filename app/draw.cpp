#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path map;
    std::string labels;
    Shared shared;
    picture::Options picture;
};

int draw_map(Job& job) {
    if (job.shared.outputs.empty()) job.shared.outputs = {stem_of(job.map) + ".png"};
    for (const fs::path output : job.shared.outputs) {
        if (!is_picture(output)) {
            throw Error(Fault::bad_input,
                        fmt::format("--output {}: a picture is written as .png, .svg or .html", output.string()));
        }
        require_folder(output);
    }
    io::MapFile file = io::read_map(job.map);
    if (!job.labels.empty()) file.labels = io::read_labels(job.labels);
    if (job.picture.title.empty()) job.picture.title = fmt::format("{}, {} points", stem_of(job.map), file.map.size());
    for (const std::string& output : job.shared.outputs) {
        picture::draw(output, file.map, file.labels, file.ids, job.picture, job.shared.run);
        if (!job.shared.quiet) fmt::print("wrote {}\n", output);
    }
    return done;
}

}  // namespace

void add_draw(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("draw", "a picture of any map");
    sub->add_option("MAP", job->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("-o,--output", job->shared.outputs,
                    "file to write, repeatable: .png .svg .html (default: MAP's stem .png)")
        ->allow_extra_args(false);
    sub->add_option("--labels", job->labels, "a file with one label per point (default: the map's own)");
    sub->add_flag("--quiet", job->shared.quiet, "print nothing but errors");
    add_picture_flags(*sub, job->picture);
    sub->callback([&action, job] { action = [job] { return draw_map(*job); }; });
}

}  // namespace dunlin::app
