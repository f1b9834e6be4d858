import { expect, test } from "@jest/globals";
import { type Choice, choose, type OwnerFinding, type OwnerState } from "./deletion-choice";

const findings = (states: Record<string, OwnerState>): OwnerFinding[] =>
  Object.entries(states).map(([uid, state]) => ({ reference: { uid }, state }));
const NONE = { some: false, oneWaits: false };
const SOME = { some: true, oneWaits: false };

test.each<[string, Record<string, OwnerState>, readonly string[], typeof NONE, Choice]>([
  ["no owner at all", {}, [], NONE, { kind: "keep" }],
  ["all owners are there", { a: "solid" }, [], NONE, { kind: "keep" }],
  [
    "one owner is left: the others are forgotten",
    { a: "solid", b: "absent", c: "waiting" },
    [],
    NONE,
    { kind: "dropReferences", uids: ["b", "c"] },
  ],
  ["all are gone", { a: "absent" }, [], NONE, { kind: "delete", policy: "Background", unblock: false }],
  ["an own wish to orphan", { a: "absent" }, ["orphan"], SOME, { kind: "delete", policy: "Orphan", unblock: false }],
  [
    "an own wish to go last",
    { a: "absent" },
    ["foregroundDeletion"],
    SOME,
    { kind: "delete", policy: "Foreground", unblock: false },
  ],
  [
    "the owner waits, nobody depends",
    { a: "waiting" },
    [],
    NONE,
    { kind: "delete", policy: "Background", unblock: false },
  ],
  [
    "the owner waits, some depend",
    { a: "waiting" },
    [],
    SOME,
    { kind: "delete", policy: "Foreground", unblock: false },
  ],
  [
    "perhaps a circle",
    { a: "waiting" },
    [],
    { some: true, oneWaits: true },
    { kind: "delete", policy: "Foreground", unblock: true },
  ],
])("%s", (_what, states, finalizers, dependents, expected) => {
  expect(choose(findings(states), finalizers, dependents)).toEqual(expected);
});
