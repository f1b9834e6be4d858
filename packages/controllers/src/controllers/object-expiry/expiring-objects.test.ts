import { expect, test } from "@jest/globals";
import { ExpiringObjects } from "./expiring-objects";

const object = (uid: string, expiryMs: number) => ({
  identity: { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: uid, uid },
  expiryMs,
});

test("objects are due once, from their time on", () => {
  const objects = new ExpiringObjects();
  objects.set(object("a", 10));
  objects.set(object("b", 20));
  objects.set(object("c", 20));
  expect([objects.due(9), objects.due(10), objects.due(19)]).toEqual([[], ["a"], []]);
  objects.delete("a");
  expect([objects.due(20), objects.size]).toEqual([["b", "c"], 2]);
});

test("a changed time counts from then on", () => {
  const objects = new ExpiringObjects();
  objects.set(object("a", 10));
  objects.set(object("a", 30));
  expect(objects.due(10)).toEqual([]);
  objects.set(object("b", 15));
  expect([objects.due(15), objects.due(30)]).toEqual([["b"], ["a", "b"]]);
});

test("a clock that was set forward makes objects due at the next look", () => {
  const objects = new ExpiringObjects();
  objects.set(object("a", 1_000_000_000_000));
  expect([objects.due(0), objects.due(1_000_000_000_001)]).toEqual([[], ["a"]]);
});
