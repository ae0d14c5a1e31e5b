// SPDX-License-Identifier: Apache-2.0
// C# by Mono, with its threads where a loop is parallel. The words and lines are those of workloads.hpp.
using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;

static class Program
{
    static string folder;

    static T[] Read<T>(string name, int size)
    {
        var bytes = File.ReadAllBytes(Path.Combine(folder, name));
        var values = new T[bytes.Length / size];
        Buffer.BlockCopy(bytes, 0, values, 0, bytes.Length);
        return values;
    }

    static void Write<T>(string name, T[] values, int size)
    {
        var bytes = new byte[values.Length * size];
        Buffer.BlockCopy(values, 0, bytes, 0, bytes.Length);
        File.WriteAllBytes(Path.Combine(folder, name), bytes);
    }

    // begin kmeans
    static void Assign(float[] points, float[] centroids, int[] labels, double[] sums, int from, int to)
    {
        var clusters = centroids.Length / 2;
        for (var i = from; i < to; ++i)
        {
            float x = points[2 * i], y = points[2 * i + 1], best = 3e38f;
            var label = 0;
            for (var c = 0; c < clusters; ++c)
            {
                float dx = x - centroids[2 * c], dy = y - centroids[2 * c + 1], squared = dx * dx + dy * dy;
                if (squared < best)
                {
                    best = squared;
                    label = c;
                }
            }
            labels[i] = label;
            sums[3 * label] += x;
            sums[3 * label + 1] += y;
            sums[3 * label + 2] += 1;
        }
    }

    static void KMeans(float[] points, float[] centroids, int[] labels, int iterations, int threads)
    {
        for (var iteration = 0; iteration < iterations; ++iteration)
        {
            var sums = new double[threads][];
            Parallel.For(0, threads, t =>
            {
                sums[t] = new double[3 * centroids.Length / 2];
                Assign(points, centroids, labels, sums[t], (int)((long)labels.Length * t / threads),
                    (int)((long)labels.Length * (t + 1) / threads));
            });
            for (var t = 1; t < threads; ++t)
                for (var s = 0; s < sums[0].Length; ++s) sums[0][s] += sums[t][s];
            for (var c = 0; c < centroids.Length; ++c)
                centroids[c] = (float)(sums[0][3 * (c / 2) + c % 2] / sums[0][3 * (c / 2) + 2]);
        }
    }
    // end kmeans

    // begin waves
    const double a = 0.01, gamma = 2, dt = 0.1, r = dt / (0.5 * 0.5), k = dt * 0.01;

    static void Step(double[] v, double[] w, double[] nextV, double[] nextW, int from, int to)
    {
        var last = v.Length - 1;
        for (var i = from; i < to; ++i)
        {
            double left = v[i == 0 ? 1 : i - 1], right = v[i == last ? last - 1 : i + 1], here = v[i], recovery = w[i];
            nextV[i] = here + (r * ((left - 2 * here) + right) + dt * (here * (1 - here) * (here - a) - recovery));
            nextW[i] = recovery + k * (here - gamma * recovery);
        }
    }

    static void Waves(ref double[] v, ref double[] w, ref double[] nextV, ref double[] nextW, int steps, int threads)
    {
        for (var step = 0; step < steps; ++step)
        {
            double[] oldV = v, oldW = w, newV = nextV, newW = nextW;
            long n = v.Length;
            Parallel.For(0, threads, t => Step(oldV, oldW, newV, newW, (int)(n * t / threads), (int)(n * (t + 1) / threads)));
            v = newV;
            w = newW;
            nextV = oldV;
            nextW = oldW;
        }
    }
    // end waves

    // begin solve
    static void Solve(double[] lower, double[] diagonal, double[] upper, double[] right, double[] x, double[] ratio)
    {
        ratio[0] = upper[0] / diagonal[0];
        x[0] = right[0] / diagonal[0];
        for (var i = 1; i < x.Length; ++i)
        {
            var pivot = 1 / (diagonal[i] - lower[i] * ratio[i - 1]);
            ratio[i] = upper[i] * pivot;
            x[i] = (right[i] - lower[i] * x[i - 1]) * pivot;
        }
        for (var i = x.Length - 2; i >= 0; --i) x[i] -= ratio[i] * x[i + 1];
    }
    // end solve

    static void Measure(int runs, double seconds, Action reset, Action work)
    {
        var total = 0.0;
        for (var done = 0; done < runs && (done < 2 || total < seconds); ++done)
        {
            reset();
            var watch = Stopwatch.StartNew();
            work();
            var passed = watch.Elapsed.TotalSeconds;
            Console.WriteLine("seconds " + passed.ToString("F9", CultureInfo.InvariantCulture));
            if (done > 0) total += passed;
        }
    }

    static void Main(string[] words)
    {
        folder = words[1];
        var runs = int.Parse(words[2]);
        var seconds = double.Parse(words[3], CultureInfo.InvariantCulture);
        var threads = Environment.ProcessorCount;
        var sizes = Array.ConvertAll(File.ReadAllText(Path.Combine(folder, "sizes")).Trim().Split(' '), int.Parse);
        int n = sizes[0], steps = sizes[2];
        if (words[0] == "kmeans")
        {
            var points = Read<float>("points.f32", 4);
            var centroids = new float[0];
            var labels = new int[n];
            Measure(runs, seconds, () => centroids = Read<float>("start.f32", 4), () => KMeans(points, centroids, labels, steps, threads));
            Write("out-labels.i32", labels, 4);
            Write("out-centroids.f64", Array.ConvertAll(centroids, value => (double)value), 8);
            Console.WriteLine("threads " + threads);
        }
        if (words[0] == "waves")
        {
            double[] v = null, w = null, nextV = new double[n], nextW = new double[n];
            Measure(runs, seconds, () =>
            {
                v = Read<double>("v.f64", 8);
                w = Read<double>("w.f64", 8);
            }, () => Waves(ref v, ref w, ref nextV, ref nextW, steps, threads));
            Write("out-v.f64", v, 8);
            Write("out-w.f64", w, 8);
            Console.WriteLine("threads " + threads);
        }
        if (words[0] == "solve")
        {
            double[] lower = Read<double>("lower.f64", 8), diagonal = Read<double>("diagonal.f64", 8);
            double[] upper = Read<double>("upper.f64", 8), right = Read<double>("right.f64", 8);
            double[] x = new double[n], ratio = new double[n];
            Measure(runs, seconds, () => { }, () => Solve(lower, diagonal, upper, right, x, ratio));
            Write("out-x.f64", x, 8);
        }
    }
}
