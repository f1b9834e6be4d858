// OwnerReferencesPermissionEnforcement plugin: requires the permission to delete an object to change its owner
// references, and the permission to update the owner's finalizers to block the owner's deletion. Source:
// plugin/pkg/admission/gc/gc_admission.go.
import type { ResourceAttributes } from "@orch/auth";
import { type AdmissionRequest, metaOf, type OwnerReference, parseApiVersion, sameJson } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { AdmissionDependencies, KnownResource } from "../contract/dependencies";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

type Dependencies = Pick<AdmissionDependencies, "authorizer" | "kinds">;
type Target = Omit<ResourceAttributes, "kind" | "user">;

export const ownerReferencesPermissionEnforcement = definePlugin({
  name: "OwnerReferencesPermissionEnforcement",
  reads: ["authorizer", "kinds"],
  make: (dependencies) => ({
    on: [{ operations: ["CREATE", "UPDATE"] }],
    validate(request) {
      const [owners, former] = [ownersOf(request.object), ownersOf(request.oldObject)];
      if (owners.length === former.length && owners.every((each, index) => isSame(each, former[index]))) return;
      if (isPodStatus(request)) return;
      return judge(dependencies, request, owners, former);
    },
  }),
});

function ownersOf(object: JsonObject | undefined): readonly OwnerReference[] {
  return (object && metaOf(object).ownerReferences) ?? [];
}

const isSame = (one: OwnerReference, other: OwnerReference | undefined): boolean =>
  one === other || sameJson(one as JsonValue, other as JsonValue | undefined);

/** Returns whether the kubelet updates a pod's status, which does not change owner references. */
function isPodStatus({ definition, subresource }: AdmissionRequest): boolean {
  return definition.group === "" && definition.plural === "pods" && subresource === "status";
}

/** @throws StatusError Forbidden (403) */
async function judge(
  dependencies: Dependencies,
  request: AdmissionRequest,
  owners: readonly OwnerReference[],
  former: readonly OwnerReference[],
): Promise<void> {
  if (request.operation === "UPDATE") {
    const why = await refusalOf(dependencies, request, ownDeletion(request));
    if (why !== undefined) throw forbidden(request, `cannot set an ownerRef on a resource you can't delete: ${why}`);
  }
  for (const owner of newlyHeld(owners, former)) await judgeHold(dependencies, request, owner);
}

function ownDeletion({ definition, version, subresource, namespace, name }: AdmissionRequest): Target {
  const { group: apiGroup, version: apiVersion } = version;
  return { verb: "delete", apiGroup, apiVersion, resource: definition.plural, subresource, namespace, name };
}

/** Returns the owners whose deletion is newly blocked by this object. */
function newlyHeld(owners: readonly OwnerReference[], former: readonly OwnerReference[]): readonly OwnerReference[] {
  const held = new Set(former.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid));
  return owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion === true && !held.has(uid));
}

async function judgeHold(dependencies: Dependencies, request: AdmissionRequest, owner: OwnerReference): Promise<void> {
  const { apiVersion: text = "", kind = "", name = "" } = owner;
  const of = parseApiVersion(text);
  const resources = of === undefined ? [] : await dependencies.kinds.of(text, kind);
  if (of === undefined || resources.length === 0) {
    const why =
      of === undefined
        ? `unexpected GroupVersion string: ${text}`
        : `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(text)}`;
    throw forbidden(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${text} Kind ${kind}: ${why}`,
    );
  }
  for (const { resource, namespaced } of resources as readonly KnownResource[]) {
    const why = await refusalOf(dependencies, request, {
      verb: "update",
      apiGroup: of.group,
      apiVersion: of.version,
      resource,
      subresource: "finalizers",
      namespace: namespaced ? request.namespace : "",
      name,
    });
    if (why !== undefined) {
      throw forbidden(
        request,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
      );
    }
  }
}

/** Asks the authorizer. @returns undefined when the user is allowed */
async function refusalOf(
  { authorizer }: Dependencies,
  { user }: AdmissionRequest,
  target: Target,
): Promise<string | undefined> {
  const { kind, reason, error } = await authorizer.authorize({ kind: "resource", user, ...target });
  return kind === "allow" ? undefined : `${reason}, ${error ?? "<nil>"}`;
}
