// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>

#include <dunlin/pacmap.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "checkpoint/records.hpp"
#include "checkpoint/store.hpp"
#include "math/at.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin {
namespace {

using cases::bytes_of;
using descent::Repulsion;

std::vector<float> numbers(Index n, Index cols, std::uint64_t seed = 1) {
    std::vector<float> x(at(Offset{n} * cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(math::random_normal(seed, i));
    return x;
}

class ResumedDescent : public cases::Resumed {};

TEST_F(ResumedDescent, TsneByEveryEngineAndDimension) {
    const Index n = 1100;
    const auto x = numbers(n, 5);
    struct Case {
        Repulsion repulsion;
        int dim;
    };
    for (const auto& [repulsion, dim] :
         {Case{Repulsion::exact, 2}, Case{Repulsion::tree, 2}, Case{Repulsion::grid, 2}, Case{Repulsion::adaptive, 2},
          Case{Repulsion::tree, 3}, Case{Repulsion::grid, 3}, Case{Repulsion::tree, 1}}) {
        const tsne::Options options{
            .dim = dim, .perplexity = 10, .iterations = 120, .exaggerated_iterations = 60, .repulsion = repulsion};
        const auto embed = [&](const Run& run) {
            const tsne::Result result = tsne::embed({x.data(), n, 5}, options, run);
            return bytes_of(result);
        };
        SCOPED_TRACE(std::string(name_of(repulsion)) + std::to_string(dim));
        expect_resumed(embed);
    }
}

TEST_F(ResumedDescent, TsneOfFewPoints) {
    for (const Index n : {1, 2, 3, 31}) {
        const auto x = numbers(n, 3);
        const auto embed = [&](const Run& run) {
            const tsne::Result result =
                tsne::embed({x.data(), n, 3}, {.iterations = 30, .exaggerated_iterations = 10}, run);
            return bytes_of(result);
        };
        SCOPED_TRACE(n);
        expect_resumed(embed);
    }
}

TEST_F(ResumedDescent, InputThatIsRefusedLeavesNoFile) {
    const Run run = fresh("none.ckpt", {});
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed({nullptr, 0, 3}, {}, run); }).find("0 rows"),
              std::string::npos);
    auto x = numbers(40, 3);
    x[7] = std::nanf("");
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed({x.data(), 40, 3}, {}, run); }), "");
    for (const char* suffix : {"", ".lock"}) EXPECT_FALSE(std::filesystem::exists(run.checkpoint + suffix));
}

// The rules of convergence depend on costs of earlier iterations
TEST_F(ResumedDescent, TsneThatConverges) {
    const Index n = 300;
    const auto x = numbers(n, 4);
    tsne::Options by_tolerance{.perplexity = 10, .iterations = 3000, .exaggerated_iterations = 50, .tolerance = 1e-3F};
    // Exaggeration of a map that has formed raises the cost
    tsne::Options by_patience{.perplexity = 10,
                              .iterations = 1200,
                              .exaggerated_iterations = 300,
                              .exaggeration = 1,
                              .late_exaggeration = 8.0F};
    by_patience.patience = 0;
    for (const tsne::Options& options : {by_tolerance, by_patience}) {
        const auto embed = [&](const Run& run) {
            const tsne::Result result = tsne::embed({x.data(), n, 4}, options, run);
            EXPECT_TRUE(result.stopped != Stopped::budget);
            return bytes_of(result);
        };
        expect_resumed(embed);
    }
}

TEST_F(ResumedDescent, TsneWithFixedPointsAndGivenNeighbors) {
    const Index n = 200;
    const auto x = numbers(n, 4);
    const Graph neighbors = neighbors::search({x.data(), n, 4}, {.k = 30}).graph;
    const Map start{2, numbers(n, 2, 5)};
    std::vector<std::uint8_t> fixed(at(n));
    for (std::size_t i = 0; i < fixed.size(); i += 3) fixed[i] = 1;
    const tsne::Given given{.neighbors = &neighbors, .start = &start, .fixed = fixed};
    const auto embed = [&](const Run& run) {
        const tsne::Result result = tsne::embed({x.data(), n, 4}, {.iterations = 70}, run, given);
        return bytes_of(result);
    };
    expect_resumed(embed);
}

// A ring with chords, many enough to be reordered at iteration 50
TEST_F(ResumedDescent, TsneOfPointsInAnotherOrder) {
    const Index n = 200001;
    Graph ring;
    for (Index i = 0; i < n; ++i) {
        for (const Index step : {1, 700, n - 700, n - 1}) {
            ring.targets.push_back((i + step) % n);
            ring.weights.push_back(0.25F / static_cast<float>(n));
        }
        ring.offsets.push_back(std::ssize(ring.targets));
    }
    const Map start{2, numbers(n, 2)};
    const tsne::Options options{.iterations = 54, .exaggerated_iterations = 20, .repulsion = Repulsion::grid};
    const auto embed = [&](const Run& run) {
        const tsne::Result result = tsne::embed(ring, start, options, run);
        return bytes_of(result);
    };
    const std::vector<std::byte> wanted = embed({});
    Run run = fresh("late.ckpt", {});
    run.checkpoint_every = 1e9;
    std::stop_source source;
    run.stop = source.get_token();
    run.snapshot_every = 1;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done == 52) source.request_stop();
    };
    embed(run);
    EXPECT_TRUE(embed({.checkpoint = path("late.ckpt"), .resume = true}) == wanted);
}

TEST_F(ResumedDescent, UmapAndPacmap) {
    const Index n = 700;
    const auto x = numbers(n, 5);
    const auto umap = [&](const Run& run) {
        const umap::Result result =
            umap::embed({x.data(), n, 5}, {.iterations = 80, .repulsion = Repulsion::grid}, run);
        return bytes_of(result);
    };
    expect_resumed(umap);  // the learning rate falls in the last fifth
    const auto pacmap = [&](const Run& run) {
        const pacmap::Result result = pacmap::embed({x.data(), n, 5}, {.iterations = "30,30,60"}, run);
        return bytes_of(result);
    };
    expect_resumed(pacmap);  // in each of the three phases
}

TEST_F(ResumedDescent, SparseRows) {
    const SparseMatrix rows = sparse_of(word_counts(150, 40).view());
    const auto embed = [&](const Run& run) {
        const tsne::Result result = tsne::embed(view_of(rows), {.perplexity = 10, .iterations = 60}, run);
        return bytes_of(result);
    };
    expect_resumed(embed);
}

// --- another run, by name

TEST_F(ResumedDescent, AnotherRunIsRefusedByName) {
    const Index n = 120;
    auto x = numbers(n, 4);
    const tsne::Options options{.perplexity = 10, .iterations = 60};
    Run run;
    run.checkpoint = path("a.ckpt");
    run.checkpoint_every = 0;
    std::stop_source source;
    Run stopped = run;
    stopped.stop = source.get_token();
    stopped.on_progress = [&](const Progress& p) {
        if (p.stage == "optimize" && p.done > 20) source.request_stop();
    };
    stopped.snapshot_every = 1;
    tsne::embed({x.data(), n, 4}, options, stopped);
    const auto refused = [&](const tsne::Options& other, Run how) {
        return refusal(Fault::bad_file, [&] { tsne::embed({x.data(), n, 4}, other, how); });
    };
    const auto expect = [](const std::string& sentence, std::string_view part) {
        EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    };
    expect(refused(options, run), "has not finished");
    expect(refused(options, run), "give resume");
    run.resume = true;
    auto other = options;
    other.perplexity = 11;
    expect(refused(other, run), "its perplexity is 10, and that of this run is 11");
    Run seeded = run;
    seeded.seed = 2;
    expect(refused(options, seeded), "its seed is 1, and that of this run is 2");
    expect(refusal(Fault::bad_file, [&] { umap::embed({x.data(), n, 4}, {}, run); }), "its method is t-SNE");
    x[17] += 1;
    expect(refused(options, run), "its hash of points is");
    x[17] -= 1;
    const tsne::Result result = tsne::embed({x.data(), n, 4}, options, run);
    EXPECT_TRUE(result.checkpoint.resumed);
    EXPECT_GT(result.checkpoint.resumed_from, 15);
    EXPECT_EQ(result.checkpoint.computed_again, (std::vector<std::string_view>{"start", "neighbors", "affinities"}));
    run.resume = false;
    EXPECT_EQ(refused(options, run), "") << "a finished run may be replaced";
}

/// Rewrites a file with another value of an entry of its key.
void change_key(const std::filesystem::path& file, const std::string& name, const std::string& value) {
    checkpoint::Store store(file);
    std::string damage;
    const std::optional<checkpoint::Sections> found = store.newest(damage);
    ASSERT_TRUE(found);
    checkpoint::RunRecord run;
    std::vector<checkpoint::EndedLoop> ended;
    checkpoint::read_records(*found, run, ended);
    const auto entry = std::find_if(run.key.begin(), run.key.end(), [&](const auto& e) { return e.first == name; });
    ASSERT_NE(entry, run.key.end()) << name;
    entry->second = value;
    store.replace([&](checkpoint::SectionWriter& writer) {
        writer.begin("run"), content(writer, run);
        writer.begin("ended"), checkpoint::each_content(writer, ended);
    });
}

TEST_F(ResumedDescent, OtherVersionsAndDevicesAreRefusedByName) {
    const auto x = numbers(50, 3);
    const tsne::Options options{.perplexity = 5, .iterations = 20, .exaggerated_iterations = 10};
    for (const auto& [name, value] : {std::pair{"version", "0.0.9"}, std::pair{"device", "cuda"}}) {
        Run run = fresh("a.ckpt", {.device = Device::cpu});
        tsne::embed({x.data(), 50, 3}, options, run);
        change_key(run.checkpoint, name, value);
        run.resume = true;
        const std::string why = refusal(Fault::bad_file, [&] { tsne::embed({x.data(), 50, 3}, options, run); });
        EXPECT_NE(why.find(std::string("its ") + name + " is " + value + ", and that of this run is "),
                  std::string::npos)
            << why;
    }
    // Of a later format, which has other sections
    Run run = fresh("b.ckpt", {});
    tsne::embed({x.data(), 50, 3}, options, run);
    std::string content = bytes(run.checkpoint);
    content[offsetof(checkpoint::FileHeader, version)] = 2;
    std::filesystem::remove(path("b.ckpt.previous"));
    (void)put("b.ckpt", content);
    run.resume = true;
    const std::string why = refusal(Fault::bad_file, [&] { tsne::embed({x.data(), 50, 3}, options, run); });
    EXPECT_NE(why.find("its format is version 2, and this program reads version 1"), std::string::npos) << why;
}

TEST_F(ResumedDescent, FilesThatCannotBeWritten) {
    const auto x = numbers(50, 3);
    const tsne::Options options{.perplexity = 5, .iterations = 30};
    const auto embed = [&](const Run& run) { return tsne::embed({x.data(), 50, 3}, options, run); };
    const std::vector<float> wanted = embed({}).map.coordinates;
    Run run;
    run.checkpoint = path("no_such_folder") / "a.ckpt";
    EXPECT_NE(refusal(Fault::bad_file, [&] { embed(run); }).find("cannot be written"), std::string::npos);
    run.checkpoint = path("");
    EXPECT_NE(refusal(Fault::bad_file, [&] { embed(run); }).find("it is a folder"), std::string::npos);
    // The folder disappears while the run goes on: one warning, and the result
    std::filesystem::create_directory(path("gone"));
    run.checkpoint = path("gone") / "a.ckpt";
    run.checkpoint_every = 0;
    run.snapshot_every = 1;
    run.on_progress = [&](const Progress& p) {
        if (p.stage == "optimize" && p.done == 10) std::filesystem::remove_all(path("gone"));
    };
    std::vector<std::string> warnings;
    run.on_notice = [&](Notice kind, const std::string& sentence) {
        if (kind == Notice::warning) warnings.push_back(sentence);
    };
    const tsne::Result result = embed(run);
    EXPECT_EQ(result.map.coordinates, wanted);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("the run goes on"), std::string::npos) << warnings[0];
    EXPECT_FALSE(result.checkpoint.failure.empty());
    EXPECT_GT(result.checkpoint.writes, 5);
}

TEST_F(ResumedDescent, AFullDiskIsAWarning) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
    const auto x = numbers(50, 3);
    const tsne::Options options{.perplexity = 5, .iterations = 30};
    Run run;
    run.checkpoint = "/dev/full";
    EXPECT_NE(
        refusal(Fault::bad_file, [&] { tsne::embed({x.data(), 50, 3}, options, run); }).find("not a regular file"),
        std::string::npos);
}

TEST_F(ResumedDescent, OptionsOfRuns) {
    const auto x = numbers(50, 3);
    const auto refused = [&](const Run& run) {
        return refusal(Fault::bad_input, [&] { tsne::embed({x.data(), 50, 3}, {.iterations = 5}, run); });
    };
    EXPECT_NE(refused({.resume = true}).find("resume"), std::string::npos);
    for (const double every : {-1.0, std::nan(""), HUGE_VAL})
        EXPECT_NE(refused({.checkpoint = path("a.ckpt"), .checkpoint_every = every}).find("checkpoint-every"),
                  std::string::npos);
    // Beginning anew where there is nothing to go on from
    Run run{.checkpoint = path("a.ckpt"), .resume = true};
    std::string said;
    run.on_notice = [&](Notice, const std::string& sentence) { said = sentence; };
    const tsne::Result result = tsne::embed({x.data(), 50, 3}, {.iterations = 5}, run);
    EXPECT_FALSE(result.checkpoint.resumed);
    EXPECT_NE(said.find("begins anew"), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(path("a.ckpt.lock")));
}

}  // namespace
}  // namespace dunlin
