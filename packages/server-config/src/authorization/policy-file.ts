// The current policies of the mode ABAC, read again when their file changes. An invalid file leaves them unchanged.
import { readFile, stat } from "node:fs/promises";
import { PolicyIndex, readPolicyLines } from "@orch/auth";
import { EventLoopYielder, runInSlices } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";

const MAX_BYTES = 8 * 1024 * 1024;

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
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; at most ${MAX_BYTES} are allowed`);
    const steps = readPolicyLines(await readFile(this.file, "utf8"), this.file, this.vocabulary);
    const { policies, unversioned } = await runInSlices(steps, new EventLoopYielder());
    this.current = new PolicyIndex(policies);
    if (unversioned === 0) return;
    this.warn(
      `${unversioned} policies have no apiVersion: they are deprecated and allow more than they state; add an apiVersion`,
    );
  }
}
