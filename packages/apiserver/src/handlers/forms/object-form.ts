// How the objects of one route are written in one representation: the seam behind which every representation stands.
import type { ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { Entry, ListResult, WatchEvent } from "@orch/registry";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { PieceWriter } from "./piece-writer";

/** A list's result, and whether the client asked for a part of it. */
export type ListAnswer = ListResult & { readonly chunked: boolean };

/** One for each route and representation, made once: it may be a key of what it makes of entries and events. */
export interface ObjectForm {
  readonly contentType: string;
  /** Of a watch. */
  readonly streamType: string;
  /** Of one stored object. Never changed by the caller. */
  entry(entry: Entry): Buffer;
  /** Of one that is made for the answer, such as a scale; in the version that the route shows. */
  object(object: JsonObject): Buffer;
  /** Writes all of a list, and sends it piece by piece; the rest is left for the caller to send. */
  list(result: ListAnswer, out: PieceWriter): Promise<void>;
  /** Of one watch: called for each of its events in turn. */
  framer(): (event: WatchEvent) => Buffer;
}

/** A form whose text is compact JSON, from which forms for people are made too. */
export interface JsonForm extends ObjectForm {
  outline(result: ListAnswer): ListOutline;
}

/** A list in parts, so that it need not be in memory as values all at once. */
export interface ListOutline {
  /** The members in front of the items. */
  readonly head: JsonObject;
  readonly itemsName: string;
  readonly count: number;
  item(at: number): JsonValue;
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
