import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { MetricSet } from "./metric-set";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a closed metric set does not start process metrics", () => {
  const set = new MetricSet();
  set.measureProcess();
  expect(jest.getTimerCount()).toBe(1);
  set.close();
  expect(jest.getTimerCount()).toBe(0);
});

test("a child of a counter counts on after its labels have been removed", async () => {
  const set = new MetricSet();
  const counter = set.counter({ name: "things", help: "Things.", labels: ["kind"] });
  const [some, same] = [counter.labels("some"), counter.labels({ kind: "some" })];
  some.inc();
  same.inc(2);
  counter.inc({ kind: "some" });
  expect(await set.render()).toContain('things{kind="some"} 4\n');
  counter.remove("some");
  some.inc();
  same.inc();
  expect(await set.render()).toContain('things{kind="some"} 2\n');
  set.close();
});
