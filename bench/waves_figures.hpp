// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/plots.hpp>

/// What bench_waves writes: a CSV file and a picture per figure, and rows of checked numbers and of times.
namespace dunlin::bench {

using Values = std::vector<double>;

class Figures {
public:
    explicit Figures(std::string folder) : folder_(std::move(folder)) {
        std::puts("figure,quantity,published,expected,got,agrees");
    }

    /// A number beside what was published and what must come out.
    static void check(int figure, const std::string& quantity, const char* published, double expected, double got,
                      double tolerance) {
        const bool agrees = std::abs(got - expected) <= tolerance;
        std::printf("%d,\"%s\",%s,%.6g,%.6g,%s\n", figure, quantity.c_str(), published, expected, got,
                    agrees ? "yes" : "no");
    }
    /// Seconds, which are not checked.
    static void time(int figure, const std::string& quantity, double seconds) {
        std::printf("%d,\"%s\",,,%.6g,\n", figure, quantity.c_str(), seconds);
    }

    /// figure-NN.csv.
    class Table {
    public:
        Table(const std::string& path, const char* header) : path_(path), out_(path) {
            out_.precision(12);
            out_ << header << '\n';
        }
        template <class First, class... Rest>
        void row(const First& first, const Rest&... rest) {
            out_ << first;
            ((out_ << ',' << rest), ...);
            if (!(out_ << '\n')) throw Error(Fault::bad_file, path_ + " cannot be written");
        }

    private:
        std::string path_;
        std::ofstream out_;
    };
    [[nodiscard]] Table table(int figure, const char* header) const { return {place(figure, ".csv"), header}; }

    /// figure-NN.svg: curves of equal length.
    void plot(int figure, const std::string& title, const picture::Axis& x, const std::string& y_name,
              const std::vector<std::string>& names, const std::vector<Values>& curves) const {
        Values all;
        for (const Values& curve : curves) all.insert(all.end(), curve.begin(), curve.end());
        const auto rows = static_cast<Index>(curves.size()), columns = static_cast<Index>(curves.front().size());
        picture::Options options;
        options.title = title;
        picture::draw(place(figure, ".svg"),
                      picture::Curves{.values = {all.data(), rows, columns}, .names = names, .x = x, .y_name = y_name},
                      options);
    }

private:
    [[nodiscard]] std::string place(int figure, const char* suffix) const {
        return folder_ + "/figure-" + (figure < 10 ? "0" : "") + std::to_string(figure) + suffix;
    }

    std::string folder_;
};

inline Values logarithms(Values values) {
    for (double& value : values) value = std::log10(value);
    return values;
}

/// RMS difference to a reference on a line whose nodes contain those of v.
inline double error_of(const Values& v, const Values& reference) {
    const std::size_t every = (reference.size() - 1) / (v.size() - 1);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += std::pow(v[i] - reference[i * every], 2);
    return std::sqrt(sum / static_cast<double>(v.size()));
}

}  // namespace dunlin::bench
