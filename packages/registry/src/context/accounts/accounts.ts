// Writes that are charged to other objects. See `Charge` of the machinery package.
import type { Charge } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { CallOptions, Store, TxnRequest, TxnResult } from "@orch/store";
import type { AccountKind } from "./account";
import { AccountBook } from "./account-book";

/** Maximum number of queued writes per namespace. */
const WAITING_MAX = 5_000;
/** Maximum number of namespaces whose accounts are kept while no write waits for them. */
const BOOKS_MAX = 100;

export interface AccountsDeps {
  /** Returns the store that holds the objects that a charge is made to. */
  storeOf(of: Charge): Store;
  readonly clock: Pick<Clock, "elapsed" | "after">;
  kind(of: Charge): AccountKind | undefined;
}

export class Accounts {
  private readonly books = new Map<string, AccountBook>();

  constructor(private readonly deps: AccountsDeps) {}

  /**
   * Executes a transaction of the store with the charges in it.
   * @param charges at least one, all in one namespace
   * @throws StatusError of a charge that rejects the write or reports a timeout; StoreError
   */
  async txn(
    request: TxnRequest,
    charges: readonly [Charge, ...Charge[]],
    { signal, timeoutMs }: CallOptions,
  ): Promise<TxnResult> {
    const [first] = charges;
    const book = this.bookOf(first, timeoutMs);
    if (book.waiting >= WAITING_MAX) throw first.late();
    return book.post({ request, charges, signal });
  }

  private bookOf(charge: Charge, timeoutMs: number | undefined): AccountBook {
    const { namespace } = charge;
    const { clock } = this.deps;
    const store = this.deps.storeOf(charge);
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    const known = this.books.get(namespace);
    const book =
      known ?? new AccountBook({ kind: (of) => this.deps.kind(of), clock }, (asked) => store.txn(asked, options));
    this.books.delete(namespace);
    this.books.set(namespace, book);
    if (known === undefined) this.forgetIdle();
    return book;
  }

  private forgetIdle(): void {
    for (const [namespace, book] of this.books) {
      if (this.books.size <= BOOKS_MAX) return;
      if (book.waiting === 0) this.books.delete(namespace);
    }
  }
}
