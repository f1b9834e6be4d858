import { expect, test } from "@jest/globals";
import {
  type AutomaticState,
  type AutomaticStep,
  automaticStep,
  type WantedRegistration,
} from "./automatic-registration";
import type { Automation, Registration } from "./registration";

const SPEC = { name: "v1.a", group: "a", version: "v1", groupPriority: 1000, versionPriority: 100 };
const wantedAs = (automation: Automation | "none"): WantedRegistration | undefined =>
  automation === "none" ? undefined : { ...SPEC, automation };

type Current = "absent" | "not labelled" | Automation;
const currentAs = (kind: Current): Registration | undefined => {
  if (kind === "absent") return undefined;
  const automation = kind === "not labelled" ? undefined : kind;
  return { ...SPEC, uid: "u", versionPriority: 1, automation, backend: undefined, condition: undefined };
};

const NEW: AutomaticState = { existedAtStart: false, isDone: false };
const OLD: AutomaticState = { existedAtStart: true, isDone: false };
const DONE: AutomaticState = { existedAtStart: true, isDone: true };

// Decision table: the current registration, then the steps when nothing, `onstart` and `true` is wanted.
test.each<[Current, AutomaticState, AutomaticStep, AutomaticStep, AutomaticStep]>([
  ["absent", NEW, "leave", "create", "create"],
  ["absent", DONE, "leave", "leave", "create"],
  ["not labelled", NEW, "leave", "leave", "leave"],
  ["not labelled", OLD, "leave", "leave", "leave"],
  ["onstart", OLD, "delete", "correct", "correct"],
  ["onstart", DONE, "leave", "leave", "leave"],
  ["onstart", NEW, "leave", "leave", "leave"],
  ["true", NEW, "delete", "correct", "correct"],
  ["true", DONE, "delete", "leave", "correct"],
])("%s, %j: none %s, onstart %s, true %s", (kind, state, ...steps) => {
  const wanted = (["none", "onstart", "true"] as const).map(wantedAs);
  expect(wanted.map((each) => automaticStep(currentAs(kind), each, state))).toEqual(steps);
});

test("an unchanged registration is not written", () => {
  const current = { ...SPEC, uid: "u", automation: "true", backend: undefined, condition: undefined } as const;
  expect(automaticStep(current, wantedAs("true"), NEW)).toBe("leave");
  const elsewhere = { service: { namespace: "n", name: "s", port: 443 }, ca: "", verified: true };
  expect(automaticStep({ ...current, backend: elsewhere }, wantedAs("true"), NEW)).toBe("correct");
});
