// Errors of calling a webhook or of reading its response. The webhook's failure policy decides what follows. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go.
import { existsIn } from "@orch/schema";

/** Stage at which the call failed. */
export type CallingStage = keyof typeof STAGES;

const STAGES = {
  prepare: "could not create admission objects: ",
  call: "failed to call webhook: ",
  answer: "received invalid webhook response: ",
  patch: "received undecodable patch in webhook response: ",
} as const;

/** Releases whose messages name the stage. */
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

  /** Returns the message as the release words it. */
  text(release: string): string {
    return existsIn(NAMES_STAGES, release) ? `${STAGES[this.stage]}${this.message}` : this.message;
  }
}
