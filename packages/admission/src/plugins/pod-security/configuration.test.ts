import { describe, expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { createAdmissionChain } from "../../chain/chain";
import { fakeDependencies } from "../../testing/admission-request";
import { readConfiguration } from "./configuration";
import { podSecurity } from "./pod-security";

const GROUP = "pod-security.admission.config.orch.io";
const ORCH = vocabularyOf("orch");
const of = (parts: JsonObject, version = "v1"): JsonObject => ({
  apiVersion: `${GROUP}/${version}`,
  kind: "PodSecurityConfiguration",
  ...parts,
});
const read = (configuration: JsonValue | undefined) => readConfiguration(configuration, ORCH);
const NOTHING = { level: "privileged", version: "latest" };

test("without a configuration, no level is enforced and there are no exemptions", () => {
  const nobody = new Set();
  expect(read(undefined)).toEqual({
    defaults: { enforce: NOTHING, audit: NOTHING, warn: NOTHING },
    exemptions: { usernames: nobody, namespaces: nobody, runtimeClasses: nobody },
  });
});

test.each(["v1", "v1beta1", "v1alpha1"])("version %s is read", (version) => {
  const defaults = { enforce: "baseline", "enforce-version": "v1.20", audit: "restricted", "warn-version": "v1.1" };
  const exemptions = { usernames: ["ann", "system:x"], namespaces: ["a"], runtimeClasses: ["x.y"] };
  expect(read(of({ defaults, exemptions }, version))).toEqual({
    defaults: {
      enforce: { level: "baseline", version: "v1.20" },
      audit: { level: "restricted", version: "latest" },
      warn: { level: "privileged", version: "v1.1" },
    },
    exemptions: {
      usernames: new Set(["ann", "system:x"]),
      namespaces: new Set(["a"]),
      runtimeClasses: new Set(["x.y"]),
    },
  });
});

test("empty texts and empty parts mean the same as none", () => {
  const empty = { defaults: { enforce: "", "warn-version": "" }, exemptions: { usernames: null } };
  expect(read(of(empty))).toEqual(read(undefined));
  expect(read(of({ defaults: null, exemptions: null }))).toEqual(read(undefined));
});

test("the other vocabulary names the group as its clients do", () => {
  const stated = of({ defaults: { warn: "baseline" } });
  const kubernetes = vocabularyOf("kubernetes");
  const theirs = { ...stated, apiVersion: `${kubernetes.groups.podSecurityAdmissionConfig}/v1` };
  expect(readConfiguration(theirs, kubernetes).defaults.warn.level).toBe("baseline");
  expect(() => readConfiguration(stated, kubernetes)).toThrow("must be a PodSecurityConfiguration of");
});

const LEVEL = "must be one of privileged, baseline, restricted";
const VERSION = 'must be "latest" or "v1.x"';

describe("a configuration is refused", () => {
  test.each<[string, JsonValue, string]>([
    ["of another kind", of({ kind: "Other" }), `the configuration must be a PodSecurityConfiguration of ${GROUP}/v1, `],
    ["of another version", of({}, "v2"), `the configuration must be a PodSecurityConfiguration of ${GROUP}/v1, `],
    ["that is a text", "x", "the configuration must be a PodSecurityConfiguration of"],
    ["with an unknown field", of({ default: {} }), "default: Invalid value: {}: unknown field"],
    ["with an unknown default", of({ defaults: { deny: "x" } }), 'defaults.deny: Invalid value: "x": unknown field'],
    [
      "with an unknown exemption",
      of({ exemptions: { users: [] } }),
      "exemptions.users: Invalid value: []: unknown field",
    ],
    ["of an unknown level", of({ defaults: { audit: "strict" } }), `defaults.audit: Invalid value: "strict": ${LEVEL}`],
    [
      "of an unknown version",
      of({ defaults: { "warn-version": "v1.01" } }),
      `defaults.warn-version: Invalid value: "v1.01": ${VERSION}`,
    ],
    ["of a level that is no text", of({ defaults: { enforce: 1 } }), `defaults.enforce: Invalid value: 1: ${LEVEL}`],
    ["whose defaults are a list", of({ defaults: [] }), "defaults: Invalid value: []: must be an object"],
    [
      "with an empty user",
      of({ exemptions: { usernames: [""] } }),
      'exemptions.usernames[0]: Invalid value: "": username must not be empty',
    ],
    [
      "with a user twice",
      of({ exemptions: { usernames: ["a", "b", "a"] } }),
      'exemptions.usernames[2]: Duplicate value: "a"',
    ],
    [
      "with a namespace that cannot be",
      of({ exemptions: { namespaces: ["A"] } }),
      'exemptions.namespaces[0]: Invalid value: "A": ',
    ],
    [
      "with a namespace twice",
      of({ exemptions: { namespaces: ["a", "a"] } }),
      'exemptions.namespaces[1]: Duplicate value: "a"',
    ],
    [
      "with a runtime class that cannot be",
      of({ exemptions: { runtimeClasses: ["a..b"] } }),
      'exemptions.runtimeClasses[0]: Invalid value: "a..b": ',
    ],
    [
      "with a runtime class twice",
      of({ exemptions: { runtimeClasses: ["a", "a"] } }),
      'exemptions.runtimeClasses[1]: Duplicate value: "a"',
    ],
    ["with names that are none", of({ exemptions: { usernames: [1] } }), "exemptions.usernames[0]: Invalid value: 1: "],
    ["with names outside a list", of({ exemptions: { usernames: "a" } }), 'exemptions.usernames: Invalid value: "a": '],
    [
      "for each of its mistakes",
      of({ defaults: { warn: "x", audit: "y" } }),
      `[defaults.audit: Invalid value: "y": ${LEVEL}, defaults.warn: Invalid value: "x": ${LEVEL}]`,
    ],
  ])("%s", (_what, configuration, message) => {
    expect(() => read(configuration)).toThrow(message);
  });

  test("before the server starts", () => {
    const configurations = new Map([["PodSecurity", { value: of({ defaults: { warn: "x" } }), from: "its file" }]]);
    expect(() =>
      createAdmissionChain({ plugins: [podSecurity], dependencies: fakeDependencies(), configurations }),
    ).toThrow(`couldn't init admission plugin "PodSecurity": its file: defaults.warn: Invalid value: "x": ${LEVEL}`);
  });
});
