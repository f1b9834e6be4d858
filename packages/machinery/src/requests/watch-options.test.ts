import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { toStatus } from "../errors/status-object";
import type { WatchStart } from "./read-semantics";
import { parseWatchOptions } from "./watch-options";

const watch = (query: string) => parseWatchOptions(new URLSearchParams(`watch=1&${query}`), vocabularyOf("orch"));

const failureOf = (query: string) => outcomeOf(() => watch(query));

function outcomeOf(act: () => unknown) {
  try {
    return act();
  } catch (error) {
    return toStatus(error);
  }
}

test.each<[string, WatchStart]>([
  ["", { kind: "mostRecent" }],
  ["resourceVersion=0", { kind: "any" }],
  ["resourceVersion=7", { kind: "exact", resourceVersion: 7 }],
])("a watch with %j starts at %j", (query, start) => {
  expect(watch(query)).toMatchObject({ start, sendInitialEvents: undefined, allowBookmarks: false });
});

describe("the initial events", () => {
  test.each<[string, boolean, WatchStart]>([
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan", true, { kind: "mostRecent" }],
    ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0", true, { kind: "any" }],
    [
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=7",
      true,
      { kind: "exact", resourceVersion: 7 },
    ],
    ["sendInitialEvents=false&resourceVersionMatch=NotOlderThan", false, { kind: "mostRecent" }],
  ])("are asked for by %j", (query, sendInitialEvents, start) => {
    expect(watch(query)).toMatchObject({ sendInitialEvents, start });
  });

  test.each([
    ["sendInitialEvents=true", ["Forbidden"]],
    ["sendInitialEvents=false", ["Forbidden"]],
    ["sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=7", ["Forbidden", "Unsupported value"]],
    ["resourceVersionMatch=NotOlderThan&resourceVersion=7", ["Forbidden"]],
    ["resourceVersionMatch=Exact&resourceVersion=7", ["Forbidden", "Unsupported value"]],
  ])("are refused with %j", (query, texts) => {
    expect(failureOf(query)).toMatchObject({
      code: 422,
      details: {
        kind: "ListOptions",
        causes: texts.map((text) => ({
          field: "resourceVersionMatch",
          message: expect.stringContaining(text),
        })),
      },
    });
  });
});

test.each([
  ["resourceVersion=abc", 422],
  ["timeoutSeconds=soon", 400],
  ["timeoutSeconds=", 400],
  ["limit=many", 400],
  ["limit=", 400],
  ["sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=t", 422],
  ["labelSelector=a%20b", 400],
])("a watch with %j is a %j", (query, code) => expect(failureOf(query)).toMatchObject({ code }));

test.each([
  ["", true, 422],
  ["resourceVersion=0", true, 422],
  ["resourceVersion=7", true, 0],
  ["sendInitialEvents=false&resourceVersionMatch=NotOlderThan", true, 422],
  ["", false, 0],
])(
  "a watch with a continue token, %j and initial events by default (%j) is refused with %j",
  (query, byDefault, code) => {
    const features = { shards: false, initialEventsByDefault: byDefault };
    const asked = new URLSearchParams(`watch=1&continue=t&${query}`);
    const answer = outcomeOf(() => parseWatchOptions(asked, vocabularyOf("orch"), features));
    expect(answer).toMatchObject(code === 0 ? { allowBookmarks: false } : { code });
  },
);

test.each([
  ["timeoutSeconds=5", 5],
  ["timeoutSeconds=0", undefined],
  ["timeoutSeconds=-3", undefined],
  ["", undefined],
])("a watch with %j lives %j seconds", (query, seconds) => expect(watch(query).timeoutSeconds).toBe(seconds));

test("a lifetime never exceeds what a timer can wait", () => {
  expect((watch("timeoutSeconds=99999999999").timeoutSeconds ?? 0) * 1000).toBeLessThan(2 ** 31);
});

test.each([
  ["allowWatchBookmarks=true", true],
  ["allowWatchBookmarks", true],
  ["allowWatchBookmarks=yes", true],
  ["allowWatchBookmarks=False", false],
  ["allowWatchBookmarks=0", false],
  ["", false],
])("a watch with %j takes bookmarks: %j", (query, expected) => expect(watch(query).allowBookmarks).toBe(expected));
