import { expect, test } from "@jest/globals";
import { chosenDuties } from "./duty-table";

test.each<[readonly string[], readonly string[]]>([
  [["*"], ["namespace", "garbagecollector"]],
  [["*", "-namespace"], ["garbagecollector"]],
  [["-garbage-collector-controller", "*"], ["namespace"]],
  [["namespace"], ["namespace"]],
  [
    ["-namespace", "namespace", "*"],
    ["namespace", "garbagecollector"],
  ],
  [[], []],
])("--controllers=%s", (names, expected) => {
  expect(chosenDuties(names).map(({ name }) => name)).toEqual(expected);
});

test("a name that no duty has is refused", () => {
  expect(() => chosenDuties(["*", "-nonsense"])).toThrow("no duty is named -nonsense");
});
