#include "neighbors/tree.hpp"

#include <algorithm>
#include <numeric>

#include "neighbors/boxes.hpp"

namespace dunlin::neighbors {

template <class Value>
Tree<Value>::Tree(device::Cpu& cpu, const Sketch<Value>& sketch, Index leaf_items)
    : sketch_(sketch), dims_(sketch.dims) {
    const auto items = static_cast<Index>(sketch.errors.size());
    leaves_ = std::max<Index>(1, static_cast<Index>((Offset{items} + leaf_items - 1) / leaf_items));
    order_.resize(static_cast<std::size_t>(items));
    std::iota(order_.begin(), order_.end(), 0);
    const auto nodes = 2 * static_cast<std::size_t>(leaves_) - 1;
    boxes_.resize(nodes * 2 * static_cast<std::size_t>(dims_));
    errors_.resize(nodes);

    // The upper levels one after the other, then their subtrees side by side
    constexpr Index subtrees = 64;
    std::vector<Range> open{{0, 0, leaves_}}, closed;
    while (!open.empty()) {
        const Range range = open.back();
        open.pop_back();
        if (range.leaves <= leaves_ / subtrees + 1) {
            closed.push_back(range);
            continue;
        }
        split(range);
        open.push_back(right(range));
        open.push_back(left(range));
    }
    cpu.each(std::ssize(closed), [&](Offset s) { split_all(closed[static_cast<std::size_t>(s)]); }, 1);
    bound_all({0, 0, leaves_});
}

template <class Value>
void Tree<Value>::split_all(Range range) {
    if (range.leaves == 1) return;
    split(range);
    split_all(left(range));
    split_all(right(range));
}

template <class Value>
void Tree<Value>::split(Range range) {
    const Index along = widest(range);
    const auto value = [&](Index item) { return sketch_.row(item)[along]; };
    const auto at = [&](Index leaf) { return order_.begin() + begin(leaf); };
    std::nth_element(at(range.first), at(right(range).first), at(range.first + range.leaves), [&](Index a, Index b) {
        const Value x = value(a), y = value(b);
        return x != y ? x < y : a < b;
    });
}

/// The coordinate of largest variance among at most 256 items of the range.
template <class Value>
Index Tree<Value>::widest(Range range) const {
    const Index from = begin(range.first), to = begin(range.first + range.leaves);
    const Index step = std::max<Index>(1, (to - from) / 256);
    std::vector<double> sums(static_cast<std::size_t>(dims_)), squares(sums.size());
    double count = 0;
    for (Index at = from; at < to; at += step, ++count) {
        const Value* row = sketch_.row(order_[static_cast<std::size_t>(at)]);
        for (std::size_t c = 0; c < sums.size(); ++c) {
            const auto v = static_cast<double>(row[c]);
            sums[c] += v;
            squares[c] += v * v;
        }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) squares[c] -= sums[c] * sums[c] / count;
    return static_cast<Index>(std::max_element(squares.begin(), squares.end()) - squares.begin());
}

template <class Value>
void Tree<Value>::bound_all(Range range) {
    Value* box = boxes_.data() + Offset{range.node} * 2 * dims_;
    float& error = errors_[static_cast<std::size_t>(range.node)];
    if (range.leaves == 1) {
        const Index from = begin(range.first), to = begin(range.first + 1);
        const Value* first = sketch_.row(order_[static_cast<std::size_t>(from)]);
        std::copy_n(first, dims_, box);
        std::copy_n(first, dims_, box + dims_);
        for (Index at = from; at < to; ++at) {
            const Index item = order_[static_cast<std::size_t>(at)];
            enclose(box, sketch_.row(item), dims_);
            error = std::max(error, sketch_.errors[static_cast<std::size_t>(item)]);
        }
        return;
    }
    bound_all(left(range));
    bound_all(right(range));
    const Value* other = this->box(right(range).node);
    std::copy_n(this->box(left(range).node), 2 * dims_, box);
    enclose(box, other, dims_);
    enclose(box, other + dims_, dims_);
    error = std::max(this->error(left(range).node), this->error(right(range).node));
}

template class Tree<std::uint8_t>;
template class Tree<float>;

}  // namespace dunlin::neighbors
