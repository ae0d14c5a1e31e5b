// SPDX-License-Identifier: Apache-2.0
#include "parametric/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include <dunlin/error.hpp>

#include "options/check.hpp"
#include "parametric/batches.hpp"
#include "parametric/network.hpp"

namespace dunlin::parametric {

namespace {

constexpr Index least_points = 4;
constexpr std::size_t most_layers = 16;
constexpr Index most_units = 1'000'000;

[[noreturn]] void fail(const char* option, const std::string& sentence) {
    throw Error(Fault::bad_input, sentence, {.option = option});
}

std::vector<Index> hidden_layers(const std::string& text) {
    std::vector<Index> layers;
    std::string_view rest = text;
    while (true) {
        const std::string_view word = rest.substr(0, rest.find(','));
        Index units = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), units);
        if (error != std::errc() || end != word.data() + word.size() || units < 1 || units > most_units) {
            fail("layers", fmt::format("layers is '{}'; it must be numbers of units from 1 to {}, separated by commas, "
                                       "such as 500,500,2000",
                                       text, most_units));
        }
        layers.push_back(units);
        if (word.size() == rest.size()) break;
        rest.remove_prefix(word.size() + 1);
    }
    if (layers.size() > most_layers)
        fail("layers", fmt::format("layers has {} layers; it must have at most {}", layers.size(), most_layers));
    return layers;
}

/// Points, or rows of a batch, among which affinities are.
Index rows_of_affinities(const Options& o, Index n) {
    const Batches batches(n, *o.batch);
    return o.loss == Loss::batch ? n / batches.count() : n;
}

void settle_perplexity(Options& o, Index n) {
    const Index rows = rows_of_affinities(o, n);
    const auto most = static_cast<float>(rows - 1);
    if (!o.perplexity) o.perplexity = std::clamp(most / 3, 1.0F, 30.0F);
    if (*o.perplexity <= most) return;
    fail("perplexity", fmt::format("perplexity is {}; it must be at most {}, one less than the {}", *o.perplexity, most,
                                   o.loss == Loss::batch ? "rows of a batch" : "points"));
}

/// Epochs that make so many steps, at least `least`.
int epochs_of(int least, int steps, Index batches) { return std::max(least, (steps + batches - 1) / batches); }

/// Steps are counted in 32 bits.
void require_countable(const char* option, double passes, Index batches) {
    constexpr double most = 2e9;
    if (passes * batches <= most) return;
    fail(option, fmt::format("{:g} passes of {} batches are more than {:g} steps; give fewer {}, or a larger batch",
                             passes, batches, most, option));
}

void settle_batches(Options& o, Index n) {
    const bool by_searches = o.optimizer == Optimizer::conjugate_gradients;
    if (!o.batch) o.batch = by_searches ? 5000 : std::clamp<Index>(n / 20, 100, 1000);
    const Index batches = Batches(n, *o.batch).count();
    if (o.pretrain == Pretrain::rbm && !o.pretrain_epochs) o.pretrain_epochs = 30;
    if (o.pretrain == Pretrain::map && !o.pretrain_epochs) o.pretrain_epochs = epochs_of(40, 2000, batches);
    if (!o.epochs) {
        o.epochs = o.pretrain == Pretrain::map ? 20 : 30;
        if (!by_searches) o.epochs = epochs_of(*o.epochs, 1000, batches);
    }
    const double searches = by_searches ? o.line_searches.value_or(1) : 1;
    require_countable("epochs", searches * *o.epochs, batches);
    const std::size_t machines = o.pretrain == Pretrain::rbm ? hidden_layers(o.layers).size() + 1 : 1;
    if (o.pretrain_epochs)
        require_countable("pretrain-epochs", static_cast<double>(machines) * *o.pretrain_epochs, batches);
}

/// Whether columns are as values of pixels: not negative, and spread over the range. Of a column of mean m in a range
/// of length 1, values at its ends alone have the variance m (1 - m), even ones in the mean a third of it, and those
/// near the mean, as of measurements, or far below the largest, as of counts, nearly 0. Half of that of even values is
/// asked for (digits have 0.51, the tables iris, wine and breast cancer 0.07 to 0.11). Nothing depends on the unit.
bool is_bounded(const PointStatistics& points) {
    if (points.least < 0) return false;
    double most = 0;
    for (const double mean : points.means) most += (mean - points.least) * (points.most - mean);
    constexpr double spread = 1.0 / 6;
    return points.variance * static_cast<double>(points.means.size()) >= spread * most;
}

void settle_prototypes(Options& o, Index n) {
    constexpr Index enough = 256;
    if (o.pretrain != Pretrain::map) return;
    if (!o.prototypes) o.prototypes = std::min(enough, n / 2);
    if (*o.prototypes == 1) fail("prototypes", "prototypes is 1; it must be at least 2, or 0 for none");
    if (*o.prototypes > n)
        fail("prototypes",
             fmt::format("prototypes is {}; it must be at most {}, the number of points", *o.prototypes, n));
}

void check_combinations(const Options& o) {
    if (o.dim > 3 && o.pretrain == Pretrain::map)
        fail("dim", fmt::format("dim is {}, and t-SNE maps have at most 3; give pretrain rbm or none", o.dim));
    if (o.dim > 3 && o.loss == Loss::whole)
        fail("dim", fmt::format("dim is {}, and loss whole is of maps of at most 3; give loss batch", o.dim));
    if (o.optimizer == Optimizer::conjugate_gradients && o.loss == Loss::whole)
        fail("optimizer", "optimizer is conjugate-gradients, which needs the loss of a batch; give loss batch");
}

void check_points(const Options& o, const PointStatistics& points) {
    if (points.rows < least_points) {
        throw Error(Fault::bad_input,
                    fmt::format("there are {} points; a parametric map needs at least {}", points.rows, least_points));
    }
    if (!(points.most > points.least) || !(points.variance > 0)) {
        throw Error(Fault::bad_input, "all points are equal; a parametric map needs points that differ");
    }
    if (o.visible == Visible::binary && points.least < 0) {
        fail("visible", fmt::format("visible is binary, and the values are from {:g} to {:g}; none may be below 0; "
                                    "give visible gaussian",
                                    points.least, points.most));
    }
}

}  // namespace

Options resolve(const Options& wanted, const PointStatistics& points) {
    Options o = wanted;
    options::check(o);
    hidden_layers(o.layers);
    options::settle(o);
    check_combinations(o);
    check_points(o, points);
    settle_batches(o, points.rows);
    settle_perplexity(o, points.rows);
    settle_prototypes(o, points.rows);
    if (o.pretrain == Pretrain::rbm && !o.visible) o.visible = is_bounded(points) ? Visible::binary : Visible::gaussian;
    return o;
}

std::vector<Index> widths_of(const Options& options, Index cols) {
    std::vector<Index> widths = hidden_layers(options.layers);
    widths.insert(widths.begin(), cols);
    const Index prototypes = options.prototypes.value_or(0);
    widths.push_back(prototypes > 0 ? prototypes : options.dim);
    return widths;
}

Activation activation_of(const Options& options) { return options.activation.value_or(Activation::logistic); }

Scaling scaling_of(const Options& options, const PointStatistics& points) {
    Scaling scaling;
    if (options.visible == Visible::binary) {
        scaling.shift.assign(points.means.size(), points.least);
        scaling.scale = 1 / (points.most - points.least);
    } else {
        scaling.shift = points.means;
        scaling.scale = 1 / std::sqrt(points.variance);
    }
    return scaling;
}

std::uint64_t bytes_of(const Options& o, Index rows, Index cols) {
    const std::vector<Index> widths = widths_of(o, cols);
    const NetworkShape shape(widths, activation_of(o));
    const auto n = static_cast<std::uint64_t>(rows), batch = static_cast<std::uint64_t>(std::min(rows, *o.batch));
    const auto units = static_cast<std::uint64_t>(shape.units() + cols);
    const auto neighbors = static_cast<std::uint64_t>(std::ceil(3 * *o.perplexity));
    const Index widest = *std::max_element(widths.begin(), widths.end());
    const std::uint64_t bytes_of_noise = o.noise.value_or(0) > 0 ? 16 * sizeof(float) : 0;  // a length, 15 neighbors
    const std::uint64_t features = o.pretrain == Pretrain::rbm ? 2 * n * static_cast<std::uint64_t>(widest) : 0;
    return sizeof(float) * (8 * static_cast<std::uint64_t>(shape.parameters) + 2 * batch * units + features) +
           n * (neighbors * 36 + bytes_of_noise + 4 * sizeof(float) * static_cast<std::uint64_t>(o.dim));
}

}  // namespace dunlin::parametric
