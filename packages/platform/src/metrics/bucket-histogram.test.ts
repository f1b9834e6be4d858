import { expect, test } from "@jest/globals";
import { Registry } from "prom-client";
import { BucketHistogram, HistogramSummary } from "./bucket-histogram";

test("a histogram is rendered with its counts added up, by label set", async () => {
  const registry = new Registry();
  const histogram = new BucketHistogram({ name: "took", help: "Seconds.", buckets: [1, 2, 5], registers: [registry] });
  const get = histogram.labels({ verb: "GET" });
  for (const value of [0.5, 1, 1.5, 5, 7]) get.observe(value);
  histogram.labels({ verb: "PUT" }).observe(3);
  expect(histogram.labels({ verb: "GET" })).toBe(get);

  expect((await registry.metrics()).trim().split("\n")).toEqual([
    "# HELP took Seconds.",
    "# TYPE took histogram",
    'took_bucket{verb="GET",le="1"} 2',
    'took_bucket{verb="GET",le="2"} 3',
    'took_bucket{verb="GET",le="5"} 4',
    'took_bucket{verb="GET",le="+Inf"} 5',
    'took_sum{verb="GET"} 15',
    'took_count{verb="GET"} 5',
    'took_bucket{verb="PUT",le="1"} 0',
    'took_bucket{verb="PUT",le="2"} 0',
    'took_bucket{verb="PUT",le="5"} 1',
    'took_bucket{verb="PUT",le="+Inf"} 1',
    'took_sum{verb="PUT"} 3',
    'took_count{verb="PUT"} 1',
  ]);
});

test("a summary shows the sums and counts of a histogram once more", async () => {
  const registry = new Registry();
  const histogram = new BucketHistogram({ name: "took", help: "Seconds.", buckets: [1], registers: [] });
  new HistogramSummary({ name: "took_in_short", help: "Seconds.", registers: [registry], of: histogram });
  for (const value of [0.5, 7]) histogram.labels({ verb: "GET" }).observe(value);
  expect((await registry.metrics()).trim().split("\n")).toEqual([
    "# HELP took_in_short Seconds.",
    "# TYPE took_in_short summary",
    'took_in_short_sum{verb="GET"} 7.5',
    'took_in_short_count{verb="GET"} 2',
  ]);
});
