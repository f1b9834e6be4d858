// Certificates for TLS handshakes. Files are read again from time to time, so that renewed certificates are used
// without a restart.
import type { Clock } from "@orch/platform";
import { readTextSource, type TlsSettings } from "./connection-settings";
import type { Credentials } from "./credential-parts";

export interface TlsMaterial {
  /** PEM; undefined: the certificate authorities of Node.js. */
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const READ_AGAIN_AFTER_MS = 30_000;
/** Shortest time between two readings of a refused certificate. */
const REFUSED_AGAIN_AFTER_MS = 1000;

export class TlsMaterialSource {
  private known: TlsMaterial | undefined;
  private ca: { readonly text: string | undefined; readonly readAt: number } | undefined;
  private pair: { readonly certificate: string; readonly key: string } | undefined;
  private pairReadAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly settings: TlsSettings,
    private readonly credentials: Credentials,
    private readonly clock: Clock,
  ) {}

  /** Whether certificates may change without a request: those of a command change with requests only. */
  get isInFiles(): boolean {
    return this.settings.ca?.kind === "file" || this.credentials.isInFiles === true;
  }

  /** Returns the known material when nothing needs to be read again now. */
  get recent(): TlsMaterial | undefined {
    if (this.ca === undefined || this.credentials.changesAtAnyTime === true) return undefined;
    const readMs = Math.min(this.ca.readAt, this.pairReadAt);
    return this.clock.elapsed() - readMs < READ_AGAIN_AFTER_MS ? this.known : undefined;
  }

  /**
   * Returns the material. The object is the same while nothing has changed.
   * @param fresh reads the files now, whatever their age
   * @throws Error when a file cannot be read the first time; a file that disappears later keeps its last content
   */
  async current(fresh = false): Promise<TlsMaterial> {
    const now = this.clock.elapsed();
    if (this.ca === undefined || fresh || now - this.ca.readAt >= READ_AGAIN_AFTER_MS) {
      this.ca = { text: await this.readCa(), readAt: now };
    }
    if (fresh || now - this.pairReadAt >= READ_AGAIN_AFTER_MS || this.credentials.changesAtAnyTime === true) {
      this.pair = await this.readPair();
      this.pairReadAt = now;
    }
    const next = { ca: this.ca.text, certificate: this.pair?.certificate, key: this.pair?.key };
    if (this.known === undefined || !same(this.known, next)) this.known = next;
    return this.known;
  }

  /**
   * Has the certificate read again before the next request, because the server has refused it: a connection that was made
   * while it was renewed has the former one.
   */
  refused(): void {
    if (!this.isInFiles || this.clock.elapsed() - this.pairReadAt < REFUSED_AGAIN_AFTER_MS) return;
    this.pairReadAt = Number.NEGATIVE_INFINITY;
  }

  private async readCa(): Promise<string | undefined> {
    if (this.settings.ca === undefined) return undefined;
    try {
      return await readTextSource(this.settings.ca);
    } catch (error) {
      if (this.ca === undefined) throw error;
      return this.ca.text;
    }
  }

  private async readPair(): Promise<{ readonly certificate: string; readonly key: string } | undefined> {
    try {
      return await this.credentials.keyPair();
    } catch (error) {
      if (this.pair === undefined) throw error;
      return this.pair;
    }
  }
}

const same = (a: TlsMaterial, b: TlsMaterial): boolean =>
  a.ca === b.ca && a.certificate === b.certificate && a.key === b.key;
