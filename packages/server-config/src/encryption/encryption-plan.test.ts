// Tests the providers of a resource.
import { expect, test } from "@jest/globals";
import { type EncryptionEntry, providersFor } from "./encryption-plan";

/** Providers by key name. */
const entry = (resources: string, ...names: readonly string[]): EncryptionEntry => ({
  resources: resources.split(" "),
  providers: names.map((name) => ({ kind: "aesgcm", keys: [{ name, secret: Buffer.alloc(0) }] })),
});

test.each<[string, readonly EncryptionEntry[], string, string]>([
  ["a resource that nothing names has none", [entry("secrets", "a")], "configmaps", ""],
  ["one that is named has those of its entry", [entry("secrets configmaps", "a", "b")], "configmaps", "a b"],
  [
    "later entries that name it add theirs",
    [entry("secrets", "a"), entry("configmaps", "b"), entry("secrets", "c")],
    "secrets",
    "a c",
  ],
  ["a group is a part of the name", [entry("secrets.example.com", "a"), entry("secrets", "b")], "secrets", "b"],
  ["a custom resource is named with its group", [entry("widgets.example.com", "a")], "widgets.example.com", "a"],
  ["a whole group", [entry("*.apps", "a")], "deployments.apps", "a"],
  ["a whole group, and no other", [entry("*.apps", "a"), entry("*.*", "b")], "jobs.batch", "b"],
  ["the core group", [entry("*.", "a"), entry("*.*", "b")], "secrets", "a"],
  ["the core group, and no other", [entry("*.", "a")], "deployments.apps", ""],
  ["everything", [entry("*.*", "a")], "widgets.example.com", "a"],
  ["the earlier entry wins: a name over what is behind it", [entry("secrets", "a"), entry("*.*", "b")], "secrets", "a"],
  ["the earlier entry wins: all over what is behind them", [entry("*.*", "a"), entry("secrets", "b")], "secrets", "a"],
])("%s", (_rule, plan, name, expected) => {
  const [resource = "", ...group] = name.split(".");
  const names = providersFor(plan, { resource, group: group.join(".") }).flatMap((provider) =>
    "keys" in provider ? provider.keys.map((key) => key.name) : [],
  );
  expect(names.join(" ")).toBe(expected);
});
