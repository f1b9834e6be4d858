import { describe, expect, test } from "@jest/globals";
import type { BuiltInResource, BuiltInVersion } from "@orch/apis-model";
import { type FactRow, factTable, wordsOf } from "../testing/fact-table";
import { EVERY_RESOURCE } from "./every-resource";

/** Versions whose releases differ from the table, or that only this list has. */
const OTHER_LIVES: Readonly<Record<string, { introduced?: string; deprecated?: string; removed?: string }>> = {
  "authorization/v1 localsubjectaccessreviews": { introduced: "1.6" },
  "core/v1 componentstatuses": { deprecated: "1.19" },
  "core/v1 endpoints": { deprecated: "1.33" },
  "authorization/v1 selfsubjectaccessreviews": { introduced: "1.6" },
  "networking/v1 networkpolicies": { introduced: "1.8" },
  "rbac/v1alpha1 clusterrolebindings": { introduced: "1.6", deprecated: "1.17", removed: "1.22" },
  "rbac/v1alpha1 clusterroles": { introduced: "1.6", deprecated: "1.17", removed: "1.22" },
  "rbac/v1alpha1 rolebindings": { introduced: "1.6", deprecated: "1.17", removed: "1.22" },
  "rbac/v1alpha1 roles": { introduced: "1.6", deprecated: "1.17", removed: "1.22" },
  "scheduling/v1alpha3 compositepodgroups": { introduced: "1.37" },
  "scheduling/v1alpha3 podgroups": { introduced: "1.37" },
  "scheduling/v1alpha3 workloads": { introduced: "1.37" },
};

const ALL_VERBS = "create delete deletecollection get list patch update watch";

function defined(row: FactRow): { resource: BuiltInResource; version: BuiltInVersion } {
  for (const resource of EVERY_RESOURCE) {
    const version = resource.versions.find(
      (each) => (each.group ?? resource.group) === row["group"] && each.version === row["version"],
    );
    if (resource.plural === row["plural"] && version !== undefined) return { resource, version };
  }
  throw new Error(`${row["group"]}/${row["version"]} ${row["plural"]} is not defined`);
}

const subresourceNames = (resource: BuiltInResource) => {
  const { subresources = {}, actions = {}, connections = {}, laterSubresources = {} } = resource;
  return [subresources, actions, connections, laterSubresources].flatMap(Object.keys);
};

const rows = factTable("resources.tsv").map((row): [string, FactRow] => [
  `${row["group"]}/${row["version"]} ${row["plural"]}`,
  row,
]);

describe("every resource of the facts is defined", () => {
  test.each(rows)("%s", (id, row) => {
    const { resource, version } = defined(row);
    expect({
      singular: resource.singular ?? resource.kind.toLowerCase(),
      kind: resource.kind,
      scope: resource.scope,
      shortNames: [...(resource.shortNames ?? [])],
      categories: [...(resource.categories ?? [])],
      verbs: [...(resource.verbs ?? ALL_VERBS.split(" "))],
      virtual: resource.virtual ?? false,
    }).toEqual({
      singular: row["singular"],
      kind: row["kind"],
      scope: row["scope"],
      shortNames: wordsOf(row["shortNames"]),
      categories: wordsOf(row["categories"]),
      verbs: wordsOf(row["verbs"] === "all" ? ALL_VERBS : row["verbs"]),
      virtual: row["virtual"] === "virtual",
    });
    const names = subresourceNames(resource);
    expect(names).toEqual(expect.arrayContaining([...wordsOf(row["subresources"])]));
    expect([version.introduced ?? "1.0", version.deprecated ?? "", version.removed ?? ""]).toEqual([
      OTHER_LIVES[id]?.introduced ?? (row["introduced"] || "1.0"),
      OTHER_LIVES[id]?.deprecated ?? row["deprecated"],
      OTHER_LIVES[id]?.removed ?? row["removed"],
    ]);
  });

  test("and nothing else", () => {
    const known = new Set(rows.map(([id]) => id));
    const unknown = EVERY_RESOURCE.flatMap(({ group, plural, versions }) =>
      versions.map((each) => `${each.group ?? group}/${each.version} ${plural}`).filter((id) => !known.has(id)),
    );
    expect(unknown).toEqual([]);
  });

  test("with its newest version's sub-resources and no more", () => {
    const newest = new Map<string, string>();
    for (const [, row] of rows) {
      const { resource, version } = defined(row);
      if (version === resource.versions[0]) newest.set(resource.plural, row["subresources"] ?? "");
    }
    for (const resource of EVERY_RESOURCE) {
      const names = subresourceNames(resource);
      const former = resource.plural === "deployments" ? ["rollback"] : [];
      expect([resource.plural, ...names.sort()]).toEqual([
        resource.plural,
        ...[...wordsOf(newest.get(resource.plural)), ...former].sort(),
      ]);
    }
  });
});
