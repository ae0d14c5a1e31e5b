// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "live/held.hpp"
#include "live/steered_loop.hpp"
#include "progress/cancel.hpp"
#include "run/moving_map.hpp"

namespace dunlin::run {

/// A map in a buffer of an executor, n x dim, that is watched only.
template <class Exec>
class BufferMap : public MovingMap {
public:
    using Buffer = typename Exec::template Buffer<float>;

    /// Refers to `exec` and `y`.
    BufferMap(Exec& exec, Buffer& y, Index n, int dim) : exec_(exec), y_(y), n_(n), dim_(dim) {}

    [[nodiscard]] Index points() const override { return n_; }
    [[nodiscard]] int dim() const override { return dim_; }
    [[nodiscard]] std::vector<float> positions() override {
        const auto& values = exec_.host(y_);
        return {values.begin(), values.end()};
    }

protected:
    Exec& exec_;
    Buffer& y_;
    Index n_;
    int dim_;
};

/// One that is steered, too. Points that acts pinned are put back after each iteration.
template <class Exec, class Options>
class SteeredBufferMap : public BufferMap<Exec> {
public:
    using typename BufferMap<Exec>::Buffer;

    /// options: resolved. order: the point of each row; empty: rows are points.
    SteeredBufferMap(Exec& exec, Buffer& y, Index n, int dim, const Options& options, std::span<const Index> order = {})
        : BufferMap<Exec>(exec, y, n, dim), options_(options), held_(order) {}

    /// As acts have set them.
    [[nodiscard]] const Options& options() const { return options_; }

    [[nodiscard]] std::optional<std::vector<live::SteerableField>> fields() override {
        return live::steerable_fields(options_);
    }
    void apply(const live::Act& act, Offset) override {
        if (act.verb == live::Verb::set) {
            live::set_option(options_, act);
        } else {
            const progress::Uncancellable whole;
            held_.move(this->exec_, this->y_, this->dim_, act);
            moved();
        }
        this->exec_.forget();
    }
    void put_back() override {
        const progress::Uncancellable whole;
        held_.put_back(this->exec_, this->y_, this->dim_);
    }

protected:
    /// An act has moved points.
    virtual void moved() {}

private:
    Options options_;
    live::HeldPoints<Exec> held_;
};

}  // namespace dunlin::run
