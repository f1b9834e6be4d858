import { expect, test } from "@jest/globals";
import type { coreV1 } from "@orch/schema";
import { classesOfClaim, classesOfVolume } from "./protect-classes";

test.each<[string, coreV1.PersistentVolumeClaim, readonly string[]]>([
  ["no class", { spec: {} }, []],
  ["an empty name", { spec: { volumeAttributesClassName: "" } }, []],
  ["the class that it asks for", { spec: { volumeAttributesClassName: "gold" } }, ["gold"]],
  [
    "each class once",
    { spec: { volumeAttributesClassName: "gold" }, status: { currentVolumeAttributesClassName: "gold" } },
    ["gold"],
  ],
  [
    "the classes of a change that is under way",
    {
      spec: { volumeAttributesClassName: "bronze" },
      status: {
        currentVolumeAttributesClassName: "silver",
        modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "gold" },
      },
    },
    ["bronze", "silver", "gold"],
  ],
])("a claim uses %s", (_what, claim, expected) => expect(classesOfClaim(claim)).toEqual(expected));

test("a volume uses the class that it has", () => {
  expect(classesOfVolume({ spec: { volumeAttributesClassName: "gold" } })).toEqual(["gold"]);
  expect(classesOfVolume({ spec: {} })).toEqual([]);
});
