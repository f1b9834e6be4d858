// Requests of the review APIs, which answer who the user is and what a user may do.
import { type AskedAction, reviewAttributes } from "@orch/access";
import type { Client } from "@orch/client";
import { type Vocabulary, vocabularyOf } from "@orch/schema";

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

/** A user as reviews name it. */
export interface ReviewedUser {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Asks whether the user of the client may act. */
export function reviewOwnAccess(client: Client, asked: AskedAction): Promise<AccessAnswer> {
  return review<AccessAnswer>(client, "authorization", {
    kind: "SelfSubjectAccessReview",
    spec: reviewAttributes(asked),
  });
}

/** Asks whether another user may act. @throws StatusError 403 when the user of the client may not ask */
export function reviewAccess(
  client: Client,
  asked: AskedAction,
  { user, groups }: ReviewedUser,
): Promise<AccessAnswer> {
  const spec = { ...reviewAttributes(asked), user, groups };
  return review<AccessAnswer>(client, "authorization", { kind: "SubjectAccessReview", spec });
}

/** Asks like `reviewAccess`, with a right in one namespace. */
export function reviewAccessIn(
  client: Client,
  asked: AskedAction,
  { user, groups, namespace }: ReviewedUser & { readonly namespace: string },
): Promise<AccessAnswer> {
  const spec = { ...reviewAttributes(asked), user, groups };
  const body = { kind: "LocalSubjectAccessReview", metadata: { namespace }, spec };
  return review<AccessAnswer>(client, "authorization", body, `namespaces/${encodeURIComponent(namespace)}/`);
}

interface Review {
  readonly kind: string;
  readonly spec?: object;
  readonly metadata?: object;
}

/** Creates a review and returns its status. @param place part of the path before the resource */
export async function review<Status>(
  client: Client,
  group: keyof Vocabulary["groups"],
  body: Review,
  place = "",
  version = "v1",
): Promise<Status> {
  const apiVersion = `${vocabularyOf(client.vocabulary).groups[group]}/${version}`;
  const answer = await client.requestJson({
    method: "POST",
    path: `/apis/${apiVersion}/${place}${body.kind.toLowerCase()}s`,
    body: JSON.stringify({ apiVersion, ...body }),
  });
  return (answer as { readonly status?: Status }).status ?? ({} as Status);
}
