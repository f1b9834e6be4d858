// Cache of a webhook's decisions by request. The least recently used entries are evicted first.
import { createHash } from "node:crypto";
import { type Clock, RecentMap } from "@orch/platform";
import type { Decision } from "../authorization/authorizer";

/** Maximum number of decisions, as in staging/src/k8s.io/apiserver/plugin/pkg/authorizer/webhook/webhook.go. */
const ANSWERS_MAX = 8192;
/** Maximum length of a key. Longer requests are replaced by their digest: a user may have thousands of groups. */
const KEY_MAX = 512;

/** @param question JSON */
export const cacheKey = (question: string): string =>
  question.length <= KEY_MAX ? question : createHash("sha256").update(question).digest("base64");

interface Kept {
  readonly decision: Decision;
  readonly untilMs: number;
}

export class DecisionCache {
  private readonly kept = new RecentMap<string, Kept>(ANSWERS_MAX);

  constructor(private readonly clock: Pick<Clock, "elapsed">) {}

  get(key: string): Decision | undefined {
    const found = this.kept.get(key);
    if (found === undefined || found.untilMs > this.clock.elapsed()) return found?.decision;
    this.kept.delete(key);
    return undefined;
  }

  set(key: string, decision: Decision, forMs: number): void {
    if (forMs > 0) this.kept.set(key, { decision, untilMs: this.clock.elapsed() + forMs });
  }

  get size(): number {
    return this.kept.size;
  }
}
