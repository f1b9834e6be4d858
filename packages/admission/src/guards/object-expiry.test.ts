import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../testing/admission-request";
import { objectExpiry } from "./object-expiry";

const object = (annotations: JsonObject, more: JsonObject = {}): JsonObject => ({
  metadata: { name: "a", namespace: "shop", annotations, ...more },
});
const HOUR = { "orch.io/ttl": "1h" };

const asked: string[] = [];
const authorizerOf = (verbs: readonly string[]) =>
  ({
    authorize: ({ verb, resource, namespace, name }: Record<string, string>) => {
      asked.push(`${verb} ${resource} ${namespace}/${name}`);
      return verbs.includes(verb ?? "") ? { kind: "allow", reason: "" } : { kind: "noOpinion", reason: "" };
    },
  }) as never;

async function refused(parts: RequestParts, verbs: readonly string[] = []): Promise<string | undefined> {
  asked.length = 0;
  const { check } = objectExpiry(fakeDependencies({ authorizer: authorizerOf(verbs) }));
  const refusal = await refusalOf(() => check(requestOf(parts)));
  return refusal && `${refusal.code} ${refusal.message}`;
}

const update = (before: JsonObject, after: JsonObject): RequestParts => ({
  ...{ operation: "UPDATE", oldObject: object(before), object: object(after) },
});

describe("an expiry", () => {
  test.each<[string, RequestParts]>([
    ["in a new object needs no permission", { object: object(HOUR) }],
    ["that stays as it is needs no permission", update(HOUR, { ...HOUR, other: "x" })],
    ["that is removed needs no permission", update(HOUR, {})],
    ["that is absent needs no permission", update({}, { other: "x" })],
    ["that is stored with an invalid value may stay", update({ "orch.io/ttl": "x" }, { "orch.io/ttl": "x" })],
  ])("%s", async (_behaviour, parts) => {
    expect(await refused(parts)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test.each<[string, RequestParts]>([
    ["added", update({}, HOUR)],
    ["changed", update(HOUR, { "orch.io/ttl": "2h" })],
    ["replaced by another", update(HOUR, { "orch.io/expires-at": "2030-01-01T00:00:00Z" })],
  ])("that is %s needs permission to delete the object", async (_change, parts) => {
    expect(await refused(parts, ["update"])).toMatch(
      /^403 configmaps "a" is forbidden: the annotation orch\.io\/\S+ has the object deleted, and the user "ann" may not delete it: it requires the verb "delete" on the object$/,
    );
    expect(asked).toEqual(["delete configmaps shop/a"]);
    expect(await refused(parts, ["delete"])).toBeUndefined();
  });

  test.each<[string, RequestParts]>([
    ["in a new object", { object: object({ "orch.io/expires-at": "tomorrow" }) }],
    ["in an update", update({}, { "orch.io/expires-at": "tomorrow" })],
  ])("with an invalid value is refused %s", async (_where, parts) => {
    expect(await refused(parts, ["delete"])).toMatch(
      /^422 .*metadata\.annotations\[orch\.io\/expires-at\]: Invalid value: "tomorrow": must be a time of RFC 3339/,
    );
  });
});
