// A store whose watches can be delayed, like on a slow network, while everything else continues.

import type { Store, StoreWatch, WatchBatch, WatchHandlers, WatchRequest } from "@orch/store";

export class LaggingStore implements Store {
  readonly endpoints: Store["endpoints"];
  readonly range: Store["range"];
  readonly txn: Store["txn"];
  readonly compact: Store["compact"];
  readonly grantLease: Store["grantLease"];
  readonly keepLeaseAlive: Store["keepLeaseAlive"];
  readonly revokeLease: Store["revokeLease"];
  readonly status: Store["status"];
  readonly close: Store["close"];
  private readonly store: Store;
  private readonly waiting: (() => void)[] = [];
  private held = false;

  constructor(store: Store) {
    this.store = store;
    this.endpoints = store.endpoints;
    this.range = store.range.bind(store);
    this.txn = store.txn.bind(store);
    this.compact = store.compact.bind(store);
    this.grantLease = store.grantLease.bind(store);
    this.keepLeaseAlive = store.keepLeaseAlive.bind(store);
    this.revokeLease = store.revokeLease.bind(store);
    this.status = store.status.bind(store);
    this.close = store.close.bind(store);
  }

  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch {
    return this.store.watch(request, { ...handlers, batch: (batch) => this.pass(handlers, batch) });
  }

  hold(): void {
    this.held = true;
  }

  letGo(): void {
    this.held = false;
    for (const deliver of this.waiting.splice(0)) deliver();
  }

  private pass(handlers: WatchHandlers, batch: WatchBatch): void {
    if (this.held) this.waiting.push(() => handlers.batch(batch));
    else handlers.batch(batch);
  }
}
