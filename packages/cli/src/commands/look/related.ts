// Objects by their owners, from lists of metadata of all kinds, with few requests at a time.
import type { DiscoveredResource } from "@orch/client";
import { isObject, type JsonObject } from "@orch/schema";
import { metadataOf } from "../../output/server-table";
import { inParallel } from "../../process/in-parallel";
import type { Session } from "../../session/session";

export interface RelatedObject {
  readonly type: DiscoveredResource;
  readonly metadata: JsonObject;
}

export interface Related {
  readonly byOwner: ReadonlyMap<string, readonly RelatedObject[]>;
  /** Resources that could not be listed, with the reason. */
  readonly failures: readonly string[];
}

const REQUESTS_MAX = 8;
/** Maximum number of objects that are read; more are an error of the caller's choice. */
const OBJECTS_MAX = 200_000;
/** Resources whose objects have no owners worth showing, or that are served by two groups. */
const LEFT_OUT = new Set(["events", "componentstatuses"]);

/** Reads the metadata of all objects that have owners. @param namespace undefined: all namespaces, and without namespaces */
export async function relatedObjects(session: Session, namespace: string | undefined): Promise<Related> {
  const known = await session.client();
  // Warnings about versions that the user has not chosen would only disturb.
  const client = session.newClient({ vocabulary: known.vocabulary, connectionsOf: known, onWarning: () => {} });
  const types = await listableTypes(session, namespace !== undefined);
  const byOwner = new Map<string, RelatedObject[]>();
  const failures: string[] = [];
  let count = 0;
  await inParallel(types, REQUESTS_MAX, async (type) => {
    const all = client.resource(type);
    const list = namespace === undefined ? all : all.namespace(namespace);
    try {
      for await (const { items } of list.pages({
        part: "metadata",
        dropsManagedFields: true,
        signal: session.signal,
      })) {
        count += items.length;
        for (const item of items) {
          const metadata = metadataOf(item);
          for (const { uid } of ownersOf(metadata)) {
            const known = byOwner.get(uid);
            if (known === undefined) byOwner.set(uid, [{ type, metadata }]);
            else known.push({ type, metadata });
          }
        }
        if (count > OBJECTS_MAX) {
          failures.push(`${type.resource}: more than ${OBJECTS_MAX} objects were read`);
          return;
        }
      }
    } catch (error) {
      if (session.signal.aborted) throw error;
      failures.push(`${type.resource}: ${(error as Error).message}`);
    }
  });
  return { byOwner, failures };
}

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isController: boolean;
  readonly blocksDeletion: boolean;
}

export function ownersOf(metadata: JsonObject): readonly Owner[] {
  const references = Array.isArray(metadata["ownerReferences"]) ? metadata["ownerReferences"] : [];
  return references.filter(isObject).map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => ({
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    uid: String(uid),
    isController: controller === true,
    blocksDeletion: blockOwnerDeletion === true,
  }));
}

/** Returns every listable resource once, in its preferred version. */
async function listableTypes(session: Session, isNamespaced: boolean): Promise<readonly DiscoveredResource[]> {
  const all = await (await session.catalog()).all();
  const seen = new Set<string>();
  return all.filter(({ group, resource, namespaced, verbs }) => {
    const key = `${resource}.${group}`;
    if (seen.has(key) || LEFT_OUT.has(resource) || !verbs.includes("list") || (isNamespaced && !namespaced))
      return false;
    seen.add(key);
    return true;
  });
}
