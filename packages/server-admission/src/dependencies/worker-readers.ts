// Admission readers of a large-object worker. It follows no resource; the main thread sends it the objects. It
// keeps what it received about followed objects for as long as it is current.
import type {
  Allowance,
  Allowances,
  FoundObject,
  KindReader,
  MaybePromise,
  MentionedScope,
  ObjectHead,
  ObjectLister,
  ObjectPlace,
  ObjectReader,
} from "@orch/admission";
import type { GroupResource, ObjectMeta } from "@orch/machinery";
import { RecentMap } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { AdmissionReaders } from "./admission-readers";

interface AskedFollowed {
  readonly resource: GroupResource;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** See `ToldFollowed.state`; 0: nothing is known. */
  readonly known: number;
}

interface ToldFollowed {
  /** Identifies one state of the list for as long as the main thread has it. */
  readonly state: number;
  /** Absent: the list is unchanged. */
  readonly list?: ToldList;
}

interface ToldList {
  /** Each object has a number; a changed object has a new one. */
  readonly order: readonly number[];
  /** Objects that the worker does not have yet. */
  readonly added: readonly (readonly [number, JsonObject])[];
}

interface ToldObject {
  /** Number of the object; 0: the object does not exist. */
  readonly number: number;
  /** Absent: the object is unchanged. */
  readonly object?: JsonObject;
}

interface AskedObject {
  readonly resource: GroupResource;
  readonly at: ObjectPlace;
}

/** Calls that the main thread answers. A type alias, because the calls between threads are typed by it. */
export type OfferedReaders = {
  readonly followedObjects: (asked: AskedFollowed) => Promise<ToldFollowed>;
  readonly followedObject: (asked: AskedObject & { readonly known: number }) => Promise<ToldObject>;
  readonly cachedObject: (asked: AskedObject) => MaybePromise<JsonObject | undefined>;
  readonly objectLabels: (asked: AskedObject) => MaybePromise<Readonly<Record<string, string>> | undefined>;
  readonly storedObject: (asked: AskedObject) => Promise<JsonObject | undefined>;
  readonly storedMetadata: (asked: AskedObject) => Promise<ObjectMeta | undefined>;
  readonly allObjects: (asked: Omit<AskedFollowed, "known"> & { readonly namespace: string }) => Promise<JsonObject[]>;
  readonly mentioningObjects: (asked: { readonly key: string; readonly of: MentionedScope }) => Promise<FoundObject[]>;
  readonly objectHeads: (asked: Omit<AskedFollowed, "known"> & { readonly namespace: string }) => Promise<ObjectHead[]>;
  readonly objectOnce: (asked: AskedObject) => Promise<JsonObject | undefined>;
  readonly allowanceTaken: (asked: { readonly allowance: Allowance; readonly key: string }) => MaybePromise<boolean>;
  readonly kindsOf: (asked: { readonly apiVersion: string; readonly kind: string }) => ReturnType<KindReader["of"]>;
};

export function offeredReaders({ objects, kinds, allowances }: AdmissionReaders): OfferedReaders {
  const states = new Numbers<readonly JsonObject[]>();
  const numbers = new Numbers<JsonObject>();
  /** State of each list that was sent last. */
  const told = new RecentMap<string, { readonly state: number; readonly order: ReadonlySet<number> }>(KEPT_MAX);
  return {
    async followedObjects({ resource, namespace, known }) {
      const lister = objects.lister(resource);
      const all = await (namespace === undefined ? lister.all() : lister.in(namespace));
      const state = states.of(all);
      if (state === known) return { state };
      const key = JSON.stringify([resource.group, resource.resource, namespace ?? null]);
      const before = told.get(key);
      const has = before?.state === known ? before.order : NOTHING;
      const order = all.map((object) => numbers.of(object));
      const added = all.flatMap((object, at) => {
        const number = order[at] as number;
        return has.has(number) ? [] : [[number, object] as const];
      });
      told.set(key, { state, order: new Set(order) });
      return { state, list: { order, added } };
    },
    async followedObject({ resource, at, known }) {
      const object = await objects.lister(resource).find(at);
      if (object === undefined) return { number: 0 };
      const number = numbers.of(object);
      return number === known ? { number } : { number, object };
    },
    cachedObject: ({ resource, at }) => objects.cached(resource, at),
    objectLabels: ({ resource, at }) => objects.labels(resource, at),
    storedObject: ({ resource, at }) => objects.inStore(resource, at),
    storedMetadata: ({ resource, at }) => objects.metadataInStore(resource, at),
    async allObjects({ resource, namespace }) {
      const all: JsonObject[] = [];
      for await (const object of objects.each(resource, namespace)) all.push(object);
      return all;
    },
    async mentioningObjects({ key, of }) {
      const all: FoundObject[] = [];
      for await (const found of objects.mentioning(key, of)) all.push(found);
      return all;
    },
    async objectHeads({ resource, namespace }) {
      const all: ObjectHead[] = [];
      for await (const head of objects.heads(resource, namespace)) all.push(head);
      return all;
    },
    objectOnce: ({ resource, at }) => objects.once(resource, at),
    allowanceTaken: ({ allowance, key }) => allowances.take(allowance, key),
    kindsOf: ({ apiVersion, kind }) => kinds.of(apiVersion, kind),
  };
}

export function workerReaders(main: OfferedReaders): AdmissionReaders {
  /** Some plugins request their readers anew for each request. */
  const lists = new RecentMap<string, ToldObjects>(KEPT_MAX);
  const objects: ObjectReader = {
    lister(resource) {
      const key = `${resource.group}/${resource.resource}`;
      const told = lists.get(key) ?? new ToldObjects(main, resource);
      lists.set(key, told);
      return told;
    },
    cached: (resource, at) => main.cachedObject({ resource, at }),
    labels: (resource, at) => main.objectLabels({ resource, at }),
    inStore: (resource, at) => main.storedObject({ resource, at }),
    metadataInStore: (resource, at) => main.storedMetadata({ resource, at }),
    async *each(resource, namespace) {
      yield* await main.allObjects({ resource, namespace });
    },
    async *mentioning(key, of) {
      yield* await main.mentioningObjects({ key, of });
    },
    async *heads(resource, namespace) {
      yield* await main.objectHeads({ resource, namespace });
    },
    once: (resource, at) => main.objectOnce({ resource, at }),
  };
  const kinds: KindReader = { of: (apiVersion, kind) => main.kindsOf({ apiVersion, kind }) };
  const allowances: Allowances = { take: async (allowance, key) => main.allowanceTaken({ allowance, key }) };
  // Writes of this thread are answered by the main thread, which waits for its own cache.
  return { objects, kinds, allowances, readsFromCache: () => false, start: async () => {}, close() {} };
}

/** Assigns each thing a number of its own for as long as the thing exists. */
class Numbers<Thing extends object> {
  private readonly known = new WeakMap<Thing, number>();
  private last = 0;

  of(thing: Thing): number {
    let number = this.known.get(thing);
    if (number === undefined) {
      this.last += 1;
      number = this.last;
      this.known.set(thing, number);
    }
    return number;
  }
}

interface KnownList {
  readonly state: number;
  readonly objects: readonly JsonObject[];
  readonly order: readonly number[];
}

/** Maximum number of namespaces, or objects, that are kept. The oldest are requested again. */
const KEPT_MAX = 100;
const NOTHING: ReadonlySet<number> = new Set();

class ToldObjects implements ObjectLister {
  private readonly lists = new RecentMap<string | undefined, KnownList>(KEPT_MAX);
  private readonly found = new RecentMap<string, { readonly number: number; readonly object: JsonObject }>(KEPT_MAX);

  constructor(
    private readonly main: OfferedReaders,
    private readonly resource: GroupResource,
  ) {}

  in(namespace: string): Promise<readonly JsonObject[]> {
    return this.know(namespace);
  }

  all(): Promise<readonly JsonObject[]> {
    return this.know(undefined);
  }

  async find(at: ObjectPlace): Promise<JsonObject | undefined> {
    const { resource } = this;
    const key = `${at.namespace}/${at.name}`;
    const before = this.found.get(key);
    const told = await this.main.followedObject({ resource, at, known: before?.number ?? 0 });
    if (told.number === 0) return undefined;
    const object = told.object ?? before?.object;
    if (object === undefined) throw unknown();
    this.found.set(key, { number: told.number, object });
    return object;
  }

  private async know(namespace: string | undefined): Promise<readonly JsonObject[]> {
    const { resource } = this;
    const before = this.lists.get(namespace);
    const { state, list } = await this.main.followedObjects({ resource, namespace, known: before?.state ?? 0 });
    const known = list === undefined ? before : { state, order: list.order, objects: together(list, before) };
    if (known === undefined) throw unknown();
    this.lists.set(namespace, known);
    return known.objects;
  }
}

function together({ order, added }: ToldList, before: KnownList | undefined): readonly JsonObject[] {
  const all = new Map(added);
  for (const [at, number] of (before?.order ?? []).entries()) all.set(number, before?.objects[at] as JsonObject);
  return order.map((number) => {
    const object = all.get(number);
    if (object === undefined) throw unknown();
    return object;
  });
}

const unknown = () => new Error("the main thread omitted a value that the worker thread does not have");
