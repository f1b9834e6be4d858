import { expect, test } from "@jest/globals";
import { mergeSnapshots } from "./joined-metrics";
import { MetricSet } from "./metric-set";

/** A process with this number of responses and objects. */
function process(answered: number, objects: number): MetricSet {
  const set = new MetricSet();
  set.counter({ name: "answered_total", help: "Answered.", labels: ["code"] }).inc({ code: "200" }, answered);
  set.gauge({ name: "open", help: "Open.", labels: [] }).set(answered);
  set.gauge({ name: "objects", help: "Stored.", labels: [], joining: "max" }).set(objects);
  set
    .histogram({ name: "seconds", help: "Took.", labels: [], buckets: [1, 5] })
    .labels({})
    .observe(answered);
  return set;
}

const samples = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("counters of processes are added up, shared gauges are shown once", async () => {
  const [one, other] = [process(3, 7), process(10, 8)];
  const text = await one.renderJoined({ living: [await one.snapshot(), await other.snapshot()], gone: [] });
  expect(samples(text)).toEqual([
    'answered_total{code="200"} 13',
    "open 13",
    "objects 8",
    'seconds_bucket{le="1"} 0',
    'seconds_bucket{le="5"} 1',
    'seconds_bucket{le="+Inf"} 2',
    "seconds_sum 13",
    "seconds_count 2",
  ]);
});

test("only the counters of ended processes remain after repeated merges", async () => {
  const living = process(3, 7);
  const gone = await Promise.all([process(10, 90), process(20, 90)].map((set) => set.snapshot()));
  const whole = { living: [await living.snapshot()], gone };
  const text = await living.renderJoined(whole);
  expect(samples(text).slice(0, 3)).toEqual(['answered_total{code="200"} 33', "open 3", "objects 7"]);
  expect(await living.renderJoined({ ...whole, gone: [await mergeSnapshots([await mergeSnapshots(gone)])] })).toBe(
    text,
  );
});
