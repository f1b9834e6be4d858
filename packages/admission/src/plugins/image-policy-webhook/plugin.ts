// ImagePolicyWebhook plugin: asks a backend whether the images of a pod are allowed. Source:
// plugin/pkg/admission/imagepolicy/admission.go.
import type { AdmissionRequest } from "@orch/machinery";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { readImagePolicy } from "./image-policy";
import { type ImageVerdict, reviewSpec } from "./image-review";
import { ReviewedImages } from "./reviewed-images";

export const imagePolicyWebhook = definePlugin({
  name: "ImagePolicyWebhook",
  reads: ["vocabulary", "clock", "remotes"],
  configure: readImagePolicy,
  make({ vocabulary, clock, remotes }, policy) {
    const { kubeConfigFile, backoffMs, defaultAllow } = policy;
    const backend = remotes.open(kubeConfigFile, { what: "backend for image policies", backoffMs });
    const images = new ReviewedImages({ policy, backend, vocabulary, clock });
    const prefix = vocabulary.auditAnnotations.imagepolicywebhookImagePolicy;

    /** Handles a failed call or an unusable response. */
    function failed(request: AdmissionRequest, { message }: Error): void {
      if (!defaultAllow) throw forbidden(request, message);
      request.annotate(`${prefix}failed-open`, "true");
    }

    return {
      on: [{ operations: ["CREATE", "UPDATE"], resources: [{ group: "", plural: "pods", subresource: "" }] }],
      async validate(request) {
        const spec = reviewSpec(request.object ?? {}, request.namespace, vocabulary);
        const verdict = await images.verdict(spec, request.signal).catch((error: Error) => error);
        if (verdict instanceof Error) return failed(request, verdict);
        for (const [key, value] of Object.entries(verdict.auditAnnotations)) request.annotate(prefix + key, value);
        judge(request, verdict);
      },
    };
  },
});

/** @throws StatusError Forbidden (403) */
function judge(request: AdmissionRequest, { allowed, reason }: ImageVerdict): void {
  if (allowed) return;
  throw forbidden(
    request,
    reason === ""
      ? "one or more images rejected by webhook backend"
      : `image policy webhook backend denied one or more images: ${reason}`,
  );
}
