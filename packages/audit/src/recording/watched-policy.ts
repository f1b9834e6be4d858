// The current policy, read again when its file changes. An invalid file leaves the policy unchanged.
import { setImmediate as nextTurn } from "node:timers/promises";
import { ConfigurationError, readConfigurationFile } from "@orch/machinery";
import type { AuditRule } from "../policy/audit-policy";
import { CompiledPolicy } from "../policy/compiled-policy";
import { type PolicyLanguage, readPolicy } from "../policy/read-policy";
import type { AuditThread } from "../thread/audit-thread";

export class WatchedPolicy {
  current = new CompiledPolicy();

  constructor(
    private readonly path: string,
    private readonly language: PolicyLanguage,
    private readonly thread: AuditThread,
    private readonly warn: (text: string) => void,
  ) {}

  /** @throws Error for an unreadable or invalid file; the policy stays unchanged */
  async load(): Promise<void> {
    const text = await readConfigurationFile(this.path, MAX_BYTES);
    const next = new CompiledPolicy();
    const warnings = text.length <= SMALL ? await this.readHere(text, next) : await this.readElsewhere(text, next);
    for (const warning of warnings) this.warn(warning);
    this.current = next;
  }

  private async readHere(text: string, into: CompiledPolicy): Promise<readonly string[]> {
    const { policy, warnings } = await readPolicy(text, this.language);
    into.add(policy.rules);
    return warnings;
  }

  private async readElsewhere(text: string, into: CompiledPolicy): Promise<readonly string[]> {
    const answer = await this.thread.readPolicy(text);
    if ("wrong" in answer) throw new ConfigurationError(answer.wrong);
    for (const part of answer.rules) {
      into.add(JSON.parse(part) as readonly AuditRule[]);
      await nextTurn();
    }
    return answer.warnings;
  }
}

const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of characters that the main thread parses; a larger policy is parsed on another thread. */
const SMALL = 32 * 1024;
