// PodTolerationRestriction plugin: adds the default tolerations of the namespace or the cluster to pods and refuses
// tolerations that are not allowed there. Source: plugin/pkg/admission/podtolerationrestriction/admission.go.
import { featuresOf, qualityOfService } from "@orch/apis";
import { type AdmissionRequest, ConfigurationFields, type MutableAdmissionRequest, notFound } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, readJson, type Vocabulary } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { namespaceOfPod } from "../pods/cached-or-stored";
import { annotationOf, NAMESPACES, ON_PODS, specOf } from "../pods/pod-parts";
import {
  areCovered,
  mergeTolerations,
  readTolerations,
  setTolerations,
  type Toleration,
  tolerationsOf,
} from "../pods/tolerations";

interface ClusterTolerations {
  readonly byDefault: readonly Toleration[];
  readonly allowed: readonly Toleration[];
}

export const podTolerationRestriction = definePlugin({
  name: "PodTolerationRestriction",
  reads: ["vocabulary", "release", "objects", "yielder"],
  configure: (configuration, { vocabulary }) => readClusterTolerations(configuration, vocabulary.groups),
  make({ vocabulary, release, objects, yielder }, cluster) {
    const features = featuresOf(release);
    const { schedulerAlphaDefaultTolerations, schedulerAlphaTolerationsWhitelist } = vocabulary.annotations;

    async function saidBy(request: AdmissionRequest, annotation: string) {
      const { namespace } = request;
      const found = await namespaceOfPod(objects, namespace);
      if (found === undefined) throw notFound(NAMESPACES, namespace);
      return tolerationsIn(request, found, annotation);
    }

    async function mutate(request: MutableAdmissionRequest): Promise<void> {
      const spec = specOf(request.object);
      if (spec === undefined) return;
      // A namespace may have thousands of tolerations.
      if (yielder.isOver) await yielder.next();
      const more: Toleration[] = [];
      if (request.operation === "CREATE") {
        more.push(...((await saidBy(request, schedulerAlphaDefaultTolerations)) ?? cluster.byDefault));
      }
      if (qualityOfService(spec, features) !== "BestEffort") more.push(underPressure(vocabulary));
      if (yielder.isOver) await yielder.next();
      if (more.length > 0) setTolerations(spec, mergeTolerations(tolerationsOf(spec), more));
      await validate(request);
    }

    async function validate(request: AdmissionRequest): Promise<void> {
      const spec = specOf(request.object);
      const tolerations = spec === undefined ? [] : tolerationsOf(spec);
      if (tolerations.length === 0) return;
      const ofNamespace = await saidBy(request, schedulerAlphaTolerationsWhitelist);
      const allowed = ofNamespace ?? cluster.allowed;
      if (allowed.length === 0) return;
      if (yielder.isOver) await yielder.next();
      if (areCovered(tolerations, allowed)) return;
      const whose = ofNamespace === undefined ? "cluster" : "namespace";
      throw forbidden(
        request,
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${whose} whitelist`,
      );
    }

    return { on: ON_PODS, mutate, validate };
  },
});

/** Toleration of memory pressure for pods that have requests or limits. */
const underPressure = ({ taints }: Vocabulary): Toleration => ({
  key: taints.nodeMemoryPressure,
  operator: "Exists",
  effect: "NoSchedule",
});

/**
 * Reads the annotation of a namespace. Undefined: the cluster's configuration applies. @throws StatusError Forbidden
 * (403) when it is not a list of tolerations
 */
function tolerationsIn(
  request: AdmissionRequest,
  namespace: JsonObject,
  annotation: string,
): readonly Toleration[] | undefined {
  const text = annotationOf(namespace, annotation);
  if (text === undefined || text === "") return text === undefined ? undefined : [];
  try {
    return readTolerations(readJson(text));
  } catch (error) {
    throw forbidden(request, `annotation ${annotation} of the namespace: ${(error as Error).message}`);
  }
}

/** Reads the configuration. @throws Error that names the field */
function readClusterTolerations(
  configuration: JsonValue | undefined,
  groups: Vocabulary["groups"],
): ClusterTolerations {
  if (configuration === undefined) return { byDefault: [], allowed: [] };
  const document = isObject(configuration) ? configuration : {};
  const fields = new ConfigurationFields();
  const supported = [`${groups.podtolerationrestrictionAdmission}/v1alpha1`];
  fields.versioned(document, { kind: "Configuration", supported });
  fields.known(document, "", ["apiVersion", "kind", "default", "whitelist"]);
  const read = (name: "default" | "whitelist"): readonly Toleration[] => {
    try {
      return readTolerations(document[name]);
    } catch (error) {
      fields.lines.push(`${name}: ${(error as Error).message}`);
      return [];
    }
  };
  const tolerations = { byDefault: read("default"), allowed: read("whitelist") };
  fields.end();
  return tolerations;
}
