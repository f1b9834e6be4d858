import { expect, test } from "@jest/globals";
import { chosenDuties } from "./chosen-duties";
import { defineDuty } from "./duty";

test.each<[readonly string[], readonly string[]]>([
  [["*"], ["namespace", "garbagecollector", "clusterrole-aggregation", "pvc-protection", "pv-protection"]],
  [
    ["*", "-namespace", "-clusterrole-aggregation-controller"],
    ["garbagecollector", "pvc-protection", "pv-protection"],
  ],
  [
    ["-garbage-collector-controller", "*"],
    ["namespace", "clusterrole-aggregation", "pvc-protection", "pv-protection"],
  ],
  [["namespace"], ["namespace"]],
  [
    ["-namespace", "namespace", "*"],
    ["namespace", "garbagecollector", "clusterrole-aggregation", "pvc-protection", "pv-protection"],
  ],
  [[], []],
])("--controllers=%s", (names, expected) => {
  expect(chosenDuties(names).map(({ name }) => name)).toEqual(expected);
});

test.each<[readonly string[], readonly string[]]>([
  [["*"], ["plain"]],
  [
    ["*", "shy"],
    ["plain", "shy"],
  ],
  [["shy-controller"], ["shy"]],
])("--controllers=%s where one is off by default", (names, expected) => {
  const idle = { does: "nothing", flags: {}, run: async () => {} };
  const duties = [
    defineDuty({ name: "plain", alias: "plain-controller", ...idle }),
    defineDuty({ name: "shy", alias: "shy-controller", offByDefault: true, ...idle }),
  ];
  expect(chosenDuties(names, duties).map(({ name }) => name)).toEqual(expected);
});

test("a name that no duty has is refused", () => {
  expect(() => chosenDuties(["*", "-nonsense"])).toThrow("no duty is named -nonsense");
});
