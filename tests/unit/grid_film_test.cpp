// SPDX-License-Identifier: Apache-2.0
#include <dunlin/plots.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stop_token>

#include <dunlin/error.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

class GridFilms : public InFolder {};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

nlohmann::json facts_in(const std::string& page) {
    const std::string begin = "<script id=\"facts\" type=\"application/json\">";
    const std::size_t from = page.find(begin) + begin.size();
    return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST_F(GridFilms, FactsAreThoseOfTheFrames) {
    const std::vector<double> first{0, 1, 2, 3, 4, 5}, second{5, 4, nan, 2, 1, 0}, last{7, 7, 7, 7, 7, 8};
    const GridFilm film{.frames = {first, second},
                        .captions = {"t = 0", "<t> = 1"},
                        .rows = 2,
                        .columns = 3,
                        .name = "v",
                        .x = {"x", 0, 1},
                        .y = {"y", 0, 0.5},
                        .last = last,
                        .last_name = "activation"};
    ASSERT_TRUE(draw(path("film.html"), film, {.title = "a </script> wave"}));
    const std::string page = text_of(path("film.html"));
    const nlohmann::json facts = facts_in(page);
    EXPECT_EQ(facts["rows"], 2);
    EXPECT_EQ(facts["columns"], 3);
    EXPECT_EQ(facts["captions"], (std::vector<std::string>{"t = 0", "<t> = 1"}));
    EXPECT_EQ(facts["scale"]["low"], 0);
    EXPECT_EQ(facts["scale"]["high"], 5);
    EXPECT_TRUE(facts["scale"].contains("none"));
    EXPECT_EQ(facts["last"]["low"], 7);
    EXPECT_FALSE(facts["last"].contains("none"));
    EXPECT_EQ(page.find("://"), std::string::npos);
    EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST_F(GridFilms, OneNodeAndOneFrame) {
    const std::vector<double> value{0.5};
    ASSERT_TRUE(draw(path("one.html"), GridFilm{.frames = {value}, .captions = {"t = 0"}, .columns = 1}));
    EXPECT_EQ(facts_in(text_of(path("one.html")))["columns"], 1);
}

TEST_F(GridFilms, AStopWritesNoFile) {
    std::stop_source stop;
    stop.request_stop();
    const std::vector<double> value{0.5};
    dunlin::Run run;
    run.stop = stop.get_token();
    EXPECT_FALSE(draw("stopped.html", GridFilm{.frames = {value}, .captions = {"t = 0"}, .columns = 1}, {}, run));
    EXPECT_FALSE(std::filesystem::exists("stopped.html"));
}

TEST_F(GridFilms, WhatCannotBePlayedIsRefused) {
    const std::vector<double> three{1, 2, 3}, two{1, 2};
    const auto why = [&](const char* path, GridFilm film) {
        return refusal(Fault::bad_input, [&] { draw(path, film); });
    };
    EXPECT_NE(why("film.png", {.frames = {three}, .captions = {"a"}, .columns = 3}), "");
    EXPECT_NE(why("film.html", {.columns = 3}).find("no values"), std::string::npos);
    EXPECT_NE(why("film.html", {.frames = {{}}, .captions = {"a"}}).find("no values"), std::string::npos);
    EXPECT_NE(why("film.html", {.frames = {three}, .columns = 3}).find("0 captions"), std::string::npos);
    EXPECT_NE(why("film.html", {.frames = {three, two}, .captions = {"a", "b"}, .columns = 3}).find("frame 1"),
              std::string::npos);
    EXPECT_NE(why("film.html", {.frames = {three}, .captions = {"a"}, .columns = 3, .last = two}).find("after"),
              std::string::npos);
    EXPECT_NE(
        why("film.html", {.frames = {three}, .captions = {"a"}, .rows = 1 << 14, .columns = 1 << 14}).find("at most"),
        std::string::npos);
}

}  // namespace
}  // namespace dunlin::picture
