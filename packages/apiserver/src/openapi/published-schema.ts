// The published schema of a running server: made off the request path, anew when what is served has changed.
import { errorFields } from "@orch/platform";
import type { Schema } from "@orch/schema";
import type { Logger } from "../logging/logger";
import type { ResourceRoutes } from "../routes/resource-routes";
import type { DocumentInfo } from "./assemble-document";
import { DocumentMaker, type PublishedDocument, type Version3Documents } from "./published-documents";

export interface PublishedSchemaDeps {
  readonly schema: Schema;
  /** Whose API it is, such as `1.23`. */
  readonly release: string;
  readonly info: DocumentInfo;
  readonly routes: ResourceRoutes;
  readonly logger: Logger;
}

/** Changes often come in bunches: a change waits for those that follow it. */
const QUIET_MS = 1000;
/** Where one follows the other without end, it does not wait for ever. */
const MOST_POSTPONED = 4;
/** The first requests after a start are for objects; one that asks for the schema does not wait for this. */
const AFTER_START_MS = 5000;

/** Whoever makes them. */
export type SchemaSource = Pick<PublishedSchema, "version2" | "version3">;

export class PublishedSchema {
  private readonly newest2 = new Newest<PublishedDocument>();
  private readonly newest3 = new Newest<Version3Documents>();
  private making: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** How often those who wait for the timer have been put off. */
  private postponed = 0;
  private readonly stopping = new AbortController();

  constructor(private readonly deps: PublishedSchemaDeps) {}

  /** Makes the documents soon, and again soon after each change. */
  start(): void {
    this.deps.routes.onChange(() => this.makeSoon());
    this.makeIn(AFTER_START_MS);
  }

  /** Resolves once nothing is being made any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.making?.catch(() => undefined);
  }

  /** The newest there is: that from before a change while the next one is made. Waits for the first one only. */
  version2(): Promise<PublishedDocument> {
    return this.newest2.value ?? this.firstOf(this.newest2);
  }

  /** The newest documents of version 3, made after those of version 2. Waits for the first ones only. */
  version3(): Promise<Version3Documents> {
    return this.newest3.value ?? this.firstOf(this.newest3);
  }

  /** @throws what making it threw */
  private firstOf<T>(newest: Newest<T>): Promise<T> {
    return Promise.race([newest.first, this.make().then(() => newest.first)]);
  }

  private makeSoon(): void {
    if (this.postponed === MOST_POSTPONED) return;
    if (this.timer !== undefined) this.postponed += 1;
    this.makeIn(QUIET_MS);
  }

  private makeIn(delayMs: number): void {
    if (this.stopping.signal.aborted) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.postponed = 0;
      this.make().catch((error: unknown) => {
        if (this.stopping.signal.aborted) return;
        this.deps.logger.error("the published schema could not be made", errorFields(error));
      });
    }, delayMs).unref();
  }

  private make(): Promise<void> {
    this.making ??= this.makeNow().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async makeNow(): Promise<void> {
    const { schema, release, info, routes } = this.deps;
    const { signal } = this.stopping;
    let generation: number;
    do {
      generation = routes.generation;
      const maker = await DocumentMaker.of({ schema, release, info, routes: [...routes.all()], signal });
      const version2 = await maker.version2();
      if (this.newest2.value === undefined) this.newest2.is(version2);
      // Clients of the command line ask for this form: it must be there when the document is to take the place of another.
      await version2.protobuf();
      this.newest2.is(version2);
      this.newest3.is(await maker.version3());
    } while (generation !== routes.generation);
  }
}

/** Something that is made again and again. */
class Newest<T> {
  value: Promise<T> | undefined;
  readonly first: Promise<T>;
  private resolveFirst: (value: T) => void = () => undefined;

  constructor() {
    this.first = new Promise((resolve) => {
      this.resolveFirst = resolve;
    });
  }

  is(value: T): void {
    this.value = Promise.resolve(value);
    this.resolveFirst(value);
  }
}
