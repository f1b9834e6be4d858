// Writes that reserve in quota objects. See `QuotaReservation` of the machinery package.
import type { QuotaReservation } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { CallOptions, Store, TxnRequest, TxnResult } from "@orch/store";
import { QuotaLedger } from "./quota-ledger";
import type { QuotaKind } from "./quota-object";

/** Maximum number of queued writes per namespace. */
const WAITING_MAX = 5_000;
/** Maximum number of namespaces whose quotas are kept while no write waits for them. */
const LEDGERS_MAX = 100;

export interface QuotaLedgersDeps {
  /** Returns the store that holds the object of a reservation. */
  storeOf(of: QuotaReservation): Store;
  readonly clock: Pick<Clock, "elapsed" | "after">;
  kind(of: QuotaReservation): QuotaKind | undefined;
}

export class QuotaLedgers {
  private readonly ledgers = new Map<string, QuotaLedger>();

  constructor(private readonly deps: QuotaLedgersDeps) {}

  /**
   * Executes a transaction of the store with the reservations in it.
   * @param reservations at least one, all in one namespace
   * @throws StatusError of a reservation that rejects the write or reports a timeout; StoreError
   */
  async txn(
    request: TxnRequest,
    reservations: readonly [QuotaReservation, ...QuotaReservation[]],
    { signal, timeoutMs }: CallOptions,
  ): Promise<TxnResult> {
    const [first] = reservations;
    const ledger = this.ledgerOf(first, timeoutMs);
    if (ledger.waiting >= WAITING_MAX) throw first.late();
    return ledger.post({ request, reservations, signal });
  }

  private ledgerOf(reservation: QuotaReservation, timeoutMs: number | undefined): QuotaLedger {
    const { namespace } = reservation;
    const { clock } = this.deps;
    const store = this.deps.storeOf(reservation);
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    const known = this.ledgers.get(namespace);
    const ledger =
      known ?? new QuotaLedger({ kind: (of) => this.deps.kind(of), clock }, (asked) => store.txn(asked, options));
    this.ledgers.delete(namespace);
    this.ledgers.set(namespace, ledger);
    if (known === undefined) this.forgetIdle();
    return ledger;
  }

  private forgetIdle(): void {
    for (const [namespace, ledger] of this.ledgers) {
      if (this.ledgers.size <= LEDGERS_MAX) return;
      if (ledger.waiting === 0) this.ledgers.delete(namespace);
    }
  }
}
