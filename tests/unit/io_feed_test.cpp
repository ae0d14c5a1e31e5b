// SPDX-License-Identifier: Apache-2.0
#include <dunlin/feed.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "io/distance_protocol.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

constexpr std::array<Index, 3> from = {1, 2, 70000}, to = {5, 0, 1};

/// The distances that a process returns for three pairs, or the error.
std::string told(const std::string& command, FeedFormat format = FeedFormat::lines, double timeout = 20) {
    std::string answer;
    const std::string fault = refusal([&] {
        std::array<float, 3> out{};
        distances_from_process(command, {format, timeout})(from, to, out);
        for (const float value : out) answer += fmt::format("{} ", value);
    });
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left by " << command;
    EXPECT_EQ(errno, ECHILD);
    return fault.empty() ? answer : fault;
}

const char* const adds = "while read i j; do if [ -n \"$i\" ]; then echo $((i + j)); else echo; fi; done";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(DistanceParser, AreTheSameHoweverTheyArrive) {
    const std::string text = "1.5\r\n\n  2e1 \n\n3\n";
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        std::array<float, 3> out{};
        DistanceParser parser(FeedFormat::lines, out, "it");
        parser.parse(text.substr(0, cut));
        parser.parse(text.substr(cut));
        EXPECT_TRUE(parser.complete());
        EXPECT_EQ(out, (std::array{1.5F, 20.0F, 3.0F}));
    }
    const std::array<float, 2> numbers = {0.25F, 7};
    const std::string bytes(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        std::array<float, 2> out{};
        DistanceParser parser(FeedFormat::binary, out, "it");
        parser.parse(bytes.substr(0, cut));
        EXPECT_EQ(parser.complete(), cut == 8);
        parser.parse(bytes.substr(cut));
        EXPECT_EQ(out, numbers);
    }
}

TEST(DistanceParser, WhatIsNoNumberIsShown) {
    const auto said = [](const std::string& text) {
        std::array<float, 2> out{};
        return refusal([&] { DistanceParser(FeedFormat::lines, out, "it").parse(text); });
    };
    EXPECT_TRUE(has(said("1\nabc\n"), "'abc' to pair 2"));
    EXPECT_TRUE(has(said("nan\n"), "'nan'"));
    EXPECT_TRUE(has(said("1 2\n"), "'1 2'"));
    EXPECT_TRUE(has(said("1\n2\n3\n"), "more than the 2 pairs"));
    EXPECT_TRUE(has(said(std::string(2000, '1')), "a line holds one number"));
    EXPECT_TRUE(has(said("1\n-2\n"), "it answered -2 to pair 2"));
    EXPECT_TRUE(has(said("1e99\n"), "it answered inf to pair 1"));
    EXPECT_EQ(said("1\n2\n\n"), "");
}

TEST(Question, IsAsDocumented) {
    EXPECT_EQ(encode_pairs(FeedFormat::lines, from, to), "1 5\n2 0\n70000 1\n\n");
    const std::string bytes = encode_pairs(FeedFormat::binary, from, to);
    std::array<std::int32_t, 7> numbers{};
    ASSERT_EQ(bytes.size(), sizeof(numbers));
    std::memcpy(numbers.data(), bytes.data(), sizeof(numbers));
    EXPECT_EQ(numbers, (std::array<std::int32_t, 7>{3, 1, 5, 2, 0, 70000, 1}));
}

TEST(FeedBy, AProcessAnswers) {
    EXPECT_EQ(told(adds), "6 2 70001 ");
    const std::string perl =
        "perl -e 'binmode STDIN; binmode STDOUT; $| = 1; while (read(STDIN, $n, 4) == 4) { $n = unpack(\"l\", $n);"
        " for (1 .. $n) { read(STDIN, $p, 8); @p = unpack(\"ll\", $p); print pack(\"f\", $p[0] + $p[1]); } }'";
    EXPECT_EQ(told(perl, FeedFormat::binary), "6 2 70001 ");
}

TEST(FeedBy, ManyBatchesLargerThanAPipe) {
    const auto distances = distances_from_process(adds);
    std::vector<Index> i(20000, 3), j(20000);
    for (std::size_t k = 0; k < j.size(); ++k) j[k] = static_cast<Index>(k);
    std::vector<float> out(i.size());
    for (int batch = 0; batch < 3; ++batch) {
        distances(i, j, out);
        for (std::size_t k = 0; k < j.size(); ++k) ASSERT_EQ(out[k], static_cast<float>(k + 3));
        std::fill(out.begin(), out.end(), 0.0F);
    }
}

TEST(FeedBy, WhatGoesWrongIsSaid) {
    EXPECT_TRUE(has(told("exit 3"), "exit status 3"));
    EXPECT_TRUE(has(told("kill -9 $$"), "signal 9"));
    EXPECT_TRUE(has(told("/no/such/program"), "exit status 127"));
    EXPECT_TRUE(has(told("echo 1; echo 2"), "ended after 2 answers to a batch of 3"));
    EXPECT_TRUE(has(told("echo far; cat >/dev/null"), "'far' to pair 1"));
    EXPECT_TRUE(has(told("seq 9; cat >/dev/null"), "more than the 3 pairs"));
    EXPECT_TRUE(has(told("exec <&-; sleep 30", FeedFormat::lines, 0.3), "silent for 0.3 s"));
    EXPECT_TRUE(has(told("echo 1; sleep 30", FeedFormat::lines, 0.3), "after 1 answers"));
    EXPECT_TRUE(has(told("trap '' TERM; echo 1; sleep 30 & wait", FeedFormat::lines, 0.3), "after 1 answers"));
    EXPECT_TRUE(has(refusal([] { distances_from_process("true", {.timeout = 0}); }), "feed-timeout"));
}

TEST(FeedBy, AStopDoesNotWaitForAnswers) {
    std::stop_source stop;
    dunlin::Run run;
    run.stop = stop.get_token();
    const auto distances = distances_from_process("sleep 30", {}, run);
    stop.request_stop();
    std::array<float, 3> out{};
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(has(refusal([&] { distances(from, to, out); }), "was stopped"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace dunlin::io
