import { expect, test } from "@jest/globals";
import { bootstrapSecret } from "../../testing/bootstrap-secrets";
import { joiningToken } from "./joining-token";

const NOW_MS = Date.UTC(2030, 0, 1);

test.each<[string, Parameters<typeof bootstrapSecret>, number]>([
  ["has no end", [], Infinity],
  ["ends a second from now", [{ expiration: "2030-01-01T00:00:01Z" }], NOW_MS + 1000],
  ["ends by the clock of another zone", [{ expiration: "2030-01-01T02:00:01+02:00" }], NOW_MS + 1000],
  ["is for authentication too", [{ "usage-bootstrap-authentication": "true" }], Infinity],
])("a token that %s signs", (_what, [data, name], expiresAtMs) =>
  expect(joiningToken(bootstrapSecret(data, name), NOW_MS)).toEqual({
    id: "abcdef",
    secret: "0123456789abcdef",
    expiresAtMs,
  }),
);

test.each<[string, Parameters<typeof bootstrapSecret>]>([
  ["is for authentication alone", [{ "usage-bootstrap-signing": "", "usage-bootstrap-authentication": "true" }]],
  ["is for signing, in other words", [{ "usage-bootstrap-signing": "True" }]],
  ["ends now", [{ expiration: "2030-01-01T00:00:00Z" }]],
  ["has expired", [{ expiration: "2029-12-31T23:59:59Z" }]],
  ["ends at no time", [{ expiration: "tomorrow" }]],
  ["ends on a day that no month has", [{ expiration: "2031-02-30T00:00:00Z" }]],
  ["ends in a place that nobody knows", [{ expiration: "2031-01-01T00:00:00" }]],
  ["has no second half", [{ "token-secret": "" }]],
  ["has no id", [{ "token-id": "" }]],
  ["has another id than its name", [{ "token-id": "abcdeg" }]],
  ["has a name without an id", [{}, "bootstrap-token-"]],
  ["has another name", [{}, "token-abcdef"]],
  ["has a second half that is too short", [{ "token-secret": "0123456789abcde" }]],
  ["has a second half in capitals", [{ "token-secret": "0123456789ABCDEF" }]],
  ["has a second half that ends with its line", [{ "token-secret": "0123456789abcdef\n" }]],
  ["names a group of others", [{ "auth-extra-groups": "system:masters" }]],
  ["names no group after a comma", [{ "auth-extra-groups": "system:bootstrappers:a," }]],
  ["has an id that is too long", [{ "token-id": "abcdefg" }, "bootstrap-token-abcdefg"]],
  ["has an id with a point", [{ "token-id": "abc.ef" }, "bootstrap-token-abc.ef"]],
])("one that %s does not", (_what, [data, name]) =>
  expect(joiningToken(bootstrapSecret(data, name), NOW_MS)).toBeUndefined(),
);
