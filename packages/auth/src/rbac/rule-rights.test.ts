import { describe, expect, test } from "@jest/globals";
import type { PolicyRule } from "./policy";
import { visitRights } from "./rule-rights";

/** Returns the number of index entries of a role. */
function steps(rules: readonly PolicyRule[]): number {
  let count = 0;
  const step = () => {
    count += 1;
  };
  visitRights(rules, { resource: step, broadResource: step, url: step, broadUrl: step, sweeping: step });
  return count;
}

const many = (count: number, start = "w") => Array.from({ length: count }, (_, at) => `${start}${at}`);

describe("the permissions required to write a role", () => {
  test.each<[string, PolicyRule[], number]>([
    ["a rule", [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "nodes"] }], 4],
    ["a rule of names", [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a", "b"] }], 2],
    ["a rule of paths", [{ verbs: ["get", "post"], nonResourceURLs: ["/a", "/b*"] }], 4],
    ["a rule that allows nothing", [{ verbs: [], apiGroups: [""], resources: ["pods"] }], 0],
    [
      "long lists, by one of them alone",
      [{ verbs: many(900), apiGroups: many(900), resources: many(900), resourceNames: many(900) }],
      900,
    ],
    ["lists that are longer still, once", [{ verbs: many(5000), apiGroups: many(5000), resources: many(5000) }], 1],
    ["very many paths, once", [{ verbs: ["get"], nonResourceURLs: many(19_000, "/") }], 1],
    [
      "thousands of rules, the first of them right by right",
      Array.from({ length: 2800 }, (_, at) => ({ verbs: ["get"], apiGroups: [""], resources: [`r${at}`] })),
      2800,
    ],
  ])("%s: %#", (_what, rules, expected) => expect(steps(rules)).toBe(expected));
});
