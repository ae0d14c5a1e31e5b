// SPDX-License-Identifier: Apache-2.0
// Files are replaced at once, and nothing else in their folder is touched.
#include <dunlin/io.hpp>
#include <dunlin/outputs.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "folder.hpp"
#include "io/output.hpp"
#include "io/replacement.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

namespace fs = std::filesystem;

class Outputs : public InFolder {
protected:
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_)) all.insert(entry.path().filename().string());
        return all;
    }
    static mode_t mode_of(const fs::path& file) {
        struct stat status{};
        ::stat(file.c_str(), &status);
        return status.st_mode & 07777;
    }
};

TEST_F(Outputs, AreCompleteOrUnchanged) {
    const fs::path file = put("a.csv", "old");
    {
        Output out(file);
        out.text("a part of the new");
    }
    EXPECT_EQ(bytes(file), "old");
    write_text(file, "new");
    EXPECT_EQ(bytes(file), "new");
    write_text(path("b.csv"), "");
    EXPECT_EQ(names(), (std::set<std::string>{"a.csv", "b.csv"}));
}

TEST_F(Outputs, PathsWithANulAreRefused) {
    const std::string cut = fs::path(path("a.csv")).string() + std::string("\0b.csv", 6);
    write_text(path("a.csv"), "1,2\n3,4\n");
    EXPECT_NE(refusal([&] { write_text(cut, "lost"); }).find("NUL byte"), std::string::npos);
    EXPECT_NE(refusal([&] { read_points(cut, {}, {}); }).find("NUL byte"), std::string::npos);
    EXPECT_EQ(bytes(path("a.csv")), "1,2\n3,4\n");
}

TEST_F(Outputs, TouchNothingElse) {
    for (const char* name : {"a.csv.tmp", "a.csv.part"}) (void)put(name, "mine");
    write_text(path("a.csv"), "new");
    EXPECT_EQ(bytes(path("a.csv.tmp")), "mine");
    EXPECT_EQ(bytes(path("a.csv.part")), "mine");
}

TEST_F(Outputs, FollowLinksToTheTarget) {
    fs::create_symlink("target.csv", path("link.csv"));  // which is not there yet
    fs::create_symlink("link.csv", path("second.csv"));
    write_text(path("second.csv"), "new");
    EXPECT_TRUE(fs::is_symlink(path("link.csv")));
    EXPECT_EQ(bytes(path("target.csv")), "new");
    fs::create_symlink("loop.csv", path("loop.csv"));
    EXPECT_NE(refusal([&] { write_text(path("loop.csv") / "a.csv", ""); }), "");
}

TEST_F(Outputs, KeepPermissions) {
    const mode_t mask = ::umask(022);
    write_text(path("a.csv"), "1");
    EXPECT_EQ(mode_of(path("a.csv")), 0644U);
    for (const mode_t mode : {0600U, 0664U, 0444U}) {
        ::chmod(path("a.csv").c_str(), mode);
        write_text(path("a.csv"), "2");
        EXPECT_EQ(mode_of(path("a.csv")), mode);
    }
    ::umask(mask);
}

TEST_F(Outputs, HaveNamesAsLongAsTheyMay) {
    const fs::path file = path(fmt::format("{}.csv", std::string(251, 'n')));
    write_text(file, "new");
    EXPECT_EQ(bytes(file), "new");
}

TEST_F(Outputs, AreRemovedBeforeAnAbruptEnd) {
    Replacement first(path("a.csv")), second(path("b.csv"));
    EXPECT_EQ(names().size(), 2U);
    remove_unfinished_outputs();
    EXPECT_EQ(names().size(), 0U);
    EXPECT_FALSE(first.commit());
}

TEST_F(Outputs, AreRefusedWithAReason) {
    EXPECT_NE(refusal([&] { write_text(path("nowhere") / "a.csv", ""); }).find("No such file"), std::string::npos);
    EXPECT_NE(refusal([&] { write_text(folder_, ""); }).find("it is a directory"), std::string::npos);
    EXPECT_EQ(names().size(), 0U);
}

}  // namespace
}  // namespace dunlin::io
