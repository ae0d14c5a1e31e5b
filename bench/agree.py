# SPDX-License-Identifier: Apache-2.0
"""Fraction of neighbors that two lists have in common; run by run.py inside its virtual environment.

usage: agree.py OURS.npz THEIRS.npy     (a CSR graph as SciPy writes it; an n x k table of ids)
"""

import sys

import numpy as np


def main(ours_file, theirs_file):
    theirs = np.load(theirs_file)
    ours = np.load(ours_file)["indices"].reshape(len(theirs), -1)
    k = min(ours.shape[1], theirs.shape[1])
    common = sum(len(np.intersect1d(a[:k], b[:k])) for a, b in zip(ours, theirs, strict=True))
    print(common / (len(theirs) * k))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
