// A backup as a file: frames as in a journal. The first says of which revision it is, then comes an object a frame, in key order, and the last
// tells that it is whole.

import type { KeyValue, LeaseId, Revision } from "../contract";
import { encodeFrames, jsonFrame } from "../embedded/frame";
import { framesInPieces } from "../embedded/frame-pieces";

/** Of backups. Raised when one that is written cannot be read by those who read the former. */
export const BACKUP_FORMAT = 1;

export interface BackupContent {
  readonly revision: Revision;
  /** Seconds by lease. */
  readonly leases: ReadonlyMap<LeaseId, number>;
  readonly items: readonly KeyValue[];
}

export interface BackupHead {
  readonly format: number;
  readonly revision: Revision;
  readonly leases: readonly (readonly [LeaseId, number])[];
}

export interface BackupEnd {
  readonly count: number;
}

/** In pieces of a size to be sent. */
export function* backupPieces({ revision, leases, items }: BackupContent): Iterable<Buffer> {
  const head: BackupHead = { format: BACKUP_FORMAT, revision, leases: [...leases] };
  yield encodeFrames([jsonFrame("backup", head)]);
  yield* framesInPieces(commitsOf(items));
  const end: BackupEnd = { count: items.length };
  yield encodeFrames([jsonFrame("backupEnd", end)]);
}

function* commitsOf(items: readonly KeyValue[]) {
  for (const item of items) yield { revision: item.modRevision, events: [{ kind: "put", item }] } as const;
}
