// Data keys by what the service has made of them: the latest are kept, and one question serves all who want the same key meanwhile.

import { createHash } from "node:crypto";
import { RecentMap } from "@orch/platform";

export class DataKeys {
  private readonly kept: RecentMap<string, Buffer>;
  private readonly asked = new Map<string, Promise<Buffer>>();

  /** @param max how many are kept */
  constructor(readonly max: number) {
    this.kept = new RecentMap(max);
  }

  get size(): number {
    return this.kept.size;
  }

  /** @param id of `keyIdentity` */
  get(id: string): Buffer | undefined {
    return this.kept.get(id);
  }

  keep(id: string, key: Buffer): void {
    this.kept.set(id, key);
  }

  /** Asks for a key that is not kept. */
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

/** Short, whatever a key was made of. @param parts each told apart from the next by its length */
export function keyIdentity(parts: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("base64");
}
