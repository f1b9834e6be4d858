// An identity to assume, as the form has it.
import { type AskedAction, resourceAction } from "@orch/access";
import type { AssumedIdentity } from "../session/impersonation-headers";

export interface IdentityDraft {
  readonly kind: "user" | "serviceAccount";
  readonly user: string;
  readonly namespace: string;
  readonly name: string;
  /** One name a line. */
  readonly groups: string;
  readonly uid: string;
}

export const NO_IDENTITY: IdentityDraft = { kind: "user", user: "", namespace: "", name: "", groups: "", uid: "" };

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Returns the identity, or what is wrong with it. */
export function identityOf(draft: IdentityDraft): AssumedIdentity | string {
  const isAccount = draft.kind === "serviceAccount";
  const user = isAccount ? `system:serviceaccount:${draft.namespace.trim()}:${draft.name.trim()}` : draft.user.trim();
  if (isAccount && (draft.namespace.trim() === "" || draft.name.trim() === ""))
    return "Enter the namespace and the name of the service account.";
  if (user === "") return "Enter the name of the user: groups without a user cannot be assumed.";
  const groups = draft.groups
    .split("\n")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  const uid = draft.uid.trim();
  if ([user, uid, ...groups].some((each) => CONTROL_CHARACTER.test(each))) return "Names have no control characters.";
  return { user, uid, groups: [...new Set(groups)] };
}

/** Permissions to impersonate everybody. */
export const IMPERSONATIONS: readonly AskedAction[] = ["users", "serviceaccounts"].map((resource) =>
  resourceAction("impersonate", { group: "", resource }),
);

/** Permissions of a server with the feature gate ConstrainedImpersonation. Source: KEP-5284. */
export const constrainedImpersonations = (authentication: string): readonly AskedAction[] => [
  resourceAction("impersonate:user-info", { group: authentication, resource: "users" }),
  resourceAction("impersonate:serviceaccount", { group: authentication, resource: "serviceaccounts" }),
];
