// SPDX-License-Identifier: Apache-2.0
#include "waves_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>

#include "interrupt.hpp"
#include "network.hpp"

namespace dunlin::app {

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Fault::bad_input, sentence); }

/// HxW or HxWxD: rows, columns and layers.
std::array<Index, 3> sides_of(const std::string& text) {
    std::vector<double> sides = numbers_of(text, 'x', "--grid");
    const bool whole = std::all_of(sides.begin(), sides.end(), [](double side) {
        return side >= 1 && side == std::floor(side) && side < 2147483648.0;
    });
    if (sides.size() < 2 || sides.size() > 3 || !whole)
        refuse(fmt::format("--grid is '{}'; it must be ROWSxCOLUMNS or ROWSxCOLUMNSxLAYERS", text));
    if (sides.size() == 2) sides.push_back(1);
    return {static_cast<Index>(sides[1]), static_cast<Index>(sides[0]), static_cast<Index>(sides[2])};
}

/// Nodes of a side of a line or grid: left, right (x), top, bottom (y), front, back (z); empty: no such word.
std::vector<Index> side_of(const waves::Domain& domain, const std::string& word) {
    const std::array<std::string_view, 6> words{"left", "right", "top", "bottom", "front", "back"};
    const auto found = std::find(words.begin(), words.end(), word);
    std::vector<Index> nodes;
    if (found == words.end() || domain.graph != nullptr) return nodes;
    const auto side = static_cast<std::size_t>(found - words.begin());
    const Index wanted = side % 2 == 0 ? 0 : domain.nodes[side / 2] - 1;
    const auto [nx, ny, nz] = domain.nodes;
    for (Index node = 0; node < domain.size(); ++node) {
        const std::array<Index, 3> at{node % nx, node / nx % ny, node / nx / ny};
        if (at[side / 2] == wanted) nodes.push_back(node);
    }
    return nodes;
}

/// gaussian:CENTER,WIDTH: exp(-(x - center)^2 / width) on the first axis.
std::vector<double> gaussian(const std::string& text, const waves::Domain& domain) {
    const std::vector<double> numbers = numbers_of(text, ',', "--start gaussian");
    if (domain.graph != nullptr || numbers.size() != 2 || !(numbers[1] > 0))
        refuse("--start gaussian:CENTER,WIDTH needs a line, a ring or a grid, two numbers, and a width above 0");
    std::vector<double> v(static_cast<std::size_t>(domain.size()));
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto column = static_cast<Offset>(i) % domain.nodes[0];
        const double away = static_cast<double>(column) * domain.spacing - numbers[0];
        v[i] = std::exp(-away * away / numbers[1]);
    }
    return v;
}

/// A .npy file with v, or v and then w.
void read_start(const std::string& path, Offset n, std::vector<double>& v, std::vector<double>& w) {
    io::DoubleArray array = io::read_array(path);
    const auto count = static_cast<std::size_t>(n);
    if (array.values.size() != count && array.values.size() != 2 * count) {
        throw Error(
            Fault::bad_file,
            fmt::format("{} has {} values; a start has {}, or twice that for v and w", path, array.values.size(), n),
            {.file = path});
    }
    v.assign(array.values.begin(), array.values.begin() + n);
    w.assign(array.values.begin() + n, array.values.end());
}

void add_held(const std::string& text, const WavesDomain& domain, std::vector<waves::Stimulus>& stimuli) {
    const auto equals = text.rfind('=');
    if (equals == std::string::npos) refuse(fmt::format("--hold is '{}'; it must be ID=VALUE or SIDE=VALUE", text));
    const std::string id = text.substr(0, equals);
    const double value = numbers_of(text.substr(equals + 1), ',', "--hold " + id).at(0);
    std::vector<Index> vertices = side_of(domain.domain, id);
    if (vertices.empty()) vertices = {vertex_of(domain, id)};
    for (const Index vertex : vertices) stimuli.push_back({.vertex = vertex, .value = value});
}

}  // namespace

std::vector<double> numbers_of(const std::string& text, char separator, const std::string& flag) {
    std::vector<double> numbers;
    const char *at = text.data(), *const end = text.data() + text.size();
    for (bool more = true; more;) {
        const auto [after, fault] = std::from_chars(at, end, numbers.emplace_back());
        if (fault != std::errc() || (after != end && *after != separator))
            refuse(fmt::format("{} is '{}'; it must be numbers separated by '{}'", flag, text, separator));
        more = after != end;
        at = after + 1;
    }
    return numbers;
}

void read_domain(const WavesInput& input, const CommonOptions& common, WavesDomain& domain) {
    const int given = static_cast<int>(!input.graph.empty()) + static_cast<int>(!input.grid.empty()) +
                      static_cast<int>(input.line.has_value()) + static_cast<int>(input.ring.has_value());
    if (given != 1) refuse(fmt::format("{} domains are given; give one of GRAPH, --line, --ring and --grid", given));
    if (input.line) domain.domain = waves::Domain::line(*input.line, input.spacing);
    if (input.ring) domain.domain = waves::Domain::ring(*input.ring, input.spacing);
    if (!input.grid.empty()) domain.domain = waves::Domain::grid(sides_of(input.grid), input.spacing, input.periodic);
    if (input.graph.empty()) return;
    const WhileReading reading;
    domain.network = io::read_network(input.graph, input.network, common.run);
    require_read(common, domain.network.graph.size() == 0);
    print_notes(common, input.graph, domain.network);
    domain.domain = waves::Domain::on(domain.network.graph);
}

Index vertex_of(const WavesDomain& domain, const std::string& id) {
    const std::vector<std::string>& ids = domain.network.ids;
    if (domain.domain.size() == 0) refuse(fmt::format("there is no vertex '{}'; the domain has none", id));
    if (!ids.empty()) {
        const auto found = std::find(ids.begin(), ids.end(), id);
        if (found == ids.end()) refuse(fmt::format("there is no vertex '{}'; ids are those of the file", id));
        return static_cast<Index>(found - ids.begin());
    }
    const std::vector<double> at = numbers_of(id, ',', "a vertex");
    const auto axes = static_cast<std::size_t>(domain.axes());
    if (at.size() > 1 && (domain.is_graph() || at.size() != axes))
        refuse(fmt::format("'{}' is no node; give its number from 0, or {} coordinates", id, domain.axes()));
    double number = 0;
    for (std::size_t a = at.size(); a-- > 0;) {
        const auto side = static_cast<double>(domain.domain.nodes[a]);
        if (at.size() > 1 && !(at[a] >= 0 && at[a] < side && at[a] == std::floor(at[a])))
            refuse(fmt::format("there is no node '{}'; there are {} along axis {}, from 0", id, side, a + 1));
        number = at.size() > 1 ? number * side + at[a] : at[a];
    }
    if (!(number >= 0 && number < static_cast<double>(domain.domain.size())) || number != std::floor(number))
        refuse(fmt::format("there is no vertex '{}'; there are {}, from 0", id, domain.domain.size()));
    return static_cast<Index>(number);
}

waves::Given given_of(const WavesInput& input, const WavesDomain& domain, std::vector<double>& v,
                      std::vector<double>& w) {
    const std::string gaussian_word = "gaussian:";
    if (input.start.starts_with(gaussian_word)) {
        v = gaussian(input.start.substr(gaussian_word.size()), domain.domain);
    } else if (input.start != "rest") {
        read_start(input.start, domain.domain.size(), v, w);
    }
    waves::Given given{.v = v, .w = w};
    for (const std::string& id : input.stimulate) {
        given.stimuli.push_back({.vertex = vertex_of(domain, id),
                                 .value = input.value,
                                 .from = input.from,
                                 .to = input.from + input.duration,
                                 .every = input.every});
    }
    for (const std::string& text : input.hold) add_held(text, domain, given.stimuli);
    return given;
}

}  // namespace dunlin::app
