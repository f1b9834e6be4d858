// Constrained impersonation: permission to impersonate a kind of user, and to carry out the action as such a user. Source:
// KEP-5284; staging/src/k8s.io/apiserver/pkg/endpoints/filters/impersonation/mode.go.
import { subdomainErrors, type UserInfo } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { Attributes, ResourceAttributes } from "../authorization/authorizer";
import { forbiddenRequest } from "../authorization/forbidden";
import { impersonatedUser } from "./impersonated-user";
import type { Impersonation } from "./impersonation";
import {
  AUTHENTICATED_GROUP,
  NODES_GROUP,
  nodeNameOf,
  PRIVILEGED_GROUP,
  serviceAccountOf,
} from "./well-known-identities";

/** A required permission. With `all`, the permission for all values suffices instead of one for each. */
export type ImpersonationCheck = Attributes | { readonly all: Attributes; readonly each: readonly Attributes[] };

export interface ImpersonationMode {
  /** Verb of the permission to impersonate, which audit events contain. */
  readonly constraint: string;
  applies(as: Impersonation, requester: UserInfo): boolean;
  /**
   * Yields the required permissions.
   * @param action attributes of the request, with the requesting user
   * @throws StatusError Forbidden (403) for an identity that no permission allows
   */
  checks(action: Attributes, as: Impersonation): Generator<ImpersonationCheck>;
  userOf(as: Impersonation): UserInfo;
}

/** Number of values from which on the permission for all of them is asked first. */
const MANY = 4;
const KEY_PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** Returns the modes in the order in which they are tried. */
export function constrainedModes(vocabulary: Vocabulary): readonly ImpersonationMode[] {
  return [associatedNode(vocabulary), arbitraryNode(vocabulary), account(vocabulary), userInfo(vocabulary)];
}

/** A service account impersonates the node that its token is bound to. Checks do not depend on the node. */
function associatedNode(vocabulary: Vocabulary): ImpersonationMode {
  const { authenticationNodeName, authenticationAssociatedNodeKeys } = vocabulary.userExtraKeys;
  const mode = modeOf("associated-node", vocabulary);
  /** Hides the extra values of the requester, which differ by node, from authorizers. */
  const withoutNode = (user: UserInfo): UserInfo => ({
    ...user,
    extra: { [authenticationAssociatedNodeKeys]: Object.keys(user.extra ?? {}).sort() },
  });
  return {
    constraint: mode.constraint,
    applies(as, requester) {
      const nodes = requester.extra?.[authenticationNodeName] ?? [];
      const isAccount = serviceAccountOf(requester.name) !== undefined;
      return isAccount && hasNameOnly(as) && nodes.length === 1 && nodes[0] === nodeNameOf(as.name);
    },
    *checks(action) {
      const own = { ...action, user: withoutNode(action.user) };
      yield mode.on(own);
      yield mode.identity(own.user, "nodes", "*");
    },
    userOf: nodeUser,
  };
}

function arbitraryNode(vocabulary: Vocabulary): ImpersonationMode {
  const mode = modeOf("arbitrary-node", vocabulary);
  return {
    constraint: mode.constraint,
    applies: (as) => hasNameOnly(as) && nodeNameOf(as.name) !== undefined,
    *checks(action, { name }) {
      yield mode.on(action);
      yield mode.identity(action.user, "nodes", nodeNameOf(name) ?? "");
    },
    userOf: nodeUser,
  };
}

function account(vocabulary: Vocabulary): ImpersonationMode {
  const mode = modeOf("serviceaccount", vocabulary);
  return {
    constraint: mode.constraint,
    applies: (as) => hasNameOnly(as) && serviceAccountOf(as.name) !== undefined,
    *checks(action, as) {
      yield mode.on(action);
      yield { ...mode.identity(action.user, "serviceaccounts", ""), ...serviceAccountOf(as.name) };
    },
    userOf: impersonatedUser,
  };
}

/** Users that are neither nodes nor service accounts, with all parts of an identity. */
function userInfo(vocabulary: Vocabulary): ImpersonationMode {
  const mode = modeOf("user-info", vocabulary);
  return {
    constraint: mode.constraint,
    applies: ({ name }) => nodeNameOf(name) === undefined && serviceAccountOf(name) === undefined,
    *checks(action, { name, uid, groups, extra }) {
      const { user } = action;
      yield mode.on(action);
      yield mode.identity(user, "users", name);
      if (uid !== "") yield mode.identity(user, "uids", uid);
      const group = (each: string) => mode.identity(user, "groups", each);
      for (const each of ["", PRIVILEGED_GROUP]) {
        const what = each === "" ? "the empty string" : `the ${each}`;
        if (groups.includes(each)) throw forbiddenRequest(group(each), `impersonating ${what} group is not allowed`);
      }
      yield* manyOf(group("*"), groups.map(group));
      const extraOf = (key: string, value: string) => ({
        ...mode.identity(user, "userextras", value),
        subresource: key,
      });
      const problem = extraProblem(extra);
      if (problem !== undefined) throw forbiddenRequest(mode.identity(user, "userextras", ""), problem);
      const values = [...extra].flatMap(([key, all]) => all.map((value) => extraOf(key, value)));
      yield* manyOf(extraOf("*", "*"), values);
    },
    userOf: impersonatedUser,
  };
}

function* manyOf(all: Attributes, each: readonly Attributes[]): Generator<ImpersonationCheck> {
  if (each.length >= MANY) yield { all, each };
  else yield* each;
}

function modeOf(mode: string, { groups }: Vocabulary) {
  const constraint = `impersonate:${mode}`;
  return {
    constraint,
    /** Permission for the action of the request in this mode. */
    on: (action: Attributes): Attributes => ({ ...action, verb: `impersonate-on:${mode}:${action.verb}` }),
    identity: (user: UserInfo, resource: string, name: string): ResourceAttributes => ({
      ...{ kind: "resource", user, verb: constraint, apiGroup: groups.authentication, apiVersion: "v1" },
      ...{ resource, subresource: "", namespace: "", name },
    }),
  };
}

const hasNameOnly = ({ uid, groups, extra }: Impersonation): boolean =>
  uid === "" && groups.length === 0 && extra.size === 0;

const nodeUser = ({ name }: Impersonation): UserInfo => ({ name, groups: [NODES_GROUP, AUTHENTICATED_GROUP] });

/** Keys are `domain/path`; header values are never absent. */
function extraProblem(extra: Impersonation["extra"]): string | undefined {
  for (const [key, values] of extra) {
    const slash = key.indexOf("/");
    const isPrefixed = subdomainErrors(key.slice(0, Math.max(0, slash))).length === 0;
    if (slash < 0 || !isPrefixed || !KEY_PATH.test(key.slice(slash + 1)))
      return `impersonating an invalid key in extra is not allowed: ${JSON.stringify(key)} must be a domain-prefixed path (such as "acme.io/foo")`;
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}
