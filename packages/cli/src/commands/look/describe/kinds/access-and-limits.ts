import type { JsonObject } from "@orch/schema";
import { at, column, fact, itemsAt, type KindView, textAt } from "../kind-view";

export const ROLE: KindView = {
  sections: [
    {
      title: "Rules",
      items: (role) => itemsAt(role, "rules"),
      columns: [
        column("Verbs", "verbs"),
        column("Names", "resourceNames", "all"),
        [
          "Resources",
          (rule) => {
            const groups = ((at(rule, "apiGroups") ?? []) as unknown[]).map(String);
            const resources = ((at(rule, "resources") ?? []) as unknown[]).map(String);
            if (resources.length === 0) return textAt(rule, "nonResourceURLs") ?? "";
            const named = (resource: string) =>
              groups.map((group) => (group === "" ? resource : `${resource}.${group}`));
            return resources.flatMap(named).join(", ");
          },
        ],
      ],
    },
  ],
  shows: ["rules"],
};

export const BINDING: KindView = {
  facts: [["Role", (binding) => `${textAt(binding, "roleRef.kind")}/${textAt(binding, "roleRef.name")}`]],
  sections: [
    {
      title: "Subjects",
      items: (binding) => itemsAt(binding, "subjects"),
      columns: [column("Kind", "kind"), column("Name", "name"), column("Namespace", "namespace", "-")],
    },
  ],
  shows: ["roleRef", "subjects"],
};

const names = (path: string) => (object: JsonObject) =>
  itemsAt(object, path)
    .map((each) => textAt(each, "name"))
    .join(", ") || "<none>";

export const SERVICE_ACCOUNT: KindView = {
  facts: [
    ["Image Pull Secrets", names("imagePullSecrets")],
    ["Secrets", names("secrets")],
    fact("Mounts Tokens", "automountServiceAccountToken"),
  ],
  shows: ["imagePullSecrets", "secrets", "automountServiceAccountToken"],
};

export const QUOTA: KindView = {
  facts: [fact("Scopes", "spec.scopes")],
  sections: [
    {
      title: "Resources",
      items: (quota) => {
        const hard = (at(quota, "status.hard") ?? at(quota, "spec.hard") ?? {}) as JsonObject;
        const used = (at(quota, "status.used") ?? {}) as JsonObject;
        return Object.keys(hard)
          .sort()
          .map((name) => ({ name, used: used[name] ?? "", hard: hard[name] ?? "" }));
      },
      columns: [column("Resource", "name"), column("Used", "used", "<unknown>"), column("Hard", "hard")],
    },
  ],
  shows: ["spec.scopes", "spec.hard", "status"],
};

const LIMITS = ["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export const LIMIT_RANGE: KindView = {
  sections: [
    {
      title: "Limits",
      items: (range) =>
        itemsAt(range, "spec.limits").flatMap((limit) => {
          const resources = new Set(LIMITS.flatMap((each) => Object.keys((limit[each] ?? {}) as JsonObject)));
          const of = (resource: string) =>
            LIMITS.map((each) => [each, ((limit[each] ?? {}) as JsonObject)[resource] ?? ""]);
          return [...resources].map((resource) => ({
            kind: limit["type"] ?? "",
            resource,
            ...Object.fromEntries(of(resource)),
          }));
        }),
      columns: [
        column("Type", "kind"),
        column("Resource", "resource"),
        column("Min", "min", "-"),
        column("Max", "max", "-"),
        column("Default Request", "defaultRequest", "-"),
        column("Default Limit", "default", "-"),
        column("Max Ratio", "maxLimitRequestRatio", "-"),
      ],
    },
  ],
  shows: ["spec.limits"],
};

export const SECRET: KindView = {
  facts: [fact("Type", "type"), fact("Immutable", "immutable")],
  shows: ["type", "immutable"],
};
export const CONFIG_MAP: KindView = { facts: [fact("Immutable", "immutable")], shows: ["immutable"] };
