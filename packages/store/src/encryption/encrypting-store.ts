// A store that encrypts values when they are put and decrypts them when they are read. The key of a value decides
// whether and how it is encrypted; the configuration may change while the store is open. The inner store and backups
// see only encrypted bytes.
import { setImmediate as nextTurn } from "node:timers/promises";
import { Backoff, type Clock } from "@orch/platform";
import {
  type CallOptions,
  type KeyValue,
  type LeaseId,
  type Operation,
  type OperationResult,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreEndpoint,
  StoreError,
  type StoreStatus,
  type StoreWatch,
  type TxnRequest,
  type TxnResult,
  type WatchBatch,
  type WatchHandlers,
  type WatchRequest,
} from "../contract/contract";
import { OrderedWatch } from "./ordered-watch";
import { EncryptionError } from "./provider";
import { type OpenedValue, openUnconfigured, type ValueProviders } from "./value-providers";

type StoreEvent = WatchBatch["events"][number];
type PutEvent = Extract<StoreEvent, { readonly kind: "put" }>;

/** @returns undefined for keys whose values are stored unencrypted */
export type ProvidersOf = (key: string) => ValueProviders | undefined;

export interface EncryptingStoreDeps {
  /** Prefix of every encrypted value: `orch:enc:`. */
  readonly marker: string;
  readonly providersOf: ProvidersOf;
  readonly clock: Clock;
  /**
   * Whether no watch needs the value of a key. Watches then deliver it as it is stored, which spares decryption and
   * calls of key management services. Absent: watches need all values.
   */
  readonly isUnwatched?: (key: string) => boolean;
}

/**
 * Bytes decrypted in one turn of the event loop; a smaller value counts as 1 KiB. At most 20 ms with the slowest
 * provider.
 */
const TURN_BYTES = 1024 * 1024;
const VALUE_MIN_BYTES = 1024;
/** Maximum number of concurrent calls of a key management service. */
const ASKED_AT_ONCE = 32;
/** Interval of checks whether an unavailable service answers again. */
const AGAIN = { firstMs: 1000, maxMs: 30_000 };

export class EncryptingStore implements Store {
  readonly marksValues = true;
  readonly backup?: (options?: CallOptions) => AsyncIterable<Buffer>;
  readonly snapshot?: (options?: CallOptions) => AsyncIterable<Buffer>;
  private readonly marker: Buffer;
  private readonly watches = new Set<OrderedWatch>();
  private providersOf: ProvidersOf;
  /** Whether an unreadable value has been returned. */
  private toldUnreadable = false;
  /** One of the values that may become readable when a service is available again. */
  private awaited: Pick<KeyValue, "key" | "value"> | undefined;
  private readonly again = new Backoff(AGAIN);
  private cancelAgain = () => {};
  private isStopped = false;

  constructor(
    private readonly inner: Store,
    private readonly deps: EncryptingStoreDeps,
  ) {
    this.marker = Buffer.from(deps.marker);
    this.providersOf = deps.providersOf;
    const { backup, snapshot } = inner;
    if (backup !== undefined) this.backup = (options) => backup.call(inner, options);
    if (snapshot !== undefined) this.snapshot = (options) => snapshot.call(inner, options);
  }

  get endpoints(): readonly StoreEndpoint[] {
    return this.inner.endpoints;
  }

  /** Uses other providers from now on. Watches end so that values which could not be read are read again. */
  use(providersOf: ProvidersOf): void {
    this.providersOf = providersOf;
    if (this.toldUnreadable) this.readAnew();
  }

  async range(request: RangeRequest, options?: CallOptions): Promise<RangeResult> {
    const result = await this.inner.range(request, options);
    return request.keysOnly === true ? result : this.openedRange(result);
  }

  async txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    const result = await this.inner.txn(await this.sealed(request), options);
    const operations = (result.succeeded ? request.then : request.else) ?? [];
    const results: OperationResult[] = [];
    for (const [at, each] of result.results.entries()) {
      const asked = operations[at];
      const isRead = each.kind === "range" && asked?.kind === "range" && asked.keysOnly !== true;
      results.push(isRead ? { ...each, ...(await this.openedRange(each)) } : each);
    }
    return { ...result, results };
  }

  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch {
    const watch: OrderedWatch = new OrderedWatch(
      (batch) => this.openedBatch(batch),
      {
        ...handlers,
        ended: (reason) => {
          this.watches.delete(watch);
          handlers.ended(reason);
        },
      },
      (inside) => this.inner.watch(request, inside),
    );
    this.watches.add(watch);
    watch.start();
    return watch;
  }

  compact(revision: Revision, options?: CallOptions): Promise<void> {
    return this.inner.compact(revision, options);
  }

  grantLease(ttlSeconds: number, options?: CallOptions): Promise<LeaseId> {
    return this.inner.grantLease(ttlSeconds, options);
  }

  keepLeaseAlive(lease: LeaseId, options?: CallOptions): Promise<number> {
    return this.inner.keepLeaseAlive(lease, options);
  }

  revokeLease(lease: LeaseId, options?: CallOptions): Promise<void> {
    return this.inner.revokeLease(lease, options);
  }

  status(options?: CallOptions): Promise<StoreStatus> {
    return this.inner.status(options);
  }

  close(): Promise<void> {
    this.stop();
    return this.inner.close();
  }

  /** Stops waiting for unavailable services. Reads and writes continue. */
  stop(): void {
    this.isStopped = true;
    this.cancelAgain();
  }

  /** @throws StoreError internal: nothing was sent */
  private async sealed(request: TxnRequest): Promise<TxnRequest> {
    const { then, else: otherwise } = request;
    try {
      return {
        ...request,
        then: await Promise.all(then.map((operation) => this.sealedOperation(operation))),
        ...(otherwise && { else: await Promise.all(otherwise.map((operation) => this.sealedOperation(operation))) }),
      };
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      throw new StoreError("internal", `the value cannot be encrypted: ${error.message}`, { cause: error });
    }
  }

  private sealedOperation(operation: Operation): Operation | Promise<Operation> {
    if (operation.kind !== "put") return operation;
    const value = this.providersOf(operation.key)?.seal(operation.value, operation.key);
    if (value === undefined) return operation;
    return value instanceof Promise ? value.then((bytes) => ({ ...operation, value: bytes })) : { ...operation, value };
  }

  private async openedRange<Range extends RangeResult>(result: Range): Promise<Range> {
    return { ...result, items: await this.openedItems(result.items) };
  }

  /** Returns the batch synchronously when no service must be asked and decryption is quick. */
  private openedBatch(batch: WatchBatch): WatchBatch | Promise<WatchBatch> {
    const { isUnwatched = () => false } = this.deps;
    const isOpened = (event: StoreEvent): event is PutEvent => event.kind === "put" && !isUnwatched(event.item.key);
    const items = batch.events.filter(isOpened).map(({ item }) => item);
    const opened = this.openedItems(items);
    const withOpened = (all: readonly KeyValue[]): WatchBatch => {
      if (all === items) return batch;
      let at = 0;
      const events = batch.events.map((event) => (isOpened(event) ? { ...event, item: all[at++] as KeyValue } : event));
      return { ...batch, events };
    };
    return opened instanceof Promise ? opened.then(withOpened) : withOpened(opened);
  }

  /** @returns `items` itself when the values are stored unencrypted */
  private openedItems(items: readonly KeyValue[]): readonly KeyValue[] | Promise<readonly KeyValue[]> {
    if (items.every((item) => this.isPlain(item))) return items;
    const first = this.wave(items, 0);
    if (first.isAsked || first.values.length < items.length) return this.openedInWaves(items, first);
    return withValues(items, first.values as readonly OpenedValue[]);
  }

  private async openedInWaves(items: readonly KeyValue[], first: Wave): Promise<readonly KeyValue[]> {
    const values = await Promise.all(first.values);
    while (values.length < items.length) {
      await nextTurn();
      values.push(...(await Promise.all(this.wave(items, values.length).values)));
    }
    return withValues(items, values);
  }

  /** Quick check for an unencrypted value: no encoded object begins with the first byte of the marker. */
  private isPlain({ key, value }: KeyValue): boolean {
    return value[0] !== this.marker[0] && this.providersOf(key) === undefined;
  }

  /** Decrypts as many values as one turn and the limit of concurrent calls allow. */
  private wave(items: readonly KeyValue[], from: number): Wave {
    const values: (OpenedValue | Promise<OpenedValue>)[] = [];
    let bytes = 0;
    let asked = 0;
    for (let at = from; at < items.length && bytes < TURN_BYTES && asked < ASKED_AT_ONCE; at += 1) {
      const { key, value } = items[at] as KeyValue;
      const providers = this.providersOf(key);
      const opened = providers === undefined ? openUnconfigured(value, this.marker) : providers.open(value, key);
      if (opened instanceof Promise) {
        asked += 1;
        values.push(opened.then((each) => this.noted(each, key)));
      } else values.push(this.noted(opened, key));
      if (providers !== undefined) bytes += Math.max(value.length, VALUE_MIN_BYTES);
    }
    return { values, isAsked: asked > 0 };
  }

  private noted(opened: OpenedValue, key: string): OpenedValue {
    if (opened.mark?.kind !== "unreadable") return opened;
    this.toldUnreadable = true;
    if (opened.isTransient === true && this.awaited === undefined) {
      this.awaited = { key, value: opened.value };
      this.lookAgain();
    }
    return opened;
  }

  private lookAgain(): void {
    if (this.isStopped) return;
    this.cancelAgain();
    this.cancelAgain = this.deps.clock.after(this.again.next(), () => void this.look(), { background: true });
  }

  private async look(): Promise<void> {
    if (this.awaited === undefined) return;
    const { key, value } = this.awaited;
    const opened = await this.providersOf(key)?.open(value, key);
    if (this.awaited === undefined) return;
    if (opened?.isTransient === true) this.lookAgain();
    else this.readAnew();
  }

  /** Ends the watches so that clients list again: some values may now be read differently. */
  private readAnew(): void {
    this.toldUnreadable = false;
    this.awaited = undefined;
    this.cancelAgain();
    this.again.reset();
    const reason = new StoreError("compacted", "values that could not be decrypted may be readable now: list again");
    for (const watch of [...this.watches]) watch.end(reason);
  }
}

interface Wave {
  readonly values: readonly (OpenedValue | Promise<OpenedValue>)[];
  /** Some values are still pending. */
  readonly isAsked: boolean;
}

function withValues(items: readonly KeyValue[], values: readonly OpenedValue[]): readonly KeyValue[] {
  return items.map((item, at) => {
    const { value, mark } = values[at] as OpenedValue;
    return mark === undefined ? { ...item, value } : { ...item, value, mark };
  });
}
