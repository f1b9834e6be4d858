// The flag `--authorization-mode`, and the authorizer that it asks for. Source: access-control, "Modes"; facts, webhook-authz.md.
import { abacAuthorizer, type PolicyIndex } from "./abac/abac-authorizer";
import { type Authorizer, chainOf } from "./authorizer";
import { alwaysAllow, alwaysDeny, privilegedGroup } from "./fixed-authorizers";
import { type NodeAuthorizerDeps, nodeAuthorizer } from "./node/node-authorizer";
import { rbacAuthorizer } from "./rbac/rbac-authorizer";
import type { RbacGrants } from "./rbac/rbac-grants";
import { PRIVILEGED_GROUP } from "./well-known-identities";

/** What the authorizers stand on. What a mode needs and is not there is a mistake of whoever chose the mode. */
export interface AuthorizationDeps {
  readonly rbac: RbacGrants;
  readonly node?: NodeAuthorizerDeps;
  /** In force. */
  readonly policies?: () => PolicyIndex;
  /** Made for each of the chosen. */
  readonly webhook?: (name: string) => Authorizer;
  /** Told of each authorizer; returns what is to be asked in its place. */
  readonly observed?: (authorizer: Authorizer, of: ChosenAuthorizer) => Authorizer;
}

/** One of the chain. */
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
  if (part === undefined) throw new Error(`the authorization mode ${mode} lacks what it stands on`);
  return part;
}

/** In the order of messages. */
export const AUTHORIZATION_MODES = Object.keys(MODES) as readonly AuthorizationMode[];

export type AuthorizationMode = keyof typeof MODES;

/**
 * Checks the names in the flag's value; their order is kept, for it is the order of the chain.
 * @throws Error for an unknown mode, one given twice, and none at all
 */
export function parseAuthorizationModes(names: readonly string[]): AuthorizationMode[] {
  if (names.length === 0) throw new Error("authorization-mode: at least one mode is needed");
  return names.map((name, index) => {
    if (!isAuthorizationMode(name)) {
      throw new Error(
        `authorization-mode ${JSON.stringify(name)} is not known; known are ${AUTHORIZATION_MODES.join(", ")}`,
      );
    }
    if (names.indexOf(name) !== index)
      throw new Error(`authorization-mode ${JSON.stringify(name)} is given more than once`);
    return name;
  });
}

/** The members of the privileged group pass in every mode: without them a server could lock everybody out. */
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
