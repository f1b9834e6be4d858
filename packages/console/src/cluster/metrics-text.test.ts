import { expect, test } from "@jest/globals";
import { Metrics } from "./metrics-text";

const TEXT = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{verb="GET",path="a\\"b,}\\\\"} 3
requests_total{verb="LIST",path=""} 4 1700000000000
requests_total{verb="LIST",path="x"} 5
up 1
size{le="+Inf"} +Inf
cut{verb="GET
loose{verb="GET"
empty
`;
const metricsOf = (text: string, isWanted?: (name: string) => boolean) => new Metrics(isWanted).add(text.split("\n"));

test("labels with quotes, braces and backslashes are read, and lines that are no samples are left out", () => {
  const metrics = metricsOf(TEXT);
  expect(metrics.of("requests_total")).toEqual([
    { labels: { verb: "GET", path: 'a"b,}\\' }, value: 3 },
    { labels: { verb: "LIST", path: "" }, value: 4 },
    { labels: { verb: "LIST", path: "x" }, value: 5 },
  ]);
  expect(metrics.of("size")).toEqual([{ labels: { le: "+Inf" }, value: Number.POSITIVE_INFINITY }]);
  for (const name of ["cut", "loose", "empty"]) expect(metrics.of(name)).toEqual([]);
});

test("a total is the sum of the first name that the server has", () => {
  const metrics = metricsOf(TEXT);
  expect(metrics.total("absent", "requests_total")).toBe(12);
  expect(metrics.total("absent")).toBeUndefined();
  expect(metrics.sumsBy("verb", "requests_total")).toEqual(
    new Map([
      ["GET", 3],
      ["LIST", 9],
    ]),
  );
});

test("names that are not wanted, lines without an end and forgotten names are not kept", () => {
  expect(metricsOf(TEXT, (name) => name === "up").total("requests_total")).toBeUndefined();
  expect(metricsOf(`long{a="${"x".repeat(70_000)}"} 1`).of("long")).toEqual([]);
  const metrics = metricsOf(TEXT);
  metrics.forget("up");
  expect(metrics.of("up")).toEqual([]);
});

test("labels of quotes and backslashes alone are read without backtracking", () => {
  const line = `many{a="${'\\"'.repeat(30_000)}`;
  expect(metricsOf(line).of("many")).toEqual([]);
  expect(metricsOf(`${line}"} 1`).of("many")).toHaveLength(1);
});

test("a page with more samples than are kept is refused", () => {
  const metrics = new Metrics();
  const lines = Array.from({ length: 100_000 }, () => "a 1");
  expect(() => {
    for (let round = 0; round < 6; round += 1) metrics.add(lines);
  }).toThrow(/more than 500000 samples/);
});
