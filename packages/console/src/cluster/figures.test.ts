import { expect, test } from "@jest/globals";
import { FigureHistory, figuresOf, increase, lookAt } from "./figures";
import { Metrics } from "./metrics-text";

const lookOf = (atMs: number, text: string) => lookAt(new Metrics().add(text.split("\n")), atMs);
const page = (start: number, good: number, bad: number, fast: number) => `process_start_time_seconds ${start}
apiserver_request_total{verb="GET",code="200"} ${good}
apiserver_request_total{verb="GET",code="500"} ${bad}
apiserver_request_duration_seconds_bucket{verb="GET",le="0.1"} ${fast}
apiserver_request_duration_seconds_bucket{verb="GET",le="1"} ${fast}
apiserver_request_duration_seconds_bucket{verb="GET",le="+Inf"} ${fast}
apiserver_request_duration_seconds_bucket{verb="WATCH",le="+Inf"} ${fast * 1000}
process_cpu_seconds_total ${good / 100}
process_resident_memory_bytes 1000
apiserver_registered_watchers{kind="a"} 2
apiserver_registered_watchers{kind="b"} 3
nodejs_eventloop_lag_p99_seconds 0.01`;

test("rates are those between two looks, and watches do not count as latency", () => {
  const figures = figuresOf(lookOf(1000, page(7, 100, 0, 50)), lookOf(3000, page(7, 120, 4, 60)));
  expect(figures).toMatchObject({ requests: 12, errors: 2, watchers: 5, lag: 0.01, memory: 1000 });
  expect(figures.cpu).toBeCloseTo(0.1);
  expect(figures.median).toBeCloseTo(0.05);
  expect(figures.slowest).toBeCloseTo(0.099);
});

test("counters of another process are not compared, and there is no rate of one look", () => {
  const now = lookOf(3000, page(8, 5, 0, 5));
  for (const before of [undefined, lookOf(1000, page(7, 100, 0, 50))]) {
    expect(figuresOf(before, now)).toMatchObject({
      requests: undefined,
      slowest: undefined,
      cpu: undefined,
      watchers: 5,
    });
  }
});

test("a counter that has become smaller has begun again", () => {
  expect([increase(3, 10), increase(10, 3)]).toEqual([7, 3]);
});

test("figures that a server does not tell are unknown, and no latency is told of no requests", () => {
  const empty = lookOf(1000, "");
  expect(figuresOf(empty, lookOf(2000, ""))).toEqual({
    ...{ requests: 0, errors: 0, median: undefined, slowest: undefined },
    ...{ watchers: 0, lag: undefined, cpu: undefined, memory: undefined },
  });
});

test("the history is bounded, and keeps the newest points", () => {
  const history = new FigureHistory();
  let points = history.add(lookOf(0, ""));
  for (let at = 1; at <= 1000; at += 1) points = history.add(lookOf(at, ""));
  expect(points).toHaveLength(240);
  expect(points.at(-1)?.atMs).toBe(1000);
});
