// Value of a revision: one line of JSON about the write, then the replaced state as objects are stored. The line is never
// compressed, so that a list of revisions does not decompress their states.
import type { JsonObject } from "@orch/schema";
import { readJson } from "@orch/schema";
import type { ValueCodec } from "@orch/store";

/** The write that made a revision. */
export interface RevisionWrite {
  readonly verb: string;
  readonly user: string;
  /** "" where unknown. */
  readonly userAgent: string;
  /** "" where unknown. */
  readonly fieldManager: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** The uid of the object. */
  readonly uid: string;
  /** The replaced state was too large for the transaction, and is not kept. */
  readonly lacksState?: true;
}

const NEW_LINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** @param state undefined: the object was created */
export function revisionValue(write: RevisionWrite, state: Buffer | undefined, codec: ValueCodec): Buffer {
  const line = Buffer.from(`${JSON.stringify(write)}\n`);
  return state === undefined ? line : Buffer.concat([line, codec.encode(state)]);
}

export interface ReadRevisionValue {
  readonly write: RevisionWrite;
  /** The encoded state; undefined when there is none. */
  readonly state: Buffer | undefined;
}

/** @throws SyntaxError for a damaged value */
export function readRevisionValue(value: Buffer): ReadRevisionValue {
  const end = value.indexOf(NEW_LINE);
  const line = readJson(value.toString("utf8", 0, end < 0 ? value.length : end)) as JsonObject;
  const text = (member: string) => String(line[member] ?? "");
  const state = end < 0 ? NOTHING : value.subarray(end + 1);
  return {
    write: {
      verb: text("verb"),
      user: text("user"),
      userAgent: text("userAgent"),
      fieldManager: text("fieldManager"),
      subresource: text("subresource"),
      uid: text("uid"),
      ...(line["lacksState"] === true && { lacksState: true }),
    },
    state: state.length === 0 ? undefined : state,
  };
}
