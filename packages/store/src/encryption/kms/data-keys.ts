// Data keys by their encrypted form. The most recently used are kept, and concurrent requests for the same key share
// one call.

import { createHash } from "node:crypto";
import { RecentMap } from "@orch/platform";

export class DataKeys {
  private readonly kept: RecentMap<string, Buffer>;
  private readonly asked = new Map<string, Promise<Buffer>>();

  /** @param max number of kept keys */
  constructor(readonly max: number) {
    this.kept = new RecentMap(max);
  }

  get size(): number {
    return this.kept.size;
  }

  /** @param id from `keyIdentity` */
  get(id: string): Buffer | undefined {
    return this.kept.get(id);
  }

  keep(id: string, key: Buffer): void {
    this.kept.set(id, key);
  }

  /** Requests a key that is not kept. */
  ask(id: string, question: () => Promise<Buffer>): Promise<Buffer> {
    let answer = this.asked.get(id);
    if (answer === undefined) {
      answer = this.answer(id, question);
      this.asked.set(id, answer);
    }
    return answer;
  }

  private async answer(id: string, question: () => Promise<Buffer>): Promise<Buffer> {
    try {
      const key = await question();
      this.keep(id, key);
      return key;
    } finally {
      this.asked.delete(id);
    }
  }
}

/** Returns a short identity of a key. @param parts separated by their lengths */
export function keyIdentity(parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("base64");
}
