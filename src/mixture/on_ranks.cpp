// SPDX-License-Identifier: Apache-2.0
#include "mixture/on_ranks.hpp"

#include <vector>

#include "progress/cancel.hpp"

namespace dunlin::mixture {

namespace {

/// A call of the first rank.
struct Request {
    enum class Kind : char { end, begin, nearest, expect, labels } kind = Kind::end;
    const std::vector<double>* means = nullptr;
    const std::vector<Index>* given_labels = nullptr;
    const ComponentArrays* components = nullptr;
    GpuOutputs wanted = {};
    Index* labels = nullptr;
};
using Kind = Request::Kind;

/// Steps end at a stop on which all ranks agree, and at no cancellation point of the first rank alone: the others,
/// which have none, would wait for its part of the step.
class ExpectationsOfRanks final : public GpuExpectations {
public:
    ExpectationsOfRanks(device::Rank& rank, const MakeExpectations& make) : rank_(rank) {
        const progress::Uncancellable whole;
        rank_.from_all(Request{.kind = Kind::begin});
        own_ = make();
    }

    MomentArrays nearest(const std::vector<double>& means, const std::vector<Index>& labels) override {
        const progress::Uncancellable whole;
        rank_.from_all(Request{.kind = Kind::nearest, .means = &means, .given_labels = &labels});
        return own_->nearest(means, labels);
    }
    MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) override {
        const progress::Uncancellable whole;
        rank_.from_all(Request{.kind = Kind::expect, .components = &components, .wanted = wanted});
        return own_->expect(components, wanted);
    }
    void labels(Index* all) override {
        const progress::Uncancellable whole;
        rank_.from_all(Request{.kind = Kind::labels, .labels = all});
        own_->labels(all);
        rank_.wait_for_all();  // all have written theirs
    }

private:
    device::Rank& rank_;
    std::unique_ptr<GpuExpectations> own_;
};

}  // namespace

std::unique_ptr<GpuExpectations> ask_ranks(device::Rank& rank, const MakeExpectations& make) {
    return std::make_unique<ExpectationsOfRanks>(rank, make);
}

void serve(device::Rank& rank, const MakeExpectations& make) {
    std::unique_ptr<GpuExpectations> own;
    const auto answer = [&](const Request& request) {
        if (request.kind == Kind::begin) own = make();
        if (request.kind == Kind::nearest) own->nearest(*request.means, *request.given_labels);
        if (request.kind == Kind::expect) own->expect(*request.components, request.wanted);
        if (request.kind != Kind::labels) return;
        own->labels(request.labels);
        rank.wait_for_all();
    };
    for (;;) {
        const Request request = rank.from_all(Request{}).front();
        if (request.kind == Kind::end) return;
        try {
            answer(request);
        } catch (const progress::Cancelled&) {
            continue;  // as the first, which says what comes next
        }
    }
}

void end_service(device::Rank& rank) { rank.from_all(Request{}); }

}  // namespace dunlin::mixture
