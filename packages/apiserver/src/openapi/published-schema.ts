// The published schema of a running server: made off the request path, anew when what is served has changed.
import type { Schema } from "@orch/schema";
import type { ResourceRoutes } from "../handlers/resource-route";
import { errorFields, type Logger } from "../logging/logger";
import type { DocumentInfo } from "./assemble-document";
import { type PublishedDocuments, publishedDocuments } from "./published-documents";

export interface PublishedSchemaDeps {
  readonly schema: Schema;
  readonly info: DocumentInfo;
  readonly routes: ResourceRoutes;
  readonly logger: Logger;
}

/** Changes often come in bunches: a change waits for those that follow it. */
const QUIET_MS = 1000;
/** The first requests after a start are for objects; one that asks for the schema does not wait for this. */
const AFTER_START_MS = 5000;

export class PublishedSchema {
  /** Of the routes as they were at that generation. */
  private madeFor = -1;
  private documents: PublishedDocuments | undefined;
  private making: Promise<PublishedDocuments> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly deps: PublishedSchemaDeps) {}

  /** Makes the documents soon, and again soon after each change. */
  start(): void {
    this.deps.routes.onChange = () => this.makeIn(QUIET_MS);
    this.makeIn(AFTER_START_MS);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** The newest documents there are: those from before a change while the next ones are made. Waits for the first ones only. */
  async current(): Promise<PublishedDocuments> {
    return this.documents ?? this.make();
  }

  private makeIn(delayMs: number): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.make().catch((error: unknown) =>
        this.deps.logger.error("the published schema could not be made", errorFields(error)),
      );
    }, delayMs).unref();
  }

  private make(): Promise<PublishedDocuments> {
    this.making ??= this.makeNow().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async makeNow(): Promise<PublishedDocuments> {
    const { schema, info, routes } = this.deps;
    let documents = this.documents;
    while (documents === undefined || this.madeFor !== routes.generation) {
      const { generation } = routes;
      documents = await publishedDocuments({ schema, info, routes: [...routes.all()] });
      this.madeFor = generation;
      this.documents = documents;
    }
    return documents;
  }
}
