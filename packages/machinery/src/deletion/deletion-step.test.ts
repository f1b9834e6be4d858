import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { Propagation } from "../requests/delete-options";
import type { DeletionRules } from "./deletion-rules";
import { deletionStep, isReleased, type RequestedDeletion } from "./deletion-step";
import { finalizersOfDeletion } from "./dependents-finalizers";

const NOW = "2024-05-01T12:00:00Z";
const in10Seconds = "2024-05-01T12:00:10Z";
const in30Seconds = "2024-05-01T12:00:30Z";
const DEFAULT: Propagation = { kind: "default" };
const policy = (name: "Foreground" | "Background" | "Orphan"): Propagation => ({ kind: "policy", policy: name });
const orphan = (value: boolean): Propagation => ({ kind: "orphanDependents", orphan: value });

const object = (metadata: JsonObject, more: JsonObject = {}): JsonObject => ({ metadata, ...more });

function step(
  metadata: JsonObject,
  rules: DeletionRules = {},
  asked: Partial<RequestedDeletion> = {},
  more?: JsonObject,
) {
  const given = object(metadata, more);
  const before = structuredClone(given);
  const found = deletionStep(given, rules, {
    gracePeriodSeconds: undefined,
    propagation: DEFAULT,
    orphansByDefault: false,
    nowMs: Date.parse(NOW) + 700,
    ...asked,
  });
  expect(given).toEqual(before);
  return found;
}

const marked = (metadata: JsonObject, more: JsonObject = {}) => ({ kind: "mark", object: object(metadata, more) });
const removed = (metadata: JsonObject) => ({ kind: "remove", last: object(metadata) });
const KEEP = { kind: "keep" };

describe("the finalizers of a deletion", () => {
  test.each<[string, readonly string[], Propagation, boolean, readonly string[]]>([
    ["are those that others set", ["x/y"], DEFAULT, false, ["x/y"]],
    ["wait for orphans where the kind says so", ["x/y"], DEFAULT, true, ["x/y", "orphan"]],
    ["wait for orphans when asked to", [], policy("Orphan"), false, ["orphan"]],
    ["wait for dependents in the foreground", [], policy("Foreground"), true, ["foregroundDeletion"]],
    ["wait for nobody in the background", [], policy("Background"), true, []],
    ["wait for orphans when asked to in the old way", [], orphan(true), false, ["orphan"]],
    ["wait for nobody when the old way says so", [], orphan(false), true, []],
    ["that the object has already are kept", ["foregroundDeletion"], DEFAULT, true, ["foregroundDeletion"]],
    ["follow the first of two that it has", ["orphan", "foregroundDeletion"], DEFAULT, false, ["orphan"]],
    [
      "that the object has give way to what is asked",
      ["orphan", "x/y"],
      policy("Foreground"),
      false,
      ["x/y", "foregroundDeletion"],
    ],
    ["that the object has go with the background", ["orphan"], policy("Background"), true, []],
  ])("%s", (_behaviour, finalizers, propagation, orphansByDefault, expected) => {
    expect(finalizersOfDeletion(finalizers, propagation, orphansByDefault)).toEqual(expected);
  });
});

describe("an object like most", () => {
  test("is removed at once, as it was", () => {
    expect(step({ name: "a", generation: 3 })).toEqual(removed({ name: "a", generation: 3 }));
  });

  test.each<[string, JsonObject, Partial<RequestedDeletion>, object]>([
    [
      "is marked while it has finalizers",
      { finalizers: ["x/y"], generation: 3 },
      {},
      marked({ finalizers: ["x/y"], generation: 4, deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }),
    ],
    [
      "is marked when dependents are to go first",
      {},
      { propagation: policy("Foreground") },
      marked({ finalizers: ["foregroundDeletion"], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }),
    ],
    [
      "counts its generation up once only",
      { finalizers: ["x/y"], generation: 4, deletionTimestamp: "2024-05-01T11:00:00Z", deletionGracePeriodSeconds: 0 },
      { propagation: policy("Orphan") },
      marked({
        finalizers: ["x/y", "orphan"],
        generation: 4,
        deletionTimestamp: "2024-05-01T11:00:00Z",
        deletionGracePeriodSeconds: 0,
      }),
    ],
    [
      "that is marked is left alone by the next deletion",
      { finalizers: ["x/y"], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 },
      { gracePeriodSeconds: 0 },
      KEEP,
    ],
    [
      "whose end lies ahead ends now",
      { finalizers: ["x/y"], deletionTimestamp: in30Seconds, deletionGracePeriodSeconds: 30 },
      {},
      marked({ finalizers: ["x/y"], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }),
    ],
  ])("%s", (_behaviour, metadata, asked, expected) => expect(step(metadata, {}, asked)).toEqual(expected));

  test("that waits for its dependents alone goes when the next deletion does not", () => {
    const waiting = { finalizers: ["foregroundDeletion"], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 };
    expect(step(waiting, {}, { propagation: policy("Background") })).toMatchObject({ kind: "remove" });
  });
});

test("a kind that has no dependents is never given finalizers for them", () => {
  const rules = { ignoresDependents: true } as const;
  expect(step({}, rules, { propagation: policy("Foreground"), orphansByDefault: true })).toEqual(removed({}));
  expect(step({ finalizers: ["orphan"] }, rules, { propagation: policy("Background") })).toMatchObject({
    kind: "mark",
  });
});

describe("an object of a kind that is given time to stop", () => {
  const rules: DeletionRules = { graceSeconds: (_object, asked) => asked ?? 30 };
  const pending = { deletionTimestamp: in30Seconds, deletionGracePeriodSeconds: 30 };

  test.each<[string, JsonObject, Partial<RequestedDeletion>, object]>([
    ["is given the kind's", { generation: 1 }, {}, marked({ ...pending, generation: 2 })],
    [
      "is given the client's",
      {},
      { gracePeriodSeconds: 10 },
      marked({ deletionTimestamp: in10Seconds, deletionGracePeriodSeconds: 10 }),
    ],
    [
      "is given a second, not none, when the client asks for less than none",
      {},
      { gracePeriodSeconds: -1 },
      marked({ deletionTimestamp: "2024-05-01T12:00:01Z", deletionGracePeriodSeconds: 1 }),
    ],
    ["is not given more by another deletion", pending, { gracePeriodSeconds: 60 }, KEEP],
    ["is left alone by a deletion that names no time", pending, {}, KEEP],
    ["takes no finalizers while it is pending", pending, { propagation: policy("Orphan") }, KEEP],
    [
      "is given less from the beginning on when asked",
      { ...pending, generation: 2 },
      { gracePeriodSeconds: 10, nowMs: Date.parse(in10Seconds) - 2000 },
      marked({ deletionTimestamp: in10Seconds, deletionGracePeriodSeconds: 10, generation: 2 }),
    ],
    [
      "goes at once when the client gives none, and shows that",
      {},
      { gracePeriodSeconds: 0 },
      removed({ deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }),
    ],
    ["goes at once when a later deletion gives none", pending, { gracePeriodSeconds: 0 }, { kind: "remove" }],
    ["goes when it had none any more", { ...pending, deletionGracePeriodSeconds: 0 }, {}, { kind: "remove" }],
    [
      "stays without time while finalizers hold it",
      { finalizers: ["x/y"] },
      { gracePeriodSeconds: 0 },
      marked({ finalizers: ["x/y"], deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 }),
    ],
  ])("%s", (_behaviour, metadata, asked, expected) => expect(step(metadata, rules, asked)).toMatchObject(expected));
});

describe("an object whose end others bring about", () => {
  const rules: DeletionRules = {
    termination: { begun: (it) => ({ ...it, phase: "Ending" }), isOver: ({ work }) => work !== "left" },
  };

  test("is marked by the first deletion, even when nothing is left to do", () => {
    for (const work of ["left", "done"]) {
      const expected = marked({ generation: 1, deletionTimestamp: NOW }, { work, phase: "Ending" });
      expect(step({ generation: 1 }, rules, { gracePeriodSeconds: 5 }, { work })).toEqual(expected);
    }
  });

  test("waits for its dependents when asked to", () => {
    expect(step({}, rules, { propagation: policy("Foreground") }, { work: "left" })).toMatchObject({
      object: { metadata: { finalizers: ["foregroundDeletion"] } },
    });
  });

  test("is left alone until the work is done", () => {
    const ending = { deletionTimestamp: NOW };
    expect(step(ending, rules, { propagation: policy("Orphan") }, { work: "left" })).toEqual(KEEP);
    expect(step(ending, rules, {}, { work: "done" })).toMatchObject({ kind: "remove" });
    expect(step({ ...ending, finalizers: ["x/y"] }, rules, {}, { work: "done" })).toMatchObject({ kind: "mark" });
  });
});

describe("an update", () => {
  const ending = { deletionTimestamp: NOW, deletionGracePeriodSeconds: 0 };
  const rules: DeletionRules = { termination: { begun: (it) => it, isOver: ({ work }) => work !== "left" } };

  test.each<[string, JsonObject, JsonObject, boolean]>([
    ["that takes the last finalizer lets the object go", ending, {}, true],
    ["that leaves one does not", { ...ending, finalizers: ["x/y"] }, {}, false],
    ["of an object that still has time does not", { ...ending, deletionGracePeriodSeconds: 5 }, {}, false],
    ["of an object that others still work on does not", ending, { work: "left" }, false],
    ["of one that they have done with does", ending, { work: "done" }, true],
  ])("%s", (_behaviour, metadata, more, expected) => {
    expect(isReleased(object(metadata, more), object(ending), rules)).toBe(expected);
  });

  test("an update of an object without deletion timestamp does not delete it", () => {
    expect(isReleased(object({}), object({ finalizers: ["x/y"] }), rules)).toBe(false);
  });
});
