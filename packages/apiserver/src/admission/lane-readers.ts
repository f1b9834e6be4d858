// What admission reads in the side lane, which follows nothing: the main thread tells it. What it has been told of followed objects it keeps
// as long as that is still so.
import type {
  FollowedObjects,
  FoundObject,
  KindReader,
  MentionedScope,
  ObjectHead,
  ObjectPlace,
  ObjectReader,
  Soon,
} from "@orch/admission";
import { type GroupResource, metaOf, type ObjectMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { AdmissionReaders } from "./admission-readers";

export interface AskedFollowed {
  readonly resource: GroupResource;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** See `ToldFollowed.state`; 0: nothing is known. */
  readonly known: number;
}

export interface ToldFollowed {
  /** One number for one state, as long as the main thread has it. */
  readonly state: number;
  /** Absent: as is known already. */
  readonly objects?: readonly JsonObject[];
}

interface AskedObject {
  readonly resource: GroupResource;
  readonly at: ObjectPlace;
}

/** What the main thread tells. A type, for it is a part of what threads ask each other. */
export type OfferedReaders = {
  readonly followedObjects: (asked: AskedFollowed) => Promise<ToldFollowed>;
  readonly cachedObject: (asked: AskedObject) => Soon<JsonObject | undefined>;
  readonly objectLabels: (asked: AskedObject) => Soon<Readonly<Record<string, string>> | undefined>;
  readonly storedObject: (asked: AskedObject) => Promise<JsonObject | undefined>;
  readonly storedMetadata: (asked: AskedObject) => Promise<ObjectMeta | undefined>;
  readonly allObjects: (asked: Omit<AskedFollowed, "known"> & { readonly namespace: string }) => Promise<JsonObject[]>;
  readonly mentioningObjects: (asked: { readonly key: string; readonly of: MentionedScope }) => Promise<FoundObject[]>;
  readonly objectHeads: (asked: Omit<AskedFollowed, "known"> & { readonly namespace: string }) => Promise<ObjectHead[]>;
  readonly objectOnce: (asked: AskedObject) => Promise<JsonObject | undefined>;
  readonly kindsOf: (asked: { readonly apiVersion: string; readonly kind: string }) => ReturnType<KindReader["of"]>;
};

export function offeredReaders({ objects, kinds }: AdmissionReaders): OfferedReaders {
  const states = new WeakMap<readonly JsonObject[], number>();
  let last = 0;
  return {
    async followedObjects({ resource, namespace, known }) {
      const followed = objects.followed(resource);
      const all = await (namespace === undefined ? followed.all() : followed.in(namespace));
      let state = states.get(all);
      if (state === undefined) {
        last += 1;
        state = last;
        states.set(all, state);
      }
      return state === known ? { state } : { state, objects: all };
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
    kindsOf: ({ apiVersion, kind }) => kinds.of(apiVersion, kind),
  };
}

export function laneReaders(main: OfferedReaders): AdmissionReaders {
  const objects: ObjectReader = {
    followed: (resource) => new ToldObjects(main, resource),
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
  return { objects, kinds, start: async () => {}, close() {} };
}

interface Told {
  readonly state: number;
  readonly objects: readonly JsonObject[];
}

/** Beyond so many namespaces, what was told first is asked for again. */
const KEPT_MAX = 100;

class ToldObjects implements FollowedObjects {
  private readonly told = new Map<string | undefined, Told>();

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

  async find({ namespace, name }: ObjectPlace): Promise<JsonObject | undefined> {
    return (await this.know(namespace)).find((object) => metaOf(object).name === name);
  }

  private async know(namespace: string | undefined): Promise<readonly JsonObject[]> {
    const { resource } = this;
    const before = this.told.get(namespace);
    const { state, objects } = await this.main.followedObjects({ resource, namespace, known: before?.state ?? 0 });
    const known = objects === undefined ? before?.objects : objects;
    if (known === undefined) throw new Error("the main thread takes for known what was never told");
    this.told.delete(namespace);
    this.told.set(namespace, { state, objects: known });
    const [oldest] = this.told.keys();
    if (this.told.size > KEPT_MAX) this.told.delete(oldest);
    return known;
  }
}
