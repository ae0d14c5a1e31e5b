// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mixture.hpp>

#include "arrays.hpp"
#include "run.hpp"

namespace dunlin::python {

/// All of a mixture. One without components, of a run that was stopped, has empty arrays.
inline nb::dict mixture_as_dict(mixture::Result&& result) {
    nb::dict all = outcome_of(result);
    const auto k = static_cast<std::size_t>(result.means.rows()), d = static_cast<std::size_t>(result.means.cols());
    all["labels"] = array_of(std::move(result.labels));
    all["weights"] = array_of(std::move(result.shares));
    all["means"] = array_of(result.means);
    if (result.options.covariance == mixture::Covariance::full) {
        all["covariances"] = array_of(std::move(result.variances), {k, d, d});
    } else {
        all["covariances"] = array_of(std::move(result.variances), {k, d});
    }
    all["log_likelihood"] = result.log_likelihood;
    all["bic"] = result.bic;
    return all;
}

}  // namespace dunlin::python
