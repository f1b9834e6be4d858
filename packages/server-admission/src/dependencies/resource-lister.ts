// All objects of a resource, parsed and in order, for plugins that decide by them. A read before the cache is filled
// waits for it.
import { type MaybePromise, NotReadyError, type ObjectLister, type ObjectPlace } from "@orch/admission";
import { type GroupResource, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { Entry, EventLoopYielder, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";
import { ParsedObjects } from "@orch/served-resources";

export interface ResourceListerDeps {
  readonly resource: GroupResource;
  /** Undefined while the resource is not served. */
  readonly storage: () => ResourceStorage | undefined;
  /** Resolves once the cache is filled. */
  readonly ready: () => Promise<unknown>;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  /** Objects before those of the store, in the list of all objects alone. The list is the same while it is unchanged. */
  readonly before?: () => readonly JsonObject[];
}

const NOTHING: readonly JsonObject[] = [];
/** Maximum wait for the cache to be filled. */
const WAIT_MS = 10_000;

export class ResourceLister implements ObjectLister {
  private parsed: ParsedObjects | undefined;
  private storage: ResourceStorage | undefined;
  private started: Promise<void> | undefined;
  private isStarted = false;
  private closed = false;
  private readonly sorted = new Map<string, readonly JsonObject[]>();
  private everything: readonly JsonObject[] | undefined;
  private before: readonly JsonObject[] = NOTHING;

  constructor(private readonly deps: ResourceListerDeps) {}

  in(namespace: string): MaybePromise<readonly JsonObject[]> {
    const read = (parsed: ParsedObjects): readonly JsonObject[] => {
      let objects = this.sorted.get(namespace);
      if (objects === undefined) {
        objects = inOrder(parsed.of(namespace));
        this.sorted.set(namespace, objects);
      }
      return objects;
    };
    return this.whenThere((parsed) => this.runInSlices(parsed, namespace, read), NOTHING);
  }

  all(): MaybePromise<readonly JsonObject[]> {
    const read = (parsed: ParsedObjects): readonly JsonObject[] => {
      const before = this.deps.before?.() ?? NOTHING;
      if (before !== this.before) this.everything = undefined;
      this.before = before;
      this.everything ??= before.length === 0 ? inOrder(parsed.all()) : [...before, ...inOrder(parsed.all())];
      return this.everything;
    };
    return this.whenThere((parsed) => this.runInSlices(parsed, undefined, read), NOTHING);
  }

  find({ namespace, name }: ObjectPlace): MaybePromise<JsonObject | undefined> {
    return this.whenThere((parsed) => parsed.find(namespace, name), undefined);
  }

  /** Starts to follow the resource, if it is not followed yet. @throws the error of the cache */
  start(): Promise<void> {
    const storage = this.deps.storage();
    if (storage !== this.storage) this.forget();
    if (storage === undefined || this.closed) return Promise.resolve();
    this.storage = storage;
    this.started ??= this.follow(storage);
    return this.started;
  }

  close(): void {
    this.closed = true;
    this.forget();
  }

  private async follow(storage: ResourceStorage): Promise<void> {
    const { resource, logger } = this.deps;
    const parsed = new ParsedObjects({
      ...{ storage, logger },
      changed: () => this.changed(),
      tooLarge: ({ path }: Entry, { message }) =>
        logger.error("an object has no effect on admission", { ...resource, object: path, why: message }),
    });
    try {
      await this.deps.ready();
      await parsed.start();
    } catch (error) {
      logger.warn("cannot list the objects that admission reads; retrying", { ...resource, ...errorFields(error) });
      if (this.storage === storage) this.started = undefined;
      throw error;
    }
    if (this.storage !== storage || this.closed) {
      parsed.close();
      return;
    }
    this.parsed = parsed;
    this.isStarted = true;
    this.changed();
  }

  /** Returns the value at once, unless many objects are not parsed yet. @param namespace undefined: all */
  private runInSlices<Value>(
    parsed: ParsedObjects,
    namespace: string | undefined,
    read: (parsed: ParsedObjects) => Value,
  ): MaybePromise<Value> {
    const late = parsed.readInTurns(namespace, this.deps.loop);
    return late === undefined ? read(parsed) : late.then(() => this.runInSlices(parsed, namespace, read));
  }

  private whenThere<Value>(read: (parsed: ParsedObjects) => MaybePromise<Value>, absent: Value): MaybePromise<Value> {
    const { parsed } = this;
    if (this.isStarted && parsed !== undefined && this.deps.storage() === this.storage) {
      parsed.refresh();
      return read(parsed);
    }
    if (this.deps.storage() === undefined) return absent;
    return this.wait().then(() => (this.parsed === undefined ? absent : read(this.parsed)));
  }

  /** @throws NotReadyError */
  private async wait(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new NotReadyError()), WAIT_MS).unref();
    });
    try {
      await Promise.race([this.start(), late]);
    } catch (error) {
      throw error instanceof NotReadyError ? error : new NotReadyError({ cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  private changed(): void {
    this.sorted.clear();
    this.everything = undefined;
  }

  private forget(): void {
    this.parsed?.close();
    this.parsed = undefined;
    this.storage = undefined;
    this.started = undefined;
    this.isStarted = false;
    this.changed();
  }
}

/** Sorts by namespace and name, like a list response. */
function inOrder(objects: Iterable<JsonObject>): readonly JsonObject[] {
  const all = [...objects];
  if (all.length < 2) return all.length === 0 ? NOTHING : all;
  return all
    .map((object) => ({ object, at: pathOf(object) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ object }) => object);
}

function pathOf(object: JsonObject): string {
  const { namespace = "", name = "" } = metaOf(object);
  return `${namespace}/${name}`;
}
