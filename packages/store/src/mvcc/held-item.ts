// A value as a local store holds it: the bytes that were put, until a reader provides other bytes that contain the
// whole value. Then only those are kept, and the value is extracted for the few readers of the store.

import { sharedMemory } from "@orch/platform";
import type { Additions, HeldBytes, KeyValue, LeaseId, OtherBytes, Revision, StoreEvent } from "../contract/contract";

export type HeldEvent =
  | { readonly kind: "put"; readonly item: HeldItem }
  | Extract<StoreEvent, { readonly kind: "delete" }>;

/** Converts an event to the form in which the store keeps it. */
export function held(event: StoreEvent): HeldEvent {
  if (event.kind === "delete") return event;
  const { item } = event;
  return item instanceof HeldItem ? { kind: "put", item } : { kind: "put", item: new HeldItem(item) };
}

export class HeldItem implements KeyValue {
  readonly key: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly version: number;
  readonly lease: LeaseId;
  private bytes: Buffer;
  /** The inserted part of the bytes, which is not part of the value. */
  private addedAt = 0;
  private addedBytes = 0;

  constructor({ key, value, createRevision, modRevision, version, lease }: KeyValue) {
    this.key = key;
    this.bytes = value;
    this.createRevision = createRevision;
    this.modRevision = modRevision;
    this.version = version;
    this.lease = lease;
  }

  get value(): Buffer {
    const { bytes, addedAt, addedBytes } = this;
    if (addedBytes === 0) return bytes;
    return Buffer.concat([bytes.subarray(0, addedAt), bytes.subarray(addedAt + addedBytes)]);
  }

  get held(): HeldBytes | undefined {
    const { bytes: whole, addedAt: at, addedBytes: length } = this;
    return length === 0 ? undefined : { whole, at, length };
  }

  /** Size of key and value. */
  get size(): number {
    return this.key.length + this.bytes.length - this.addedBytes;
  }

  heldIn(whole: Buffer, { at, length }: OtherBytes): void {
    this.bytes = whole;
    this.addedAt = at;
    this.addedBytes = length;
  }

  withoutValue(): KeyValue {
    const { key, createRevision, modRevision, version, lease } = this;
    return { key, value: NOTHING, createRevision, modRevision, version, lease };
  }
}

const NOTHING = Buffer.alloc(0);

/**
 * Allocates items that are read from disk: adjacent in memory, and together with the additions that readers will need.
 * @returns a function that copies an item whose value may not be kept
 */
export function itemAllocator(additions: Additions = () => undefined): (item: KeyValue) => KeyValue {
  const memory = sharedMemory();
  return (item) => {
    const { value, modRevision } = item;
    const { at, text } = additions(value, modRevision) ?? NO_ADDITION;
    const whole = memory(value.length + text.length);
    value.copy(whole, 0, 0, at);
    whole.write(text, at, "latin1");
    value.copy(whole, at + text.length, at);
    const kept = new HeldItem({ ...item, value: whole });
    kept.heldIn(whole, { at, length: text.length });
    return kept;
  };
}

const NO_ADDITION = { at: 0, text: "" };
