import { expect, test } from "@jest/globals";
import { fieldErrorText } from "../errors/field-error";
import { changesExpiry, expiryErrors, expiryMsOf } from "./object-expiry";

const KEYS = { expiresAt: "orch.io/expires-at", ttl: "orch.io/ttl" };
const CREATED = "2030-01-01T00:00:00Z";
const CREATED_MS = Date.parse(CREATED);

const meta = (expiresAt?: string, ttl?: string, creationTimestamp: string | null = CREATED) => ({
  creationTimestamp,
  annotations: {
    other: "x",
    ...(expiresAt !== undefined && { [KEYS.expiresAt]: expiresAt }),
    ...(ttl !== undefined && { [KEYS.ttl]: ttl }),
  },
});

test.each([
  ["an object without annotations does not expire", {}, undefined],
  ["other annotations state no expiry", meta(), undefined],
  ["a time is one", meta("2030-01-01T01:00:00+01:00"), CREATED_MS],
  ["a time to live counts from the creation", meta(undefined, "1h30m"), CREATED_MS + 5_400_000],
  ["the earlier of both applies", meta("2030-01-01T02:00:00Z", "1h"), CREATED_MS + 3_600_000],
  ["the earlier of both applies in the other order", meta("2030-01-01T00:30:00Z", "1h"), CREATED_MS + 1_800_000],
  ["a time to live without a creation time states nothing", meta(undefined, "1h", null), undefined],
  ["an invalid time states nothing", meta("tomorrow"), undefined],
  ["a negative time to live states nothing", meta(undefined, "-1h"), undefined],
] as const)("%s", (_behaviour, metadata, expected) => {
  expect(expiryMsOf(metadata, KEYS)).toBe(expected);
});

test.each<[string | undefined, string | undefined, readonly string[]]>([
  [undefined, undefined, []],
  ["2030-01-01T00:00:00.5Z", "0.5s", []],
  ["2030-01-01", undefined, ['metadata.annotations[orch.io/expires-at]: Invalid value: "2030-01-01": must be a time']],
  ["", "", ["metadata.annotations[orch.io/expires-at]", "metadata.annotations[orch.io/ttl]"]],
  [undefined, "3d", ['metadata.annotations[orch.io/ttl]: Invalid value: "3d": must be a positive duration']],
  [undefined, "0", ["must be a positive duration"]],
  [undefined, "9".repeat(100_000), ["metadata.annotations[orch.io/ttl]"]],
])("%j and %j have their errors", (expiresAt, ttl, expected) => {
  const errors = expiryErrors(meta(expiresAt, ttl), KEYS).map(fieldErrorText);
  expect(errors).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) expect(errors[index]).toContain(text);
});

test("a change of either annotation is a change of the expiry", () => {
  expect(changesExpiry(meta(), meta(undefined, "1h"), KEYS)).toBe(true);
  expect(changesExpiry(meta(CREATED), {}, KEYS)).toBe(true);
  expect(changesExpiry(meta(CREATED, "1h"), { ...meta(CREATED, "1h"), name: "x" }, KEYS)).toBe(false);
});
