// The OpenAPI 2.0 document in one format. With thousands of definitions it has megabytes: it is made on request, and
// renewed after changes as long as clients request it.
import type { Content } from "@orch/http-server";
import type { DocumentPiece } from "./document-source";
import type { JoinedDocument } from "./joined-document";

/** Debounce time: changes often come in bursts. */
const QUIET_MS = 1000;
/** Maximum number of postponements while changes keep coming. */
const MOST_POSTPONED = 4;
/** After this time without a change the document is compressed: to about a tenth of its size. */
const PACK_MS = 10_000;
/** After this time without a request the document is dropped, except for the part of built-in resources. */
const UNASKED_MS = 600_000;

export interface Version2Parts {
  readonly pieces: () => readonly DocumentPiece[];
  readonly joined: JoinedDocument;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export class Version2Document {
  private shown: Content | undefined;
  private making: Promise<Content> | undefined;
  private hasChanged = false;
  private timer: NodeJS.Timeout | undefined;
  private packing: NodeJS.Timeout | undefined;
  private letGo: NodeJS.Timeout | undefined;
  /** Number of postponements of the pending renewal. */
  private postponed = 0;
  private askedMs = 0;

  constructor(private readonly of: Version2Parts) {
    of.signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      clearTimeout(this.packing);
      clearTimeout(this.letGo);
    });
  }

  /** Returns the newest document: during a renewal, the one from before the change. Only the first request waits. */
  content(): Promise<Content> {
    this.askedMs = this.of.now();
    return this.shown === undefined ? this.make() : Promise.resolve(this.shown);
  }

  /** Hash of what `content` returns; undefined while it is unknown. Does not make the document. */
  hash(): string | undefined {
    return this.shown?.hash ?? this.of.joined.hash(this.of.pieces());
  }

  /** Makes the part of built-in resources, so that the first request does not wait for it. */
  async prepare(): Promise<void> {
    const [first] = this.of.pieces();
    if (first !== undefined && this.making === undefined) await this.of.joined.prepare(first);
  }

  changed(): void {
    this.hasChanged = true;
    if (this.shown === undefined || this.postponed === MOST_POSTPONED || this.of.signal.aborted) return;
    if (this.timer !== undefined) this.postponed += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.postponed = 0;
      if (this.shown !== undefined) this.make().catch(this.of.failed);
    }, QUIET_MS).unref();
  }

  /** Resolves when no document is being made any more. */
  async stopped(): Promise<void> {
    await this.making?.catch(() => undefined);
  }

  private make(): Promise<Content> {
    this.making ??= this.makeNow().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  private async makeNow(): Promise<Content> {
    do {
      this.hasChanged = false;
      this.shown = await this.of.joined.join(this.of.pieces());
      // Clients that waited have their answer; later changes are handled by the timer.
    } while (this.hasChanged && this.timer === undefined);
    this.packIn(PACK_MS);
    this.letGoIn(UNASKED_MS);
    return this.shown;
  }

  private packIn(ms: number): void {
    clearTimeout(this.packing);
    if (this.of.signal.aborted) return;
    this.packing = setTimeout(() => this.of.joined.pack().catch(this.of.failed), ms).unref();
  }

  private letGoIn(ms: number): void {
    clearTimeout(this.letGo);
    if (this.of.signal.aborted) return;
    this.letGo = setTimeout(() => {
      const unaskedMs = this.of.now() - this.askedMs;
      if (unaskedMs < UNASKED_MS) return this.letGoIn(UNASKED_MS - unaskedMs);
      this.shown = undefined;
      this.of.joined.forget().catch(this.of.failed);
    }, ms).unref();
  }
}
