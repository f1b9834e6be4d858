// Generators of roles and bindings.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import { collected, separated } from "../../../process/global-options";
import { type Generator, type Given, listOf, metadataOf, pairsOf, textOf } from "./generator";

export const ACCESS_GENERATORS: readonly Generator[] = [
  {
    words: "role",
    summary: "create a role with one rule per API group",
    options: (command) => {
      command
        .option("--verb <verb,...>", "the verbs", separated)
        .option("--resource <resource,...>", "the resources, such as pods, deployments.apps or pods/log", separated)
        .option("--resource-name <name>", "only objects of this name; may be repeated", collected);
    },
    build: async (given) => ({ ...head(given, "Role"), rules: await resourceRules(given) }),
  },
  {
    words: "clusterrole",
    summary: "create a cluster role",
    options: (command) => {
      command
        .option("--verb <verb,...>", "the verbs", separated)
        .option("--resource <resource,...>", "the resources, such as pods, deployments.apps or pods/log", separated)
        .option("--resource-name <name>", "only objects of this name; may be repeated", collected)
        .option("--non-resource-url <path,...>", "paths outside of resources, such as /metrics", separated)
        .option("--aggregation-rule <key=value,...>", "labels of the cluster roles that this one combines");
    },
    build: clusterRole,
  },
  {
    words: "rolebinding",
    summary: "bind a role or a cluster role to subjects in a namespace",
    options: (command) => {
      command.option("--clusterrole <name>", "the cluster role").option("--role <name>", "the role");
      subjectOptions(command);
    },
    build: (given) => {
      const role = textOf(given, "role");
      const clusterRole = textOf(given, "clusterrole");
      if ((role === undefined) === (clusterRole === undefined)) {
        throw new CliError("exactly one of clusterrole or role must be specified");
      }
      return {
        ...head(given, "RoleBinding"),
        roleRef: roleRef(given, { role, clusterRole }),
        subjects: subjectsOf(given),
      };
    },
  },
  {
    words: "clusterrolebinding",
    summary: "bind a cluster role to subjects in all namespaces",
    options: (command) => {
      command.option("--clusterrole <name>", "the cluster role");
      subjectOptions(command);
    },
    build: (given) => {
      const clusterRole = textOf(given, "clusterrole");
      if (clusterRole === undefined) throw new CliError('required flag(s) "clusterrole" not set');
      return {
        ...head(given, "ClusterRoleBinding"),
        roleRef: roleRef(given, { role: undefined, clusterRole }),
        subjects: subjectsOf(given),
      };
    },
  },
];

function subjectOptions(command: Command): void {
  command
    // The option `--user` of all commands has another meaning: main renames the one of these commands.
    .option("--subject-user <name>", "a user; --user is the same here", separated)
    .option("--group <name>", "a group; may be repeated", separated)
    .option("--serviceaccount <namespace:name>", "a service account; may be repeated", separated);
}

const head = (given: Given, kind: string): JsonObject => ({
  apiVersion: `${given.names.groups.rbac}/v1`,
  kind,
  metadata: metadataOf(given),
});

function roleRef(
  { names }: Given,
  { role, clusterRole }: { readonly role: string | undefined; readonly clusterRole: string | undefined },
): JsonObject {
  return {
    apiGroup: names.groups.rbac,
    kind: role === undefined ? "ClusterRole" : "Role",
    name: role ?? clusterRole ?? "",
  };
}

function subjectsOf(given: Given): JsonObject[] {
  const apiGroup = given.names.groups.rbac;
  return [
    ...listOf(given, "subjectUser").map((name) => ({ apiGroup, kind: "User", name })),
    ...listOf(given, "group").map((name) => ({ apiGroup, kind: "Group", name })),
    ...listOf(given, "serviceaccount").map((text) => {
      const [namespace = "", name = "", ...rest] = text.split(":");
      if (namespace === "" || name === "" || rest.length > 0) {
        throw new CliError("serviceaccount must be <namespace>:<name>");
      }
      return { kind: "ServiceAccount", name, namespace };
    }),
  ];
}

async function clusterRole(given: Given): Promise<JsonObject> {
  const aggregation = textOf(given, "aggregationRule");
  const urls = listOf(given, "nonResourceUrl");
  if (aggregation !== undefined) {
    if (listOf(given, "verb").length + listOf(given, "resource").length + urls.length > 0) {
      throw new CliError("aggregation rule must be specified without nonResourceURLs and resources");
    }
    const clusterRoleSelectors = [{ matchLabels: pairsOf(aggregation, "--aggregation-rule") }];
    return { ...head(given, "ClusterRole"), rules: [], aggregationRule: { clusterRoleSelectors } };
  }
  const verbs = verbsOf(given);
  const rules = [
    ...(listOf(given, "resource").length > 0 || urls.length === 0 ? await resourceRules(given) : []),
    ...(urls.length > 0 ? [{ nonResourceURLs: [...urls], verbs }] : []),
  ];
  return { ...head(given, "ClusterRole"), rules };
}

function verbsOf(given: Given): string[] {
  const verbs = [...new Set(listOf(given, "verb"))];
  if (verbs.length === 0) throw new CliError("at least one verb must be specified");
  return verbs.includes("*") ? ["*"] : verbs;
}

/** Returns a rule per API group. */
async function resourceRules(given: Given): Promise<JsonObject[]> {
  const verbs = verbsOf(given);
  const resources = listOf(given, "resource");
  if (resources.length === 0) throw new CliError("at least one resource must be specified");
  const byGroup = new Map<string, string[]>();
  for (const text of resources) {
    const { group, resource } = await partsOf(given, text);
    const found = byGroup.get(group) ?? [];
    if (!found.includes(resource)) found.push(resource);
    byGroup.set(group, found);
  }
  const resourceNames = [...listOf(given, "resourceName")];
  return [...byGroup].map(([group, each]) => ({
    apiGroups: [group],
    resources: each,
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
    verbs,
  }));
}

/** Reads `deploy`, `deployments.apps` and `pods/log` as resource and group. */
async function partsOf(
  { catalog }: Given,
  text: string,
): Promise<{ readonly group: string; readonly resource: string }> {
  const [main = "", subresource] = text.split("/");
  if (main === "*" || main.startsWith("*.")) return { group: main.slice(2), resource: "*" };
  const { group, resource } = await catalog.forName(main);
  return { group, resource: subresource === undefined ? resource : `${resource}/${subresource}` };
}
