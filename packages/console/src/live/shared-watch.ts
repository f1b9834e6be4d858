// Watches of several resources over one request. It is opened anew, where it ended, when a resource comes or goes.
import { request } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";
import { jsonLines } from "../requests/json-lines";
import { isRecord } from "../values/api-object";
import type { ChangeListener, WatchTarget } from "./changes";
import { Pauses, pauseAfter, pauseFor } from "./pause";
import { deliver, eventName, type Part, resourceParameter, type SharedEvent, sharedVersion } from "./shared-events";
import { singleWatch } from "./single-watch";

const TIMEOUT_SECONDS = 300;
/** The watch waits this long for other resources of the same page. */
const GATHER_MS = 30;

/** A part, or the watch of its own that has replaced it. */
interface Followed extends Part {
  alone?: () => void;
}

/** A watch of all resources that are followed in one representation. */
export class SharedWatch {
  private readonly parts = new Map<string, Followed>();
  private connection = new AbortController();
  private gathering: ReturnType<typeof setTimeout> | undefined;

  /** @param accept representation of the objects, as a value of `Accept` */
  constructor(private readonly accept: string | undefined) {}

  /** Whether another target of the same resource is followed, whose events could not be told from those of this one. */
  has({ resource }: WatchTarget): boolean {
    return this.parts.has(eventName(resource));
  }

  follow(target: WatchTarget, listener: ChangeListener): () => void {
    const name = eventName(target.resource);
    const part: Followed = { target, listener, version: target.resourceVersion };
    this.parts.set(name, part);
    this.reopen();
    return () => {
      part.alone?.();
      if (this.parts.get(name) !== part) return;
      this.parts.delete(name);
      this.reopen();
    };
  }

  private reopen(): void {
    clearTimeout(this.gathering);
    this.connection.abort();
    if (this.parts.size === 0) return;
    this.gathering = setTimeout(() => {
      this.connection = new AbortController();
      this.run(this.connection.signal);
    }, GATHER_MS);
  }

  private async run(signal: AbortSignal): Promise<void> {
    const pauses = new Pauses();
    while (!signal.aborted) {
      let failure: Failure | undefined;
      try {
        failure = await this.read(signal, () => pauses.reset());
      } catch (error) {
        failure = asFailure(error);
      }
      if (signal.aborted || failure?.code === 401) return;
      if (failure?.code === 410) {
        this.lose([...this.parts.values()]);
        return;
      }
      // Without a common revision, or on a server that has no such watch, each resource gets a watch of its own.
      if (failure?.code === 400 || failure?.code === 404 || failure?.code === 403) {
        this.separate();
        return;
      }
      if (failure !== undefined) for (const { listener } of this.parts.values()) listener.connection(failure);
      await pauseFor(pauses.take(Math.random(), pauseAfter(failure)), signal);
    }
  }

  /** Reads events until the watch ends. @returns the failure that the last event tells, if any @throws ApiFailure */
  private async read(signal: AbortSignal, works: () => void): Promise<Failure | undefined> {
    const resources = [...this.parts.values()].map(
      ({ target }) => `resource=${encodeURIComponent(resourceParameter(target))}`,
    );
    const { body } = await request(`/watch?${resources.join("&")}`, {
      accept: streamOf(this.accept),
      query: {
        partial: true,
        allowWatchBookmarks: true,
        timeoutSeconds: TIMEOUT_SECONDS,
        resourceVersion: sharedVersion(this.parts.values()),
      },
      signal,
    });
    if (body === null) return undefined;
    for (const { listener } of this.parts.values()) listener.connection(undefined);
    for await (const event of jsonLines(body)) {
      if (signal.aborted) return undefined;
      if (!isRecord(event) || typeof event["type"] !== "string") continue;
      const { lost, failure } = deliver(event as unknown as SharedEvent, this.parts);
      works();
      if (lost.length > 0) {
        this.lose(lost);
        return undefined;
      }
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  /** Removes parts, whose listeners list their objects again. */
  private lose(lost: readonly Part[]): void {
    for (const part of lost) this.parts.delete(eventName(part.target.resource));
    this.reopen();
    for (const { listener } of lost) listener.lost();
  }

  private separate(): void {
    for (const [name, part] of this.parts) {
      const { target, listener, version } = part;
      part.alone = singleWatch({ ...target, resourceVersion: version }, listener);
      this.parts.delete(name);
    }
  }
}

/** Adds the form of JSON lines to a media type. */
const streamOf = (accept: string | undefined): string => `${accept ?? "application/json"};stream=watch`;
