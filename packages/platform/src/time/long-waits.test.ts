import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { NEVER_ENDS } from "./end-signal";
import { LongWaits } from "./long-waits";

function scene() {
  const clock = new ManualClock();
  const waits = new LongWaits(clock);
  const aside: string[] = [];
  const signal = (name: string) => ({ ...NEVER_ENDS, standAside: () => aside.push(name) });
  return { clock, waits, aside, begin: (name: string) => waits.begin(signal(name)) };
}

test("a long wait is reported once, a short one is not", () => {
  const { clock, waits, aside, begin } = scene();
  begin("long");
  const short = begin("short");
  clock.advance(60);
  begin("later");
  waits.end(short);
  clock.advance(30);
  expect(aside).toEqual([]);
  clock.advance(10);
  expect(aside).toEqual(["long"]);
  clock.advance(1000);
  expect(aside).toEqual(["long", "later"]);
});

test("no timer is left without waits, and none is set for waits that hold nothing", () => {
  const { clock, waits, aside, begin } = scene();
  const wait = begin("one");
  waits.begin(NEVER_ENDS);
  expect(clock.waiting).toBe(1);
  waits.end(wait);
  clock.advance(50);
  expect(clock.waiting).toBe(0);
  expect(waits.begin(NEVER_ENDS)).toBeUndefined();
  expect(clock.waiting).toBe(0);
  expect(aside).toEqual([]);
});

test("no more than a thousand stand aside at a time: the next follow as others are answered", () => {
  const { clock, waits, aside, begin } = scene();
  const all = Array.from({ length: 1002 }, (_, at) => begin(`${at}`));
  clock.advance(1000);
  expect(aside).toHaveLength(1000);
  waits.end(all[3]);
  waits.end(all[3]);
  clock.advance(50);
  expect(aside.slice(1000)).toEqual(["1000"]);
  waits.end(all[1001]);
  clock.advance(50);
  expect(clock.waiting).toBe(0);
});
