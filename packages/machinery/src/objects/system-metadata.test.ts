import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { keepSystemMetadata, stampNewObject } from "./system-metadata";

const BY = {
  clock: { now: () => Date.UTC(2024, 4, 1, 12, 0, 0, 999) },
  randomness: (bytes: number) => new Uint8Array(bytes),
};

describe("a new object", () => {
  test("gets uid and time, whatever the client wrote there", () => {
    const object: JsonObject = {
      metadata: {
        name: "a",
        uid: "mine",
        creationTimestamp: "2000-01-01T00:00:00Z",
        deletionTimestamp: "2000-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        selfLink: "/x",
        clusterName: "c",
        labels: { a: "b" },
      },
    };
    stampNewObject(object, BY);
    expect(object).toEqual({
      metadata: {
        name: "a",
        uid: "00000000-0000-4000-8000-000000000000",
        creationTimestamp: "2024-05-01T12:00:00Z",
        labels: { a: "b" },
      },
    });
  });

  test("gets a name when it only says how names begin", () => {
    const named: JsonObject = { metadata: { name: "a", generateName: "web-" } };
    const unnamed: JsonObject = { metadata: { generateName: "web-" } };
    stampNewObject(named, BY);
    stampNewObject(unnamed, BY);
    expect([named["metadata"], unnamed["metadata"]]).toMatchObject([{ name: "a" }, { name: "web-bbbbb" }]);
  });

  test("may come without metadata", () => {
    const object: JsonObject = {};
    stampNewObject(object, BY);
    expect(object["metadata"]).toMatchObject({ creationTimestamp: "2024-05-01T12:00:00Z" });
  });
});

test("an update keeps what the server decides, and gives way only where validation shall speak", () => {
  const old: JsonObject = {
    metadata: {
      name: "a",
      uid: "u",
      creationTimestamp: "t",
      generation: 3,
      deletionTimestamp: "d",
      deletionGracePeriodSeconds: 0,
    },
  };
  const silent: JsonObject = { metadata: { name: "a" } };
  const loud: JsonObject = {
    metadata: {
      name: "a",
      uid: "other",
      creationTimestamp: "x",
      generation: 9,
      deletionGracePeriodSeconds: 7,
      selfLink: "/x",
    },
  };
  keepSystemMetadata(silent, old);
  keepSystemMetadata(loud, old);
  expect(silent).toEqual(old);
  expect(loud).toEqual({
    metadata: {
      name: "a",
      uid: "other",
      creationTimestamp: "t",
      generation: 3,
      deletionTimestamp: "d",
      deletionGracePeriodSeconds: 7,
    },
  });
});

test("an update cannot mark an object for deletion", () => {
  const next: JsonObject = { metadata: { name: "a", deletionTimestamp: "d" } };
  keepSystemMetadata(next, { metadata: { name: "a" } });
  expect(next).toEqual({ metadata: { name: "a" } });
});
