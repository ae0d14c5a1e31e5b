// SPDX-License-Identifier: Apache-2.0
#include "shards/components.hpp"

#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::kmeans {

namespace {

using mixture::Component;
using mixture::Covariance;
using mixture::Expectation;
using mixture::Square;
using mixture::Vector;

/// Visits the numbers of a column, or the lower triangle of a square matrix.
template <class Values, class Visit>
void each_of(Values& values, const Visit& visit) {
    for (Eigen::Index col = 0; col < values.cols(); ++col) {
        for (Eigen::Index row = col; row < values.rows(); ++row) visit(values(row, col));
    }
}

template <class Visit>
void each_number(Component& component, bool covariance, const Visit& visit) {
    visit(component.share), visit(component.log_scale);
    each_of(component.mean, visit), each_of(component.whitening, visit);
    if (covariance) each_of(component.covariance, visit);
}

template <class Visit>
void each_number(Expectation& sums, const Visit& visit) {
    visit(sums.log_likelihood);
    for (mixture::ComponentMoments& moments : sums.moments) {
        visit(moments.weight);
        each_of(moments.first, visit), each_of(moments.second, visit);
    }
    each_of(sums.pooled, visit);
}

}  // namespace

std::vector<double> numbers_of(const std::vector<Component>& components, bool covariance) {
    std::vector<double> numbers;
    for (Component component : components) {
        each_number(component, covariance, [&](double number) { numbers.push_back(number); });
    }
    return numbers;
}

std::vector<Component> components_from(const std::vector<double>& numbers, Index count, Index cols, Covariance form,
                                       bool covariance) {
    const bool tied = form == Covariance::tied;
    const Square zero = tied ? Square() : Square(Square::Zero(cols, mixture::cols_of_second(form, cols)));
    std::vector<Component> components(static_cast<std::size_t>(count), Component{0, Vector::Zero(cols), zero, zero, 0});
    if (tied) components.front().covariance = components.front().whitening = Square::Zero(cols, cols);
    std::size_t next = 0;
    for (Component& component : components) {
        each_number(component, covariance, [&](double& number) {
            if (next < numbers.size()) number = numbers[next];
            ++next;
        });
    }
    if (next != numbers.size())
        throw Error(Fault::bad_input, "the numbers of the components are not as many as they have; start anew");
    return components;
}

std::vector<Component> components_of(const ShardRequest& request) {
    return components_from(request.components, static_cast<Index>(request.count), request.cols, request.covariance,
                           false);
}

std::size_t numbers_of_components(const ShardRequest& request) {
    const auto cols = static_cast<std::size_t>(request.cols);
    const std::size_t matrix = cols * (cols + 1) / 2, count = request.count;
    const std::size_t factors = request.covariance == Covariance::full   ? count * matrix
                                : request.covariance == Covariance::tied ? matrix
                                                                         : count * cols;
    return count * (2 + cols) + factors;
}

std::vector<Component> components_at(const std::vector<float>& centroids, Index cols) {
    std::vector<Component> components;
    for (std::size_t at = 0; at < centroids.size(); at += static_cast<std::size_t>(cols)) {
        components.push_back(
            {0, Eigen::Map<const Eigen::VectorXf>(centroids.data() + at, cols).cast<double>(), {}, {}, 0});
    }
    return components;
}

void append_sums(std::vector<Expectation> nodes, std::vector<double>& numbers) {
    for (Expectation& node : nodes) {
        each_number(node, [&](double number) { numbers.push_back(number); });
    }
}

Expectation sum_of(const std::vector<ShardResponse>& responses, const Expectation& zero) {
    mixture::PairwiseSum sum;
    for (const ShardResponse& response : responses) {
        for (std::size_t next = 0; next < response.parts.size();) {
            Expectation node = zero;
            each_number(node, [&](double& number) {
                if (next == response.parts.size()) fail_for_message("its sums are not those of the components");
                number = response.parts[next++];
            });
            sum.add(std::move(node));
        }
    }
    return sum.total();
}

}  // namespace dunlin::kmeans
