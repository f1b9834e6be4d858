import { expect, test } from "@jest/globals";
import { withCommonEncoding } from "./common-encoding";

const server = (apiServerID: string, encodingVersion: string) => ({
  ...{ apiServerID, encodingVersion },
  decodableVersions: ["apps/v1", "apps/v1beta1"],
});
const BEFORE = "2026-01-01T00:00:00Z";
const NOW = "2026-02-02T00:00:00Z";

test.each([
  ["one server decides", ["apps/v1"], "apps/v1", "True"],
  ["equal servers agree", ["apps/v1", "apps/v1"], "apps/v1", "True"],
  ["different servers have nothing in common", ["apps/v1", "apps/v1beta1"], undefined, "False"],
  ["no server stores anything", [], undefined, "False"],
])("%s", (_what, versions, common, condition) => {
  const servers = versions.map((version, position) => server(`apiserver-${position}`, version));
  const status = withCommonEncoding({}, servers, { now: NOW, generation: 0 });
  expect(status.commonEncodingVersion).toBe(common);
  expect(status.conditions).toMatchObject([
    { type: "AllEncodingVersionsEqual", status: condition, lastTransitionTime: NOW },
  ]);
});

test.each([
  ["the same version keeps it", ["apps/v1"], BEFORE],
  ["another common version renews it", ["apps/v1beta1"], NOW],
  ["a disagreement renews it", ["apps/v1", "apps/v1beta1"], NOW],
])("the time of the condition: %s", (_what, versions, expected) => {
  const present = withCommonEncoding({}, [server("a", "apps/v1")], { now: BEFORE, generation: 0 });
  const servers = versions.map((version, position) => server(`apiserver-${position}`, version));
  const { conditions } = withCommonEncoding(present, servers, { now: NOW, generation: 0 });
  expect(conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([expected]);
});
