// The accounts of one namespace. A write that is charged to them is one transaction with them, so that they are always right; those of this
// server come one after the other, each going on from what the one before it has left, and meet only those of other servers.
//
// Not several objects in one transaction: they would have one revision, and a watch that is cut between two of them could not be resumed.
import type { Charge } from "@orch/machinery";
import type { Clock, EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { type Operation, StoreError, type TxnRequest, type TxnResult } from "@orch/store";
import { Account, type AccountChange, type AccountKind, type AccountState } from "./account";

export interface Posting {
  readonly request: TxnRequest;
  readonly charges: readonly Charge[];
  /** Nobody waits any more. */
  readonly signal: EndSignal | undefined;
}

/** Past it a posting is not tried again. Source: facts, admission/resourcequota.md "Charging and concurrency". */
const WAIT_MS = 10_000;

export interface BookDeps {
  /** That serves an account; undefined where nobody does. */
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

  /** Postings that are not through. */
  get waiting(): number {
    return this.count;
  }

  /**
   * @returns what the store answers the posting's own request, whose conditions alone have failed where it has not succeeded
   * @throws StatusError of a charge that refuses, or that says that it is too late; StoreError
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
      if (signal?.aborted) throw new StoreError("cancelled", "nobody waits for the write any more");
      if (this.deps.clock.elapsed() > untilMs) throw lateOf(posting);
      const states = accounts.map((account) => account.newest(this.known.get(account.key)));
      const booked = bookAll(accounts, states);
      if (booked instanceof Refused) {
        // What is known may be old: nobody is refused by it.
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

  /** Not those that the posting itself writes, or that nobody serves any more. */
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

  /** @returns whether any of them is not as it was taken to be */
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

/** Undefined for an account that stays as it is. */
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
