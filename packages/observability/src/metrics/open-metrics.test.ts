import { expect, test } from "@jest/globals";
import { parseAccept } from "@orch/machinery";
import { openMetricsText, wantsOpenMetrics } from "./open-metrics";

test("the names of samples are those of the plain format, and the last line is the end", () => {
  const plain = [
    "# HELP requests_total Requests.",
    "# TYPE requests_total counter",
    'requests_total{verb="GET"} 3',
    "",
    "# HELP attempts Attempts.",
    "# TYPE attempts counter",
    'attempts{result="attempts"} 4',
    "attempts 5",
    "",
    "# HELP handles_total Open handles.",
    "# TYPE handles_total gauge",
    "handles_total 2",
    "",
    "# HELP took Seconds.",
    "# TYPE took histogram",
    'took_bucket{le="+Inf"} 1',
    "",
  ].join("\n");
  expect(openMetricsText(plain).split("\n")).toEqual([
    "# HELP requests Requests.",
    "# TYPE requests counter",
    'requests_total{verb="GET"} 3',
    "# HELP attempts Attempts.",
    "# TYPE attempts unknown",
    'attempts{result="attempts"} 4',
    "attempts 5",
    "# HELP handles_total Open handles.",
    "# TYPE handles_total gauge",
    "handles_total 2",
    "# HELP took Seconds.",
    "# TYPE took histogram",
    'took_bucket{le="+Inf"} 1',
    "# EOF",
    "",
  ]);
});

test.each<[string, boolean]>([
  ["", false],
  ["*/*", false],
  ["text/plain;version=0.0.4", false],
  [
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5",
    true,
  ],
  ["application/openmetrics-text;q=0.1,text/plain", false],
  ["application/openmetrics-text;q=0", false],
])("the Accept header %j prefers OpenMetrics: %s", (accept, expected) => {
  expect(wantsOpenMetrics(parseAccept(accept))).toBe(expected);
});
