// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/network.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "fixed.hpp"
#include "point_maps.hpp"

namespace dunlin::app {

namespace {

using TsneCommand = PointsCommand<tsne::Options>;

/// A start for all points from a map of some, and which of them stay.
struct Continued {
    Map start;
    std::vector<std::uint8_t> fixed;
};
Continued continued(const TsneCommand& command, const io::Points& points, const Run& run) {
    const bool grows = !command.grow.empty();
    const fs::path& path = grows ? command.grow : command.fixed;
    const io::MapFile file = io::read_map(path, command.common.run);
    require_read(command.common, file.map.size() == 0);
    const Map some = map_by_ids(grows ? "--grow" : "--fixed", file, path, points.ids, points.values.rows());
    Continued next;
    if (!grows) {
        for (Index i = 0; i < some.size(); ++i) next.fixed.push_back(std::isnan(some.view()(i, 0)) ? 0 : 1);
    }
    tsne::Options options = command.options;
    options.dim = some.dim;
    next.start = tsne::completed(points.values.view(), some, options, run);
    require_read(command.common, next.start.size() == 0);
    return next;
}

int map_by_tsne(TsneCommand& command) {
    const bool continues = !command.fixed.empty() || !command.grow.empty();
    if (continues && command.files.contains("start")) {
        throw Error(Fault::bad_input,
                    "--start is given beside --fixed or --grow, whose map is the start; give one of them");
    }
    const auto embed = [&](const io::Points& points, const tsne::Options& options, const Run& run, tsne::Given given) {
        Continued next;
        if (continues) {
            next = continued(command, points, run);
            given.start = &next.start;
            given.fixed = next.fixed;
        }
        Graph lists;
        if (!command.state.empty() && given.neighbors == nullptr) given.found = &lists;
        tsne::Result result = tsne::embed(points.values.view(), options, run, given);
        if (command.state.empty() || result.stopped == Stopped::cancelled) return result;
        const tsne::Options& o = result.options;
        const tsne::Placer placer(points.values.view(), result.map,
                                  {.perplexity = o.perplexity,
                                   .k = o.k,
                                   .pca = o.pca,
                                   .metric = o.metric,
                                   .exaggeration = o.late_exaggeration},
                                  run, {.neighbors = given.neighbors != nullptr ? given.neighbors : &lists});
        if (placer.state().rows > 0) io::write_place_state(command.state, placer.state());
        return result;
    };
    return map_points(command, embed,
                      [](const tsne::Result& result) { return Cost{"kl", "KL", {result.kl, result.kl_se}}; });
}

/// Throws for flags of t-SNE if the input of dunlin map is not points.
void refuse_flags(const CLI::App& flags, TsneCommand& command, std::string_view holds, std::string_view suited) {
    std::vector<std::string> useless = {"preset", "ids", "transpose"};
    fields([&](const auto& field) { useless.emplace_back(field.name); }, command.options);
    if (command.common.guess.holds == io::Holds::graph) useless.emplace_back("array");
    std::erase(useless, "dim");
    useless.insert(useless.end(), {"fixed", "grow", "state"});
    for (const std::string& name : useless) {
        if (flags.get_option("--" + name)->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; see "
                                                  "dunlin {} --help",
                                                  name, command.input.string(), holds, suited));
    }
}

/// dunlin map: selects the method by the input.
int map_anything(const CLI::App& flags, TsneCommand& command) {
    settle_holds(command.common, command.input);
    if (command.common.guess.holds == io::Holds::graph) {
        refuse_flags(flags, command, "a graph", "layout");
        return draw_graph(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    if (command.common.guess.holds == io::Holds::dissimilarities) {
        refuse_flags(flags, command, "dissimilarities", "mds");
        return scale_matrix(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    return map_by_tsne(command);
}

/// Flags of maps that go on from a map of some of the points. Iterations that are not given follow from them.
void add_continuing_flags(CLI::App& app, TsneCommand& command) {
    CLI::Option* fixed = app.add_option("--fixed", command.fixed,
                                        "map of some points, matched by id, or of the first ones; they stay where they "
                                        "are, the others are placed and optimized around them");
    CLI::Option* grow =
        app.add_option("--grow", command.grow,
                       "map of some points, matched by id, or of the first ones; the others are placed, "
                       "then all are optimized for 50 iterations");
    fixed->type_name("FILE")->excludes(grow);
    grow->type_name("FILE")->excludes(fixed);
    app.add_option("--state", command.state, "write what dunlin transform needs of this map, as .npz")
        ->type_name("FILE");
}

/// Without exaggeration, which would pull a finished map together; 50 iterations to grow, 250 around fixed points.
void settle_iterations(const CLI::App& flags, TsneCommand& command) {
    if (command.fixed.empty() && command.grow.empty()) return;
    if (flags.get_option("--exaggerated-iterations")->count() == 0) command.options.exaggerated_iterations = 0;
    if (flags.get_option("--iterations")->count() == 0) command.options.iterations = command.grow.empty() ? 250 : 50;
}

void add_command(CLI::App& app, Action& action, const std::string& name, const std::string& help) {
    auto command = std::make_shared<TsneCommand>();
    command->name = name;
    command->method = "tsne";
    command->title = "t-SNE of";
    CLI::App* sub = app.add_subcommand(name, help);
    const std::string others = name == "map" ? ", a graph (see dunlin layout) or dissimilarities (see dunlin mds)" : "";
    add_points(*sub, "INPUT", command->input, command->common, others);
    add_preset_flag<tsne::Preset>(*sub, command->options);
    add_flags(*sub, command->options, {}, &command->files);
    add_continuing_flags(*sub, *command);
    add_picture_flags(*sub, command->picture);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command, sub] {
        action = [command, sub] {
            settle_iterations(*sub, *command);
            return command->name == "map" ? map_anything(*sub, *command) : map_by_tsne(*command);
        };
    });
}

}  // namespace

void add_tsne(CLI::App& app, Action& action) { add_command(app, action, "tsne", "a t-SNE map of points"); }

void add_map(CLI::App& app, Action& action) {
    add_command(app, action, "map",
                "a map of INPUT by the method for its kind (points: t-SNE, graphs: layout, "
                "dissimilarities: mds)");
}

}  // namespace dunlin::app
