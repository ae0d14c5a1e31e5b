// SPDX-License-Identifier: Apache-2.0
// Times as people write them.
#include "io/times.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "refusal.hpp"

namespace dunlin::io {
namespace {

using Form = TimeText::Form;
using Strings = std::vector<std::string>;

constexpr std::int64_t new_year = 1577836800;  // 2020-01-01T00:00:00Z, by date -d
constexpr std::int64_t hour = 3600, day = 86400;

FileLocation row_of(std::size_t row) { return {fmt::format("row {}", row + 1), {}}; }

/// Seconds of a text by each order of day and month that it allows; the same once.
std::vector<std::int64_t> seconds(const std::string& text) {
    const TimeText time = parse_time(text);
    std::vector<std::int64_t> all;
    if (time.form == Form::clock) return {time.instants[0].seconds};
    for (std::size_t o = 0; o < 3; ++o) {
        if (time.reads[o] && (all.empty() || all.back() != time.instants[o].seconds))
            all.push_back(time.instants[o].seconds);
    }
    return all;
}

using Seconds = std::vector<std::int64_t>;

std::string refused(const Strings& texts) {
    return refusal(Fault::bad_file, [&] { read_times(texts, row_of); });
}

TEST(TimeText, Iso8601) {
    for (const char* text : {"2020-01-01",
                             "2020-01-01T00:00",
                             "2020-01-01T00:00:00",
                             "2020-01-01 00:00:00",
                             "2020-01-01T00:00:00Z",
                             "2020-01-01T00:00:00.000Z",
                             "2020-01-01T00:00:00,0",
                             "2020-01-01T01:00:00+01:00",
                             "2020-01-01T01:00:00+0100",
                             "2020-01-01T01+01",
                             "2019-12-31T18:30:00-05:30",
                             "2020-01-01 00:00:00 UTC",
                             "20200101T000000Z",
                             "20200101T0000",
                             "2020-001",
                             "2020-01",
                             "2019-12-31T24:00:00",
                             "2020-01-01T00:00:00Z[Etc/UTC]",
                             "2020/01/01",
                             "2020.01.01",
                             "2020-1-1 0:00",
                             " 2020-01-01 ",
                             "2020-01-01_00:00"})
        EXPECT_EQ(seconds(text), Seconds{new_year}) << text;
    EXPECT_EQ(parse_time("2020-01-01T00:00:00.5Z").instants[0], (Instant{new_year, 500'000'000'000'000'000}));
    EXPECT_EQ(parse_time("2020-01-01T00:00:00.123456789012345678").instants[0].fraction, 123'456'789'012'345'678);
    EXPECT_EQ(seconds("2020-01-01T12.5"), Seconds{new_year + 12 * hour + 1800});
    EXPECT_EQ(seconds("2020-01-01T00:00:60Z"), Seconds{new_year + 60}) << "a leap second";
    EXPECT_TRUE(parse_time("2020-01-01T00:00Z").has_offset);
    EXPECT_FALSE(parse_time("2020-01-01T00:00").has_offset);
    EXPECT_EQ(seconds("1969-12-31T23:59:59Z"), Seconds{-1});
}

TEST(TimeText, NamesOfMonthsAndDays) {
    for (const char* text : {"1 Jan 2020", "01-Jan-2020", "1-JAN-20", "Jan 1, 2020", "January 1 2020", "2020-Jan-01",
                             "Wed, 01 Jan 2020 00:00:00 GMT", "Wed Jan  1 00:00:00 2020", "1st January 2020",
                             "1. Jan. 2020", "Jan 1, 2020 12:00 AM", "1/Jan/2020", "Jan 2020",
                             "Wed Jan 01 2020 01:00:00 GMT+0100 (Central European Standard Time)"})
        EXPECT_EQ(seconds(text), Seconds{new_year}) << text;
    EXPECT_EQ(seconds("1 Sept 2020"), seconds("2020-09-01"));
    EXPECT_EQ(seconds("5 May 2020"), seconds("2020-05-05"));
    EXPECT_EQ(parse_time("2020-01-01 10:00 CET").zone, "CET");
}

TEST(TimeText, DayAndMonthInBothOrders) {
    const std::int64_t march = seconds("2020-03-04")[0], april = seconds("2020-04-03")[0];
    for (const char* text : {"04/03/2020", "4/3/2020", "04-03-2020", "04.03.2020"})
        EXPECT_EQ(seconds(text), (Seconds{march, april})) << text;
    EXPECT_EQ(seconds("30/09/2019"), seconds("2019-09-30"));
    EXPECT_EQ(seconds("09/30/2019"), seconds("2019-09-30"));
    EXPECT_EQ(seconds("9/30/19"), seconds("2019-09-30"));
    EXPECT_EQ(seconds("31.12.69"), seconds("1969-12-31"));
    EXPECT_EQ(seconds("01/05/20").size(), 3U) << "also 2001-05-20";
    EXPECT_EQ(seconds("1/5/2020, 3:05:07 PM"),
              (Seconds{seconds("2020-05-01T15:05:07")[0], seconds("2020-01-05T15:05:07")[0]}));
    EXPECT_TRUE(parse_time("1.2.2020").has_dots);
    EXPECT_FALSE(parse_time("1/2/2020").has_dots);
}

TEST(TimeText, ClockTimesAndDurations) {
    EXPECT_EQ(seconds("9:05"), Seconds{9 * hour + 300});
    EXPECT_EQ(seconds("09:05:30"), Seconds{9 * hour + 330});
    EXPECT_EQ(seconds("12:00 AM"), Seconds{0});
    EXPECT_EQ(seconds("12:30 pm"), Seconds{12 * hour + 1800});
    EXPECT_EQ(seconds("3pm"), Seconds{15 * hour});
    EXPECT_EQ(seconds("3:05 p.m."), Seconds{15 * hour + 300});
    EXPECT_EQ(seconds("3:05\xe2\x80\xafPM"), Seconds{15 * hour + 300}) << "a narrow blank";
    EXPECT_EQ(seconds("1 day, 2:00:00"), Seconds{day + 2 * hour});
    EXPECT_EQ(seconds("0 days 00:00:10"), Seconds{10});
    EXPECT_EQ(seconds("2 days"), Seconds{2 * day});
    EXPECT_TRUE(parse_time("75:30").is_duration);
    EXPECT_EQ(parse_time("9:05").clock_fields, 2);
}

TEST(TimeText, LeapYears) {
    for (const char* text : {"2020-02-29", "2000-02-29", "29/02/2020", "29 Feb 2020", "2020-366", "0000-02-29"})
        EXPECT_FALSE(seconds(text).empty()) << text;
    for (const char* text : {"2019-02-29", "1900-02-29", "2100-02-29", "29/02/2019", "29 Feb 2019", "2019-366"})
        EXPECT_EQ(parse_time(text).form, Form::none) << text;
}

TEST(TimeText, WhatIsNoTime) {
    for (const char* text : {"",
                             "word",
                             "5 kg",
                             "2020-13-01",
                             "2020-00-10",
                             "32/01/2020",
                             "2020-04-31",
                             "25:00 pm",
                             "13:05 pm",
                             "0:05 am",
                             "10:60",
                             "10:05:61",
                             "2020-01-01 24:01",
                             "2020-01-01 25:00",
                             "2020-01-01T",
                             "2020-01-01+01:00",
                             "1-2",
                             "1.2.3.4",
                             "2020-01-01 10:00 +25:00",
                             "2020-01-01 10:00 later",
                             "10:05 10:06",
                             "2020-01-01 2020-01-02",
                             "Jan",
                             "Jan Feb 2020",
                             "::",
                             "/",
                             "T",
                             "Z"})
        EXPECT_EQ(parse_time(text).form, Form::none) << text;
}

TEST(TimeText, NumbersAreExact) {
    EXPECT_EQ(parse_time("1577836800").number, (Instant{new_year, 0}));
    EXPECT_EQ(parse_time("1577836800000000001").number, (Instant{1577836800000000001, 0})) << "nanoseconds";
    EXPECT_EQ(parse_time("99999999999999999999").form, Form::none);
    EXPECT_EQ(parse_time("-5.25").number, (Instant{-6, 750'000'000'000'000'000}));
    EXPECT_EQ(parse_time("1e9").number, (Instant{1'000'000'000, 0}));
    EXPECT_EQ(parse_time("20200101").form, Form::digits);
    EXPECT_EQ(seconds("20200101"), Seconds{new_year});
    EXPECT_EQ(seconds("31012020"), seconds("2020-01-31"));
    EXPECT_EQ(parse_time("99999999").form, Form::number) << "no date";
}

TEST(Times, AValueProvesTheOrderOfDayAndMonth) {
    const TimeColumn days_first = read_times(Strings{"30/09/2019", "01/10/2019"}, row_of);
    ASSERT_EQ(days_first.readings.size(), 1U);
    EXPECT_EQ(days_first.readings[0].order, DateOrder::dmy);
    EXPECT_EQ(days_first.kind, TimeColumn::Form::dates);
    const TimeColumn months_first = read_times(Strings{"01/02/2020 1:00 pm", "12/31/2019 2:00 am"}, row_of);
    ASSERT_EQ(months_first.readings.size(), 1U);
    EXPECT_EQ(months_first.readings[0].order, DateOrder::mdy);
    EXPECT_EQ(months_first.kind, TimeColumn::Form::moments);
    EXPECT_EQ(read_times(Strings{"01.02.2020", "03.02.2020"}, row_of).readings.size(), 1U) << "dots: the day is first";
    EXPECT_EQ(read_times(Strings{"12.31.2019", "01.02.2020"}, row_of).readings[0].order, DateOrder::mdy);
    EXPECT_EQ(read_times(Strings{"01/02/2020", "03/02/2020"}, row_of).readings.size(), 2U);
    EXPECT_EQ(read_times(Strings{"01/01/2020", "02/02/2020"}, row_of).readings.size(), 1U) << "both are the same";
    EXPECT_EQ(read_times(Strings{"31012020", "01022020"}, row_of).readings[0].of[1], (Instant{new_year + 31 * day, 0}));
    const std::string both = refused({"30/09/2019", "12/31/2019"});
    EXPECT_NE(both.find("row 2: '12/31/2019' does not go with '30/09/2019' in row 1"), std::string::npos) << both;
}

TEST(Times, FormsThatDoNotGoTogetherAreNamed) {
    EXPECT_NE(refused({"2020-01-01", ""}).find("row 2: the time is empty"), std::string::npos);
    EXPECT_NE(refused({"NA", "2020-01-01"}).find("row 1: the time is 'NA'"), std::string::npos);
    EXPECT_NE(refused({"2020-01-01", "2020-02-30"}).find("row 2: '2020-02-30' is no time"), std::string::npos);
    EXPECT_NE(refused({"2020-01-01", "10:05"}).find("one has a date and one has none"), std::string::npos);
    EXPECT_NE(refused({"2020-01-01T00:00Z", "2020-01-01T00:00"}).find("offset from UTC"), std::string::npos);
    EXPECT_NE(refused({"59:30", "1:00:10"}).find("minutes and seconds"), std::string::npos);
    EXPECT_NE(refused({"2020-01-01", "5"}).find("write all times alike"), std::string::npos);
    EXPECT_NE(refused({"2020-10-25 02:30 CEST", "2020-10-25 02:30 CET"}).find("need offsets"), std::string::npos);
    EXPECT_EQ(read_times(Strings{"2020-10-25 02:30 CET", "2020-10-25 02:31 CET"}, row_of).readings.size(), 1U);
    EXPECT_EQ(read_times(Strings{"2020-01-01", "2020-01-01 12:00"}, row_of).kind, TimeColumn::Form::moments);
}

TEST(Times, OffsetsAndFractionsCount) {
    const TimeColumn offsets = read_times(Strings{"2020-01-01T01:30:00+02:00", "2020-01-01T00:00:00Z"}, row_of);
    EXPECT_LT(offsets.readings[0].of[0], offsets.readings[0].of[1]);
    const TimeColumn parts = read_times(Strings{"2020-01-01T00:00:00.5Z", "2020-01-01T00:00:00Z"}, row_of);
    EXPECT_GT(parts.readings[0].of[0], parts.readings[0].of[1]);
}

TEST(Times, NumbersOfSeveralUnitsAreRefused) {
    const std::vector<double> good = {1577836800, 1577836801}, bad = {1577836800, 1577836801000};
    EXPECT_EQ(read_times(good, row_of).kind, TimeColumn::Form::numbers);
    EXPECT_NE(refusal(Fault::bad_file, [&] { read_times(bad, row_of); }).find("row 2"), std::string::npos);
    EXPECT_EQ(read_times(std::vector<double>{0, 1e12}, row_of).readings[0].of.size(), 2U);
    EXPECT_EQ(read_times(std::vector<double>{}, row_of).readings[0].of.size(), 0U);
    EXPECT_EQ(read_times(Strings{}, row_of).readings.size(), 1U);
}

TEST(Times, AnOpenDateNamesBothReadings) {
    const Strings texts = {"01/02/2020", "03/02/2020"};
    const TimeColumn column = read_times(texts, row_of);
    const std::string said = refusal(Fault::bad_file, [&] { refuse_open_date(texts, column, 1, row_of); });
    EXPECT_NE(said.find("row 2: '03/02/2020' may be day, month, year or month, day, year"), std::string::npos) << said;
}

}  // namespace
}  // namespace dunlin::io
