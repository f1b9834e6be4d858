// PodNodeSelector plugin: restricts pods to the nodes selected for their namespace or the cluster. Source:
// plugin/pkg/admission/podnodeselector/admission.go.
import {
  type AdmissionRequest,
  internalError,
  labelValueErrors,
  type MutableAdmissionRequest,
  qualifiedNameErrors,
} from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { namespaceOfPod } from "../pods/cached-or-stored";
import { annotationOf, ON_NEW_PODS, specOf, textsIn } from "../pods/pod-parts";

/** Exact values keyed by node label. */
type NodeLabels = ReadonlyMap<string, string>;

/** Selectors keyed by namespace, and the default for namespaces without an annotation. */
interface Selectors {
  readonly byDefault: NodeLabels;
  readonly allowed: ReadonlyMap<string, NodeLabels>;
}

const CONFIGURED = "podNodeSelectorPluginConfig";
const BY_DEFAULT = "clusterDefaultNodeSelector";
const NOTHING: NodeLabels = new Map();

export const podNodeSelector = definePlugin({
  name: "PodNodeSelector",
  reads: ["vocabulary", "objects"],
  configure: readSelectors,
  make({ vocabulary: { annotations }, objects }, selectors) {
    /**
     * Returns the selector of the namespace. @throws StatusError InternalError (500) when the namespace does not exist,
     * Forbidden (403) when its annotation is not a selector
     */
    async function chosenFor(request: AdmissionRequest): Promise<NodeLabels> {
      const { namespace } = request;
      const found = await namespaceOfPod(objects, namespace);
      if (found === undefined) throw internalError(`namespace ${namespace} does not exist`);
      const text = annotationOf(found, annotations.schedulerAlphaNodeSelector);
      if (text === undefined) return selectors.byDefault;
      try {
        return parseNodeLabels(text);
      } catch (error) {
        const annotation = annotations.schedulerAlphaNodeSelector;
        throw forbidden(request, `annotation ${annotation} of the namespace: ${(error as Error).message}`);
      }
    }

    async function validate(request: AdmissionRequest): Promise<void> {
      const spec = specOf(request.object);
      if (spec === undefined) return;
      refuseConflict(request, spec, await chosenFor(request));
      refuseOthers(request, spec, selectors.allowed.get(request.namespace) ?? NOTHING);
    }

    async function mutate(request: MutableAdmissionRequest): Promise<void> {
      const spec = specOf(request.object);
      if (spec === undefined) return;
      const chosen = await chosenFor(request);
      refuseConflict(request, spec, chosen);
      if (chosen.size > 0) spec["nodeSelector"] = { ...Object.fromEntries(chosen), ...textsIn(spec, "nodeSelector") };
      refuseOthers(request, spec, selectors.allowed.get(request.namespace) ?? NOTHING);
    }

    return { on: ON_NEW_PODS, mutate, validate };
  },
});

function refuseConflict(request: AdmissionRequest, spec: JsonObject, chosen: NodeLabels): void {
  const own = textsIn(spec, "nodeSelector");
  for (const [key, value] of chosen) {
    if (!Object.hasOwn(own, key) || own[key] === value) continue;
    throw forbidden(request, "pod node label selector conflicts with its namespace node label selector");
  }
}

function refuseOthers(request: AdmissionRequest, spec: JsonObject, allowed: NodeLabels): void {
  if (allowed.size === 0) return;
  for (const [key, value] of Object.entries(textsIn(spec, "nodeSelector"))) {
    if (allowed.get(key) === value) continue;
    throw forbidden(request, "pod node label selector labels conflict with its namespace whitelist");
  }
}

/** Reads the configuration. @throws Error for a selector that does not consist of exact values */
function readSelectors(configuration: JsonValue | undefined): Selectors {
  const fields = configuration ?? {};
  if (!isObject(fields)) throw new Error("must be an object");
  const configured = fields[CONFIGURED] ?? {};
  if (!isObject(configured)) throw new Error(`${CONFIGURED} must map namespaces to selectors`);
  const all = Object.entries(configured).map(([namespace, text]) => {
    if (typeof text !== "string" && text !== null) throw new Error(`${CONFIGURED}.${namespace} must be a selector`);
    try {
      return [namespace, parseNodeLabels(text ?? "")] as const;
    } catch (error) {
      throw new Error(`${CONFIGURED}.${namespace}: ${(error as Error).message}`, { cause: error });
    }
  });
  const allowed = new Map(all);
  return { byDefault: allowed.get(BY_DEFAULT) ?? NOTHING, allowed };
}

/** Parses a selector. @param text such as `zone=a,disk=fast` @throws Error for anything else */
function parseNodeLabels(text: string): NodeLabels {
  const read = new Map<string, string>();
  if (text === "") return read;
  for (const pair of text.split(",")) {
    const sides = pair.split("=");
    const [key = "", value = ""] = sides.map((side) => side.trim());
    if (sides.length !== 2) throw new Error(`invalid selector: [${sides.join(" ")}]`);
    const ofKey = qualifiedNameErrors(key);
    if (ofKey.length > 0) throw new Error(`invalid label key ${JSON.stringify(key)}: ${ofKey.join("; ")}`);
    const ofValue = labelValueErrors(value);
    if (ofValue.length > 0) {
      const where = `at key: ${JSON.stringify(key)}`;
      throw new Error(`invalid label value: ${JSON.stringify(value)}: ${where}: ${ofValue.join("; ")}`);
    }
    read.set(key, value);
  }
  return read;
}
