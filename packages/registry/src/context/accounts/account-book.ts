// The accounts of one namespace, such as resource quotas. A charged write and its accounts are changed in one
// transaction, so the accounts are always exact. The writes of this server run one after the other, each based on the
// result of the one before, and conflict only with those of other servers. Several objects are not combined in one
// transaction: they would have the same revision, and a watch that ends between two of them could not be resumed.
import type { Charge } from "@orch/machinery";
import type { Clock, EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { type Operation, StoreError, type TxnRequest, type TxnResult } from "@orch/store";
import { Account, type AccountChange, type AccountKind, type AccountState } from "./account";

export interface Posting {
  readonly request: TxnRequest;
  readonly charges: readonly Charge[];
  /** Aborted when the client has given up. */
  readonly signal: EndSignal | undefined;
}

/**
 * Maximum time after which a posting is not tried again. Source:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go.
 */
const WAIT_MS = 10_000;

export interface BookDeps {
  /** Returns the kind that serves an account; undefined when it is not served. */
  kind(of: Charge): AccountKind | undefined;
  readonly clock: Pick<Clock, "elapsed" | "after">;
}

export class AccountBook {
  private readonly known = new Map<string, AccountState>();
  private last: Promise<void> = Promise.resolve();
  private count = 0;

  constructor(
    private readonly deps: BookDeps,
    private readonly send: (request: TxnRequest) => Promise<TxnResult>,
  ) {}

  /** Number of postings in progress. */
  get waiting(): number {
    return this.count;
  }

  /**
   * Executes a posting. @returns the store's answer to the posting's own request; if it did not succeed, only the
   * request's own conditions failed
   * @throws StatusError of a charge that rejects the write or reports a timeout; StoreError
   */
  post(posting: Posting): Promise<TxnResult> {
    const { clock } = this.deps;
    const untilMs = clock.elapsed() + WAIT_MS;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const late = (): void => {
        isLate = true;
        reject(lateOf(posting));
      };
      const stop = this.count === 0 ? () => {} : clock.after(WAIT_MS, late, { background: true });
      this.count += 1;
      const turn = async (): Promise<void> => {
        stop();
        try {
          if (!isLate) resolve(await this.settle(posting, untilMs));
        } catch (error) {
          reject(error);
        }
        this.count -= 1;
      };
      this.last = this.last.then(turn);
    });
  }

  private async settle(posting: Posting, untilMs: number): Promise<TxnResult> {
    const { request, signal } = posting;
    const accounts = this.accountsOf(posting);
    let isConfirmed = false;
    for (;;) {
      if (signal?.aborted) throw new StoreError("cancelled", "the request ended while its write was queued");
      if (this.deps.clock.elapsed() > untilMs) throw lateOf(posting);
      const states = accounts.map((account) => account.newest(this.known.get(account.key)));
      const booked = bookAll(accounts, states);
      if (booked instanceof Refused) {
        // The known state may be stale. A rejection is confirmed by a read.
        if (isConfirmed) throw booked.error;
        await this.look(accounts);
        isConfirmed = true;
        continue;
      }
      const result = await this.carryOut(request, accounts, { states, booked });
      if (result.succeeded) return { ...result, results: result.results.slice(0, request.then.length) };
      const isChanged = this.note(accounts, result, states);
      if (!isChanged) return { ...result, results: result.results.slice(accounts.length) };
      isConfirmed = true;
    }
  }

  private async carryOut(
    request: TxnRequest,
    accounts: readonly Account[],
    { states, booked }: { readonly states: readonly AccountState[]; readonly booked: Booked },
  ): Promise<TxnResult> {
    try {
      const result = await this.send({
        compare: [...accounts.map((account, at) => account.isAt(states[at]?.revision ?? 0)), ...request.compare],
        then: [...request.then, ...booked.flatMap((change) => (change === undefined ? [] : [change.put]))],
        else: [...accounts.map((account) => account.look()), ...(request.else ?? [])],
      });
      if (!result.succeeded) return result;
      for (const [at, { key }] of accounts.entries()) {
        const state = booked[at]?.done(result.revision);
        if (state !== undefined) this.known.set(key, state);
      }
      return result;
    } catch (error) {
      for (const { key } of accounts) this.known.delete(key);
      throw error;
    }
  }

  /** Returns the accounts, without those that the posting itself writes and those that are no longer served. */
  private accountsOf({ request, charges }: Posting): readonly Account[] {
    const own = new Set(request.then.map(keyOf));
    return charges.flatMap((charge) => {
      const kind = this.deps.kind(charge);
      if (kind === undefined) return [];
      const account = new Account(kind, charge);
      return own.has(account.key) ? [] : [account];
    });
  }

  private async look(accounts: readonly Account[]): Promise<void> {
    const result = await this.send({ compare: [], then: accounts.map((account) => account.look()) });
    this.note(accounts, result, []);
  }

  /** Stores the states that were read. @returns whether any of them differs from the assumed one */
  private note(
    accounts: readonly Account[],
    { results, revision }: TxnResult,
    before: readonly AccountState[],
  ): boolean {
    let isChanged = false;
    for (const [at, account] of accounts.entries()) {
      const found = results[at];
      const state = account.read(found?.kind === "range" ? found.items[0] : undefined, revision);
      this.known.set(account.key, state);
      isChanged ||= state.revision !== before[at]?.revision;
    }
    return isChanged;
  }
}

class Refused {
  constructor(readonly error: unknown) {}
}

/** Undefined for an account that does not change. */
type Booked = readonly (AccountChange | undefined)[];

function bookAll(accounts: readonly Account[], states: readonly AccountState[]): Booked | Refused {
  try {
    return accounts.map((account, at) => {
      const object = states[at]?.object;
      const next = object && account.charge.book(object);
      return next === undefined || next === object ? undefined : account.change(object as JsonObject, next);
    });
  } catch (error) {
    return new Refused(error);
  }
}

const keyOf = (operation: Operation): string => (operation.kind === "put" ? operation.key : operation.start);

const lateOf = ({ charges }: Posting) => (charges[0] as Charge).late();
