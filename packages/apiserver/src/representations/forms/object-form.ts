// How the objects of one route are written in one representation: the seam behind which every representation stands.
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { Entry, ListResult, WatchEvent } from "@orch/registry";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { PieceWriter } from "./piece-writer";

/** A list's result, and whether the client asked for a part of it. */
export type ListAnswer = ListResult & { readonly chunked: boolean };

/** What is made of an entry: a whole answer, or what a list or a frame holds of it. */
export type MadeOf = "answer" | "item";

/**
 * Makes something of an entry where it holds up nobody, because it takes long.
 * @returns plain data, as `answer` or `item` of the same form make it; undefined for an entry that takes no time worth speaking of
 */
export type MakeElsewhere = (what: MadeOf, entry: Entry) => Promise<unknown> | undefined;

/** One for each route and representation, made once: it may be a key of what it makes of entries and events. */
export interface ObjectForm {
  readonly contentType: string;
  /** Of a watch. */
  readonly streamType: string;
  /** Of one stored object. Never changed by the caller. See also `shownLate`. */
  entry(entry: Entry): Buffer;
  /** Whether that is cut out of the stored bytes, whatever is in them. */
  readonly isCut: boolean;
  readonly elsewhere: MakeElsewhere;
  /** Of one that is made for the answer, such as a scale; in the version that the route shows. */
  object(object: JsonObject): Buffer;
  /** Writes all of a list, and sends it piece by piece; the rest is left for the caller to send. */
  list(result: ListAnswer, out: PieceWriter): Promise<void>;
  /** To be awaited before the frames of entries are made; undefined, which is nearly always, when there is nothing to wait for. */
  prepare(entries: readonly Entry[]): Promise<void> | undefined;
  /** Of one watch: called for each of its events in turn. */
  framer(): (event: WatchEvent) => Buffer;
  /** What `list` and `framer` need of an entry, as plain data; for `MakeElsewhere`. */
  item(entry: Entry): unknown;
}

/** Where nothing takes long, or there is no other place. */
export const HERE: MakeElsewhere = () => undefined;

/** Of forms that take what they need out of the stored bytes. */
export const NOTHING_TO_PREPARE = () => undefined;

/**
 * Prepares entries one after the other.
 * @param late undefined for an entry of which everything is there
 */
export function prepareEach(
  entries: readonly Entry[],
  late: (entry: Entry) => Promise<void> | undefined,
): Promise<void> | undefined {
  for (let at = 0; at < entries.length; at += 1) {
    const waiting = late(entries[at] as Entry);
    if (waiting !== undefined) return waiting.then(() => prepareEach(entries.slice(at + 1), late));
  }
  return undefined;
}

/** A form whose text is compact JSON, from which forms for people are made too. */
export interface JsonForm extends ObjectForm {
  outline(result: ListAnswer): ListOutline;
  /** Of an entry, as it stands in a list. */
  value(entry: Entry): JsonValue;
}

/** A list in parts, so that it need not be in memory as values all at once. */
export interface ListOutline {
  /** The members in front of the items. */
  readonly head: JsonObject;
  readonly itemsName: string;
  readonly entries: readonly Entry[];
  value(entry: Entry): JsonValue;
}

/** What a form is made for. */
export interface Shown {
  readonly definition: ResourceDefinition;
  /** What bodies are of: a version of the resource, or the kind that a sub-resource shows. */
  readonly version: ServedVersion;
  /** Absent where objects are not the resource's own. */
  readonly columns: ResourceDefinition["columns"];
}

/** The last of several chunks says so by an empty token. Source: resource-api, "Collection". */
export function listMetadata({ resourceVersion, continueToken, remainingItemCount, chunked }: ListAnswer): JsonObject {
  return {
    resourceVersion: String(resourceVersion),
    ...(chunked ? { continue: continueToken } : {}),
    ...(remainingItemCount !== undefined && continueToken !== "" ? { remainingItemCount } : {}),
  };
}
