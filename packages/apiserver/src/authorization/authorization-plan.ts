// Who is asked whether somebody may, and how, as options or a configuration file say.
import type { ChosenAuthorizer, WebhookOptions } from "@orch/auth";
import type { CompiledExpression } from "@orch/expressions";
import type { OptionFile } from "../option-files/reloaded-file";

export interface AuthorizationPlan {
  /** In their order. */
  readonly authorizers: readonly ChosenAuthorizer[];
  readonly webhooks: readonly WebhookPlan[];
}

export interface WebhookPlan {
  /** Of its authorizer. */
  readonly name: string;
  readonly options: WebhookOptions;
  /** All have to hold for it to be asked. */
  readonly conditions: readonly CompiledExpression[];
  /** Where it is; undefined: the API server of the cluster that this one runs in. */
  readonly configurationFile: OptionFile | undefined;
}
