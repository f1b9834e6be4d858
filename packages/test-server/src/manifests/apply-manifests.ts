// Applies objects to a server: definitions and namespaces first, each of them usable before the next object needs it.
import { type Client, type ResourceMapper, UnknownResourceError } from "@orch/client";
import { namespaceOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { settled } from "./wait-for";

/** Field manager of applied manifests. */
const FIELD_MANAGER = "test-server";
const DEFINITION = "CustomResourceDefinition";

const RANK: Readonly<Record<string, number>> = { [DEFINITION]: 0, Namespace: 1 };
const LAST = 2;

export interface ManifestTarget {
  readonly client: Client;
  readonly mapper: ResourceMapper;
  /** Time for a definition to be established, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Applies objects by server-side apply, with force. Waits until definitions are established.
 * @returns the stored objects, in the order of `objects`
 * @throws StatusError of the first object that the server refuses
 */
export async function applyManifests(
  target: ManifestTarget,
  objects: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const results = new Map<JsonObject, JsonObject>();
  for (let rank = 0; rank <= LAST; rank += 1) {
    const some = objects.filter(({ kind }) => (RANK[String(kind)] ?? LAST) === rank);
    for (const object of some) results.set(object, await applyOne(target, object));
    if (rank !== 0 || some.length === 0) continue;
    for (const definition of some) await established(target, definition);
    target.mapper.invalidate();
  }
  return objects.map((object) => results.get(object) as JsonObject);
}

async function applyOne({ client, mapper }: ManifestTarget, object: JsonObject): Promise<JsonObject> {
  const type = await mapper.forObject(object).catch((error: unknown) => {
    if (!(error instanceof UnknownResourceError)) throw error;
    mapper.invalidate();
    return mapper.forObject(object);
  });
  const resource = client.resource(type);
  const where = type.namespaced ? resource.namespace(namespaceOf(object) || client.defaultNamespace) : resource;
  return where.apply(object, { fieldManager: FIELD_MANAGER, force: true });
}

async function established({ client, mapper, timeoutMs }: ManifestTarget, definition: JsonObject): Promise<void> {
  const type = await mapper.forObject(definition);
  const { name } = definition["metadata"] as { readonly name: string };
  const look = async (): Promise<"established" | { readonly refused: unknown } | undefined> => {
    const conditions = conditionsOf(await client.resource(type).get(name));
    const refused = conditions.find((one) => one["type"] === "NamesAccepted" && one["status"] === "False");
    if (refused !== undefined) return { refused: refused["message"] };
    return conditions.some((one) => one["type"] === "Established" && one["status"] === "True")
      ? "established"
      : undefined;
  };
  const found = await settled(look, { timeoutMs, what: `the definition ${name} to be established` });
  if (found !== "established") throw new Error(`the definition ${name} cannot be established: ${found.refused}`);
}

function conditionsOf({ status }: JsonObject): readonly JsonObject[] {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}
