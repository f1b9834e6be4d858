// Journal of an import: a line before each object is sent and one after it, so that a killed import continues where it
// ended. The journal belongs to one target, and is removed when an import succeeds.

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";

/** Result for an object. `same` and `kept`: it existed before, equal or different. */
export type Outcome = "created" | "same" | "kept" | "updated";

interface Line {
  readonly key: string;
  readonly done?: Outcome;
  readonly failed?: true;
  readonly was?: string;
  readonly uid?: string;
}

export class ImportJournal {
  /** UIDs of the target by those of the origin. */
  readonly uids = new Map<string, string>();
  private readonly finished = new Map<string, Outcome>();
  private readonly begun = new Set<string>();
  private readonly path: string;
  private readonly fd: number | undefined;

  /**
   * @param start beginning of the file name
   * @param target identifies the target
   * @param isKept whether the journal is written: not for dry runs
   */
  constructor(start: string, target: string, { isKept }: { readonly isKept: boolean }) {
    this.path = `${start}-${createHash("sha256").update(target).digest("hex").slice(0, 12)}.journal`;
    if (!isKept) return;
    this.readBefore();
    this.fd = openSync(this.path, "a", 0o600);
    // A line that a killed run has not completed ends here.
    writeSync(this.fd, "\n");
  }

  /** Number of objects that earlier runs have completed. */
  get size(): number {
    return this.finished.size;
  }

  isDone(key: string): boolean {
    return this.finished.has(key);
  }

  /** Tells whether an earlier run has sent the object, and ended before the answer. */
  wasBegun(key: string): boolean {
    return this.begun.has(key);
  }

  begin(key: string): void {
    this.write({ key });
  }

  /** Notes that the server has refused the object. */
  failed(key: string): void {
    this.write({ key, failed: true });
  }

  done(
    key: string,
    outcome: Outcome,
    uids: { readonly was: string | undefined; readonly uid: string | undefined },
  ): void {
    const { was, uid } = uids;
    if (was !== undefined && uid !== undefined) this.uids.set(was, uid);
    this.write({ key, done: outcome, ...(was !== undefined && { was }), ...(uid !== undefined && { uid }) });
  }

  /** @param isComplete whether all objects were imported: then a later import begins anew */
  close(isComplete: boolean): void {
    if (this.fd === undefined) return;
    closeSync(this.fd);
    if (isComplete) rmSync(this.path, { force: true });
  }

  private write(line: Line): void {
    if (this.fd !== undefined) writeSync(this.fd, `${JSON.stringify(line)}\n`);
  }

  private readBefore(): void {
    if (!existsSync(this.path)) return;
    for (const text of readFileSync(this.path, "utf8").split("\n")) {
      const line = parsed(text);
      if (line === undefined) continue;
      if (line.failed === true) {
        this.begun.delete(line.key);
        continue;
      }
      if (line.done === undefined) {
        this.begun.add(line.key);
        continue;
      }
      this.begun.delete(line.key);
      this.finished.set(line.key, line.done);
      if (line.was !== undefined && line.uid !== undefined) this.uids.set(line.was, line.uid);
    }
  }
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
