import { describe, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import { type BootstrapSecret, bootstrapTokens, readBootstrapSecret } from "./bootstrap-tokens";

const vocabulary = vocabularyOf("orch");
const NOW_MS = Date.UTC(2030, 0, 1);
const TOKEN = "abcdef.0123456789abcdef";
const DATA = {
  "token-id": "abcdef",
  "token-secret": "0123456789abcdef",
  "usage-bootstrap-authentication": "true",
};

function secret(data: Record<string, string> = {}, more: object = {}): BootstrapSecret {
  const encoded = Object.entries({ ...DATA, ...data }).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  const object = {
    type: "bootstrap.orch.io/token",
    metadata: { name: "bootstrap-token-abcdef" },
    data: Object.fromEntries(encoded),
    ...more,
  };
  return readBootstrapSecret(object, vocabulary);
}

const find = (found: BootstrapSecret | undefined, token = TOKEN) =>
  bootstrapTokens({ secret: () => found, nowMs: () => NOW_MS }).authenticateToken(token, {
    audiences: [],
    signal: NEVER_ENDS,
  });

test("is the user of its id, in the group of all and in those of its Secret", () => {
  expect(find(secret({ "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a" }))).toMatchObject({
    kind: "authenticated",
    user: {
      name: "system:bootstrap:abcdef",
      groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b"],
    },
  });
});

test("holds until its Secret is another, or its time has come", () => {
  let found = secret({ expiration: "2030-01-01T01:00:00+01:00" });
  expect(find(found)).toMatchObject({ kind: "failed", reason: expect.stringContaining("expired") });
  found = secret({ expiration: "2030-01-01T00:00:01Z" });
  const method = bootstrapTokens({ secret: () => found, nowMs: () => NOW_MS });
  const good = method.authenticateToken(TOKEN, { audiences: [], signal: NEVER_ENDS });
  if (good instanceof Promise || good.kind !== "authenticated") throw new Error("refused");
  expect(good.standing?.untilMs).toBe(NOW_MS + 1000);
  expect(good.standing?.holds?.()).toBe(true);
  found = secret();
  expect(good.standing?.holds?.()).toBe(false);
});

describe("is refused where its Secret", () => {
  test.each<[string, BootstrapSecret]>([
    ["is of another type", secret({}, { type: "Opaque" })],
    ["is being deleted", secret({}, { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } })],
    ["is for another use", secret({ "usage-bootstrap-authentication": "yes" })],
    ["says no use", secret({ "usage-bootstrap-authentication": "" })],
    ["has an end that is no time", secret({ expiration: "tomorrow" })],
    ["has an end without a zone", secret({ expiration: "2031-01-01T00:00:00" })],
    ["has an end on a day that no month has", secret({ expiration: "2031-02-30T00:00:00Z" })],
    ["names a group of others", secret({ "auth-extra-groups": "system:bootstrappers:a,system:masters" })],
    ["names a group with another beginning", secret({ "auth-extra-groups": "system:bootstrappers" + "x:y" })],
    ["names the group of all", secret({ "auth-extra-groups": "system:bootstrappers" })],
    ["has another name", secret({}, { metadata: { name: "bootstrap-token-abcdeg" } })],
    ["is for another id", secret({ "token-id": "zzzzzz" })],
    ["holds another secret", secret({ "token-secret": "0123456789abcdee" })],
    ["holds a longer secret", secret({ "token-secret": "0123456789abcdef0" })],
    ["holds none", secret({ "token-secret": "" })],
  ])("%s", (_what, found) => {
    const outcome = find(found);
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(outcome)).not.toContain("0123456789abcdef");
  });
});

test.each([
  ["a token whose Secret nobody has", undefined, TOKEN],
  ["one of another form", secret(), "abcdef.0123456789ABCDEF"],
  ["a longer one", secret(), `${TOKEN}0`],
  ["its first half", secret(), "abcdef."],
])("knows nothing of %s", (_what, found, token) => {
  expect(find(found, token)).toEqual({ kind: "notApplicable" });
});
