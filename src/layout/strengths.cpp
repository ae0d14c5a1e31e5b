// SPDX-License-Identifier: Apache-2.0
#include <dunlin/strengths.hpp>

#include <algorithm>
#include <functional>

namespace dunlin::layout {

std::string sentence_of_strengths(const Graph& graph, const Options& options) {
    if (options.method != Method::stress || options.weights != Weights::strength) return "";
    const auto& w = graph.weights;
    if (std::adjacent_find(w.begin(), w.end(), std::not_equal_to<>()) == w.end()) return "";
    return "the edges have strengths, which method stress does not read: it gives all edges one length; with weights "
           "length they are lengths, and the other methods draw strong edges short";
}

}  // namespace dunlin::layout
