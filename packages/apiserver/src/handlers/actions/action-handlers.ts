// Which actions are served, and by what. One that is not in the table is not listed either.
import type { ActionHandler } from "../../routes/resource-route";
import { binding } from "./binding";
import { type EvictionDeps, eviction } from "./eviction";
import { rollback } from "./rollback";
import { type TokenRequestDeps, tokenRequest } from "./token-request";

export interface ActionDeps extends EvictionDeps {
  /** Undefined where nobody is given any. */
  readonly tokens: TokenRequestDeps | undefined;
}

/** By resource and sub-resource; by plural alone where the path is that of a resource of its own. */
export const actionHandlers = (deps: ActionDeps): Readonly<Record<string, ActionHandler>> => ({
  bindings: binding(deps.now),
  "deployments/rollback": rollback,
  "pods/binding": binding(deps.now),
  "pods/eviction": eviction(deps),
  ...(deps.tokens && { "serviceaccounts/token": tokenRequest(deps.tokens) }),
});
