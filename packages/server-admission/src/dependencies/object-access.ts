// Reads and writes of this server's objects for admission. Reads come from the cache where that is sufficient.
import type {
  FoundObject,
  KindReader,
  MentionedScope,
  ObjectHead,
  ObjectPlace,
  ObjectReader,
  ObjectWriter,
} from "@orch/admission";
import {
  ANY,
  type GroupResource,
  isReason,
  MOST_RECENT,
  metaOf,
  notFound,
  type ObjectMeta,
  type OwnerReference,
} from "@orch/machinery";
import type { Logger } from "@orch/observability";
import type { Entry, EventLoopYielder, ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { canonical, type ServedResources, serverWrite } from "@orch/served-resources";
import { ResourceLister } from "./resource-lister";

export interface ObjectAccessDeps {
  readonly vocabulary: Vocabulary;
  /** A function, because the value changes. */
  readonly resources: () => Pick<ServedResources, "find" | "named" | "definitions">;
  /** Resolves once the cache is filled. */
  readonly ready: () => Promise<unknown>;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  /** Objects that are not in the store and stand before those that are. Absent: none. */
  readonly manifests?: (resource: GroupResource) => readonly JsonObject[];
}

/** One form for `Entry.made`: an object as all plugins read it. */
const parsedMetadata = (entry: Entry): JsonObject => JSON.parse(entry.metadataJson().toString("utf8")) as JsonObject;

const WHOLE = {};
const whole = (entry: Entry): JsonObject => entry.whole();

export class ObjectAccess implements ObjectReader {
  private readonly known = new Map<string, ResourceLister>();
  /** Plural names of the resources that plugins have read from the cache. */
  private readonly read = new Set<string>();

  constructor(private readonly deps: ObjectAccessDeps) {}

  lister(resource: GroupResource): ResourceLister {
    const key = `${resource.group}/${resource.resource}`;
    let lister = this.known.get(key);
    if (lister === undefined) {
      const { resources, ready, loop, logger, manifests } = this.deps;
      const storage = () => resources().named(key);
      const before = manifests && (() => manifests(resource));
      lister = new ResourceLister({ resource, storage, ready, loop, logger, ...(before && { before }) });
      this.known.set(key, lister);
      this.read.add(resource.resource);
    }
    return lister;
  }

  /** Whether plugins decide by what the cache has of a resource of this name, of any group. */
  readsFromCache(plural: string): boolean {
    return this.read.has(plural);
  }

  cached(resource: GroupResource, at: ObjectPlace): JsonObject | undefined {
    this.read.add(resource.resource);
    return this.storage(resource)?.peek(at)?.made(WHOLE, whole);
  }

  labels(resource: GroupResource, at: ObjectPlace): Readonly<Record<string, string>> | undefined {
    return this.storage(resource)?.peek(at)?.labels;
  }

  async inStore(resource: GroupResource, at: ObjectPlace): Promise<JsonObject | undefined> {
    return (await this.entryInStore(resource, at))?.whole();
  }

  async metadataInStore(resource: GroupResource, at: ObjectPlace): Promise<ObjectMeta | undefined> {
    const entry = await this.entryInStore(resource, at);
    return entry && metaOf({ metadata: parsedMetadata(entry) });
  }

  async *each(resource: GroupResource, namespace: string): AsyncIterable<JsonObject> {
    for await (const entry of this.entries(resource, namespace)) yield entry.whole();
  }

  async *heads(resource: GroupResource, namespace: string): AsyncIterable<ObjectHead> {
    for await (const entry of this.entries(resource, namespace)) {
      const owners = (entry.metadata("ownerReferences") ?? []) as readonly OwnerReference[];
      yield { namespace: entry.namespace, name: entry.name, owners };
    }
  }

  async *mentioning(key: string, of: MentionedScope): AsyncIterable<FoundObject> {
    const { loop } = this.deps;
    const text = JSON.stringify(key);
    const namespace = "namespace" in of ? of.namespace : "";
    // All caches follow one store in one order: once the first has caught up, all have. Most hold nothing of a
    // namespace.
    let isCaughtUp = false;
    for (const resource of this.askedFor(of)) {
      const storage = this.storage(resource);
      if (storage?.caughtUp === undefined || storage.size === undefined) continue;
      if (!isCaughtUp) await storage.caughtUp();
      isCaughtUp = true;
      if (storage.size(namespace) === 0) continue;
      const { entries } = await storage.list({ namespace, selection: {}, read: MOST_RECENT, limit: 0 });
      for (const entry of entries) {
        if (loop.isOver) await loop.next();
        if (!entry.metadataJson().includes(text)) continue;
        const metadata = metaOf({ metadata: parsedMetadata(entry) });
        if (metadata.annotations?.[key] !== undefined) yield { resource, metadata };
      }
    }
  }

  private askedFor(of: MentionedScope): readonly GroupResource[] {
    if ("resource" in of) return [of.resource];
    return this.deps
      .resources()
      .definitions()
      .filter(({ scope }) => scope === "Namespaced")
      .map(({ group, plural }) => ({ group, resource: plural }));
  }

  async once(resource: GroupResource, at: ObjectPlace): Promise<JsonObject | undefined> {
    const { loop } = this.deps;
    if (loop.isOver) await loop.next();
    return this.storage(resource)?.peek(at)?.whole();
  }

  /** Starts to follow all resources that plugins have requested. @throws the error of the cache */
  async start(): Promise<void> {
    await Promise.all([...this.known.values()].map((each) => each.start()));
  }

  close(): void {
    for (const each of this.known.values()) each.close();
  }

  private async entryInStore(resource: GroupResource, at: ObjectPlace): Promise<Entry | undefined> {
    try {
      return await this.storage(resource)?.get(at, MOST_RECENT);
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    }
  }

  private async *entries(resource: GroupResource, namespace: string): AsyncIterable<Entry> {
    const storage = this.storage(resource);
    if (storage === undefined) return;
    const { loop } = this.deps;
    const { entries } = await storage.list({ namespace, selection: {}, read: ANY, limit: 0 });
    for (const entry of entries) {
      if (loop.isOver) await loop.next();
      yield entry;
    }
  }

  private storage(resource: GroupResource): ResourceStorage | undefined {
    return this.deps.resources().find(resource);
  }
}

export function objectWriter({
  vocabulary,
  resources,
}: Pick<ObjectAccessDeps, "vocabulary" | "resources">): ObjectWriter {
  const storageOf = (resource: GroupResource): ResourceStorage => {
    const storage = resources().find(resource);
    if (storage === undefined) throw notFound(resource, "");
    return storage;
  };
  return {
    async create(resource, object) {
      const storage = storageOf(resource);
      const { namespace = "" } = metaOf(object);
      const write = serverWrite(storage, vocabulary);
      const { entry } = await storage.create(canonical(storage, object), { namespace, name: "" }, write);
      return entry.whole();
    },
    async update(resource, object, subresource) {
      const storage = storageOf(resource);
      const { namespace = "", name = "" } = metaOf(object);
      const rules = subresource === undefined ? undefined : storage.definition.subresources[subresource];
      const part = subresource !== undefined && rules !== undefined && { subresource: { name: subresource, rules } };
      const write = { ...serverWrite(storage, vocabulary), ...part };
      const { entry } = await storage.update(canonical(storage, object), { namespace, name }, write);
      return entry.whole();
    },
  };
}

export const kindReader = ({ resources }: Pick<ObjectAccessDeps, "resources">): KindReader => ({
  of: (apiVersion, kind) =>
    resources()
      .definitions()
      .filter((each) => each.versions.some((version) => version.apiVersion === apiVersion && version.kind === kind))
      .map(({ group, plural, scope }) => ({ group, resource: plural, namespaced: scope === "Namespaced" })),
});
