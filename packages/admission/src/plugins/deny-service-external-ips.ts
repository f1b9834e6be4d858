// DenyServiceExternalIPs plugin: refuses new external addresses of services. Source: Kubernetes documentation,
// "Admission Control in Kubernetes", "DenyServiceExternalIPs".
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

export const denyServiceExternalIps = definePlugin({
  name: "DenyServiceExternalIPs",
  reads: [],
  make: () => ({
    on: [{ operations: ["CREATE", "UPDATE"], resources: [{ group: "", plural: "services", subresource: "" }] }],
    validate(request) {
      const had = new Set(externalIps(request.oldObject));
      if (externalIps(request.object).some((each) => !had.has(each)))
        throw forbidden(request, "Use of external IPs is denied by admission control");
    },
  }),
});

function externalIps(service: JsonObject | undefined): readonly string[] {
  const { externalIPs } = (service?.["spec"] ?? {}) as { readonly externalIPs?: readonly string[] | null };
  return externalIPs ?? [];
}
