// The one document of version 2, in one form. Of thousands of definitions it is megabytes: it is made when somebody asks for it, and made
// anew after changes for as long as somebody goes on asking.
import type { Content } from "../http/content-answer";
import type { DocumentPiece } from "./document-source";
import type { JoinedDocument } from "./joined-document";

/** Changes often come in bunches: a change waits for those that follow it. */
const QUIET_MS = 1000;
/** Where one follows the other without end, it does not wait for ever. */
const MOST_POSTPONED = 4;
/** Nobody has asked for so long: it is let go, but for what every server has. */
const UNASKED_MS = 600_000;

export interface Version2Parts {
  readonly pieces: () => readonly DocumentPiece[];
  readonly joined: JoinedDocument;
  /** Milliseconds that never run backwards. */
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export class Version2Document {
  private shown: Content | undefined;
  private making: Promise<Content> | undefined;
  private hasChanged = false;
  private timer: NodeJS.Timeout | undefined;
  private letGo: NodeJS.Timeout | undefined;
  /** How often those who wait for the timer have been put off. */
  private postponed = 0;
  private askedMs = 0;

  constructor(private readonly of: Version2Parts) {
    of.signal.addEventListener("abort", () => {
      clearTimeout(this.timer);
      clearTimeout(this.letGo);
    });
  }

  /** The newest there is: that from before a change while the next one is made. Waits for the first one only. */
  content(): Promise<Content> {
    this.askedMs = this.of.now();
    return this.shown === undefined ? this.make() : Promise.resolve(this.shown);
  }

  /** Of what `content` gives; undefined while it is not known. Nothing is made for it. */
  hash(): string | undefined {
    return this.shown?.hash ?? this.of.joined.hash(this.of.pieces());
  }

  /** Makes what every server has, so that the first who ask do not wait for that too. */
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

  /** Resolves once nothing is being made any more. */
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
      // Who has asked has it; later changes come by the timer.
    } while (this.hasChanged && this.timer === undefined);
    this.letGoIn(UNASKED_MS);
    return this.shown;
  }

  private letGoIn(ms: number): void {
    clearTimeout(this.letGo);
    if (this.of.signal.aborted) return;
    this.letGo = setTimeout(() => {
      const unaskedMs = this.of.now() - this.askedMs;
      if (unaskedMs < UNASKED_MS) return this.letGoIn(UNASKED_MS - unaskedMs);
      this.shown = undefined;
      this.of.joined.forget();
    }, ms).unref();
  }
}
