// SecurityContextDeny plugin: refuses pods that set certain fields of the security context. Source:
// plugin/pkg/admission/securitycontext/scdeny/admission.go.
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { containersOf, ON_PODS, specOf } from "../pods/pod-parts";

/** Checked in this order. */
const OF_PODS = [
  ["supplementalGroups", "SupplementalGroups"],
  ["seLinuxOptions", "SELinuxOptions"],
  ["runAsUser", "RunAsUser"],
  ["fsGroup", "FSGroup"],
] as const;

const OF_CONTAINERS = [
  ["seLinuxOptions", "SELinuxOptions"],
  ["runAsUser", "RunAsUser"],
] as const;

export const securityContextDeny = definePlugin({
  name: "SecurityContextDeny",
  reads: [],
  make: () => ({
    on: ON_PODS,
    validate(request) {
      const spec = specOf(request.object);
      if (spec === undefined) return;
      const ofPod = chosen(spec, OF_PODS);
      if (ofPod !== undefined) throw forbidden(request, `pod.Spec.SecurityContext.${ofPod} is forbidden`);
      for (const container of containersOf(spec, "initContainers", "containers")) {
        const ofContainer = chosen(container, OF_CONTAINERS);
        if (ofContainer !== undefined) throw forbidden(request, `SecurityContext.${ofContainer} is forbidden`);
      }
    },
  }),
});

/** Returns the display name of the first field that is set. */
function chosen(owner: JsonObject, fields: readonly (readonly [field: string, name: string])[]): string | undefined {
  const { securityContext: context } = owner;
  if (!isObject(context)) return undefined;
  return fields.find(([field]) => (context[field] ?? null) !== null)?.[1];
}
