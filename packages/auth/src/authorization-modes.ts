// The flag `--authorization-mode` and the authorizer that it selects. Source: Kubernetes documentation,
// "Authorization", "Authorization modes".
import { abacAuthorizer, type PolicyIndex } from "./abac/abac-authorizer";
import { type Authorizer, chainOf } from "./authorization/authorizer";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./authorization/fixed-authorizers";
import { PRIVILEGED_GROUP } from "./identity/well-known-identities";
import { type NodeAuthorizerDeps, nodeAuthorizer } from "./node/node-authorizer";
import { rbacAuthorizer } from "./rbac/rbac-authorizer";
import type { RbacGrants } from "./rbac/rbac-grants";

/** Dependencies of the authorizers. A selected mode whose dependency is absent is a configuration error. */
export interface AuthorizationDeps {
  readonly rbac: RbacGrants;
  readonly node?: NodeAuthorizerDeps;
  /** Returns the ABAC policies in force. */
  readonly policies?: () => PolicyIndex;
  /** Creates the authorizer of one configured webhook. */
  readonly webhook?: (name: string) => Authorizer;
  /** Called with each authorizer; returns the one to use in its place. */
  readonly observed?: (authorizer: Authorizer, of: ChosenAuthorizer) => Authorizer;
}

/** One authorizer of the chain. */
export interface ChosenAuthorizer {
  readonly type: AuthorizationMode;
  readonly name: string;
}

const MODES = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ policies }) => abacAuthorizer(needed("ABAC", policies)),
  Webhook: ({ webhook }, name) => needed("Webhook", webhook)(name),
  RBAC: ({ rbac }) => rbacAuthorizer(rbac),
  Node: ({ node }) => nodeAuthorizer(needed("Node", node)),
} as const satisfies Readonly<Record<string, (deps: AuthorizationDeps, name: string) => Authorizer>>;

function needed<Part>(mode: string, part: Part | undefined): Part {
  if (part === undefined) throw new Error(`the authorization mode ${mode} lacks its configuration`);
  return part;
}

/** All modes, in the order in which messages list them. */
export const AUTHORIZATION_MODES = Object.keys(MODES) as readonly AuthorizationMode[];

export type AuthorizationMode = keyof typeof MODES;

/**
 * Checks the names in the value of the flag. Their order is kept: it is the order of the chain.
 * @throws Error for an unknown mode, a repeated mode, and an empty list
 */
export function parseAuthorizationModes(names: readonly string[]): AuthorizationMode[] {
  if (names.length === 0) throw new Error("authorization-mode: at least one mode is required");
  return names.map((name, index) => {
    if (!isAuthorizationMode(name)) {
      throw new Error(
        `authorization-mode ${JSON.stringify(name)} is unknown; the modes are ${AUTHORIZATION_MODES.join(", ")}`,
      );
    }
    if (names.indexOf(name) !== index)
      throw new Error(`authorization-mode ${JSON.stringify(name)} is set more than once`);
    return name;
  });
}

/**
 * Builds the chain. Members of the privileged group are allowed in every mode: otherwise a configuration could lock out
 * every user.
 */
export function authorizerFor(
  chosen: readonly (AuthorizationMode | ChosenAuthorizer)[],
  deps: AuthorizationDeps,
): Authorizer {
  const made = chosen.map((each) => {
    const of = typeof each === "string" ? { type: each, name: each.toLowerCase() } : each;
    const authorizer: Authorizer = MODES[of.type](deps, of.name);
    return deps.observed?.(authorizer, of) ?? authorizer;
  });
  return chainOf([privilegedGroup(PRIVILEGED_GROUP), ...made]);
}

export function isAuthorizationMode(name: string): name is AuthorizationMode {
  return Object.hasOwn(MODES, name);
}
