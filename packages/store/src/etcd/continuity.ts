// Detects whether the cluster that answers has been restored to an earlier state since it was last seen. A restore
// requires etcd to be stopped, so every new connection is checked before anything else is sent on it. The check is a
// linearizable read, which a lagging member answers only after it has caught up, or not at all.
//
//   seen: revision 1000, in which /a became x     now 1200, /a became x in 1000     same history, continued
//                                                 now 900                           restored
//                                                 now 1200, /a is not of 1000       restored, then continued
//
// The last change is the witness, with key, revision and content: after a restore the same key may well be written
// again, even at the same revision. A compacted witness proves nothing, but a watch that resumes from it is rejected
// for the compaction.

import { type Revision, revisionOf, StoreError, type StoreEvent, type TxnRequest } from "../contract/contract";
import * as etcd from "../generated/etcd";
import { toStoreError } from "./errors";
import { txnRequest, txnResult } from "./messages";
import type { Connect, Connection } from "./transport";
import { decode, encode } from "./wire";

const TXN_METHOD = "/etcdserverpb.KV/Txn";

/** The header of every answer. */
export interface AnswerHeader {
  readonly clusterId?: number | undefined;
  readonly revision?: number | undefined;
}

export class Continuity {
  /** Changes with each restore. */
  epoch = 0;
  private highestSeen: Revision = 0;
  private clusterId: number | undefined;
  private witness: StoreEvent | undefined;

  /** The newest revision seen. No linearizable answer to a later request is older. */
  get highest(): Revision {
    return this.highestSeen;
  }

  /**
   * Processes the header of a linearizable answer. @param asked the value of `highest` before the request @returns
   * false when it belongs to another history
   */
  saw({ revision = 0, clusterId }: AnswerHeader, asked: Revision): boolean {
    if (revision < asked) return false;
    this.highestSeen = Math.max(this.highestSeen, revision);
    this.clusterId ??= clusterId;
    return true;
  }

  /** Processes the events of a watch, in order. */
  happened(event: StoreEvent): void {
    const revision = revisionOf(event);
    if (this.witness !== undefined && revision < revisionOf(this.witness)) return;
    this.witness = event;
    this.highestSeen = Math.max(this.highestSeen, revision);
  }

  /** Forgets everything seen. */
  restart(): void {
    this.epoch += 1;
    this.highestSeen = 0;
    this.clusterId = undefined;
    this.witness = undefined;
  }

  /**
   * Wraps a connector so that its connections are verified to lead to the same history. @throws StoreError restored;
   * errors of `connect`
   */
  checked(connect: Connect): Connect {
    return async (endpoint, timeoutMs) => {
      const until = performance.now() + timeoutMs;
      const connection = await connect(endpoint, timeoutMs);
      try {
        await this.check(connection, Math.max(1, Math.ceil(until - performance.now())));
        return connection;
      } catch (error) {
        connection.destroy();
        throw error;
      }
    };
  }

  private async check(connection: Connection, timeoutMs: number): Promise<void> {
    if (this.highestSeen === 0) return;
    const { epoch } = this;
    const isSame = await this.isSame(connection, timeoutMs);
    // Another check has detected a restore in the meantime, so the compared data is void.
    if (epoch !== this.epoch)
      throw new StoreError("unavailable", "the store was restored from a backup during the operation");
    if (!isSame)
      throw new StoreError("restored", `${connection.endpoint} holds a different history than observed before`);
  }

  private async isSame(connection: Connection, timeoutMs: number): Promise<boolean> {
    const highest = this.highestSeen;
    const clusterId = this.clusterId;
    const witness = this.witness;
    const isGoneOn = ({ header = {} }: etcd.TxnResponse): boolean =>
      (clusterId === undefined || header.clusterId === clusterId) && (header.revision ?? 0) >= highest;
    const ask = async (question: TxnRequest): Promise<etcd.TxnResponse> => {
      const message = encode(etcd.TxnRequest, txnRequest(question));
      const bounds = { timeoutMs, signal: undefined, repeatable: true };
      return decode(etcd.TxnResponse, await connection.call(TXN_METHOD, message, bounds));
    };
    if (witness === undefined) return isGoneOn(await ask(NOTHING_ASKED));
    try {
      const answer = await ask(questionAbout(witness));
      return isGoneOn(answer) && confirms(witness, txnResult(answer).results);
    } catch (error) {
      const { code } = toStoreError(error, { writes: false });
      if (code === "futureRevision") return false;
      if (code === "compacted") return isGoneOn(await ask(NOTHING_ASKED));
      throw error;
    }
  }
}

/** A read of a key that does not exist, for the revision in its header. */
const NOTHING_ASKED: TxnRequest = { compare: [], then: [{ kind: "range", start: "\0", keysOnly: true }] };

/** Reads the key at the revision of the event, and before a deletion. */
function questionAbout(event: StoreEvent): TxnRequest {
  const start = event.kind === "put" ? event.item.key : event.key;
  const revision = revisionOf(event);
  const then = [{ kind: "range", start, revision }] as const;
  return {
    compare: [],
    then: event.kind === "put" ? then : [...then, { kind: "range", start, revision: revision - 1 }],
  };
}

function confirms(event: StoreEvent, results: ReturnType<typeof txnResult>["results"]): boolean {
  const [at, before] = results.map((result) => (result.kind === "range" ? result.items[0] : undefined));
  if (event.kind === "delete") return at === undefined && before !== undefined;
  const { modRevision, version, createRevision, value } = event.item;
  const isSame = at?.modRevision === modRevision && at.version === version && at.createRevision === createRevision;
  return isSame && at.value.equals(value);
}
