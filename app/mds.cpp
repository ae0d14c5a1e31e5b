#include <dunlin/mds.hpp>

#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/square.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "fixed.hpp"
#include "flags.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

/// What INPUT's numbers are. automatic: a square table with a diagonal of zeros is a matrix.
enum class As { automatic, points, matrix };
constexpr std::array<std::string_view, 3> names(As) { return {"auto", "points", "matrix"}; }

struct Job {
    fs::path input;
    Shared shared;
    As as = As::automatic;
    mds::PointOptions points;
    mds::Options options;
    mds::StressOptions stress;
    picture::Options picture;
    std::string start = "auto", fixed, weights_file;
    Matrix weights;  ///< as read
    bool no_score = false;
};

/// auto, random, or a file with a start map.
void add_start_flag(CLI::App& app, Job& job) {
    app.add_option("--start", job.start, "dunlin, smacof: first positions: auto, random, or a map file, taken as it is")
        ->type_name("auto|random|FILE")
        ->capture_default_str();
}

/// What the file held, beside the dissimilarities themselves.
struct Input {
    mds::Dissimilarities items;
    io::Points about;  ///< ids, labels, kind, and the shape in `values`
};

Input of_matrix(const Job& job, io::Square square) {
    if (job.points.normalize != mds::Normalize::none) {
        throw Error(Fault::bad_input,
                    fmt::format("--normalize {}: {} holds dissimilarities; only points are normalised",
                                name_of(job.points.normalize), job.input.string()));
    }
    Input input;
    input.about.kind = square.kind;
    input.about.ids = std::move(square.ids);
    input.about.values = square.values;
    if (!job.shared.read.labels.empty()) input.about.labels = io::read_labels(job.shared.read.labels);
    try {
        input.items = mds::Dissimilarities::of_matrix(std::move(square.values), job.shared.run);
    } catch (const Error& error) {
        throw Error(Fault::bad_file, fmt::format("{}: {}", job.input.string(), error.what()));
    }
    return input;
}

Input of_points(const Job& job) {
    Input input;
    const auto metric = job.points.metric;
    const bool shift_is_harmless = metric == neighbors::Metric::euclidean || metric == neighbors::Metric::manhattan;
    input.about = read_input(job.input, job.shared, shift_is_harmless);
    input.items = mds::Dissimilarities::of_points(input.about.values, job.points, job.shared.run);
    return input;
}

Input read(const Job& job) {
    if (job.as == As::matrix) return of_matrix(job, io::read_square(job.input));
    if (job.as == As::automatic) {
        if (auto square = io::find_dissimilarities(job.input)) return of_matrix(job, std::move(*square));
    }
    return of_points(job);
}

mds::Result place(Job& job, const Input& input) {
    Map start, fixed;
    mds::Given given;
    if (const auto rule = value_named<mds::Start>(job.start)) {
        job.options.start = *rule;
    } else {
        start = io::read_map(job.start).map;
        given.start = &start;
    }
    if (!job.fixed.empty()) {
        fixed = fixed_map(io::read_map(job.fixed), job.fixed, input.about.ids, input.items.size());
        given.fixed = &fixed;
    }
    if (!job.weights_file.empty()) {
        job.weights = io::read_square(job.weights_file).values;
        given.weights = &job.weights;
    }
    return mds::place(input.items, job.options, job.shared.run, given);
}

/// Stress after the transform, and of classical scaling beside it: the map has a scale of its own, so that other
/// stresses say nothing.
void put_transformed_stress(Json& quality, const Job& job, const mds::Dissimilarities& items, const mds::Result& result,
                            const Run& run) {
    const mds::Transform transform = result.options.transform;
    const Matrix* weights = job.weights_file.empty() ? nullptr : &job.weights;
    const auto put = [&](const Map& map, std::string_view of) {
        put_score(quality, fmt::format("stress1_{}{}", name_of(transform), of),
                  {mds::transformed_stress1(items, map, transform, weights, run), 0});
    };
    put(result.map, "");
    if (items.missing() > 0 || items.size() < 2) return;
    put(mds::place(items, {.dim = result.map.dim, .method = mds::Method::classical}, run).map, "_classical");
}

/// The stress of the map, and beside it that of the first principal axes alone and of items all equally unlike.
Json quality_of(const Job& job, const mds::Dissimilarities& items, const mds::Result& result) {
    auto quality = Json::object();
    if (job.no_score || result.stopped == Stopped::cancelled) return quality;
    Run run = job.shared.run;
    run.on_progress = {};
    if (result.options.transform != mds::Transform::ratio) {
        put_transformed_stress(quality, job, items, result, run);
        return quality;
    }
    const mds::Stress stress = mds::stress(items, result.map, job.stress, run);
    put_score(quality, "normalized_stress", stress.normalized_stress);
    put_score(quality, "stress1", stress.stress1);
    put_score(quality, "scaled_stress1", stress.scaled_stress1);
    if (items.missing() == 0 && items.size() > 1) {
        const mds::Result axes = mds::place(items, {.dim = result.map.dim, .method = mds::Method::classical}, run);
        put_score(quality, "normalized_stress_classical",
                  mds::stress(items, axes.map, job.stress, run).normalized_stress);
    }
    put_score(quality, "normalized_stress_simplex", {mds::simplex_stress(items.size(), result.map.dim, run), 0});
    return quality;
}

void write_outputs(const Job& job, const std::vector<fs::path>& paths, const Input& input, const Map& map,
                   const Json& quality) {
    picture::Options style = job.picture;
    if (style.title.empty()) {
        style.title = fmt::format("MDS of {}, {} items", stem_of(job.input), map.size());
        if (quality.contains("normalized_stress"))
            style.title += fmt::format(", stress {:.3g}", quality["normalized_stress"].get<double>());
    }
    for (const fs::path& path : paths) {
        if (is_picture(path)) {
            picture::draw(path, map, input.about.labels, input.about.ids, style, job.shared.run);
        } else {
            io::write_map(path, {map, input.about.ids, input.about.labels});
        }
    }
}

Json report_of(const Job& job, const Input& input, const mds::Result& result, const Json& quality, double read,
               double score, double write, double total) {
    Json report = report_head("mds", std::string(name_of(result.options.method)), job.input, input.about,
                              {result.device, job.shared.run.device_index, result.threads});
    report["input"]["missing"] = input.items.missing();
    report["options"] = fields_as_json(result.options);
    report["options"]["start"] = job.start;
    if (input.items.has_points()) report["options"].update(fields_as_json(job.points));
    report["options"]["seed"] = job.shared.run.seed;
    report["seconds"] = {{"read", read},
                         {"start", result.seconds.start},
                         {"optimise", result.seconds.optimise},
                         {"score", score},
                         {"write", write},
                         {"total", total}};
    report["iterations"] = result.iterations;
    report["stopped"] = std::string(name_of(result.stopped));
    report["deterministic"] = true;
    report["quality"] = quality;
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", 0}};
    return report;
}

/// Stresses are told apart by their leading digits.
void print_stress(const Json& quality) {
    for (const auto& [key, value] : quality.items()) {
        if (key.ends_with("_se")) continue;
        const std::string se =
            quality.contains(key + "_se") ? fmt::format(" +- {:.1g}", quality[key + "_se"].get<double>()) : "";
        fmt::print("{:<28}{:.4g}{}\n", key, value.get<double>(), se);
    }
}

int scale(Job& job) {
    prepare(job.shared);
    const std::vector<fs::path> paths = outputs_of(job.shared, job.input);
    Stopwatch watch;
    const Input input = read(job);
    const double read = watch.lap();
    const mds::Result result = place(job, input);
    watch.lap();
    const Json quality = quality_of(job, input.items, result);
    const double score = watch.lap();
    write_outputs(job, paths, input, result.map, quality);
    const double write = watch.lap();

    const Json report = report_of(job, input, result, quality, read, score, write, watch.total());
    if (!job.shared.report.empty()) write_text(job.shared.report, report.dump(2) + "\n");
    if (!job.shared.quiet) {
        print_stress(quality);
        for (const fs::path& path : paths) fmt::print("wrote {}\n", path.string());
    }
    return result.stopped == Stopped::cancelled ? interrupted : done;
}

}  // namespace

void add_mds(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("mds", "a map by multidimensional scaling, of points or dissimilarities");
    sub->add_option("INPUT", job->input,
                    "points as for tsne, or dissimilarities: a square .npy .csv .tsv, or condensed .npy")
        ->required();
    add_shared_flags(*sub, job->shared);
    add_read_flags(*sub, job->shared);
    add_flag(*sub, "--as", job->as, "what INPUT is; auto: a square table with a diagonal of zeros is a matrix");
    add_flags(*sub, job->points);
    add_flags(*sub, job->options, {"start"});
    add_start_flag(*sub, *job);
    sub->add_option(
           "--fixed", job->fixed,
           "dunlin, smacof: a map of some of the items, which stay there; the others are placed among them. By "
           "their ids, or else INPUT's first rows")
        ->type_name("FILE");
    sub->add_option("--weights", job->weights_file, "smacof: a square file of weights, one a pair")->type_name("FILE");
    add_flags(*sub, job->stress);
    add_picture_flags(*sub, job->picture);
    sub->add_flag("--no-score", job->no_score, "leave out the stress, which looks at all pairs");
    sub->callback([&action, job] { action = [job] { return scale(*job); }; });
}

}  // namespace dunlin::app
