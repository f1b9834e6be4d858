// TokenReview: the user of a token. Source: pkg/registry/authentication/tokenreview/storage.go.

import { type AuthenticationOutcome, reviewText } from "@orch/auth";
import { badRequest, internalError, tooManyRequests } from "@orch/machinery";
import { NEVER_ENDS } from "@orch/platform";
import type { VirtualHandler } from "@orch/request";
import type { JsonObject } from "@orch/schema";
import { userJson } from "./user-json";

export const tokenReview: VirtualHandler = async ({ tokens, ownAudiences }, { object, route, noted }) => {
  const { token = "", audiences = [] } = object["spec"] as {
    readonly token?: string;
    readonly audiences?: readonly string[];
  };
  const { kind, group } = route.version;
  if (token === "") throw badRequest(`token is required for ${kind} in ${group.split(".", 1)[0]}`);
  const asked = audiences.length > 0 ? audiences : ownAudiences;
  const authorization = `Bearer ${token}`;
  const outcome = await tokens.authenticate({
    headers: { authorization },
    rawHeaders: ["Authorization", authorization],
    path: "",
    audiences: asked,
    connection: { address: "", peerCertificate: () => undefined },
    signal: NEVER_ENDS,
    isFromThisMachine: () => false,
  });
  if (outcome.kind === "authenticated") {
    const notes = outcome.used?.();
    if (notes !== undefined) noted(notes);
    if (asked.length > 0 && !asked.some((each) => outcome.audiences?.includes(each))) {
      throw internalError("unable to validate audience for token");
    }
  }
  if (outcome.kind === "failed") {
    if (outcome.isOverload)
      throw tooManyRequests("too many tokens are being verified: try again later", { retryAfterSeconds: 1 });
    noted(outcome);
  }
  return statusOf(outcome);
};

function statusOf(outcome: AuthenticationOutcome): JsonObject {
  switch (outcome.kind) {
    case "authenticated":
      return {
        authenticated: true,
        user: userJson(outcome.user),
        ...(outcome.audiences && { audiences: [...outcome.audiences] }),
      };
    case "failed":
      return refused(reviewText(outcome));
    case "notApplicable":
      return { user: {} };
  }
}

const refused = (error: string): JsonObject => ({ user: {}, error });
