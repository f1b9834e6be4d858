// Versions of the question that webhooks are asked. Source: access-control, "AdmissionReview"; facts, admission/webhooks.md "Calling".
import { existsIn } from "@orch/schema";

export type ReviewVersion = keyof typeof KNOWN;

const KNOWN = { v1: { since: "1.16" }, v1beta1: {} } as const;

/** The first that a webhook understands and a release speaks. */
export const reviewVersionOf = (understood: readonly string[], release: string): ReviewVersion | undefined =>
  understood.find(
    (each): each is ReviewVersion => Object.hasOwn(KNOWN, each) && existsIn(KNOWN[each as ReviewVersion], release),
  );
