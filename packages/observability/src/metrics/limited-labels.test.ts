import { expect, test } from "@jest/globals";
import { ServerMetrics } from "./server-metrics";

test("unexpected label values are counted together", async () => {
  const allowedLabels = new Map([
    ["apiserver_dropped_requests_total", new Map([["request_kind", new Set(["mutating"])]])],
    ["apiserver_request_filter_duration_seconds", new Map([["filter", new Set(["authentication"])]])],
  ]);
  const metrics = new ServerMetrics({
    disabled: [],
    allowedLabels,
    process: false,
    release: "1.23",
    showHidden: false,
    warn() {},
  });
  const dropped = metrics.counter("apiserver_dropped_requests_total");
  for (const request_kind of ["mutating", "a", "b"]) dropped.inc({ request_kind });
  const filters = metrics.histogram("apiserver_request_filter_duration_seconds");
  for (const filter of ["authentication", "a", "b"]) filters.labels({ filter }).observe(2);
  const lines = (await metrics.render(0)).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'apiserver_dropped_requests_total{request_kind="mutating"} 1',
      'apiserver_dropped_requests_total{request_kind="unexpected"} 2',
      'apiserver_request_filter_duration_seconds_bucket{filter="unexpected",le="1"} 0',
      'apiserver_request_filter_duration_seconds_bucket{filter="unexpected",le="+Inf"} 2',
      'apiserver_request_filter_duration_seconds_sum{filter="unexpected"} 4',
      'apiserver_request_filter_duration_seconds_count{filter="authentication"} 1',
    ]),
  );
  expect(lines.filter((line) => line.startsWith("apiserver_dropped_requests_total{"))).toHaveLength(2);
});
