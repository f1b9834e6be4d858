// Expiry of objects: the annotations must be valid, and a user who sets them on an existing object must be allowed to
// delete it, because the controller that carries out the expiry may delete everything. It is a guard and not a plugin,
// because a role binding with an expiry that has no effect would grant access for ever. An object without the annotations
// costs two lookups. Source: docs/controllers.md, "Objects that expire".
import { type AdmissionRequest, changesExpiry, expiryErrors, invalid, metaOf } from "@orch/machinery";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "authorizer">;

export function objectExpiry({ vocabulary, authorizer }: Dependencies): AdmissionGuard {
  const { expiresAt, ttl } = vocabulary.annotations;
  const keys = { expiresAt, ttl };

  async function requireDeletion(request: AdmissionRequest, name: string, key: string): Promise<void> {
    const { user, definition, version, namespace } = request;
    const decision = await authorizer.authorize({
      kind: "resource",
      user,
      verb: "delete",
      apiGroup: version.group,
      apiVersion: version.version,
      resource: definition.plural,
      subresource: "",
      namespace,
      name,
    });
    if (decision.kind === "allow") return;
    const message = `the annotation ${key} has the object deleted, and the user ${JSON.stringify(user.name)} may not delete it: it requires the verb "delete" on the object`;
    throw forbidden(request, message, [{ reason: "ExpiryForbidden", message, field: `metadata.annotations[${key}]` }]);
  }

  return {
    name: "ObjectExpiry",
    on: [{ operations: ["CREATE", "UPDATE"] }],
    check(request) {
      const { object, oldObject } = request;
      if (object === undefined) return;
      const metadata = metaOf(object);
      const set = [expiresAt, ttl].find((key) => metadata.annotations?.[key] !== undefined);
      if (set === undefined) return;
      const before = oldObject && metaOf(oldObject);
      if (before !== undefined && !changesExpiry(before, metadata, keys)) return;
      const errors = expiryErrors(metadata, keys);
      if (errors.length > 0) throw invalid(request.definition, metadata.name ?? request.name, errors);
      return before === undefined ? undefined : requireDeletion(request, metadata.name ?? request.name, set);
    },
  };
}
