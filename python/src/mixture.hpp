// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mixture.hpp>

#include "arrays.hpp"
#include "run.hpp"

namespace dunlin::python {

/// All of a mixture. One without components, of a run that was stopped, has empty arrays.
/// names: of the columns, or None.
inline nb::dict mixture_as_dict(mixture::Result&& result, const nb::object& names = nb::none()) {
    nb::dict all = outcome_of(result);
    const std::string floored = mixture::sentence_of_floor(result, [&](Index column) {
        if (names.is_none()) return "column " + std::to_string(column);
        return "column " + nb::cast<std::string>(nb::repr(nb::str(names[column])));
    });
    nb::list said;
    if (!floored.empty()) said.append(floored);
    all["said"] = said;
    const auto k = static_cast<std::size_t>(result.means.rows()), d = static_cast<std::size_t>(result.means.cols());
    all["labels"] = array_of(std::move(result.labels));
    all["weights"] = array_of(std::move(result.shares));
    all["means"] = array_of(result.means);
    switch (result.options.covariance) {
        case mixture::Covariance::full:
            all["covariances"] = array_of(std::move(result.variances), {k, d, d});
            break;
        case mixture::Covariance::diagonal:
            all["covariances"] = array_of(std::move(result.variances), {k, d});
            break;
        case mixture::Covariance::spherical:
            if (result.variances.size() == k)
                all["covariances"] = array_of(std::move(result.variances), {k});
            else  // of scaled columns, in the units before
                all["covariances"] = array_of(std::move(result.variances), {k, d});
            break;
        case mixture::Covariance::tied:
            all["covariances"] = array_of(std::move(result.variances), {k > 0 ? d : 0, d});
            break;
    }
    if (result.responsibilities.rows() > 0) all["responsibilities"] = array_of(result.responsibilities);
    all["log_likelihood"] = result.log_likelihood;
    all["bic"] = result.bic;
    all["aic"] = result.aic;
    return all;
}

}  // namespace dunlin::python
