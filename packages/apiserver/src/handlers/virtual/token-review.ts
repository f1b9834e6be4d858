// Whose token is this? Source: facts, validation/authentication.md "TokenReview".
import type { AuthenticationOutcome } from "@orch/auth";
import { badRequest, type UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { VirtualHandler } from "./virtual-resource";

export const tokenReview: VirtualHandler = async ({ tokens }, { object, route }) => {
  const { token = "", audiences = [] } = object["spec"] as {
    readonly token?: string;
    readonly audiences?: readonly string[];
  };
  const { kind, group } = route.version;
  if (token === "") throw badRequest(`token is required for ${kind} in ${group.split(".", 1)[0]}`);
  if (tokens === undefined) return undefined;
  // The tokens that the server knows are for the server alone, and it has no audience by another name.
  if (audiences.length > 0) return refused("the token is for none of the audiences");
  const outcome = await tokens.authenticate({
    authorization: `Bearer ${token}`,
    peerCertificate: () => undefined,
    isFromThisMachine: () => false,
  });
  return statusOf(outcome);
};

function statusOf(outcome: AuthenticationOutcome): JsonObject {
  switch (outcome.kind) {
    case "authenticated":
      return { authenticated: true, user: userJson(outcome.user) };
    case "failed":
      return refused(outcome.reason);
    case "notApplicable":
      return { user: {} };
  }
}

const refused = (error: string): JsonObject => ({ user: {}, error });

function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined || uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
