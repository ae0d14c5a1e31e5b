// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint/key.hpp"
#include "checkpoint/sections.hpp"
#include "checkpoint/session.hpp"
#include "checkpoint/store.hpp"
#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::checkpoint {
namespace {

class CheckpointFile : public InFolder {
protected:
    using Run = dunlin::Run;  // which testing::Test::Run would hide

    [[nodiscard]] std::size_t files_here() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
    }
};

std::vector<std::byte> bytes_of(const std::string& text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file of two sections, of which one is longer than a chunk of the checksum.
void write_sections(SectionWriter& writer, const std::string& word) {
    writer.begin("short");
    writer.append(word.data(), word.size());
    writer.begin("empty");
    writer.begin("long");
    const std::string text(Checksum::chunk + 77, 'x');
    writer.append(text.data(), text.size());
}

std::string why_not(const std::string& content, bool* foreign = nullptr) {
    try {
        const Sections sections(bytes_of(content));
        return "";
    } catch (const Damage& damage) {
        if (foreign != nullptr) *foreign = damage.foreign;
        return damage.why;
    }
}

TEST_F(CheckpointFile, SectionsComeBack) {
    std::string none;
    {
        Store store(path("a"));
        EXPECT_FALSE(store.newest(none));
        const std::uint64_t size = store.replace([](SectionWriter& w) { write_sections(w, "first"); });
        EXPECT_EQ(size, std::filesystem::file_size(path("a")));
        store.replace([](SectionWriter& w) { write_sections(w, "second"); });
        EXPECT_TRUE(std::filesystem::exists(path("a.lock")));
    }
    EXPECT_FALSE(std::filesystem::exists(path("a.lock")));
    Store store(path("a"));
    const std::optional<Sections> found = store.newest(none);
    ASSERT_TRUE(found);
    EXPECT_EQ(none, "");
    EXPECT_EQ(text_of(found->of("short")), "second");
    EXPECT_TRUE(found->has("empty"));
    EXPECT_EQ(found->of("empty").size(), 0U);
    EXPECT_EQ(found->of("long").size(), Checksum::chunk + 77);
    EXPECT_FALSE(found->has("other"));
    const Sections before(bytes_of(bytes(path("a.previous"))));
    EXPECT_EQ(text_of(before.of("short")), "first");
}

TEST_F(CheckpointFile, EveryChangedOrMissingByteIsFound) {
    {
        Store store(path("a"));
        store.replace([](SectionWriter& w) {
            w.begin("one");
            w(std::string("some text"));
            w.begin("two");
            w(17);
        });
    }
    const std::string good = bytes(path("a"));
    EXPECT_EQ(why_not(good), "");
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ 4);
        EXPECT_NE(why_not(changed), "") << i;
        EXPECT_NE(why_not(good.substr(0, i)), "") << i;
    }
    EXPECT_NE(why_not(good + "x"), "");
    bool foreign = false;
    EXPECT_NE(why_not("a,b,c\n1,2,3\n and more text than a header has", &foreign), "");
    EXPECT_TRUE(foreign);
    EXPECT_NE(why_not(std::string(5000, '\0'), &foreign).find("interrupted"), std::string::npos);
    EXPECT_FALSE(foreign);
}

TEST_F(CheckpointFile, ADamagedFileGivesWayToTheOneBefore) {
    const auto write = [&](const std::string& word) {
        Store store(path("a"));
        std::string none;
        (void)store.newest(none);
        store.replace([&](SectionWriter& w) { write_sections(w, word); });
    };
    write("first"), write("second");
    const std::string good = bytes(path("a"));
    (void)put("a", good.substr(0, good.size() / 2));
    std::string damage;
    {
        Store store(path("a"));
        const std::optional<Sections> found = store.newest(damage);
        ASSERT_TRUE(found);
        EXPECT_EQ(text_of(found->of("short")), "first");
        EXPECT_NE(damage, "");
        store.replace([&](SectionWriter& w) { write_sections(w, "third"); });
    }
    // The damaged file has not become the one before
    EXPECT_EQ(text_of(Sections(bytes_of(bytes(path("a.previous")))).of("short")), "first");
    (void)put("a", "x");
    (void)put("a.previous", "y");
    std::string none;
    const std::string both = refusal(Fault::bad_file, [&] { (void)Store(path("a")).newest(none); });
    EXPECT_NE(both.find("no checkpoint of Dunlin"), std::string::npos) << both;
    EXPECT_NE(both.find("remove both"), std::string::npos) << both;
    std::filesystem::remove(path("a.previous"));
    EXPECT_NE(refusal(Fault::bad_file, [&] { (void)Store(path("a")).newest(none); }).find("name another file"),
              std::string::npos);
    (void)put("a", "");  // as mktemp leaves it
    EXPECT_FALSE(Store(path("a")).newest(none));
    EXPECT_EQ(none, "it is empty");
}

TEST_F(CheckpointFile, AWriteThatFailsLeavesTheFile) {
    Store store(path("a"));
    store.replace([](SectionWriter& w) { write_sections(w, "good"); });
    EXPECT_THROW(store.replace([](SectionWriter& w) {
        write_sections(w, "bad");
        throw WriteFailure{"No space left on device"};
    }),
                 WriteFailure);
    std::string none;
    EXPECT_EQ(text_of(store.newest(none)->of("short")), "good");
    EXPECT_EQ(files_here(), 2U) << "the checkpoint and its lock";
    store.replace([](SectionWriter& w) { write_sections(w, "better"); });
    EXPECT_EQ(text_of(store.newest(none)->of("short")), "better");
}

// The limit of a file's size stands for a full disk
TEST_F(CheckpointFile, AFullDiskIsAFailureOfTheWrite) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1 << 16, 1 << 16};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        Store store(path("a"));
        try {
            store.replace([](SectionWriter& w) { write_sections(w, "large"); });
        } catch (const WriteFailure&) {
            ::_exit(std::filesystem::exists(path("a")) ? 2 : 0);
        }
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(CheckpointFile, TwoRunsDoNotWriteOneFile) {
    const Store store(path("a"));
    EXPECT_NE(refusal(Fault::bad_file, [&] { const Store other(path("a")); }).find("another run is writing it"),
              std::string::npos);
}

TEST_F(CheckpointFile, LinksAreFollowed) {
    std::filesystem::create_symlink(path("target"), path("link"));
    {
        Store store(path("link"));
        store.replace([](SectionWriter& w) { write_sections(w, "good"); });
    }
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_TRUE(std::filesystem::is_regular_file(path("target")));
}

// --- loops

/// A run of three loops that count, which can be stopped within one. add_to: adds to its key.
std::vector<int> counted(const Run& run, int stop_at = -1, const std::function<void(Key&)>& add_to = [](Key&) {}) {
    Session session(run, "counting", add_to);
    std::vector<int> sums;
    int total = 0;
    for (int l = 0; l < 3; ++l) {
        Loop loop("count");
        int i = 0, sum = 0;
        const auto state = [&](auto& archive) { archive(i), archive(sum); };
        loop.resume(state);
        for (; i < 10;) {
            if (total++ == stop_at) {
                loop.save(i, state);
                return {};
            }
            sum += ++i * (l + 1);
        }
        loop.end(i, state);
        sums.push_back(sum);
    }
    Outcome<Run> outcome{};
    outcome.stopped = Stopped::converged;
    session.complete(outcome);
    return sums;
}

TEST_F(CheckpointFile, LoopsGoOnWhereTheyWere) {
    const std::vector<int> wanted = counted({});
    EXPECT_EQ(wanted, (std::vector{55, 110, 165}));
    for (const int at : {0, 1, 9, 10, 15, 20, 29}) {
        Run run{.checkpoint = path(fmt::format("a{}", at))};
        EXPECT_TRUE(counted(run, at).empty());
        run.resume = true;
        EXPECT_EQ(counted(run), wanted) << at;
        EXPECT_EQ(counted(run), wanted) << at << ", finished";
    }
}

/// Options of a release, and of the one after it, which has more.
struct EarlierOptions {
    int steps = 3;
};
struct LaterOptions {
    bool fast = false;
    int steps = 3;
    std::optional<double> rate = {};
};
template <class Visit>
void fields(Visit&& visit, EarlierOptions& o) {
    visit(field("steps", o.steps, "steps"));
}
template <class Visit>
void fields(Visit&& visit, LaterOptions& o) {
    visit(field("fast", o.fast, "fast"));
    visit(field("steps", o.steps, "steps"));
    visit(field("rate", o.rate, "rate").otherwise(0.5).otherwise(2, when("fast", o.fast)));
}

TEST_F(CheckpointFile, OptionsThatDidNotExistAreAtTheirDefaults) {
    const auto with = [](const auto& options) { return [=](Key& key) { key.add_options(options); }; };
    Run run{.checkpoint = path("a")};
    EXPECT_TRUE(counted(run, 15, with(EarlierOptions{})).empty());
    run.resume = true;
    const auto refused = [&](const LaterOptions& options) {
        return refusal(Fault::bad_file, [&] { counted(run, -1, with(options)); });
    };
    EXPECT_NE(refused({.fast = true}).find("its fast is not there, and that of this run is on"), std::string::npos);
    EXPECT_NE(refused({.rate = 0.7}).find("its rate is not there"), std::string::npos);
    EXPECT_NE(refused({.steps = 4}).find("its steps is 3"), std::string::npos);
    EXPECT_NE(refused({.fast = true, .rate = 2}).find("its fast"), std::string::npos);
    EXPECT_EQ(counted(run, -1, with(LaterOptions{})), (std::vector{55, 110, 165}));
    Run again{.checkpoint = path("b")};
    EXPECT_TRUE(counted(again, 15, with(EarlierOptions{})).empty());
    again.resume = true;
    EXPECT_EQ(counted(again, -1, with(LaterOptions{.rate = 0.5})), (std::vector{55, 110, 165}))
        << "what an absent rate becomes";
}

TEST_F(CheckpointFile, SuspendedLoopsHaveNone) {
    const Run run{.checkpoint = path("a")};
    Session session(run, "counting", [](Key&) {});
    EXPECT_TRUE(Loop("a").is_kept());
    {
        const Suspended suspended;
        EXPECT_FALSE(Loop("a").is_kept());
    }
    {
        Session within({}, "another", [](Key&) {});
        EXPECT_FALSE(Loop("a").is_kept());
    }
    EXPECT_TRUE(Loop("a").is_kept());
}

}  // namespace
}  // namespace dunlin::checkpoint
