// The decision which requests are traced, and the headers that pass it on.
import { afterAll, expect, test } from "@jest/globals";
import { OtlpTracer } from "./otlp-tracer";

let drawn = 0;
const tracers = [0, 0.5, 1].map(
  (ratio) =>
    new OtlpTracer(
      { endpoint: "localhost:1", ratio },
      "test",
      () => {},
      () => drawn,
    ),
);
afterAll(() => Promise.all(tracers.map((tracer) => tracer.close())));

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const header = (flags: string, version = "00") => `${version}-${TRACE}-00f067aa0ba902b7-${flags}`;
const begin = (tracer: OtlpTracer | undefined, parent?: string, isTrusted = true) =>
  tracer?.begin({
    startMs: performance.now(),
    parent,
    state: "vendor=1",
    isTrusted: () => isTrusted,
    describe: () => ({ name: "GET", attributes: {} }),
  });

test.each([
  [0, 0, undefined],
  [1, 0.49, true],
  [1, 0.5, false],
  [2, 0.999, true],
])("tracer %i records a root at the draw of %d: %p", (index, draw, isRecorded) => {
  drawn = draw;
  const span = begin(tracers[index]);
  expect(span?.isRecorded).toBe(isRecorded);
  if (span === undefined) return;
  const flag = isRecorded ? "01" : "00";
  expect(span.headers()).toEqual({
    traceparent: expect.stringMatching(new RegExp(`^00-[0-9a-f]{32}-[0-9a-f]{16}-${flag}$`)),
  });
  expect(span.headers()).toEqual(span.headers());
});

test.each([
  [header("01"), true, true, TRACE],
  [header("00"), true, false, TRACE],
  [header("01", "01"), true, true, TRACE],
  [`${header("01", "cc")}-more`, true, true, TRACE],
  [header("01"), false, undefined, undefined],
  [`${header("01")}-more`, true, undefined, undefined],
  [header("01", "ff"), true, undefined, undefined],
  [header("01").replace(TRACE, "0".repeat(32)), true, undefined, undefined],
  [header("01").toUpperCase(), true, undefined, undefined],
  ["", true, undefined, undefined],
])("a parent of %j, trusted: %p, is recorded: %p", (parent, isTrusted, isRecorded, trace) => {
  drawn = 0.7;
  const span = begin(tracers[0], parent, isTrusted);
  expect(span?.isRecorded).toBe(isRecorded);
  expect(span?.headers()["traceparent"]?.split("-")[1]).toBe(trace);
  if (span !== undefined) expect(span.headers()["tracestate"]).toBe("vendor=1");
});
