// NodeDeclaredFeatureValidator plugin: refuses an update of a bound pod that needs a feature which its node does not
// declare. Source: KEP-5328, "Node Declared Features"; plugin/pkg/admission/nodedeclaredfeatures/admission.go.
import { type AdmissionRequest, metaOf, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { containersIn, specOf } from "../pods/pod-parts";

const NODES = { group: "", resource: "nodes" } as const;

export const nodeDeclaredFeatureValidator = definePlugin({
  name: "NodeDeclaredFeatureValidator",
  reads: ["options", "objects"],
  make({ options, objects }) {
    function judge(request: AdmissionRequest, of: NeededFeatures, node: JsonObject | undefined): void {
      const quoted = JSON.stringify(of.node);
      if (node === undefined) throw forbidden(request, `node ${quoted} not found`);
      const { status } = node;
      const declared = isObject(status) ? status["declaredFeatures"] : undefined;
      const missing = of.features.filter((feature) => !Array.isArray(declared) || !declared.includes(feature));
      if (missing.length === 0) return;
      const features = missing.join(", ");
      throw forbidden(request, `pod update requires features ${features} which are not available on node ${quoted}`);
    }

    return {
      on: options.isOn("NodeDeclaredFeatures")
        ? [
            {
              operations: ["UPDATE"],
              resources: ["", "resize"].map((subresource) => ({ group: "", plural: "pods", subresource })),
            },
          ]
        : [],
      validate(request) {
        const needed = neededFeatures(request);
        if (needed === undefined) return undefined;
        const found = objects.cached(NODES, { namespace: "", name: needed.node });
        if (found instanceof Promise) return found.then((node) => judge(request, needed, node));
        return judge(request, needed, found);
      },
    };
  },
});

interface NeededFeatures {
  readonly node: string;
  readonly features: readonly string[];
}

/** Returns the features that an update of a bound pod needs, in the order of their names; undefined for none. */
function neededFeatures({ object = {}, oldObject = {} }: AdmissionRequest): NeededFeatures | undefined {
  const [spec, before] = [specOf(object), specOf(oldObject)];
  const node = spec?.["nodeName"];
  if (spec === undefined || before === undefined || typeof node !== "string" || node === "") return undefined;
  if (metaOf(object).generation === metaOf(oldObject).generation) return undefined;
  const features = [
    ...(sameJson(spec["resources"] ?? null, before["resources"] ?? null)
      ? []
      : ["InPlacePodLevelResourcesVerticalScaling"]),
    ...(changesInitContainer(spec, before) ? ["InPlacePodVerticalScalingInitContainers"] : []),
  ];
  return features.length === 0 ? undefined : { node, features };
}

/** Returns whether the resources of an init container that is no sidecar change. */
function changesInitContainer(spec: JsonObject, before: JsonObject): boolean {
  const after = containersIn(spec, "initContainers");
  return containersIn(before, "initContainers").some(
    ({ restartPolicy, resources }, at) =>
      restartPolicy !== "Always" && !sameJson(resources ?? {}, after[at]?.["resources"] ?? {}),
  );
}
