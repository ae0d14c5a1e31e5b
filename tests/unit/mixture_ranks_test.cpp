// SPDX-License-Identifier: Apache-2.0
// Steps of mixtures that several ranks share: what the first asks of the others, on the CPU.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <dunlin/error.hpp>

#include "cases/cpu_ranks.hpp"
#include "math/at.hpp"
#include "mixture/on_ranks.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mixture {

namespace {

using cases::counts_of_ranks, cases::run_with;

constexpr Index all_rows = 29;

/// Each rank has some rows; the log likelihood is the sum of their labels, or of the first mean.
class Shares final : public GpuExpectations {
public:
    explicit Shares(const dunlin::Run& run) : run_(run), rows_(rank().slice(all_rows)) {}

    MomentArrays nearest(const std::vector<double>& means, const std::vector<Index>& labels) override {
        double sum = 0;
        for (Offset row = rows_.begin; row < rows_.end; ++row) sum += labels[at(row)];
        return sum_of(means.front() * sum);
    }
    MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) override {
        progress::cancellation_point();  // as of a large copy: of the first rank alone
        if (device::stops(run_)) throw progress::Cancelled{};
        if (components.means.front() < 0 && rank().index() + 1 == rank().count())
            throw Error(Fault::device_failure, "this rank fails");
        for (Offset row = rows_.begin; wanted.responsibilities != nullptr && row < rows_.end; ++row)
            wanted.responsibilities[row] = static_cast<float>(row);
        ++steps_;
        return sum_of(components.means.front() * static_cast<double>(rows_.size()));
    }
    void labels(Index* all) override {
        for (Offset row = rows_.begin; row < rows_.end; ++row) all[row] = static_cast<Index>(row) + 100 * steps_;
    }

private:
    static device::Rank& rank() { return *device::Rank::current(); }
    static MomentArrays sum_of(double own) {
        const std::vector<double> all = rank().from_all(own);
        MomentArrays sums;
        sums.log_likelihood = std::accumulate(all.begin(), all.end(), 0.0);
        return sums;
    }

    dunlin::Run run_;
    device::Slice rows_;
    Index steps_ = 0;
};

/// work(the first rank's expectations); the other ranks serve.
template <class Work>
void with_ranks(const dunlin::Run& run, const Work& work) {
    device::run_on_ranks(run, [&](const dunlin::Run& own) {
        device::Rank& rank = *device::Rank::current();
        const auto make = [&] { return std::make_unique<Shares>(own); };
        if (rank.index() > 0) return serve(rank, make);
        work(rank, make);
        end_service(rank);
    });
}

ComponentArrays with_mean(double mean) {
    ComponentArrays components;
    components.means = {mean};
    return components;
}

TEST(MixtureRanks, AllDoTheirShareOfEachStep) {
    for (const int count : counts_of_ranks) {
        std::vector<Index> labels(all_rows, 2), found(all_rows);
        std::vector<float> responsibilities(all_rows, -1);
        const std::vector<double> means{0.5};
        const ComponentArrays components = with_mean(2);
        with_ranks(run_with(count), [&](device::Rank& rank, const MakeExpectations& make) {
            const std::unique_ptr<GpuExpectations> all = ask_ranks(rank, make);
            EXPECT_EQ(all->nearest(means, labels).log_likelihood, all_rows);
            EXPECT_EQ(all->expect(components, {}).log_likelihood, 2 * all_rows);
            EXPECT_EQ(all->expect(components, {false, responsibilities.data()}).log_likelihood, 2 * all_rows);
            all->labels(found.data());
            for (Index row = 0; row < all_rows; ++row) {
                EXPECT_EQ(found[at(row)], row + 200) << count;
                EXPECT_EQ(responsibilities[at(row)], static_cast<float>(row)) << count;
            }
        });
    }
}

TEST(MixtureRanks, NothingIsAsked) {
    with_ranks(run_with(3), [](device::Rank&, const MakeExpectations&) {});
    EXPECT_EQ(last_gpu_use().size(), 3U);
}

/// All leave the same step, and go on.
TEST(MixtureRanks, AfterAStopLabelsAreThoseOfTheLastStep) {
    for (const int count : counts_of_ranks) {
        std::stop_source source;
        dunlin::Run run = run_with(count);
        run.stop = source.get_token();
        std::vector<Index> found(all_rows);
        const ComponentArrays components = with_mean(2);
        with_ranks(run, [&](device::Rank& rank, const MakeExpectations& make) {
            const progress::CancellationScope scope(run.stop);
            const std::unique_ptr<GpuExpectations> all = ask_ranks(rank, make);
            (void)all->expect(components, {});
            source.request_stop();
            EXPECT_THROW((void)all->expect(components, {}), progress::Cancelled);
            all->labels(found.data());
        });
        for (Index row = 0; row < all_rows; ++row) EXPECT_EQ(found[at(row)], row + 100) << count;
    }
}

TEST(MixtureRanks, OneFailureEndsAll) {
    const ComponentArrays good = with_mean(2), bad = with_mean(-1);
    for (const int count : counts_of_ranks) {
        try {
            with_ranks(run_with(count), [&](device::Rank& rank, const MakeExpectations& make) {
                const std::unique_ptr<GpuExpectations> all = ask_ranks(rank, make);
                (void)all->expect(good, {});
                (void)all->expect(bad, {});
            });
            ADD_FAILURE() << "no rank failed";
        } catch (const Error& error) {
            EXPECT_EQ(error.fault(), Fault::device_failure);
            EXPECT_EQ(std::string(error.what()), "GPU " + std::to_string(count - 1) + ": this rank fails");
        }
        // Of the first, while the others serve
        EXPECT_THROW(with_ranks(run_with(count),
                                [&](device::Rank& rank, const MakeExpectations& make) {
                                    const std::unique_ptr<GpuExpectations> all = ask_ranks(rank, make);
                                    throw std::runtime_error("the first");
                                }),
                     std::runtime_error);
    }
}

/// GPUs that are not used are no error.
TEST(MixtureRanks, SeveralGpusMayBeNamedForWorkOnTheCpu) {
    const std::vector<float> points{1, 2, 4, 8, 9, 11};
    const MatrixView<const float> rows{points.data(), 6, 1};
    const Result one = fit(rows, {.components = 2}, {.device = Device::cpu}),
                 several = fit(rows, {.components = 2}, {.device = Device::cpu, .gpus = {0, 1}});
    EXPECT_EQ(several.log_likelihood, one.log_likelihood);
    EXPECT_EQ(several.labels, one.labels);
}

}  // namespace

}  // namespace dunlin::mixture
