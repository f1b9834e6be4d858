// A quota object in which writes reserve, as known to this server.
import { metaOf, type QuotaReservation, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Compare, KeyValue, Operation, ValueCodec } from "@orch/store";
import type { ResourceCache } from "../../cache/resource-cache";
import { type KeySpace, objectPath } from "../../objects/key-layout";
import { encodeHub, type ResourceForm } from "../../objects/resource-form";
import { StoredEntry } from "../../objects/stored-entry";
import { storedItem } from "../../objects/stored-item";
import { readable, UnreadableObject } from "../../objects/unreadable-objects";

/** The parts of the quotas' resource. */
export interface QuotaKind {
  readonly form: ResourceForm;
  readonly keys: KeySpace;
  readonly cache: ResourceCache;
  readonly codec: ValueCodec;
  /** Records the server as a manager in the managedFields of the next object, if fields are tracked. */
  readonly noteServer: (
    change: { readonly old: JsonObject; readonly next: JsonObject },
    subresource: string | undefined,
  ) => void;
}

export interface QuotaState {
  /** 0: the object does not exist. */
  readonly revision: number;
  readonly object: JsonObject | undefined;
  /** Store revision at which the state was read. */
  readonly asOf: number;
}

export class QuotaObject {
  readonly key: string;
  private readonly path: string;

  constructor(
    private readonly of: QuotaKind,
    readonly reservation: QuotaReservation,
  ) {
    this.path = objectPath(reservation.namespace, reservation.name);
    this.key = of.keys.start + this.path;
  }

  /** Returns the newest of the cached state, the state that admission saw, and the known state. */
  newest(known: QuotaState | undefined): QuotaState {
    const { seen } = this.reservation;
    const seenAt = Number(metaOf(seen).resourceVersion ?? 0);
    const cached = this.of.cache.peek(this.path);
    const cachedAt = cached?.resourceVersion ?? 0;
    if (known !== undefined && known.asOf >= Math.max(seenAt, cachedAt)) return known;
    return cached === undefined || seenAt >= cachedAt
      ? { revision: seenAt, object: seen, asOf: seenAt }
      : { revision: cachedAt, object: cached.inHub(), asOf: cachedAt };
  }

  /** Returns the state of a stored item. An unreadable object limits nothing. */
  read(item: KeyValue | undefined, asOf: number): QuotaState {
    if (item === undefined) return { revision: 0, object: undefined, asOf };
    const entry = readable(() => this.of.cache.toEntry(storedItem(this.path, item)));
    return { revision: item.modRevision, object: entry instanceof UnreadableObject ? undefined : entry.inHub(), asOf };
  }

  isAt(revision: number): Compare {
    return { key: this.key, target: "modRevision", is: "=", revision };
  }

  look(): Operation {
    return { kind: "range", start: this.key };
  }

  /** @param applied not changed */
  change(old: JsonObject, applied: JsonObject): QuotaChange {
    const { form, codec, cache, noteServer } = this.of;
    const next = { ...applied, metadata: { ...writableMeta(applied) } };
    noteServer({ old, next }, this.reservation.subresource);
    const stored = encodeHub(form, { ...next, metadata: { ...next.metadata } });
    return {
      put: { kind: "put", key: this.key, value: codec.encode(stored) },
      done: (revision) => {
        cache.expect(new StoredEntry(form, this.path, revision, stored));
        return { revision, object: next, asOf: revision };
      },
    };
  }
}

export interface QuotaChange {
  readonly put: Operation;
  /** Returns the new state after the transaction. @param revision of the transaction */
  done(revision: number): QuotaState;
}
