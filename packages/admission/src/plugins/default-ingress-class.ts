// DefaultIngressClass plugin: sets the default class on ingresses without one. Source:
// plugin/pkg/admission/defaultingressclass/admission.go.
import { type MutableAdmissionRequest, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { defaultClasses, writableSpec } from "./default-class";

export const defaultIngressClass = definePlugin({
  name: "DefaultIngressClass",
  reads: ["vocabulary", "objects"],
  make({ vocabulary: { annotations, groups }, objects }) {
    const { networking } = groups;
    const classes = objects.lister({ group: networking, resource: "ingressclasses" });
    const marks = [annotations.ingressclassIsDefaultClass];

    function choose(request: MutableAdmissionRequest, all: readonly JsonObject[]): void {
      const [name, ...others] = defaultClasses(all, marks);
      if (others.length > 0) {
        const found = others.length + 1;
        throw forbidden(request, `${found} default IngressClasses were found, only 1 allowed`);
      }
      if (name !== undefined) writableSpec(request.object)["ingressClassName"] = name;
    }

    return {
      on: [{ operations: ["CREATE"], resources: [{ group: networking, plural: "ingresses", subresource: "" }] }],
      mutate(request) {
        const { object, version } = request;
        // Ingresses of the older API group have no class field.
        if (object === undefined || version.group !== networking || namesClass(object, annotations.ingressClass))
          return;
        const all = classes.all();
        return all instanceof Promise ? all.then((found) => choose(request, found)) : choose(request, all);
      },
    };
  },
});

/** Returns whether the ingress names a class. The empty name opts out of the default. */
function namesClass(ingress: JsonObject, annotation: string): boolean {
  const { annotations = {} } = metaOf(ingress);
  const { ingressClassName = null } = (ingress["spec"] ?? {}) as JsonObject;
  return Object.hasOwn(annotations, annotation) || ingressClassName !== null;
}
