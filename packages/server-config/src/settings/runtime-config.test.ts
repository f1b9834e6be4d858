import { describe, expect, test } from "@jest/globals";
import { parseRuntimeConfig } from "./runtime-config";

const GROUPS = new Set(["", "batch", "apps"]);
const byDefault = (_group: string, version: string) => version !== "v2alpha1";
const enabled = (pairs: Record<string, string>, group: string, version: string, resource = "things"): boolean => {
  const config = parseRuntimeConfig(pairs, GROUPS, byDefault);
  if (!("enabled" in config)) throw new Error(config.join());
  return config.enabled(group, version, resource);
};

describe("versions", () => {
  test.each<[string, Record<string, string>, string, string, boolean]>([
    ["are on by default", {}, "batch", "v1beta1", true],
    ["are off by default", {}, "batch", "v2alpha1", false],
    ["are switched on by a bare key", { "batch/v2alpha1": "" }, "batch", "v2alpha1", true],
    ["are switched off one by one", { "batch/v1": "false" }, "batch", "v1", false],
    ["of the core group go by v1 too", { v1: "false" }, "", "v1", false],
    ["of the core group go by api/v1 too", { "api/v1": "false" }, "", "v1", false],
    ["are switched by class", { "api/beta": "false" }, "batch", "v1beta1", false],
    ["are switched by class, but for one", { "api/all": "false", "apps/v1": "true" }, "apps", "v1", true],
    ["of a narrower class win", { "api/all": "false", "api/ga": "true" }, "apps", "v1", true],
  ])("%s", (_behaviour, pairs, group, version, expected) => expect(enabled(pairs, group, version)).toBe(expected));

  test("are switched off for one resource", () => {
    expect(enabled({ "apps/v1/things": "false" }, "apps", "v1")).toBe(false);
    expect(enabled({ "apps/v1/things": "false" }, "apps", "v1", "others")).toBe(true);
  });
});

test.each([{ "nothing/v1": "true" }, { "api/all": "false" }, { "batch/v1": "perhaps" }])("%j is refused", (pairs) =>
  expect(parseRuntimeConfig(pairs as unknown as Record<string, string>, GROUPS, byDefault)).toHaveLength(1),
);

test("an unknown version is reported and changes nothing", () => {
  const known = new Set(["batch", "batch/v1", "batch/v1/jobs"]);
  const pairs = {
    "api/beta": "false",
    "batch/v1": "true",
    "batch/v1/jobs": "true",
    "batch/v7": "true",
    "batch/v1/joys": "",
  };
  expect(parseRuntimeConfig(pairs, known, byDefault)).toMatchObject({
    warnings: [expect.stringContaining("batch/v7"), expect.stringContaining("batch/v1/joys")],
  });
});
