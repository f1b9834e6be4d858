// Interface of all representations: how the objects of one route are written in one form.
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { Entry, ListResult, WatchEvent } from "@orch/registry";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { PieceWriter } from "./piece-writer";

/** Result of a list, whether the client asked for chunks and for a count, and the shard selector that it asked for. */
export type ListAnswer = ListResult & {
  readonly chunked: boolean;
  readonly counted?: boolean;
  readonly shard?: string;
};

/** The part of an answer that is rendered for an entry: a whole answer, or its part of a list or watch frame. */
export type RenderedPart = "answer" | "item";

/**
 * Renders an expensive entry in another thread.
 * @returns plain data, as `answer` or `item` of the same form returns it; undefined for an entry that is cheap to
 * render
 */
export type RenderInWorker = (what: RenderedPart, entry: Entry) => Promise<unknown> | undefined;

/** One object per route and representation, which may serve as a cache key on entries and events. */
export interface ObjectForm {
  readonly contentType: string;
  /** Content type of a watch stream. */
  readonly streamType: string;
  /** Renders one stored object. The caller must not change the bytes. See also `renderDeferred`. */
  entry(entry: Entry): Buffer;
  /** Whether the result is a slice of the stored bytes for every entry. */
  readonly isCut: boolean;
  readonly elsewhere: RenderInWorker;
  /** Renders a computed object, such as a Scale, in the version that the route shows. */
  object(object: JsonObject): Buffer;
  /** Writes a list and sends it piece by piece. The caller sends the rest. */
  list(result: ListAnswer, out: PieceWriter): Promise<void>;
  /**
   * Prepares the frames of entries. Await the result before frames are made; undefined, nearly always, when there is
   * nothing to wait for.
   */
  prepare(entries: readonly Entry[]): Promise<void> | undefined;
  /** Returns the frame function of one watch, which is called for each event in order. */
  framer(): (event: WatchEvent) => Buffer;
  /** Plain data that `list` and `framer` need for an entry; for `RenderInWorker`. */
  item(entry: Entry): unknown;
}

/** Renders everything in this thread. */
export const HERE: RenderInWorker = () => undefined;

/** Preparation of forms that use the stored bytes. */
export const NOTHING_TO_PREPARE = () => undefined;

/** Prepares entries one by one. @param late undefined for an entry that is ready */
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

/** A form with compact JSON, from which the forms for people are derived. */
export interface JsonForm extends ObjectForm {
  outline(result: ListAnswer): ListOutline;
  /** Value of an entry in a list. */
  value(entry: Entry): JsonValue;
}

/** The parts of a list, so that its items need not all be in memory as values. */
export interface ListOutline {
  /** The members before the items. */
  readonly head: JsonObject;
  readonly itemsName: string;
  readonly entries: readonly Entry[];
  value(entry: Entry): JsonValue;
}

/** The context for which a form is made. */
export interface FormContext {
  readonly definition: ResourceDefinition;
  /** Version of the bodies: one of the resource, or the kind that a subresource shows. */
  readonly version: ServedVersion;
  /** Absent when the route does not show the resource's own objects. */
  readonly columns: ResourceDefinition["columns"];
}

/**
 * Builds the metadata of a list. The last of several chunks has an empty continue token. Source: Kubernetes API
 * concepts, "Retrieving large results sets in chunks".
 */
export function listMetadata({
  resourceVersion,
  continueToken,
  remainingItemCount,
  chunked,
  shard,
}: ListAnswer): JsonObject {
  return {
    resourceVersion: String(resourceVersion),
    ...(chunked ? { continue: continueToken } : {}),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    ...(shard === undefined ? {} : { shardInfo: { selector: shard } }),
  };
}

/** Builds the metadata of a list of metadata, which has no remainingItemCount unless the client asked for a count. */
export const metadataListMetadata = (result: ListAnswer): JsonObject =>
  listMetadata(result.counted === true ? result : { ...result, remainingItemCount: undefined });
