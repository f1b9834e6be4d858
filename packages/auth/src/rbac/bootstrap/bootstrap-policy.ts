// Bootstrap roles and bindings that every cluster starts with, as objects to store. Source:
// plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.

import { type JsonObject, onceForRelease, type Vocabulary } from "@orch/schema";
import type { PolicyRule, Subject } from "../policy";
import { clusterRoleBindings } from "./cluster-role-bindings";
import { clusterRoles } from "./cluster-roles";
import { controllerRoles } from "./controller-roles";
import { namespaceRoleBindings, namespaceRoles } from "./namespace-policy";
import {
  type ClusterRoleRow,
  holds,
  rulesFor,
  type ServedFeatures,
  type SubjectRow,
  serviceAccount,
  user,
} from "./notation";
import { type GateSettings, isRoleGateOn, ROLE_GATES, type RoleGate } from "./role-gates";

/**
 * Objects of the v1 version of the API group. Fields, lists, and the objects of each list are in the order in which
 * they are reconciled.
 */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly JsonObject[];
  readonly clusterRoleBindings: readonly JsonObject[];
  readonly roles: readonly JsonObject[];
  readonly roleBindings: readonly JsonObject[];
}

const CONTROLLER_ROLE_PREFIX = "system:controller:";
const MANAGER_BINDING_PREFIX = "system:controller-manager:";

/**
 * Returns the policy of a release. It is created once and must not be changed: objects may share rules.
 * @param release the served release
 * @param gates settings of the server; other gates have the defaults of the release
 */
export function bootstrapPolicy(vocabulary: Vocabulary, release: string, gates: GateSettings = {}): BootstrapPolicy {
  const on = ROLE_GATES.filter((gate) => isRoleGateOn(gate, release, gates));
  return policyOf(vocabulary, [release, ...on].join(" "));
}

/** Creates the policy of a release and gates: their names, separated by blanks. */
const policyOf: (vocabulary: Vocabulary, served: string) => BootstrapPolicy = onceForRelease((vocabulary, served) => {
  const [release = "", ...gates] = served.split(" ");
  const on = new Set<string>(gates);
  return makePolicy(vocabulary, { release, isOn: (gate: RoleGate) => on.has(gate) });
});

function makePolicy(vocabulary: Vocabulary, served: ServedFeatures): BootstrapPolicy {
  const objects = objectsOf(vocabulary);
  const general = rolesFor(clusterRoles(vocabulary), served);
  const controllers = rolesFor(controllerRoles(vocabulary), served);
  const system = vocabulary.namespaces.system;
  return {
    clusterRoles: [
      ...general.map((row) => objects.clusterRole({ ...row, rules: aggregatedRules(row, general) })),
      ...controllers.map((row) => objects.clusterRole({ ...row, name: CONTROLLER_ROLE_PREFIX + row.name })),
    ],
    clusterRoleBindings: [
      ...clusterRoleBindings(vocabulary)
        .filter(({ when }) => holds(when, served))
        .map(({ name, subjects }) => objects.clusterRoleBinding(name, subjects)),
      ...controllers.map(({ name }) =>
        objects.clusterRoleBinding(CONTROLLER_ROLE_PREFIX + name, [serviceAccount(system, name)]),
      ),
      ...controllers
        .flatMap(({ name, usesManagerUser: uses }) =>
          uses !== undefined && (uses === true || holds(uses, served)) ? [name] : [],
        )
        .map((name) =>
          objects.clusterRoleBinding(
            `${MANAGER_BINDING_PREFIX}${name}`,
            [user(vocabulary.users.controllerManager)],
            CONTROLLER_ROLE_PREFIX + name,
          ),
        ),
    ],
    roles: namespaceRoles(vocabulary).map(({ name, namespace, rules }) =>
      objects.object("Role", { name, namespace }, { rules: rulesFor(rules, served) }),
    ),
    roleBindings: namespaceRoleBindings(vocabulary, served.release).map(({ name, namespace, role, subjects }) =>
      objects.object(
        "RoleBinding",
        { name, namespace },
        { subjects: subjects.map(objects.subject), roleRef: objects.roleRef("Role", role) },
      ),
    ),
  };
}

/** A role with the rules that the server has. */
type ServedRole<Row extends ClusterRoleRow> = Omit<Row, "rules" | "when"> & { readonly rules: readonly PolicyRule[] };

function rolesFor<Row extends ClusterRoleRow>(rows: readonly Row[], served: ServedFeatures): ServedRole<Row>[] {
  return rows.flatMap(({ when, rules, ...row }) =>
    holds(when, served) ? [{ ...row, rules: rulesFor(rules, served) }] : [],
  );
}

/**
 * Returns the rules of a row: its own or, when it aggregates, those of all rows that it selects, which may aggregate in
 * turn. Each rule occurs once, in the order of the roles' names. Source: Kubernetes documentation, "Using RBAC
 * Authorization", "Aggregated ClusterRoles".
 */
function aggregatedRules(row: ServedRole<ClusterRoleRow>, all: readonly ServedRole<ClusterRoleRow>[]): PolicyRule[] {
  if (row.aggregates === undefined) return [...row.rules];
  const selected = all
    .filter((other) => other !== row && other.aggregatedInto === row.aggregates)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const rules = selected.flatMap((other) => aggregatedRules(other, all));
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function objectsOf({ groups, labels, annotations }: Vocabulary) {
  const apiGroup = groups.rbac;

  function object(kind: string, metadata: JsonObject, content: JsonObject, extraLabels: JsonObject = {}): JsonObject {
    return {
      kind,
      apiVersion: `${apiGroup}/v1`,
      metadata: {
        ...metadata,
        labels: { [labels.bootstrapping]: "rbac-defaults", ...extraLabels },
        annotations: { [annotations.rbacAuthorizationAutoupdate]: "true" },
      },
      ...content,
    };
  }

  function clusterRole({ name, rules, aggregatedInto, aggregates }: ServedRole<ClusterRoleRow>): JsonObject {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregates ?? ""]: "true" } }] };
    return object(
      "ClusterRole",
      { name },
      { rules: [...rules], ...(aggregates !== undefined && { aggregationRule }) },
      aggregatedInto === undefined ? {} : { [aggregatedInto]: "true" },
    );
  }

  function clusterRoleBinding(name: string, subjects: readonly SubjectRow[], role = name): JsonObject {
    const content = {
      ...(subjects.length > 0 && { subjects: subjects.map(subject) }),
      roleRef: roleRef("ClusterRole", role),
    };
    return object("ClusterRoleBinding", { name }, content);
  }

  function subject(row: SubjectRow): Subject {
    const { kind, ...rest } = row;
    return kind === "ServiceAccount" ? { ...row } : { kind, apiGroup, ...rest };
  }

  function roleRef(kind: string, name: string): JsonObject {
    return { kind, apiGroup, name };
  }

  return { object, clusterRole, clusterRoleBinding, subject, roleRef };
}
