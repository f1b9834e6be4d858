// Deletion protection: an annotated object cannot be deleted by any client or method until the annotation is removed.
// Neither can the namespace or the custom resource definition that would take it along. It is a guard and not a plugin,
// because protection from mistakes must not depend on a list of plugin names at server start. An object without the
// annotation costs one lookup. An annotation that is added after a deletion has begun has no effect. Source:
// docs/admission.md, "Deletion protection".
import {
  type AdmissionRequest,
  isReason,
  type ManagedFieldsEntry,
  metaOf,
  type ObjectMeta,
  resourceText,
} from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionDependencies, MentionedScope } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

const REASON = "DeletionProtected";

/** Returns whether a request was refused because of deletion protection. */
export const isDeletionProtected = (error: unknown): boolean =>
  isReason(error, "Forbidden") && error.details?.causes?.some(({ reason }) => reason === REASON) === true;

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "objects">;

const PODS = { group: "", resource: "pods" } as const;

export function deletionProtection({ vocabulary, objects }: Dependencies): AdmissionGuard {
  const mark = vocabulary.annotations.deletionProtection;
  const { apiextensions } = vocabulary.groups;

  function refuse(
    request: AdmissionRequest,
    { metadata, what }: { readonly metadata: ObjectMeta; readonly what: string },
  ) {
    if (metadata.annotations?.[mark] !== "true") return;
    const message = `${what} protected from deletion by the annotation ${mark}, which ${setterOf(metadata, mark)}: remove the annotation first`;
    throw forbidden(request, message, [{ reason: REASON, message, field: `metadata.annotations[${mark}]` }]);
  }

  async function refuseFor(request: AdmissionRequest, scope: MentionedScope): Promise<void> {
    for await (const { resource, metadata } of objects.mentioning(mark, scope)) {
      const { namespace = "", name = "" } = metadata;
      const where = "namespace" in scope || namespace === "" ? "" : ` of the namespace ${namespace}`;
      refuse(request, { metadata, what: `${resourceText(resource)} ${JSON.stringify(name)}${where} is` });
    }
  }

  async function keepEvicted(request: AdmissionRequest): Promise<void> {
    const { namespace, name, object = {} } = request;
    const metadata = await objects.metadataInStore(PODS, { namespace, name: name || (metaOf(object).name ?? "") });
    if (metadata !== undefined) refuse(request, { metadata, what: "it is" });
  }

  return {
    name: "DeletionProtection",
    on: [
      { operations: ["DELETE"] },
      { operations: ["CREATE"], resources: [{ group: "", plural: "pods", subresource: "eviction" }] },
    ],
    check(request) {
      if (request.operation === "CREATE") return keepEvicted(request);
      const { definition, oldObject = {} } = request;
      const metadata = metaOf(oldObject);
      refuse(request, { metadata, what: "it is" });
      const { group, plural } = definition;
      const others =
        group === "" && plural === "namespaces"
          ? { namespace: metadata.name ?? "" }
          : group === apiextensions && plural === "customresourcedefinitions" && { resource: definedBy(oldObject) };
      return others === false ? undefined : refuseFor(request, others);
    },
  };
}

function definedBy({ spec }: JsonObject) {
  const { group, names } = isObject(spec) ? spec : {};
  return { group: String(group ?? ""), resource: String((isObject(names) ? names["plural"] : undefined) ?? "") };
}

/** Describes the field manager that set the annotation last, as far as managedFields tells. */
function setterOf({ managedFields = [] }: ObjectMeta, mark: string): string {
  const [last] = managedFields
    .filter(({ fieldsV1 }) => holds(fieldsV1, ["f:metadata", "f:annotations", `f:${mark}`]))
    .sort((a, b) => timeOf(b) - timeOf(a));
  if (last === undefined) return "has no recorded field manager";
  const { manager = "", time } = last;
  return `${JSON.stringify(manager)} set${time === undefined ? "" : ` at ${time}`}`;
}

const timeOf = ({ time }: ManagedFieldsEntry): number => Date.parse(time ?? "") || 0;

function holds(fields: JsonObject | undefined, path: readonly string[]): boolean {
  let at: unknown = fields;
  for (const name of path) {
    if (!isObject(at as JsonObject)) return false;
    at = (at as JsonObject)[name];
  }
  return at !== undefined;
}
