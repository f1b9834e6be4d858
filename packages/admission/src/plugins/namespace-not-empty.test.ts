import { expect, test } from "@jest/globals";
import { type RequestParts, refusalOf, requestOf, worldOf } from "../admission-request.fixture";
import { namespaceNotEmpty } from "./namespace-not-empty";

const CONFLICT = {
  code: 409,
  message:
    'Operation cannot be fulfilled on namespaces "shop": the namespace is not empty: delete the objects in it first',
  details: { name: "shop", kind: "namespaces" },
};

test.each<[string, RequestParts, boolean, object | undefined]>([
  ["a namespace with objects is not deleted", { plural: "namespaces", name: "shop" }, false, CONFLICT],
  ["an empty one is", { plural: "namespaces", name: "shop" }, true, undefined],
  ["other objects are, whatever else their namespace holds", { name: "shop" }, false, undefined],
  [
    "a resource of that name in another group is something else",
    { group: "x.io", plural: "namespaces" },
    false,
    undefined,
  ],
])("%s", async (_behaviour, parts, empty, refusal) => {
  for (const answer of [empty, Promise.resolve(empty)]) {
    const world = worldOf({ namespaceIsEmpty: () => answer });
    const request = requestOf({ operation: "DELETE", ...parts });
    expect(await refusalOf(() => namespaceNotEmpty.validate?.(request, world))).toEqual(refusal);
  }
});
