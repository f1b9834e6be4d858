// Objects that the server makes of itself, the same in every cluster. What is stored of one differs from server to server by its uid and its
// times alone: it is made ready once in a process, by the steps of every create, and afterwards only those are filled in.
// Each has a revision of its own: who watches goes on from the last object that it was shown, and would miss the others of one revision.

import { copyJson, generateUid, MOST_RECENT, metaOf, timestamp } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { objectPath } from "../objects/key-layout";
import { encodeHub } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";
import { UnreadableObject } from "../objects/unreadable-objects";
import { get } from "../read/get";
import type { WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";
import { asHub } from "./create";
import { putGuarded } from "./guarded-write";
import { shapeNew } from "./prepare-new";
import { TriedWrite } from "./write-step";

/**
 * Stores an object unless there is one of its name. Neither admission nor the rules of the kind are asked: for a new cluster, where nobody
 * can have configured anything yet, by who knows that it keeps to the rules.
 * @param object canonical, one of a fixed set: what is made of it is remembered as long as the definition
 * @returns the object that was there already; undefined when it was created
 * @throws UnreadableObject (500); see store-failures.ts
 */
export async function seed(
  context: ResourceContext,
  object: JsonObject,
  write: WriteContext,
): Promise<StoredEntry | undefined> {
  const { namespace = "", name = "" } = metaOf(object);
  const path = objectPath(namespace, name);
  const stored = filledIn(context, preparedOf(context, object, write));
  try {
    const result = await putGuarded(context, { operation: "create", path, revision: 0, signal: undefined }, stored);
    return result.written ? undefined : result.current;
  } catch (error) {
    // It may have been mended since.
    if (error instanceof UnreadableObject) return get(context, { namespace, name }, MOST_RECENT);
    throw error;
  }
}

/** The text of what is stored, in pieces: behind each but the last, what stands there in turn. */
interface Prepared {
  readonly pieces: readonly string[];
  readonly between: readonly ("uid" | "time")[];
}

/** Stand for what is filled in, and occur nowhere else. */
const TIME_MS = Date.UTC(9876, 4, 3, 21, 9, 8);
const TIME = timestamp(TIME_MS);
const BYTES = new Uint8Array(16).fill(0xf9);
const UID = generateUid(() => BYTES);

function filledIn({ clock, randomness }: ResourceContext, { pieces, between }: Prepared): Buffer {
  const values = { uid: generateUid(randomness), time: timestamp(clock.now()) };
  return Buffer.from(pieces.map((piece, at) => piece + (values[between[at] as "uid" | "time"] ?? "")).join(""));
}

const prepared = new WeakMap<ResourceContext["definition"], Map<string, Prepared>>();

function preparedOf(context: ResourceContext, object: JsonObject, write: WriteContext): Prepared {
  const { definition, tracksFields, marksSubresources } = context;
  const known = prepared.get(definition) ?? new Map<string, Prepared>();
  prepared.set(definition, known);
  const key = JSON.stringify([object, write.version.apiVersion, write.manager, tracksFields, marksSubresources]);
  const found = known.get(key) ?? prepare(context, copyJson(object), write);
  known.set(key, found);
  return found;
}

function prepare(context: ResourceContext, object: JsonObject, write: WriteContext): Prepared {
  const clock = { ...context.clock, now: () => TIME_MS };
  const blank: ResourceContext = { ...context, admission: undefined, clock, randomness: () => BYTES };
  const tried = new TriedWrite(blank, write);
  write.version.type.applyDefaults(object);
  const next = asHub(blank, object, tried);
  shapeNew(blank, next, tried);
  const parts = encodeHub(blank.form, next).toString().split(FILLED);
  return {
    pieces: parts.filter((_, at) => at % 2 === 0),
    between: parts.filter((_, at) => at % 2 === 1).map((mark) => (mark === UID ? "uid" : "time")),
  };
}

/** Keeps what it splits by. */
const FILLED = new RegExp(`(${UID}|${TIME})`);
