// Handlers of action subresources. Actions that are not in the table are not listed in discovery.
import type { ActionHandler } from "@orch/request";
import { type BindingDeps, binding } from "./binding";
import { type EvictionDeps, eviction } from "./eviction";
import { rollback } from "./rollback";
import { type TokenRequestDeps, tokenRequest } from "./token-request";

export interface ActionDeps extends EvictionDeps, BindingDeps {
  /** Undefined when the server issues no tokens. */
  readonly tokens: TokenRequestDeps | undefined;
}

/** Handlers by resource and subresource; by plural alone for an action with a path of its own. */
export const actionHandlers = (deps: ActionDeps): Readonly<Record<string, ActionHandler>> => ({
  bindings: binding(deps),
  "deployments/rollback": rollback,
  "pods/binding": binding(deps),
  "pods/eviction": eviction(deps),
  ...(deps.tokens && { "serviceaccounts/token": tokenRequest(deps.tokens) }),
});
