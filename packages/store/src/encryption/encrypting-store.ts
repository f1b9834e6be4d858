// A store whose values are encrypted as they are put, and decrypted as they are read. Which ones, and with what, is decided by their key, and may
// change while it is open. What lies beneath sees the encrypted bytes alone; so do backups.
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
} from "../contract";
import { OrderedWatch } from "./ordered-watch";
import { EncryptionError } from "./provider";
import { type OpenedValue, openUnconfigured, type ValueProviders } from "./value-providers";

/** @returns undefined for keys whose values are stored as they are */
export type ProvidersOf = (key: string) => ValueProviders | undefined;

export interface EncryptingStoreDeps {
  /** Begins every encrypted value: `orch:enc:`. */
  readonly marker: string;
  readonly providersOf: ProvidersOf;
  readonly clock: Clock;
}

/** Bytes that are decrypted in one turn of the loop; a small value costs as much as one of 1 KiB. At most 20 ms, of the slowest provider. */
const TURN_BYTES = 1024 * 1024;
const VALUE_MIN_BYTES = 1024;
/** Values that a key management service is asked about at once. */
const ASKED_AT_ONCE = 32;
/** Between two looks whether what could not be reached is back. */
const AGAIN = { firstMs: 1000, maxMs: 30_000 };

export class EncryptingStore implements Store {
  readonly marksValues = true;
  readonly backup?: (options?: CallOptions) => AsyncIterable<Buffer>;
  private readonly marker: Buffer;
  private readonly watches = new Set<OrderedWatch>();
  private providersOf: ProvidersOf;
  /** Somebody has been told that a value cannot be read. */
  private toldUnreadable = false;
  /** One of those that may be readable once somebody is back. */
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
    const { backup } = inner;
    if (backup !== undefined) this.backup = (options) => backup.call(inner, options);
  }

  get endpoints(): readonly StoreEndpoint[] {
    return this.inner.endpoints;
  }

  /** From now on. What could not be read is read anew by those who watch. */
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

  /** Waits for nobody any more who is away; reads and writes go on. */
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

  /** At once where nothing has to be asked, and nothing would take long. */
  private openedBatch(batch: WatchBatch): WatchBatch | Promise<WatchBatch> {
    const items = batch.events.flatMap((event) => (event.kind === "put" ? [event.item] : []));
    const opened = this.openedItems(items);
    const withOpened = (all: readonly KeyValue[]): WatchBatch => {
      if (all === items) return batch;
      let at = 0;
      const events = batch.events.map((event) =>
        event.kind === "put" ? { ...event, item: all[at++] as KeyValue } : event,
      );
      return { ...batch, events };
    };
    return opened instanceof Promise ? opened.then(withOpened) : withOpened(opened);
  }

  /** @returns `items` themselves where they are stored as they are */
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

  /** Stored as it is, by the first look: nothing of what is made of objects begins as the mark does. */
  private isPlain({ key, value }: KeyValue): boolean {
    return value[0] !== this.marker[0] && this.providersOf(key) === undefined;
  }

  /** As many as one turn may take, and may be asked for. */
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
    if (opened.isPassing === true && this.awaited === undefined) {
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
    if (opened?.isPassing === true) this.lookAgain();
    else this.readAnew();
  }

  /** Whoever keeps what was read must list again: some of it reads otherwise now. */
  private readAnew(): void {
    this.toldUnreadable = false;
    this.awaited = undefined;
    this.cancelAgain();
    this.again.reset();
    const reason = new StoreError("compacted", "values that could not be read may be readable now: list again");
    for (const watch of [...this.watches]) watch.end(reason);
  }
}

interface Wave {
  readonly values: readonly (OpenedValue | Promise<OpenedValue>)[];
  /** Some are still to come. */
  readonly isAsked: boolean;
}

function withValues(items: readonly KeyValue[], values: readonly OpenedValue[]): readonly KeyValue[] {
  return items.map((item, at) => {
    const { value, mark } = values[at] as OpenedValue;
    return mark === undefined ? { ...item, value } : { ...item, value, mark };
  });
}
