// Migration of an object from client-side to server-side apply: the fields of the former manager become those of the
// new one. Source: "Server-Side Apply" in the Kubernetes documentation, "Upgrading from client-side apply"; rules of
// client-go/util/csaupgrade.
import type { ResourceClient } from "@orch/client";
import { isCode, type ManagedFieldsEntry, metaOf } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type Vocabulary } from "@orch/schema";
import type { Session } from "../../../session/session";
import type { Target } from "../targets";

interface Migration {
  readonly session: Session;
  readonly target: Target;
  readonly client: ResourceClient;
  readonly names: Vocabulary;
  /** Manager of server-side apply. */
  readonly manager: string;
}

const TRIES = 5;

/** Moves the fields, when a client-side apply has been there. A failure is a warning. @returns whether it moved any */
export async function migrated(of: Migration, applied: JsonObject): Promise<boolean> {
  const { session } = of;
  try {
    // Another manager than the default one has no use for the annotation, and drops it with the fields that it moves.
    const isDefault = of.manager === of.names.fieldManagers.orchctl;
    const kept = isDefault ? await keepAnnotation(of, applied) : applied;
    return await moveFields(of, kept);
  } catch (error) {
    session.signal.throwIfAborted();
    session.warn(
      `the fields of client-side apply could not be moved to server-side apply, which the next apply tries again: ${(error as Error).message}`,
    );
    return false;
  }
}

/** Gives the annotation of client-side apply a manager of its own, so that it stays, and a way back with it. */
async function keepAnnotation({ session, target, client, names }: Migration, applied: JsonObject): Promise<JsonObject> {
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const text = metaOf(applied).annotations?.[annotation];
  if (text === undefined || managersOf(applied, "Apply", annotation).length > 0) return applied;
  const { name, namespace } = target;
  const { apiVersion, kind } = applied;
  const metadata: JsonObject = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    annotations: { [annotation]: text },
  };
  return client.apply(
    { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }), metadata },
    { fieldManager: names.fieldManagers.orchctlLastApplied, signal: session.signal },
  );
}

async function moveFields({ session, target, client, names, manager }: Migration, first: JsonObject): Promise<boolean> {
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const former = new Set(managersOf(first, "Update", annotation));
  let object = first;
  for (let tries = 1; ; tries += 1) {
    const managedFields = movedFields(metaOf(object).managedFields ?? [], former, manager);
    if (managedFields === undefined) return false;
    try {
      const { resourceVersion = "" } = metaOf(object);
      await client.patch(
        target.name,
        "json",
        [
          { op: "replace", path: "/metadata/managedFields", value: managedFields },
          { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
        ],
        { signal: session.signal },
      );
      return true;
    } catch (error) {
      if (!isCode(error, 409) || tries === TRIES) throw error;
      object = await client.get(target.name, { signal: session.signal });
    }
  }
}

function managersOf(object: JsonObject, operation: "Apply" | "Update", annotation: string): string[] {
  return (metaOf(object).managedFields ?? [])
    .filter((entry) => entry.operation === operation && ownsAnnotation(entry.fieldsV1, annotation))
    .map(({ manager = "" }) => manager);
}

function ownsAnnotation(fields: JsonObject | undefined, annotation: string): boolean {
  let at: unknown = fields;
  for (const step of ["f:metadata", "f:annotations", `f:${annotation}`]) {
    if (!isObject(at)) return false;
    at = at[step];
  }
  return at !== undefined;
}

/** Returns the entries after the move; undefined when there is nothing to move. */
function movedFields(
  entries: readonly ManagedFieldsEntry[],
  former: ReadonlySet<string>,
  manager: string,
): JsonArray | undefined {
  const isFormer = ({ manager: name = "", operation, subresource = "" }: ManagedFieldsEntry) =>
    operation === "Update" && subresource === "" && former.has(name);
  const isNew = ({ manager: name, operation, subresource = "" }: ManagedFieldsEntry) =>
    operation === "Apply" && subresource === "" && name === manager;
  const moved = entries.filter(isFormer);
  const [first] = moved;
  if (first === undefined) return undefined;
  const into = entries.find(isNew) ?? { ...first, manager, operation: "Apply" };
  const fieldsV1 = [into, ...moved].map(({ fieldsV1: fields = {} }) => fields).reduce(union);
  const others = entries.filter((entry) => !isFormer(entry) && !isNew(entry));
  return [{ ...into, fieldsV1 }, ...others] as unknown as JsonArray;
}

/** Returns the union of two sets of fields. */
function union(one: JsonObject, other: JsonObject): JsonObject {
  const result: JsonObject = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const own = result[key];
    result[key] = isObject(own) && isObject(value) ? union(own, value) : (value as JsonObject);
  }
  return result;
}
