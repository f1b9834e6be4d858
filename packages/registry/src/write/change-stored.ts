// The loop of read, decision and conditional write. Writers that conflict on an object continue one after the other.
// The loop starts with the cached object, which may be stale: a rejection or a decision to keep the object is confirmed
// by a read from the store before it is returned.

import { type AdmittedWrite, CONFLICT_TEXT, conflict, type ServerOperation, StatusError } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import { recordedRevision } from "../object-history/record-revision";
import { metadataMember } from "../objects/member-scan";
import { StoredEntry } from "../objects/stored-entry";
import { readStored } from "../read/get";
import { allocationChange } from "./allocations";
import { deleteGuarded, putGuarded, type WriteTerms } from "./guarded-write";

export type Decision =
  /** The object is not changed. */
  | { readonly kind: "keep" }
  /**
   * @see resource-form.ts for the bytes
   * @param terms preconditions apply only to the creation of an object
   */
  | { readonly kind: "put"; readonly stored: Buffer; readonly terms: WriteTerms }
  /** @param last the last state to show; absent: the present one */
  | { readonly kind: "remove"; readonly last?: Buffer };

export interface ChangeRequest {
  readonly operation: ServerOperation;
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly name: string;
  readonly dryRun: boolean;
  /** See `Guard.ownersMatter`. */
  readonly ownersMatter?: boolean;
  readonly signal: EndSignal | undefined;
  /** Receives the outcome of each attempt. */
  readonly tries: AdmittedWrite;
}

export interface Changed {
  readonly entry: StoredEntry;
  readonly created: boolean;
  readonly removed: boolean;
}

/** Maximum number of attempts. Each failed attempt means that another write succeeded. */
const TRIES_MAX = 32;

/**
 * Changes a stored object.
 * @param decide called with the current object; rejects by throwing a StatusError; must not change data that a later
 * call uses
 * @throws StatusError from `decide`; Conflict (409) after too many conflicting writes; see store-failures.ts
 */
export async function changeStored(
  context: ResourceContext,
  request: ChangeRequest,
  decide: (current: StoredEntry | undefined) => Promise<Decision>,
): Promise<Changed> {
  const { operation, path, tries: told } = request;
  let endTurn: (() => void) | undefined;
  let sent = false;
  try {
    const guess = context.cache.peek(path);
    let current = guess ?? (await readStored(context, operation, path));
    let confirmed = guess === undefined;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      let settled: Settled;
      try {
        settled = await decided(context, request, decide, current);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        settled = { kind: "refusal", error };
      }
      if (!confirmed && (settled.kind === "refusal" || settled.kind === "keep" || request.dryRun)) {
        const stored = await readStored(context, operation, path);
        confirmed = true;
        // An encryption key may have gone out of use since the object was read, without a new revision.
        if (stored?.resourceVersion !== current?.resourceVersion || stored?.isStale !== current?.isStale) {
          told.giveUp();
          current = stored;
          continue;
        }
      }
      if (settled.kind === "refusal") throw settled.error;
      sent = true;
      const outcome = await carryOut(context, request, settled, current);
      sent = false;
      if ("entry" in outcome) {
        told.end("done");
        return outcome;
      }
      told.giveUp();
      current = outcome.current;
      confirmed = true;
      if (endTurn !== undefined) continue;
      endTurn = await context.turns.take(path);
      // Writers with an earlier turn may have changed the object since.
      const latest = context.cache.peek(path);
      if (latest === undefined || latest.resourceVersion <= (current?.resourceVersion ?? 0)) continue;
      current = latest;
      confirmed = false;
    }
    throw conflict(context.resource, request.name, CONFLICT_TEXT.modified());
  } catch (error) {
    if (sent) told.fail(error);
    told.end("undone");
    throw error;
  } finally {
    endTurn?.();
  }
}

type Settled = Decision | { readonly kind: "refusal"; readonly error: StatusError };

/** @throws what `decide` throws, synchronously or later */
function decided(
  { conversions }: ResourceContext,
  { signal }: ChangeRequest,
  decide: (current: StoredEntry | undefined) => Promise<Decision>,
  current: StoredEntry | undefined,
): Promise<Decision> {
  return conversions === undefined ? decide(current) : conversions.writes.settle(() => decide(current), signal);
}

async function carryOut(
  context: ResourceContext,
  request: ChangeRequest,
  decision: Decision,
  current: StoredEntry | undefined,
): Promise<Changed | { readonly current: StoredEntry | undefined }> {
  const { operation, path, dryRun, ownersMatter = false, signal } = request;
  const { span } = request.tries.sinks;
  const revision = current?.resourceVersion ?? 0;
  const created = current === undefined;
  const shown = (stored: Buffer, at: number) => new StoredEntry(context.form, path, at, stored);
  switch (decision.kind) {
    case "keep":
      return { entry: existing(current), created: false, removed: false };
    case "put": {
      if (dryRun) return { entry: shown(decision.stored, revision), created, removed: false };
      const { stored, terms } = decision;
      const allocations = allocationChange(context, { path, current }, stored);
      const waiting = recordedRevision(context, {
        ...{ verb: operation, path, current, sinks: request.tries.sinks },
        uid: () => uidIn(context, stored),
      });
      const recorded = waiting instanceof Promise ? await waiting : waiting;
      const guard = { operation, path, revision, terms, allocations, ownersMatter, recorded, signal, span };
      const result = await putGuarded(context, guard, stored);
      return result.written ? { entry: result.entry, created, removed: false } : result;
    }
    case "remove": {
      const was = existing(current);
      const { last } = decision;
      const lastShown = (at: number) => (last === undefined ? was.at(at) : shown(last, at));
      if (dryRun) return { entry: lastShown(revision), created: false, removed: true };
      const allocations = allocationChange(context, { path, current }, undefined);
      const waiting = recordedRevision(context, {
        ...{ verb: operation, path, current, isDeletion: true, sinks: request.tries.sinks },
        uid: () => "",
      });
      const recorded = waiting instanceof Promise ? await waiting : waiting;
      const result = await deleteGuarded(context, { operation, path, revision, allocations, recorded, signal, span });
      return result.written ? { entry: lastShown(result.revision), created: false, removed: true } : result;
    }
  }
}

/** Returns the uid in the bytes of a new object. */
const uidIn = ({ form }: ResourceContext, stored: Buffer): string =>
  String(readJson(metadataMember(stored, form.metadataAt, "uid") ?? '""'));

function existing(entry: StoredEntry | undefined): StoredEntry {
  if (entry === undefined) throw new Error("cannot keep or remove an object that does not exist");
  return entry;
}
