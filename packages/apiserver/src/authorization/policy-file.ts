// The current policies of the mode ABAC, read again when their file changes. An invalid file leaves them unchanged.
import { readFile, stat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PolicyIndex, readPolicyLines } from "@orch/auth";
import type { Vocabulary } from "@orch/schema";

const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum work in one turn of the event loop. */
const SLICE_MS = 8;

export class PolicyFile {
  current = new PolicyIndex([]);

  constructor(
    private readonly file: string,
    private readonly vocabulary: Vocabulary,
    private readonly warn: (text: string) => void,
  ) {}

  /** @throws Error for an unreadable or invalid file; the policies stay unchanged */
  async load(): Promise<void> {
    const { size } = await stat(this.file);
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; ${MAX_BYTES} are the most`);
    const steps = readPolicyLines(await readFile(this.file, "utf8"), this.file, this.vocabulary);
    for (let sinceMs = performance.now(); ; ) {
      const { done, value } = steps.next();
      if (done === true) {
        const { policies, unversioned } = value;
        this.current = new PolicyIndex(policies);
        if (unversioned > 0)
          this.warn(
            `${unversioned} policies have no apiVersion: such lines allow more than they say, and will not be read for ever`,
          );
        return;
      }
      if (performance.now() - sinceMs < SLICE_MS) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
  }
}
