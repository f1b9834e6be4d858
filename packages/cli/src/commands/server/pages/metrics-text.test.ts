// Samples of a metrics page.
import { expect, test } from "@jest/globals";
import { Metrics } from "./metrics-text";

const TEXT = `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{verb="GET",path="a\\"b,}\\\\"} 3
requests_total{verb="LIST",path=""} 4 1700000000000
up 1
size{le="+Inf"} +Inf
cut{verb="GET
empty
`;

test("labels with quotes, braces and backslashes are read, and lines that are no samples are left out", () => {
  const metrics = new Metrics(TEXT);
  expect(metrics.of("requests_total")).toEqual([
    { labels: { verb: "GET", path: 'a"b,}\\' }, value: 3 },
    { labels: { verb: "LIST", path: "" }, value: 4 },
  ]);
  expect(metrics.of("size")).toEqual([{ labels: { le: "+Inf" }, value: Number.POSITIVE_INFINITY }]);
  expect([metrics.of("cut"), metrics.of("empty")]).toEqual([[], []]);
});

test("a total is the sum of the first name that the server has", () => {
  const metrics = new Metrics(TEXT);
  expect(metrics.total("absent", "requests_total")).toBe(7);
  expect(metrics.total("absent")).toBeUndefined();
  expect(new Metrics(TEXT, (name) => name === "up").total("requests_total")).toBeUndefined();
});
