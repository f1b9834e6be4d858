// Reads a recording up to a point.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { systemFault } from "@orch/platform";
import type { Operation, Store } from "@orch/store";
import { RECORDING_FORMAT, type RecordedLine, type RecordedValue, type RecordingStart } from "./recording-format";

/** The last change to apply: a revision, or a time in RFC 3339. */
export type RecordingPoint = number | string;

/** Temporary objects that are replayed, for good. All others tell which servers were alive. */
const EVENTS = "core/events/";

/** @throws TypeError for a file that cannot be read, or that is no recording */
export async function recordingStart(file: string): Promise<RecordingStart> {
  for await (const line of linesOf(file)) {
    if (line.kind !== "start" || line.format !== RECORDING_FORMAT) break;
    return line;
  }
  throw new TypeError(`${file}: is no recording of format ${RECORDING_FORMAT}: use a file that --record has written`);
}

/**
 * Writes the objects of a recording, whose start the caller has read, into an empty store. The changes of one revision become one transaction, so that
 * resource versions have the recorded order.
 * @param prefix root of the keys of all objects: `/registry`
 * @throws TypeError for a file that cannot be read, or that has a wrong line
 */
export async function replayRecording(
  file: string,
  {
    store,
    prefix,
    until,
  }: { readonly store: Store; readonly prefix: string; readonly until?: RecordingPoint | undefined },
): Promise<void> {
  let revision = 0;
  let operations: Operation[] = [];
  const flush = async (): Promise<void> => {
    if (operations.length > 0) await store.txn({ compare: [], then: operations });
    operations = [];
  };
  for await (const line of linesOf(file)) {
    if (line.kind === "start") continue;
    if (isBeyond(line, until)) break;
    // Objects that existed at the beginning may have any order.
    if (line.kind === "object" || line.revision !== revision) await flush();
    revision = line.revision;
    if (line.isTemporary === true && !line.key.startsWith(EVENTS)) continue;
    const key = `${prefix}/${line.key}`;
    operations.push(
      line.value === undefined ? { kind: "delete", start: key } : { kind: "put", key, value: storedValue(line.value) },
    );
  }
  await flush();
}

function isBeyond(line: RecordedLine, until: RecordingPoint | undefined): boolean {
  if (until === undefined || line.kind !== "change") return false;
  return typeof until === "number" ? line.revision > until : Date.parse(line.at) > Date.parse(until);
}

function storedValue(value: RecordedValue): Buffer {
  const [name, ...others] = Object.keys(value);
  const { base64 } = value as { readonly base64?: unknown };
  if (name === "base64" && others.length === 0 && typeof base64 === "string") return Buffer.from(base64, "base64");
  return Buffer.from(JSON.stringify(value));
}

/** A last line that is cut short, because the server was killed while it wrote, ends the recording. */
async function* linesOf(file: string): AsyncGenerator<RecordedLine, void, undefined> {
  const input = createReadStream(file);
  const failed = new Promise<never>((_, reject) => input.once("error", reject));
  failed.catch(() => {});
  let number = 0;
  let broken: number | undefined;
  try {
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    const iterator = lines[Symbol.asyncIterator]();
    for (;;) {
      const next = await Promise.race([iterator.next(), failed]);
      if (next.done === true) return;
      number += 1;
      if (broken !== undefined) throw new TypeError(`${file}: line ${broken} is no line of a recording`);
      const line = parsed(next.value);
      if (line === undefined) broken = number;
      else yield line;
    }
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`${file}: cannot be read: ${systemFault(error)}`);
  } finally {
    input.destroy();
  }
}

const KINDS = ["start", "object", "change"];

function parsed(text: string): RecordedLine | undefined {
  try {
    const line = JSON.parse(text) as RecordedLine;
    return KINDS.includes(line.kind) ? line : undefined;
  } catch {
    return undefined;
  }
}
