// Format of a backup file: frames like those of a journal. The first frame holds the revision and the leases. One frame
// per object follows, in key order. The last frame confirms that the backup is complete.

import type { KeyValue, LeaseId, Revision } from "../contract/contract";
import { framesInPieces } from "./commit-record";
import { encodeFrames, jsonFrame } from "./frame";

/** Version of the backup format. Raised when older releases cannot read a new backup. */
export const BACKUP_FORMAT = 1;

export interface BackupContent {
  readonly revision: Revision;
  /** Seconds left by lease. */
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

/** Encodes a backup in pieces of a size suitable for sending. */
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
