// All objects of a resource, parsed and in order, for plugins that decide by them. A read before the cache is filled
// waits for it.
import { type FollowedObjects, NotReadyError, type ObjectPlace, type Soon } from "@orch/admission";
import { type GroupResource, metaOf } from "@orch/machinery";
import { errorFields } from "@orch/platform";
import type { Entry, LoopTurns, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";
import type { Logger } from "../logging/logger";
import { ObjectMirror } from "../serving/object-mirror";

export interface FollowedObjectsDeps {
  readonly resource: GroupResource;
  /** Undefined while the resource is not served. */
  readonly storage: () => ResourceStorage | undefined;
  /** Resolves once the cache is filled. */
  readonly ready: () => Promise<unknown>;
  readonly loop: LoopTurns;
  readonly logger: Logger;
}

const NOTHING: readonly JsonObject[] = [];
/** Maximum wait for the cache to be filled. */
const WAIT_MS = 10_000;

export class FollowedResource implements FollowedObjects {
  private mirror: ObjectMirror | undefined;
  private storage: ResourceStorage | undefined;
  private started: Promise<void> | undefined;
  private isStarted = false;
  private closed = false;
  private readonly sorted = new Map<string, readonly JsonObject[]>();
  private everything: readonly JsonObject[] | undefined;

  constructor(private readonly deps: FollowedObjectsDeps) {}

  in(namespace: string): Soon<readonly JsonObject[]> {
    const read = (mirror: ObjectMirror): readonly JsonObject[] => {
      let objects = this.sorted.get(namespace);
      if (objects === undefined) {
        objects = inOrder(mirror.of(namespace));
        this.sorted.set(namespace, objects);
      }
      return objects;
    };
    return this.whenThere((mirror) => this.inTurns(mirror, namespace, read), NOTHING);
  }

  all(): Soon<readonly JsonObject[]> {
    const read = (mirror: ObjectMirror): readonly JsonObject[] => {
      this.everything ??= inOrder(mirror.all());
      return this.everything;
    };
    return this.whenThere((mirror) => this.inTurns(mirror, undefined, read), NOTHING);
  }

  find({ namespace, name }: ObjectPlace): Soon<JsonObject | undefined> {
    return this.whenThere((mirror) => mirror.find(namespace, name), undefined);
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
    const mirror = new ObjectMirror(storage, {
      changed: () => this.changed(),
      tooLarge: ({ path }: Entry, { message }) =>
        logger.error("an object has no effect on admission", { ...resource, object: path, why: message }),
    });
    try {
      await this.deps.ready();
      await mirror.start();
    } catch (error) {
      logger.warn("cannot list the objects that admission reads; retrying", { ...resource, ...errorFields(error) });
      if (this.storage === storage) this.started = undefined;
      throw error;
    }
    if (this.storage !== storage || this.closed) {
      mirror.close();
      return;
    }
    this.mirror = mirror;
    this.isStarted = true;
    this.changed();
  }

  /** Returns the value at once, unless many objects are not parsed yet. @param namespace undefined: all */
  private inTurns<Value>(
    mirror: ObjectMirror,
    namespace: string | undefined,
    read: (mirror: ObjectMirror) => Value,
  ): Soon<Value> {
    const late = mirror.readInTurns(namespace, this.deps.loop);
    return late === undefined ? read(mirror) : late.then(() => this.inTurns(mirror, namespace, read));
  }

  private whenThere<Value>(read: (mirror: ObjectMirror) => Soon<Value>, absent: Value): Soon<Value> {
    const { mirror } = this;
    if (this.isStarted && mirror !== undefined && this.deps.storage() === this.storage) {
      mirror.refresh();
      return read(mirror);
    }
    if (this.deps.storage() === undefined) return absent;
    return this.wait().then(() => (this.mirror === undefined ? absent : read(this.mirror)));
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
    this.mirror?.close();
    this.mirror = undefined;
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
