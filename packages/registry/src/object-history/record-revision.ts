// The put that records a revision. It is a part of the transaction of the write: both happen or neither. The replaced
// state is recorded and not the new one, which the object itself holds: the first write after the history was switched
// on can therefore be undone too.
import type { WriteSinks } from "@orch/machinery";
import type { Operation } from "@orch/store";
import type { ResourceContext } from "../context/resource-context";
import type { HistoryTerms } from "../contract/history-rules";
import { resourcePath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { type RevisionChange, revisionKey, revisionsOf } from "./revision-key";
import { type RevisionWrite, revisionValue } from "./revision-value";
import { statesKept } from "./states-kept";

export interface RecordedChange {
  readonly verb: string;
  readonly path: string;
  /** The replaced state; undefined: the object is created. */
  readonly current: StoredEntry | undefined;
  readonly isDeletion?: true;
  readonly sinks: WriteSinks;
  /** Returns the uid of a created object. */
  readonly uid: () => string;
}

export interface RecordedRevision {
  readonly put: Operation;
  /** The put for a store that does not accept the state beside the object. */
  readonly withoutState: Operation;
}

type Recorded = RecordedRevision | undefined;

/** Returns undefined when no history of the object is kept, which most resources decide without a look-up. */
export function recordedRevision(context: ResourceContext, change: RecordedChange): Recorded | Promise<Recorded> {
  const terms = context.historyTerms;
  return terms === undefined ? undefined : recordedUnder(context, terms, change);
}

function recordedUnder(
  context: ResourceContext,
  terms: HistoryTerms,
  change: RecordedChange,
): Recorded | Promise<Recorded> {
  const states = statesKept(context, terms, change.path);
  if (typeof states === "number") return states > 0 ? recorded(context, change) : undefined;
  return states.then((late) => (late > 0 ? recorded(context, change) : undefined));
}

function recorded(context: ResourceContext, change: RecordedChange): RecordedRevision {
  const { path, current, sinks, verb } = change;
  const { prefix, codec, clock, definition } = context;
  const uid = current === undefined ? change.uid() : String(current.metadata("uid") ?? "");
  const write: RevisionWrite = {
    verb: sinks.verb ?? verb,
    user: shortened(sinks.user?.name, NAME_MAX),
    userAgent: shortened(sinks.userAgent, TEXT_MAX),
    fieldManager: shortened(sinks.manager, TEXT_MAX),
    subresource: sinks.subresource?.name ?? "",
    uid,
  };
  const kind: RevisionChange = current === undefined ? "created" : change.isDeletion ? "deleted" : "updated";
  const of = revisionsOf(prefix, resourcePath(definition.group, definition.plural));
  const timeMs = clock.now();
  const replaced = current?.resourceVersion ?? 0;
  const putOf = (value: Buffer): Operation => ({
    kind: "put",
    key: revisionKey(of, { path, timeMs, replaced, bytes: value.length, change: kind }, uid),
    value,
  });
  return {
    put: putOf(revisionValue(write, current?.stored(), codec)),
    get withoutState() {
      return putOf(revisionValue({ ...write, lacksState: true }, undefined, codec));
    },
  };
}

const NAME_MAX = 1024;
const TEXT_MAX = 256;

const shortened = (text: string | undefined, max: number): string => (text ?? "").slice(0, max);
