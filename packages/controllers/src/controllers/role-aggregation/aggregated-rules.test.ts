import { describe, expect, test } from "@jest/globals";
import type { rbacV1 } from "@orch/schema";
import { aggregatedRules, aggregates, sameRules } from "./aggregated-rules";

type Rule = rbacV1.PolicyRule;
type Selectors = NonNullable<rbacV1.AggregationRule["clusterRoleSelectors"]>;

const rule = (resource: string, ...verbs: string[]): Rule => ({ apiGroups: [""], resources: [resource], verbs });
const role = (name: string, labels: Record<string, string>, ...rules: Rule[]): rbacV1.ClusterRole => ({
  metadata: { name, labels },
  rules,
});
const selecting = (...clusterRoleSelectors: Selectors): rbacV1.ClusterRole => ({
  ...role("all", { to: "x" }, rule("own", "get")),
  aggregationRule: { clusterRoleSelectors },
});

const PODS = role("b", { to: "x" }, rule("pods", "get"), rule("nodes", "list"));
const SECRETS = role("a", { to: "x", kind: "more" }, rule("secrets", "get"), rule("pods", "get"));
const OTHER = role("c", { to: "y" }, rule("jobs", "get"));
const EMPTY = role("d", { to: "x" });

describe("the rules that are gathered", () => {
  test.each<[string, rbacV1.ClusterRole, string[]]>([
    [
      "in order of names, each once, and never the role's own",
      selecting({ matchLabels: { to: "x" } }),
      ["secrets", "pods", "nodes"],
    ],
    [
      "selector by selector",
      selecting({ matchLabels: { to: "y" } }, { matchLabels: { kind: "more" } }),
      ["jobs", "secrets", "pods"],
    ],
    ["by expressions", selecting({ matchExpressions: [{ key: "to", operator: "NotIn", values: ["x"] }] }), ["jobs"]],
    ["of everything", selecting({}), ["secrets", "pods", "nodes", "jobs"]],
    ["of nothing that there is", selecting({ matchLabels: { to: "z" } }), []],
  ])("%s", (_how, of, resources) => {
    const gathered = aggregatedRules(of, [OTHER, of, PODS, EMPTY, SECRETS]);
    expect(gathered.flatMap((each) => each.resources ?? [])).toEqual(resources);
  });
});

test("only roles with selectors gather", () => {
  expect(aggregates(selecting({}))).toBe(true);
  expect(aggregates(selecting())).toBe(false);
  expect(aggregates(PODS)).toBe(false);
});

test("rules are the same in the same order, whether a list is empty or absent", () => {
  const pods = rule("pods", "get");
  expect(sameRules([pods], [{ ...pods, resourceNames: [] }])).toBe(true);
  expect(sameRules([pods, rule("a", "b")], [rule("a", "b"), pods])).toBe(false);
  expect(sameRules([pods], [])).toBe(false);
});
