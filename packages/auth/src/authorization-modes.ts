// The flag `--authorization-mode`, and the authorizer that it asks for. Source: access-control, "Modes"; facts, webhook-authz.md.
import { type Authorizer, chainOf } from "./authorizer";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./fixed-authorizers";
import { rbacAuthorizer } from "./rbac/rbac-authorizer";
import type { RbacGrants } from "./rbac/rbac-grants";
import { PRIVILEGED_GROUP } from "./well-known-identities";

export interface AuthorizationDeps {
  readonly rbac: RbacGrants;
}

const MODES = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  RBAC: ({ rbac }) => rbacAuthorizer(rbac),
} as const satisfies Readonly<Record<string, (deps: AuthorizationDeps) => Authorizer>>;

export type AuthorizationMode = keyof typeof MODES;

/**
 * Checks the names in the flag's value; their order is kept, for it is the order of the chain.
 * @throws Error for an unknown mode, one given twice, and none at all
 */
export function parseAuthorizationModes(names: readonly string[]): AuthorizationMode[] {
  if (names.length === 0) throw new Error("authorization-mode: at least one mode is needed");
  return names.map((name, index) => {
    if (!isMode(name)) {
      throw new Error(
        `authorization-mode ${JSON.stringify(name)} is not known; known are ${Object.keys(MODES).join(", ")}`,
      );
    }
    if (names.indexOf(name) !== index)
      throw new Error(`authorization-mode ${JSON.stringify(name)} is given more than once`);
    return name;
  });
}

/** The members of the privileged group pass in every mode: without them a server could lock everybody out. */
export function authorizerFor(modes: readonly AuthorizationMode[], deps: AuthorizationDeps): Authorizer {
  return chainOf([privilegedGroup(PRIVILEGED_GROUP), ...modes.map((mode) => MODES[mode](deps))]);
}

function isMode(name: string): name is AuthorizationMode {
  return Object.hasOwn(MODES, name);
}
