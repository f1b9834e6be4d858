// Format of a recording: one JSON object in each line. The first line describes the recording, the next ones the objects
// that existed when it began, and all others the changes, in the order of their revisions.
import type { JsonObject, VocabularyName } from "@orch/schema";

/** Format number, in the first line. */
export const RECORDING_FORMAT = 1;

export type RecordedLine = RecordingStart | RecordedObject | RecordedChange;

export interface RecordingStart {
  readonly kind: "start";
  readonly format: typeof RECORDING_FORMAT;
  /** RFC 3339. */
  readonly at: string;
  readonly vocabulary: VocabularyName;
  readonly release: string;
  readonly revision: number;
  readonly secrets: "masked" | "recorded";
}

/** Key and value of a stored object. The key begins with the group, such as `core/configmaps/default/menu`. */
interface Stored {
  readonly key: string;
  readonly value: RecordedValue;
  /** Set when the store deletes the object after a time. */
  readonly isTemporary?: true | undefined;
}

/** Contents of a stored value: the object itself, or its bytes when it is not stored as JSON. */
export type RecordedValue = JsonObject | { readonly base64: string };

export interface RecordedObject extends Stored {
  readonly kind: "object";
  readonly revision: number;
}

interface RecordedChange {
  readonly kind: "change";
  readonly revision: number;
  /** RFC 3339. */
  readonly at: string;
  /** Undefined for a change by the server itself, such as the end of a lease, or by another server. */
  readonly by?: Requester | undefined;
  readonly key: string;
  /** Undefined when the object was deleted. */
  readonly value?: RecordedValue | undefined;
  readonly isTemporary?: true | undefined;
}

/** The request that made a change. */
export interface Requester {
  readonly user: string;
  readonly verb: string;
  readonly path: string;
}
