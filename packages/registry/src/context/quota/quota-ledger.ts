// The quotas of one namespace. A write and the quotas in which it reserves are changed in one
// transaction, so the quotas are always exact. The writes of this server run one after the other, each based on the
// result of the one before, and conflict only with those of other servers. Several objects are not combined in one
// transaction: they would have the same revision, and a watch that ends between two of them could not be resumed.
import type { QuotaReservation } from "@orch/machinery";
import type { Clock, EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { type Operation, StoreError, type TxnRequest, type TxnResult } from "@orch/store";
import { type QuotaChange, type QuotaKind, QuotaObject, type QuotaState } from "./quota-object";

export interface ReservedWrite {
  readonly request: TxnRequest;
  readonly reservations: readonly QuotaReservation[];
  /** Aborted when the client has given up. */
  readonly signal: EndSignal | undefined;
}

/**
 * Maximum time after which a write is not tried again. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go.
 */
const WAIT_MS = 10_000;

export interface QuotaLedgerDeps {
  /** Returns the kind that serves a quota; undefined when it is not served. */
  kind(of: QuotaReservation): QuotaKind | undefined;
  readonly clock: Pick<Clock, "elapsed" | "after">;
}

export class QuotaLedger {
  private readonly known = new Map<string, QuotaState>();
  private last: Promise<void> = Promise.resolve();
  private count = 0;

  constructor(
    private readonly deps: QuotaLedgerDeps,
    private readonly send: (request: TxnRequest) => Promise<TxnResult>,
  ) {}

  /** Number of writes in progress. */
  get waiting(): number {
    return this.count;
  }

  /**
   * Executes a write. @returns the store's answer to the write's own request; if it did not succeed, only the
   * request's own conditions failed
   * @throws StatusError of a reservation that rejects the write or reports a timeout; StoreError
   */
  post(write: ReservedWrite): Promise<TxnResult> {
    const { clock } = this.deps;
    const untilMs = clock.elapsed() + WAIT_MS;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const late = (): void => {
        isLate = true;
        reject(lateOf(write));
      };
      const stop = this.count === 0 ? () => {} : clock.after(WAIT_MS, late, { background: true });
      this.count += 1;
      const turn = async (): Promise<void> => {
        stop();
        try {
          if (!isLate) resolve(await this.settle(write, untilMs));
        } catch (error) {
          reject(error);
        }
        this.count -= 1;
      };
      this.last = this.last.then(turn);
    });
  }

  private async settle(write: ReservedWrite, untilMs: number): Promise<TxnResult> {
    const { request, signal } = write;
    const quotas = this.quotasOf(write);
    let isConfirmed = false;
    for (;;) {
      if (signal?.aborted) throw new StoreError("cancelled", "the request ended while its write was queued");
      if (this.deps.clock.elapsed() > untilMs) throw lateOf(write);
      const states = quotas.map((quota) => quota.newest(this.known.get(quota.key)));
      const changes = applyAll(quotas, states);
      if (changes instanceof Refused) {
        // The known state may be stale. A rejection is confirmed by a read.
        if (isConfirmed) throw changes.error;
        await this.look(quotas);
        isConfirmed = true;
        continue;
      }
      const result = await this.carryOut(request, quotas, { states, changes });
      if (result.succeeded) return { ...result, results: result.results.slice(0, request.then.length) };
      const isChanged = this.note(quotas, result, states);
      if (!isChanged) return { ...result, results: result.results.slice(quotas.length) };
      isConfirmed = true;
    }
  }

  private async carryOut(
    request: TxnRequest,
    quotas: readonly QuotaObject[],
    { states, changes }: { readonly states: readonly QuotaState[]; readonly changes: QuotaChanges },
  ): Promise<TxnResult> {
    try {
      const result = await this.send({
        compare: [...quotas.map((quota, at) => quota.isAt(states[at]?.revision ?? 0)), ...request.compare],
        then: [...request.then, ...changes.flatMap((change) => (change === undefined ? [] : [change.put]))],
        else: [...quotas.map((quota) => quota.look()), ...(request.else ?? [])],
      });
      if (!result.succeeded) return result;
      for (const [at, { key }] of quotas.entries()) {
        const state = changes[at]?.done(result.revision);
        if (state !== undefined) this.known.set(key, state);
      }
      return result;
    } catch (error) {
      for (const { key } of quotas) this.known.delete(key);
      throw error;
    }
  }

  /** Returns the quotas, without those that the write itself writes and those that are no longer served. */
  private quotasOf({ request, reservations }: ReservedWrite): readonly QuotaObject[] {
    const own = new Set(request.then.map(keyOf));
    return reservations.flatMap((reservation) => {
      const kind = this.deps.kind(reservation);
      if (kind === undefined) return [];
      const quota = new QuotaObject(kind, reservation);
      return own.has(quota.key) ? [] : [quota];
    });
  }

  private async look(quotas: readonly QuotaObject[]): Promise<void> {
    const result = await this.send({ compare: [], then: quotas.map((quota) => quota.look()) });
    this.note(quotas, result, []);
  }

  /** Stores the states that were read. @returns whether any of them differs from the assumed one */
  private note(
    quotas: readonly QuotaObject[],
    { results, revision }: TxnResult,
    before: readonly QuotaState[],
  ): boolean {
    let isChanged = false;
    for (const [at, quota] of quotas.entries()) {
      const found = results[at];
      const state = quota.read(found?.kind === "range" ? found.items[0] : undefined, revision);
      this.known.set(quota.key, state);
      isChanged ||= state.revision !== before[at]?.revision;
    }
    return isChanged;
  }
}

class Refused {
  constructor(readonly error: unknown) {}
}

/** Undefined for a quota that does not change. */
type QuotaChanges = readonly (QuotaChange | undefined)[];

function applyAll(quotas: readonly QuotaObject[], states: readonly QuotaState[]): QuotaChanges | Refused {
  try {
    return quotas.map((quota, at) => {
      const object = states[at]?.object;
      const next = object && quota.reservation.apply(object);
      return next === undefined || next === object ? undefined : quota.change(object as JsonObject, next);
    });
  } catch (error) {
    return new Refused(error);
  }
}

const keyOf = (operation: Operation): string => (operation.kind === "put" ? operation.key : operation.start);

const lateOf = ({ reservations }: ReservedWrite) => (reservations[0] as QuotaReservation).late();
