# SPDX-License-Identifier: Apache-2.0
# R. The words and lines are those of workloads.hpp; R_KMEANS names the algorithm of kmeans().
words <- commandArgs(trailingOnly = TRUE)
workload <- words[1]
folder <- words[2]
sizes <- scan(file.path(folder, "sizes"), quiet = TRUE)
n <- sizes[1]
steps <- sizes[3]

take <- function(name, size = 8, count = n) readBin(file.path(folder, name), "numeric", count, size)
give <- function(name, values, size = 8) writeBin(values, file.path(folder, name), size = size)
measure <- function(work) {
    total <- 0
    for (run in seq_len(as.integer(words[3]))) {
        if (run > 2 && total >= as.numeric(words[4])) break
        begin <- proc.time()[["elapsed"]]
        result <- work()
        passed <- proc.time()[["elapsed"]] - begin
        cat(sprintf("seconds %.9f\n", max(passed, 1e-3)))
        if (run > 1) total <- total + passed
    }
    result
}

# begin kmeans
means <- function(points, start, algorithm)
    suppressWarnings(kmeans(points, start, iter.max = steps, algorithm = algorithm))
# end kmeans

# begin waves
move <- function(v, w) {
    dt <- 0.1
    r <- dt / (0.5 * 0.5)
    k <- dt * 0.01
    for (step in seq_len(steps)) {
        change <- r * ((c(v[2], v[-n]) - 2 * v) + c(v[-1], v[n - 1])) + dt * (v * (1 - v) * (v - 0.01) - w)
        w <- w + k * (v - 2 * w)
        v <- v + change
    }
    list(v, w)
}
# end waves

# begin solve
thomas <- function(lower, diagonal, upper, right) {
    ratio <- x <- numeric(n)
    ratio[1] <- upper[1] / diagonal[1]
    x[1] <- right[1] / diagonal[1]
    for (i in 2:n) {
        pivot <- 1 / (diagonal[i] - lower[i] * ratio[i - 1])
        ratio[i] <- upper[i] * pivot
        x[i] <- (right[i] - lower[i] * x[i - 1]) * pivot
    }
    for (i in (n - 1):1) x[i] <- x[i] - ratio[i] * x[i + 1]
    x
}
# end solve

if (workload == "kmeans") {
    points <- matrix(take("points.f32", 4, 2 * n), ncol = 2, byrow = TRUE)
    start <- matrix(take("start.f32", 4, 2 * sizes[2]), ncol = 2, byrow = TRUE)
    found <- measure(function() means(points, start, Sys.getenv("R_KMEANS", "Lloyd")))
    give("out-labels.i32", unname(found$cluster) - 1L, 4)
    give("out-centroids.f64", as.vector(t(found$centers)))
    cat("inertia", sprintf("%.17g", found$tot.withinss), "\n")
}
if (workload == "waves") {
    v <- take("v.f64")
    w <- take("w.f64")
    found <- measure(function() move(v, w))
    give("out-v.f64", found[[1]])
    give("out-w.f64", found[[2]])
}
if (workload == "solve") {
    lower <- take("lower.f64")
    diagonal <- take("diagonal.f64")
    upper <- take("upper.f64")
    right <- take("right.f64")
    give("out-x.f64", measure(function() thomas(lower, diagonal, upper, right)))
}
