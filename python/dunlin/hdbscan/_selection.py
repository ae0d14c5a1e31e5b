# SPDX-License-Identifier: Apache-2.0
"""Rules of hdbscan that the library lacks, on the arrays of a GroupTree: cluster_selection_persistence,
cluster_selection_epsilon_max, match_reference_implementation."""

import numpy as np

from ._trees import lambda_of


def simplified(tree, threshold):
    """The tree without leaves that last less than the threshold, in lambda: of the children of a split where one lasts less,
    the one that lasts longest goes on as the parent, and the others leave it at the split, or, if nothing splits below, where
    they did."""
    count = len(tree["parent"])
    birth, deepest = lambda_of(tree["birth"]), lambda_of(tree["death"])
    children = [np.flatnonzero(tree["parent"] == group) for group in range(count)]
    is_leaf = np.array([len(each) == 0 for each in children])
    into, leaves_now = np.arange(count), np.full(count, np.nan)  # the group that a group is now; where its points leave
    for group in range(count - 1, -1, -1):
        below = children[group]
        if not len(below):
            continue
        most = deepest[below]
        split = birth[below[0]]
        deepest[group] = max(deepest[group], most.max())
        if most.min() - split >= threshold:
            continue
        longest = below[int(np.argmax(most))]
        into[below] = group
        if is_leaf[longest]:
            is_leaf[group] = True
        else:
            for other in below[below != longest]:
                leaves_now[other] = 1 / split if split > 0 else np.inf
    for group in range(count):  # parents come first
        above = into[group]
        if above != group:
            if np.isnan(leaves_now[group]) and not np.isnan(leaves_now[above]) and into[above] != above:
                leaves_now[group] = leaves_now[above]
            into[group] = into[above]
    return _with_groups_joined(tree, into, leaves_now)


def _with_groups_joined(tree, into, leaves_now):
    """The arrays of the tree whose group g is a part of into[g]; points of groups with leaves_now leave there."""
    kept = np.flatnonzero(into == np.arange(len(into)))
    number = np.full(len(into), -1)
    number[kept] = np.arange(len(kept))
    home, leaves_at = number[into[tree["home"]]], np.array(tree["leaves_at"])
    moved = leaves_now[tree["home"]]
    leaves_at[~np.isnan(moved)] = moved[~np.isnan(moved)]
    new = {name: np.array(tree[name][kept]) for name in ("size", "least", "birth", "persistence")}
    above = tree["parent"][kept]
    new["parent"] = np.where(above < 0, -1, number[into[above]]).astype(np.int32)
    new["home"], new["leaves_at"] = home.astype(np.int32), leaves_at
    new["end"] = _ends(new["parent"])
    new["death"] = _deaths(new)
    new["stability"] = stabilities(new)
    return new


def _ends(parent):
    end = np.arange(1, len(parent) + 1)
    for group in range(len(parent) - 1, 0, -1):
        end[parent[group]] = max(end[parent[group]], end[group])
    return end.astype(np.int32)


def _deaths(tree):
    """The lowest level at which something of the group itself leaves it."""
    death = np.array(tree["birth"], np.float64)
    np.minimum.at(death, tree["home"], tree["leaves_at"])
    np.minimum.at(death, tree["parent"][1:], tree["birth"][1:])
    return death


def stabilities(tree):
    """Excess of mass: the sum over what leaves a group of its size times (lambda there - lambda of the group's birth)."""
    birth = lambda_of(tree["birth"])
    found = np.zeros(len(birth))
    with np.errstate(invalid="ignore"):
        np.add.at(found, tree["home"], lambda_of(tree["leaves_at"]) - birth[tree["home"]])
        above = tree["parent"][1:]
        np.add.at(found, above, tree["size"][1:] * (birth[1:] - birth[above]))
    return np.nan_to_num(found, nan=0.0, posinf=np.inf)


def selected(tree, options, epsilon_max):
    """Groups by excess of mass, or the leaves, as the library's, and none born above epsilon_max but leaves of the tree."""
    count = len(tree["parent"])
    leaves = [group for group in range(1, count) if tree["end"][group] == group + 1]
    if options["select"] == "leaf":
        chosen = leaves
    else:
        birth = np.array(tree["birth"], np.float64)
        birth[0] = tree["leaves_at"].max(initial=0) if count else 0
        chosen = _most_stable(tree, options, birth > epsilon_max)
    return _risen(tree, chosen, options) if options["epsilon"] != 0 and chosen != [0] else chosen


def _most_stable(tree, options, too_early):
    count = len(tree["parent"])
    best, below, wins = np.array(tree["stability"], np.float64), np.zeros(count), np.zeros(count, bool)
    most = options["max_size"] or np.inf
    for group in range(count - 1, -1, -1):
        gives_way = below[group] > tree["stability"][group] or tree["size"][group] > most or too_early[group]
        wins[group] = not gives_way and (group > 0 or options["single"])
        best[group] = tree["stability"][group] if wins[group] else below[group]
        if group:
            below[tree["parent"][group]] += best[group]
    return _topmost(tree, wins)


def _risen(tree, chosen, options):
    """Clusters born below epsilon give way to their lowest ancestor born above."""
    wins = np.zeros(len(tree["parent"]), bool)
    for group in chosen:
        while tree["birth"][group] < options["epsilon"]:
            above = tree["parent"][group]
            if above <= 0:
                group = above if options["single"] and above == 0 else group
                break
            group = above
        wins[group] = True
    return _topmost(tree, wins)


def _topmost(tree, wins):
    found, group = [], 0
    while group < len(wins):
        if wins[group]:
            found.append(group)
        group = tree["end"][group] if wins[group] else group + 1
    return found


def members(tree, chosen, epsilon):
    """(labels, strengths) of points."""
    label_of = np.full(len(tree["parent"]), -1, np.int32)
    for label, group in enumerate(chosen):
        label_of[group : tree["end"][group]] = label
    labels = label_of[tree["home"]]
    if list(chosen) == [0]:
        latest = epsilon if epsilon != 0 else tree["death"][0]
        labels[tree["leaves_at"] > latest] = -1
    mine, most = lambda_of(tree["leaves_at"]), lambda_of(tree["death"])[np.asarray(chosen, int)] if len(chosen) else np.zeros(1)
    most = most[labels]
    with np.errstate(invalid="ignore", divide="ignore"):
        strengths = np.where((most == 0) | np.isinf(mine), 1.0, np.minimum(mine, most) / most)
    return labels, np.where(labels < 0, 0.0, strengths)


def of_reference(tree, chosen, labels):
    """Labels without points that leave their cluster at the level of its birth."""
    if not len(chosen):
        return labels
    birth = np.asarray(tree["birth"])[np.asarray(chosen, int)][labels]
    return np.where((labels >= 0) & (tree["leaves_at"] >= birth), -1, labels).astype(np.int32)


def persistences(tree, chosen, labels):
    """Stability over points that have the label times the largest lambda of all; 1 where that is infinite or 0."""
    most = lambda_of(tree["leaves_at"]).max(initial=0)
    counts = np.bincount(labels[labels >= 0], minlength=len(chosen))
    stability = tree["stability"][np.asarray(chosen, int)] if len(chosen) else np.zeros(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((counts == 0) | np.isinf(most) | (most == 0), 1.0, stability / (counts * most))
