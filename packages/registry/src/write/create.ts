// The create verb: defaults, admission, metadata, validation, then one transaction that succeeds only if the name is
// free. Source: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go.

import {
  alreadyExists,
  copyJson,
  generatedNameTaken,
  generateName,
  isReason,
  MOST_RECENT,
  metaOf,
  nameOf,
  type StatusError,
  serverTimeout,
  stillBeingDeleted,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { Entry, ObjectKey, WriteContext, WriteResult } from "../contract/operations";
import type { ResourceStorage } from "../contract/resource-storage";
import { recordedRevision } from "../object-history/record-revision";
import { objectPath } from "../objects/key-layout";
import { StoredEntry } from "../objects/stored-entry";
import { UnreadableObject } from "../objects/unreadable-objects";
import { readStored } from "../read/get";
import { allocateUniqueValues, allocationChange } from "./allocations";
import { EncodedNewObject } from "./encoded-new-object";
import { trackFields } from "./field-tracking";
import { type Guard, putGuarded, type WriteTerms } from "./guarded-write";
import { placeNew } from "./placement";
import { prepareNew } from "./prepare-new";
import { dropDuplicateOwners, toHub, type WriteAttempt } from "./write-step";

/** Number of generated names tried before the client gets ServerTimeout. Source: Kubernetes KEP-4420. */
const NAMES_TRIED = 8;

/**
 * Creates an object.
 * @param object in the request's version, decoded; the registry owns it from now on
 * @throws StatusError BadRequest (400), Invalid (422), AlreadyExists (409), ServerTimeout (500) when no generated name
 * was free; errors of admission; see store-failures.ts
 */
export async function create(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: WriteAttempt,
): Promise<WriteResult> {
  const { conversions, loop } = context;
  const startMs = loop.nowMs;
  placeNew(context.definition, object, at);
  write.version.type.applyDefaults(object);
  dropDuplicateOwners(object, write, "client");
  const hub =
    conversions === undefined
      ? asHub(context, object, write)
      : await conversions.writes.settle(() => asHub(context, copyJson(object), write), write.signal);
  if (loop.isOverSince(startMs)) await loop.next();
  const drawsName = nameOf(hub) === "";
  let sent = false;
  try {
    const { object: next, text, terms } = await prepareNew(context, hub, at, write);
    sent = true;
    for (let tries = 1; ; tries += 1) {
      const result = await storeWithAllocations(
        context,
        tries === 1 ? text : new EncodedNewObject(context.form, next),
        terms,
        write,
      );
      if (result instanceof StoredEntry) {
        write.tries.end("done");
        return { entry: result, created: true };
      }
      if (!drawsName) throw result.taken;
      if (tries === NAMES_TRIED) throw generatedNameTaken(context.kind);
      writableMeta(next)["name"] = generateName(metaOf(next).generateName ?? "", context.randomness);
    }
  } catch (error) {
    if (sent) write.tries.fail(error);
    write.tries.end("undone");
    throw error;
  }
}

/**
 * Creates an object unless it exists. @param object canonical @returns the existing object; undefined when it was
 * created
 */
export async function createUnlessPresent(
  storage: Pick<ResourceStorage, "create" | "get">,
  object: JsonObject,
  write: WriteContext,
): Promise<Entry | undefined> {
  const { namespace = "", name = "" } = metaOf(object);
  try {
    await storage.create(copyJson(object), { namespace, name: "" }, write);
    return undefined;
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) throw error;
    return storage.get({ namespace, name }, MOST_RECENT);
  }
}

/** Converts a new object to the hub form and sets its managedFields. May change and return its argument. */
export function asHub(context: ResourceContext, object: JsonObject, write: WriteContext): JsonObject {
  trackFields(context, { old: undefined, next: object }, write);
  return toHub(context, write.version, object);
}

/**
 * Maximum number of attempts to allocate allocations. Each failed attempt means that another object took one of them.
 */
const CLAIMS_TRIED = 64;

function storeWithAllocations(
  context: ResourceContext,
  text: EncodedNewObject,
  terms: WriteTerms,
  write: WriteContext,
): Promise<StoredEntry | NameTaken> {
  const storing = context.definition.allocations === undefined ? store : storeAllocating;
  return storing(context, text, terms, write);
}

async function storeAllocating(
  context: ResourceContext,
  { object }: EncodedNewObject,
  terms: WriteTerms,
  write: WriteContext,
): Promise<StoredEntry | NameTaken> {
  for (let tries = 0; tries < CLAIMS_TRIED; tries += 1) {
    const next = copyJson(object);
    const allocated = allocateUniqueValues(context, { next, old: undefined }, write.dryRun);
    if (allocated !== undefined) await allocated;
    const result = await store(context, new EncodedNewObject(context.form, next), terms, write);
    if (result instanceof StoredEntry || result.present) return result;
  }
  throw serverTimeout(context.resource, "create");
}

interface NameTaken {
  readonly taken: StatusError;
  /** False when the write failed for another reason, such as a lost allocation. */
  readonly present: boolean;
}

async function store(
  context: ResourceContext,
  text: EncodedNewObject,
  terms: WriteTerms,
  write: WriteContext,
): Promise<StoredEntry | NameTaken> {
  const { dryRun, signal, span } = write;
  const { namespace = "", name = "", uid = "" } = metaOf(text.object);
  const path = objectPath(namespace, name);
  const bytes = text.bytes();
  try {
    if (dryRun) {
      const present = await readStored(context, "create", path);
      return present === undefined
        ? new StoredEntry(context.form, path, 0, bytes)
        : { taken: nameTaken(context, name, present), present: true };
    }
    const allocations = allocationChange(context, { path, current: undefined }, bytes);
    const waiting = recordedRevision(context, {
      ...{ verb: "create", path, current: undefined, sinks: write },
      uid: () => uid,
    });
    const recorded = waiting instanceof Promise ? await waiting : waiting;
    const guard: Guard = { operation: "create", path, revision: 0, terms, allocations, recorded, signal, span };
    const result = await putGuarded(context, guard, bytes);
    if (result.written) return result.entry;
    return { taken: nameTaken(context, name, result.current), present: result.current !== undefined };
  } catch (error) {
    // An unreadable object occupies its name all the same.
    if (!(error instanceof UnreadableObject)) throw error;
    return { taken: nameTaken(context, name, undefined), present: true };
  }
}

function nameTaken({ resource }: ResourceContext, name: string, by: StoredEntry | undefined): StatusError {
  return by?.metadata("deletionTimestamp") === undefined
    ? alreadyExists(resource, name)
    : stillBeingDeleted(resource, name);
}
