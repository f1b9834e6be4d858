// Decides which webhooks and policies are called a second time because others changed the object later. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/reinvocationcontext.go.
import { copyJson, sameJson } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** A webhook, or a policy with its binding. */
export interface Reinvoked {
  readonly id: string;
  /** Whether its reinvocation policy is IfNeeded. */
  readonly isReinvoked: boolean;
}

/**
 * State of one attempt of one request. Identifies webhooks by id, because their configuration may be read again between
 * the rounds.
 */
export class Reinvocation {
  /** Reinvocable webhooks that were called and have seen the latest object. */
  private readonly upToDate = new Set<string>();
  /** Webhooks to call again. */
  private readonly again = new Set<string>();
  private left: JsonObject | undefined;

  /** Returns whether the webhook is called in the second round. */
  isDue({ id }: Pick<Reinvoked, "id">): boolean {
    return this.again.has(id);
  }

  changedObject(): void {
    for (const id of this.upToDate) this.again.add(id);
    this.upToDate.clear();
  }

  /** Called after the webhook's own change, which is no reason to call it again. */
  asked({ id, isReinvoked }: Reinvoked): void {
    if (isReinvoked) this.upToDate.add(id);
  }

  /** Called when all webhooks of the round have been called. @param object as they leave it */
  leave(object: JsonObject | undefined): void {
    this.left = this.upToDate.size === 0 || object === undefined ? undefined : copyJson(object);
  }

  /** Called when the second round begins. @param object as the other plugins left it */
  comeBack(object: JsonObject | undefined): void {
    if (this.upToDate.size > 0 && !sameJson(this.left, object)) this.changedObject();
  }
}
