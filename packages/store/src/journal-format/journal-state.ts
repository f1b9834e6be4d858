// The state of a journal beside its commits: the compacted revision and the leases. It is written whole at the
// beginning of a file, and as changes after that.

import type { LeaseId, Revision } from "../contract/contract";
import { type FrameContent, jsonFrame } from "./frame";
import type { Frame } from "./segment-scan";

export interface JournalState {
  readonly compacted: Revision;
  /** Seconds left by lease. */
  readonly leases: ReadonlyMap<LeaseId, number>;
}

interface Said {
  readonly state: { readonly compacted: Revision; readonly leases: readonly (readonly [LeaseId, number])[] };
  readonly compacted: { readonly revision: Revision };
  readonly leaseGranted: { readonly id: LeaseId; readonly ttlSeconds: number };
  readonly leaseEnded: { readonly id: LeaseId };
}

export function stateFrame({ compacted, leases }: JournalState): FrameContent {
  return jsonFrame("state", { compacted, leases: [...leases] } satisfies Said["state"]);
}

export function changeFrame<Kind extends Exclude<keyof Said, "state">>(kind: Kind, said: Said[Kind]): FrameContent {
  return jsonFrame(kind, said);
}

/** Collects the state from the frames of a journal. */
export class StateReading implements JournalState {
  compacted: Revision = 0;
  leases = new Map<LeaseId, number>();

  take({ kind, content }: Frame): void {
    const said = <K extends keyof Said>() => JSON.parse(content.toString()) as Said[K];
    switch (kind) {
      case "state": {
        const { compacted, leases } = said<"state">();
        this.compacted = compacted;
        this.leases = new Map(leases);
        return;
      }
      case "compacted":
        this.compacted = said<"compacted">().revision;
        return;
      case "leaseGranted": {
        const { id, ttlSeconds } = said<"leaseGranted">();
        this.leases.set(id, ttlSeconds);
        return;
      }
      case "leaseEnded":
        this.leases.delete(said<"leaseEnded">().id);
        return;
      case "file":
      case "commit":
      case "seal":
      case "backup":
      case "backupEnd":
        return;
    }
  }
}
