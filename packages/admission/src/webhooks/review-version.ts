// Supported versions of AdmissionReview. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
import { existsIn } from "@orch/schema";

export type ReviewVersion = keyof typeof KNOWN;

const KNOWN = { v1: { since: "1.16" }, v1beta1: {} } as const;

/** Returns the first version that both the webhook and the release support. */
export const reviewVersionOf = (understood: readonly string[], release: string): ReviewVersion | undefined =>
  understood.find(
    (each): each is ReviewVersion => Object.hasOwn(KNOWN, each) && existsIn(KNOWN[each as ReviewVersion], release),
  );
