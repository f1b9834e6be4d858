// Privilege escalation check: a user cannot create or bind a role that grants more than they hold. The authorizer
// decides who may `escalate` or `bind`; the rules that a user holds are those of the roles bound to them. Source:
// Kubernetes documentation, "Using RBAC Authorization", "Privilege escalation prevention and bootstrapping".
import { escalationProblem, type PolicyRule, PRIVILEGED_GROUP, rulesOf, statedRules } from "@orch/auth";
import { type AdmissionRequest, field, forbidden, invalid, nameOf, type StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";
import { changesOnlyCollectorMetadata } from "../requests/collector-metadata";

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "authorizer" | "roles">;
type Check = (request: AdmissionRequest, object: JsonObject, dependencies: Dependencies) => Promise<void>;

/** Checks keyed by plural resource name. */
const CHECKS: Readonly<Record<string, Check>> = {
  roles: checkRole,
  clusterroles: checkClusterRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/**
 * Creates the guard. It runs before the object's own validation and changes nothing. @throws StatusError Forbidden
 * (403), NotFound (404) for the role
 */
export function roleEscalation(dependencies: Dependencies): AdmissionGuard {
  const group = dependencies.vocabulary.groups.rbac;
  return {
    name: "RoleEscalation",
    on: [{ operations: ["CREATE", "UPDATE"], resources: Object.keys(CHECKS).map((plural) => ({ group, plural })) }],
    check(request) {
      const { definition, object, oldObject, user } = request;
      const check = CHECKS[definition.plural];
      if (check === undefined || object === undefined) return;
      if (user.groups.includes(PRIVILEGED_GROUP)) return;
      if (oldObject !== undefined && changesOnlyCollectorMetadata(object, oldObject)) return;
      return check(request, object, dependencies);
    },
  };
}

async function checkRole(request: AdmissionRequest, role: JsonObject, dependencies: Dependencies): Promise<void> {
  if (await mayEscalate(request, dependencies)) return;
  await requireHeld(request, statedRules(role), dependencies);
}

async function checkClusterRole(
  request: AdmissionRequest,
  role: JsonObject,
  dependencies: Dependencies,
): Promise<void> {
  if (await mayEscalate(request, dependencies)) return;
  await requireHeld(request, statedRules(role), dependencies);
  // The rules that an aggregated role will gather are not known, so it needs all privileges.
  if (!aggregates(role) && !aggregates(request.oldObject)) return;
  if ((await problemOf(request, EVERYTHING, dependencies)) !== undefined) {
    throw refusal(request, "must have cluster-admin privileges to use the aggregationRule");
  }
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function aggregates(role: JsonObject | undefined): boolean {
  const { clusterRoleSelectors } = (role?.["aggregationRule"] ?? {}) as { readonly clusterRoleSelectors?: unknown[] };
  return (clusterRoleSelectors?.length ?? 0) > 0;
}

interface RoleRef {
  readonly kind?: string;
  readonly name?: string;
}

async function checkBinding(request: AdmissionRequest, binding: JsonObject, dependencies: Dependencies): Promise<void> {
  const { kind = "", name = "" } = (binding["roleRef"] ?? {}) as RoleRef;
  const { namespace, definition } = request;
  // A binding that names no role is invalid; report that here, because there is no role to check.
  if (kind !== "Role" && kind !== "ClusterRole") {
    throw invalid(definition, request.name, [field.notSupported("roleRef.kind", kind, ["Role", "ClusterRole"])]);
  }
  if (name === "") throw invalid(definition, request.name, [field.required("roleRef.name")]);
  const resource = kind === "Role" ? "roles" : "clusterroles";
  if (await isAllowed(request, dependencies, { verb: "bind", resource, namespace, name })) return;
  const role = await dependencies.roles.role(kind, namespace, name);
  await requireHeld(request, rulesOf(role), dependencies);
}

const mayEscalate = (request: AdmissionRequest, dependencies: Dependencies): Promise<boolean> =>
  isAllowed(request, dependencies, {
    verb: "escalate",
    resource: request.definition.plural,
    namespace: request.namespace,
    name: request.pathName,
  });

async function isAllowed(
  { user }: AdmissionRequest,
  { authorizer, vocabulary }: Dependencies,
  asked: { readonly verb: string; readonly resource: string; readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const apiGroup = vocabulary.groups.rbac;
  const attributes = { kind: "resource", user, apiGroup, apiVersion: "*", subresource: "", ...asked } as const;
  return (await authorizer.authorize(attributes)).kind === "allow";
}

/** @throws StatusError Forbidden (403) that lists the missing permissions */
async function requireHeld(
  request: AdmissionRequest,
  wanted: readonly PolicyRule[],
  dependencies: Dependencies,
): Promise<void> {
  const problem = await problemOf(request, wanted, dependencies);
  if (problem !== undefined) throw refusal(request, problem);
}

const refusal = ({ definition, object = {} }: AdmissionRequest, text: string): StatusError =>
  forbidden({ group: definition.group, resource: definition.plural }, nameOf(object), text);

const problemOf = async (
  { user, namespace }: AdmissionRequest,
  wanted: readonly PolicyRule[],
  { roles }: Dependencies,
) => escalationProblem(user, wanted, await roles.heldBy(user, namespace));
