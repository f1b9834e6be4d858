// Finds the references of a stored pod. A large pod is read part by part, so that no step takes long.
import {
  accountReference,
  claimReferences,
  INNER_LISTS,
  type ObjectKey,
  objectKey,
  ownClaimReference,
  POD_LISTS,
  podReferences,
  type ReferringPod,
  VOLUME_NAMES,
} from "@orch/auth";
import { type Entry, fromMember, itemsAt, scalarAt } from "@orch/registry";
import { isObject, type JsonValue } from "@orch/schema";

/** Bytes that are parsed in one step, which takes some tenths of a millisecond. */
const AT_ONCE = 32 * 1024;
/** Number of bytes whose parsing costs as much as the overhead of one item. */
const BYTES_OF_AN_ITEM = 512;

/**
 * @returns all references; see `podReferences`
 * @throws StatusError for a pod that cannot be read, neither whole nor in parts
 */
export function* referencesOf(entry: Entry, pod: ReferringPod): Generator<void, ReadonlySet<ObjectKey>> {
  const references = new Set<ObjectKey>();
  const refer = (key: ObjectKey) => void references.add(key);
  const json = entry.stored();
  if (json.length <= AT_ONCE || !(yield* referInParts(json, pod, refer))) {
    const { spec } = entry.whole();
    if (isObject(spec)) podReferences(spec, pod, refer);
  }
  yield* referToMadeClaims(json, pod, refer);
  return references;
}

type Refer = (key: ObjectKey) => void;

const MADE_CLAIMS = [Buffer.from('"resourceClaimStatuses":['), Buffer.from('"extendedResourceClaimStatus":{')];

/** Returns whether the status names claims that were made for the pod. */
export const namesMadeClaims = (json: Buffer): boolean => MADE_CLAIMS.some((text) => json.includes(text));

/** Reads the status of the few pods for which claims were made, before they got their node. */
function* referToMadeClaims(json: Buffer, pod: ReferringPod, refer: Refer): Generator<void> {
  if (!namesMadeClaims(json)) return;
  yield;
  const status = fromMember(json, "status");
  if (status === undefined) return;
  const claims = itemsAt(status, ["resourceClaimStatuses"]) ?? [];
  yield* readItems(claims, (item) => claimReferences({ resourceClaimStatuses: [item] }, pod, refer));
  const name = scalarAt(status, ["extendedResourceClaimStatus", "resourceClaimName"]);
  if (name) claimReferences({ extendedResourceClaimStatus: { resourceClaimName: JSON.parse(name) } }, pod, refer);
}

/** @returns false when the bytes must be parsed as a whole */
function* referInParts(json: Buffer, pod: ReferringPod, refer: Refer): Generator<void, boolean> {
  yield;
  // Skips the managed fields, which precede the spec and are as large as the pod.
  const spec = fromMember(json, "spec");
  if (spec === undefined) return false;
  yield;
  const account = scalarAt(spec, ["serviceAccountName"]);
  if (account === undefined) return false;
  accountReference(account === "" ? "" : (JSON.parse(account) as string), pod, refer);
  for (const [list, read] of Object.entries(POD_LISTS)) {
    yield;
    const items = itemsAt(spec, [list]);
    if (items === undefined) return false;
    yield* readItems(
      items,
      (item) => read(item, pod, refer),
      function* (item) {
        for (const [path, readInner] of Object.entries(INNER_LISTS[list] ?? {})) {
          yield;
          yield* readItems(itemsAt(item, path.split(".")) ?? [], (each) => readInner(each, pod, refer));
        }
        if (list === "volumes") yield* largeVolume(item, pod, refer);
      },
    );
  }
  return true;
}

/** @param readLarge reads an item that is too large to be parsed in one step; absent: no item is */
function* readItems(
  items: Iterable<Buffer>,
  read: (item: JsonValue) => void,
  readLarge?: (item: Buffer) => Iterable<void>,
): Generator<void> {
  let bytes = 0;
  for (const item of items) {
    const isLarge = item.length > AT_ONCE;
    bytes += BYTES_OF_AN_ITEM + item.length;
    if (bytes > AT_ONCE) {
      yield;
      bytes = 0;
    }
    if (isLarge && readLarge !== undefined) yield* readLarge(item);
    else read(JSON.parse(item.toString("utf8")) as JsonValue);
  }
}

/** Reads the names in a volume that is large for another reason. */
function* largeVolume(volume: Buffer, pod: ReferringPod, refer: Refer): Generator<void> {
  const textAt = (path: readonly string[]): string => {
    const text: JsonValue = JSON.parse(scalarAt(volume, path) || '""') as JsonValue;
    return typeof text === "string" ? text : "";
  };
  for (const { kind, at } of VOLUME_NAMES) {
    yield;
    const name = textAt(at);
    if (name !== "") refer(objectKey(kind, pod.namespace, name));
  }
  yield;
  if (volume.includes('"ephemeral":{')) ownClaimReference(textAt(["name"]), pod, refer);
}
