// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <dunlin/names.hpp>
#include <dunlin/texts.hpp>

#include "arrays.hpp"
#include "bind.hpp"
#include "group_tree.hpp"
#include "rows.hpp"
#include "run.hpp"
#include "text.hpp"

namespace dunlin::python {

namespace {

/// Lists of all groups as one array for each member, and the place where each group begins.
template <class Entry>
class FlatLists {
public:
    explicit FlatLists(const std::vector<std::vector<Entry>>& lists) : lists_(lists) {}

    [[nodiscard]] nb::object offsets() const {
        std::vector<Offset> begin{0};
        for (const auto& list : lists_) begin.push_back(begin.back() + std::ssize(list));
        return array_of(std::move(begin));
    }
    template <class T>
    [[nodiscard]] nb::object column(T Entry::* member) const {
        std::vector<T> values;
        for (const auto& list : lists_) {
            for (const Entry& entry : list) values.push_back(entry.*member);
        }
        return array_of(std::move(values));
    }

private:
    const std::vector<std::vector<Entry>>& lists_;
};

nb::dict arrays_of(const std::vector<std::vector<naming::Term>>& terms) {
    const FlatLists lists(terms);
    nb::dict all;
    all["offsets"] = lists.offsets();
    all["term"] = lists.column(&naming::Term::term);
    all["score"] = lists.column(&naming::Term::score);
    all["z"] = lists.column(&naming::Term::z);
    all["count"] = lists.column(&naming::Term::count);
    return all;
}

nb::dict arrays_of(const std::vector<std::vector<naming::Feature>>& features) {
    const FlatLists lists(features);
    nb::dict all;
    all["offsets"] = lists.offsets();
    all["column"] = lists.column(&naming::Feature::column);
    all["z"] = lists.column(&naming::Feature::z);
    all["auc"] = lists.column(&naming::Feature::auc);
    all["difference"] = lists.column(&naming::Feature::difference);
    all["effect"] = lists.column(&naming::Feature::effect);
    all["fold"] = lists.column(&naming::Feature::fold);
    all["p"] = lists.column(&naming::Feature::p);
    all["adjusted"] = lists.column(&naming::Feature::adjusted);
    return all;
}

nb::list texts_of(const std::vector<std::string>& texts) {
    nb::list all;
    for (const std::string& text : texts) all.append(text_of(text));
    return all;
}

nb::tuple values_of(naming::Result&& result, Watched& watched) {
    nb::dict all = outcome_of(result);
    all["names"] = texts_of(result.names);
    if (!result.terms.empty()) all["terms"] = arrays_of(result.terms);
    if (!result.features.empty()) all["features"] = arrays_of(result.features);
    if (!result.labels.empty()) {
        all["label"] = array_of(std::move(result.labels));
        all["purity"] = array_of(std::move(result.purity));
    }
    return nb::make_tuple(all, watched.raised());
}

nb::tuple name_by_words(const nb::dict& arrays, const nb::tuple& counts, const std::vector<std::string>& words,
                        const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<naming::Options>(options);
    const GroupTree tree = tree_from(arrays);
    const SparseView rows = sparse_view_of(counts);
    Watched watched(run, std::move(callback), 0);
    naming::Result result = watched([&](const Run& r) { return naming::of_words(tree, rows, words, chosen, r); });
    return values_of(std::move(result), watched);
}

template <class Rows>
nb::tuple name_by_columns(const nb::dict& arrays, const Rows& points, const std::vector<std::string>& columns,
                          const nb::dict& options, const nb::dict& run, nb::object callback) {
    const auto chosen = options_from<naming::Options>(options);
    const GroupTree tree = tree_from(arrays);
    const auto rows = rows_of(points);
    Watched watched(run, std::move(callback), 0);
    naming::Result result = watched([&](const Run& r) { return naming::of_columns(tree, rows, columns, chosen, r); });
    return values_of(std::move(result), watched);
}

nb::tuple name_by_labels(const nb::dict& arrays, const Indices& codes, const std::vector<std::string>& names,
                         const nb::dict& run, nb::object callback) {
    const GroupTree tree = tree_from(arrays);
    const Labels labels = labels_from(codes, names);
    Watched watched(run, std::move(callback), 0);
    naming::Result result = watched([&](const Run& r) { return naming::of_labels(tree, labels, r); });
    return values_of(std::move(result), watched);
}

/// ((offsets, columns, values, number of columns), words), and the exception that ended it.
nb::tuple count_words(const std::vector<std::string>& texts, const std::vector<std::string>& stop_words, int phrase,
                      Index least, const nb::dict& run, nb::object callback) {
    const io::WordOptions options{.phrase = phrase, .texts = least, .stop_words = stop_words};
    Watched watched(run, std::move(callback), 0);
    io::WordTable table = watched([&](const Run& r) { return io::count_words(texts, options, r); });
    SparseMatrix& counts = table.counts;
    const nb::tuple rows = nb::make_tuple(array_of(std::move(counts.offsets)), array_of(std::move(counts.columns)),
                                          array_of(std::move(counts.values)), counts.cols);
    return nb::make_tuple(nb::make_tuple(rows, texts_of(table.words)), watched.raised());
}

}  // namespace

void bind_names(nb::module_& module) {
    const auto none = nb::arg().none();
    module.def("name_by_words", name_by_words, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("name_by_columns", name_by_columns<FloatMatrix>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               none);
    module.def("name_by_columns", name_by_columns<nb::tuple>, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               none);
    module.def("name_by_labels", name_by_labels, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
    module.def("count_words", count_words, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), none);
}

}  // namespace dunlin::python
