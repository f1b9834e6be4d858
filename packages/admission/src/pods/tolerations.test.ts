import { describe, expect, test } from "@jest/globals";
import { areCovered, mergeTolerations, readTolerations, type Toleration } from "./tolerations";

const EXISTS = { key: "a", operator: "Exists" };
const FOR_9 = { ...EXISTS, effect: "NoExecute", tolerationSeconds: 9 };
const FOR_5 = { ...FOR_9, tolerationSeconds: 5 };
const FOR_EVER = { ...EXISTS, effect: "NoExecute" };
const EQUAL = { key: "a", operator: "Equal", value: "v" };
const SHORT = { key: "a", value: "v" };
const ALL = { operator: "Exists" };

const COVERED: readonly [wide: Toleration, narrow: Toleration, covered: boolean][] = [
  [EXISTS, EXISTS, true],
  [EXISTS, EQUAL, true],
  [EXISTS, SHORT, true],
  [EXISTS, { ...EXISTS, effect: "NoSchedule" }, true],
  [EXISTS, FOR_5, true],
  [EXISTS, { ...EXISTS, key: "b" }, false],
  [EXISTS, ALL, false],
  [ALL, EXISTS, true],
  [ALL, EQUAL, true],
  [ALL, FOR_EVER, true],
  [{ ...ALL, effect: "NoSchedule" }, EXISTS, false],
  [{ ...ALL, effect: "NoSchedule" }, { ...EQUAL, effect: "NoSchedule" }, true],
  [{ ...EXISTS, effect: "NoSchedule" }, EXISTS, false],
  [{ ...EXISTS, effect: "NoSchedule" }, FOR_5, false],
  [FOR_9, FOR_5, true],
  [FOR_5, FOR_9, false],
  [FOR_9, FOR_EVER, false],
  [FOR_EVER, FOR_9, true],
  [FOR_9, { ...EQUAL, effect: "NoExecute", tolerationSeconds: 9 }, true],
  [FOR_9, { ...EQUAL, effect: "NoExecute" }, false],
  [{ ...FOR_9, tolerationSeconds: 0 }, { ...FOR_9, tolerationSeconds: 0 }, true],
  [{ ...FOR_9, tolerationSeconds: 9007199254740993n }, { ...FOR_9, tolerationSeconds: 9007199254740992n }, true],
  [{ ...FOR_9, tolerationSeconds: 9007199254740992n }, { ...FOR_9, tolerationSeconds: 9007199254740993n }, false],
  [EQUAL, EQUAL, true],
  [EQUAL, SHORT, false],
  [SHORT, EQUAL, true],
  [SHORT, SHORT, true],
  [EQUAL, { ...EQUAL, value: "w" }, false],
  [EQUAL, EXISTS, false],
  [EQUAL, { ...EQUAL, effect: "NoSchedule" }, true],
  [
    { ...EQUAL, effect: "NoExecute", tolerationSeconds: 5 },
    { ...EQUAL, effect: "NoExecute", tolerationSeconds: 6 },
    false,
  ],
  [{ key: "", operator: "Equal", value: "v" }, EQUAL, false],
  [{ operator: "Other" }, EXISTS, false],
  [{ operator: "Other" }, { operator: "Other" }, true],
];

test.each(COVERED)("%p covers %p: %p", (wide, narrow, covered) => {
  expect(areCovered([narrow], [wide])).toBe(covered);
});

const MERGED: readonly [
  what: string,
  first: readonly Toleration[],
  second: readonly Toleration[],
  merged: readonly Toleration[],
][] = [
  ["nothing and nothing", [], [], []],
  ["what has nothing in common", [EXISTS], [{ key: "b" }], [EXISTS, { key: "b" }]],
  ["what is equal, once", [EXISTS], [EXISTS], [EXISTS]],
  ["what is equal in the first, once", [EXISTS, EXISTS], [], [EXISTS]],
  ["a wide one before", [EXISTS], [EQUAL], [EXISTS]],
  ["a wide one behind", [EQUAL], [EXISTS], [EXISTS]],
  ["a wide one in between", [EQUAL, EXISTS, FOR_5], [SHORT], [EXISTS]],
  ["the longest time", [FOR_5, FOR_9], [FOR_EVER], [FOR_EVER]],
  ["the longest time, last or not", [FOR_EVER], [FOR_9, FOR_5], [FOR_EVER]],
  ["one that covers all", [EXISTS, EQUAL, FOR_5], [ALL], [ALL]],
  ["two that cover each other, the later", [SHORT], [EQUAL], [SHORT]],
  ["order", [{ key: "z" }, { key: "b" }], [{ key: "a" }], [{ key: "z" }, { key: "b" }, { key: "a" }]],
];

test.each(MERGED)("merging keeps %s", (_what, first, second, merged) => {
  expect(mergeTolerations(first, second)).toEqual(merged);
});

/** Reference implementation: compares each toleration with each other one. */
function comparedWithEach(all: readonly Toleration[]): readonly Toleration[] {
  const covers = (a: Toleration, b: Toleration) => areCovered([b], [a]);
  const same = (a: Toleration, b: Toleration) => JSON.stringify(fields(a)) === JSON.stringify(fields(b));
  const kept: Toleration[] = [];
  all.forEach((each, at) => {
    if (kept.some((other) => covers(other, each))) return;
    if (all.slice(at + 1).some((other) => !same(other, each) && covers(other, each))) return;
    kept.push(each);
  });
  return kept;
}

const fields = ({ key = "", operator = "", value = "", effect = "", tolerationSeconds }: Toleration) => [
  ...[key, operator, value, effect],
  String(tolerationSeconds ?? ""),
];

test("merging any lists comes to what comparing each with each does", () => {
  let state = 7;
  const draw = <Value>(...from: readonly Value[]): Value => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return from[Math.floor((state / 2147483648) * from.length)] as Value;
  };
  for (let round = 0; round < 500; round += 1) {
    const all = Array.from({ length: draw(1, 2, 3, 5, 8) }, (): Toleration => {
      const seconds = draw(undefined, 0, 5, 9);
      return {
        ...{ key: draw("", "a", "b"), operator: draw("", "Equal", "Exists", "Other"), value: draw("", "v") },
        effect: draw("", "NoExecute", "NoSchedule"),
        ...(seconds !== undefined && { tolerationSeconds: seconds }),
      };
    });
    const split = draw(0, 1, 2);
    expect(mergeTolerations(all.slice(0, split), all.slice(split))).toEqual(comparedWithEach(all));
  }
});

describe("tolerations that are written elsewhere", () => {
  test.each<[unknown, readonly Toleration[]]>([
    [undefined, []],
    [null, []],
    [[], []],
    [[{}], [{}]],
    [
      [EXISTS, FOR_5],
      [EXISTS, FOR_5],
    ],
    [[{ key: "a", operator: null, value: "", tolerationSeconds: null }], [{ key: "a" }]],
    [
      [{ Key: "a", OPERATOR: "Exists", TolerationSeconds: 5 }],
      [{ key: "a", operator: "Exists", tolerationSeconds: 5 }],
    ],
    [[{ key: "a", unknown: 1 }], [{ key: "a" }]],
  ])("%j are read", (value, read) => expect(readTolerations(value)).toEqual(read));

  test.each<[unknown, string]>([
    [{}, "must be a list of tolerations"],
    ["a", "must be a list of tolerations"],
    [[1], "[0] must be a toleration"],
    [[{}, null], "[1] must be a toleration"],
    [[{ key: 1 }], "[0].key must be a string"],
    [[{ value: {} }], "[0].value must be a string"],
    [[{ tolerationSeconds: "5" }], "[0].tolerationSeconds must be an integer"],
    [[{ tolerationSeconds: 1.5 }], "[0].tolerationSeconds must be an integer"],
  ])("%j are refused", (value, text) => expect(() => readTolerations(value)).toThrow(text));
});
