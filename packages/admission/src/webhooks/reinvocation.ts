// Which webhooks are asked a second time, because others have changed the object since.
// Source: facts, admission/webhooks.md "Mutating order, patches, reinvocation".
import { copyJson, sameJson } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** A webhook, or a policy. */
export interface Reinvoked {
  readonly id: string;
  /** It wants to be asked again. */
  readonly isReinvoked: boolean;
}

/** Of one try of one request. Webhooks go by their ids, for their configuration may be read anew between two rounds. */
export class Reinvocation {
  /** Those that want to be asked again, have been asked, and have seen all that there was to see. */
  private readonly upToDate = new Set<string>();
  /** Those that are to be asked again. */
  private readonly again = new Set<string>();
  private left: JsonObject | undefined;

  /** Whether a webhook has a say in a second round. */
  isDue({ id }: Pick<Reinvoked, "id">): boolean {
    return this.again.has(id);
  }

  changedObject(): void {
    for (const id of this.upToDate) this.again.add(id);
    this.upToDate.clear();
  }

  /** After what it has changed: its own change is no news to it. */
  asked({ id, isReinvoked }: Reinvoked): void {
    if (isReinvoked) this.upToDate.add(id);
  }

  /** All webhooks have been asked. @param object as they leave it */
  leave(object: JsonObject | undefined): void {
    this.left = this.upToDate.size === 0 || object === undefined ? undefined : copyJson(object);
  }

  /** The second round begins. @param object as the other plugins have made it */
  comeBack(object: JsonObject | undefined): void {
    if (this.upToDate.size > 0 && !sameJson(this.left, object)) this.changedObject();
  }
}
