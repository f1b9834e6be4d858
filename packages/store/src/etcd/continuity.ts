// Whether a cluster that answers is the one that was seen, or has been brought back to an earlier state since. For that, etcd must have been
// stopped: whoever connects anew asks, before anything else is asked on that connection. The question is a linearizable read, which a member
// that only lags answers when it has caught up, or not at all.
//
//   seen: revision 1000, in which /a became x     now 1200, /a became x in 1000     the same, gone on
//                                                 now 900                           restored
//                                                 now 1200, /a is not of 1000       restored, and gone on from before 1000
//
// The last change is the witness: by its key, revision and content, for after a restoration the same key may well be written again, at the
// same revision even. One that has been compacted proves nothing, but a watch that goes on from there is refused for that.

import { type Revision, revisionOf, StoreError, type StoreEvent, type TxnRequest } from "../contract";
import * as etcd from "../generated/etcd";
import { toStoreError } from "./errors";
import { txnRequest, txnResult } from "./messages";
import type { Connect, Connection } from "./transport";
import { decode, encode } from "./wire";

const TXN_METHOD = "/etcdserverpb.KV/Txn";

/** What every answer carries. */
export interface AnswerHeader {
  readonly clusterId?: number | undefined;
  readonly revision?: number | undefined;
}

export class Continuity {
  /** Another number after each restoration. */
  epoch = 0;
  private highestSeen: Revision = 0;
  private clusterId: number | undefined;
  private witness: StoreEvent | undefined;

  /** The newest revision that was seen: no linearizable answer to a later question is older. */
  get highest(): Revision {
    return this.highestSeen;
  }

  /** Of a linearizable answer. @param asked what `highest` was before the question @returns false when it belongs to another history */
  saw({ revision = 0, clusterId }: AnswerHeader, asked: Revision): boolean {
    if (revision < asked) return false;
    this.highestSeen = Math.max(this.highestSeen, revision);
    this.clusterId ??= clusterId;
    return true;
  }

  /** Of a watch, in order. */
  happened(event: StoreEvent): void {
    const revision = revisionOf(event);
    if (this.witness !== undefined && revision < revisionOf(this.witness)) return;
    this.witness = event;
    this.highestSeen = Math.max(this.highestSeen, revision);
  }

  /** What was seen is void. */
  restart(): void {
    this.epoch += 1;
    this.highestSeen = 0;
    this.clusterId = undefined;
    this.witness = undefined;
  }

  /** Connections that are known to lead to the same history. @throws StoreError restored; and as `connect` does */
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
    // Somebody else has found out meanwhile: what it was compared with is void.
    if (epoch !== this.epoch) throw new StoreError("unavailable", "the store has been restored meanwhile");
    if (!isSame)
      throw new StoreError("restored", `${connection.endpoint} holds another history than the one that was seen`);
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

/** A read all the same: it tells the revision. */
const NOTHING_ASKED: TxnRequest = { compare: [], then: [{ kind: "range", start: "\0", keysOnly: true }] };

/** The key as it was at the event, and before that. */
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
