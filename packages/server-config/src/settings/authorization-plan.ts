// The authorization plan: the authorizers and their settings, from options or from a configuration file.
import type { ChosenAuthorizer, WebhookOptions } from "@orch/auth";
import type { CompiledExpression } from "@orch/expressions";
import type { OptionFile } from "../option-files/reloaded-file";

export interface AuthorizationPlan {
  /** In the order of evaluation. */
  readonly authorizers: readonly ChosenAuthorizer[];
  readonly webhooks: readonly WebhookPlan[];
}

export interface WebhookPlan {
  /** Name of the authorizer. */
  readonly name: string;
  readonly options: WebhookOptions;
  /** Match conditions; the webhook is called when all of them hold. */
  readonly conditions: readonly CompiledExpression[];
  /** Kubeconfig file of the webhook; undefined: the API server of the cluster that this server runs in. */
  readonly configurationFile: OptionFile | undefined;
}
