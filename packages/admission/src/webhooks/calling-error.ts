// A webhook could not be asked, or its answer is none: what follows is for its failure policy to say.
// Source: facts, admission/webhooks.md "Calling", "Verdict".
import { existsIn } from "@orch/schema";

/** What was being done. */
export type CallingStage = keyof typeof STAGES;

const STAGES = {
  prepare: "could not create admission objects: ",
  call: "failed to call webhook: ",
  answer: "received invalid webhook response: ",
  patch: "received undecodable patch in webhook response: ",
} as const;

/** Releases that say so. */
export const NAMES_STAGES = { since: "1.22" };

export class CallingError extends Error {
  override readonly name = "CallingError";

  constructor(
    readonly stage: CallingStage,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** As the release words it. */
  text(release: string): string {
    return existsIn(NAMES_STAGES, release) ? `${STAGES[this.stage]}${this.message}` : this.message;
  }
}
