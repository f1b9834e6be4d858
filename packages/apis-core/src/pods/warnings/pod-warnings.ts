// Warnings about pods and pod templates. Sources: Kubernetes documentation, "Pods"; KEP-1693, "Warning mechanism".
import {
  fieldAt,
  objectsAt,
  sameValue,
  type WarningContext,
  WarningList,
  warnOfAddress,
  warnOfFraction,
  warnOfLabel,
  warnOfLabels,
  warnOfTerm,
} from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { warnOfEnvironment, warnOfFractions, warnOfPorts, warnOfResources } from "./container-warnings";
import { containersOf, type PlacedContainer, type PodShape } from "./pod-shape";
import { warnOfVolumes } from "./volume-warnings";

/** Returns the warnings about a new pod. An update has none: its cost would be on the path of node agents. */
export function podWarnings(pod: JsonObject, context: WarningContext): readonly string[] {
  if (context.old !== undefined || !context.features.since("1.21")) return [];
  const list = new WarningList(context);
  const metadata = objectOf(pod["metadata"]);
  const name = String(metadata["name"] ?? "");
  const flaws = list.since("1.25") ? flawsOfHostname(name) : [];
  if (flaws.length > 0) {
    const says =
      "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
    list.add("metadata.name", `${says}: [${flaws.join(" ")}]`);
  }
  warnOfPod({ at: "", metadata, spec: objectOf(pod["spec"]) }, list);
  return list.texts;
}

/** Longest name of a host. */
const HOSTNAME_MAX = 63;

/** Returns why the name of a pod, which is a valid subdomain, is no name of a host. */
const flawsOfHostname = (name: string): string[] => [
  ...(name.length > HOSTNAME_MAX ? [`must be no more than ${HOSTNAME_MAX} characters`] : []),
  ...(name.includes(".") ? ["must not contain dots"] : []),
];

export interface TemplateUpdates {
  /** Part whose change makes an update warn about the template. Default: the whole spec. */
  readonly changed?: readonly string[];
  /** Whether an update warns about the template as it was stored before. */
  readonly warnsOfOld?: boolean;
}

/**
 * Returns the warnings about the pod template of a workload. An update without a change has none.
 * @param path of the template
 */
export function templateWarnings(
  path: readonly string[],
  { changed = ["spec"], warnsOfOld = false }: TemplateUpdates = {},
) {
  return (object: JsonObject, context: WarningContext): readonly string[] => {
    if (!context.features.since("1.21")) return [];
    const { old } = context;
    if (old !== undefined && sameValue(fieldAt(object, changed), fieldAt(old, changed))) return [];
    const template = objectOf(fieldAt(warnsOfOld && old !== undefined ? old : object, path));
    const list = new WarningList(context);
    const at = `${path.join(".")}.`;
    warnOfPod({ at, metadata: objectOf(template["metadata"]), spec: objectOf(template["spec"]) }, list);
    return list.texts;
  };
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

function warnOfPod(pod: PodShape, list: WarningList): void {
  const { at, spec } = pod;
  warnOfPlacement(pod, list);
  warnOfAnnotations(pod, list);
  if (isListed(spec["volumes"])) warnOfVolumes(pod, list);
  warnOfRepeats(pod, list);
  warnOfFractions(spec["overhead"], `${at}spec.overhead`, list);
  const containers = containersOf(pod);
  for (const each of containers) {
    warnOfContainerAnnotations(pod, each, list);
    warnOfResources(each, list);
    warnOfEnvironment(each, list);
  }
  warnOfPorts(containers, list);
  warnOfClaimTemplates(pod, list);
  const grace = spec["terminationGracePeriodSeconds"];
  if (typeof grace === "number" && grace < 0 && list.since("1.25")) {
    list.add(
      `${at}spec.terminationGracePeriodSeconds`,
      "must be >= 0; negative values are invalid and will be treated as 1",
    );
  }
  if (list.since("1.33")) warnOfAddresses(pod, list);
}

const isListed = (value: JsonValue | undefined): boolean => Array.isArray(value) && value.length > 0;

const NO_POD = "a null labelSelector results in matching no pod";

function warnOfPlacement({ at, spec }: PodShape, list: WarningList): void {
  const { nodeSelector, affinity, topologySpreadConstraints } = spec;
  if (isObject(nodeSelector)) warnOfLabels(nodeSelector, (key) => `${at}spec.nodeSelector[${key}]`, list);
  const affinities = objectOf(affinity);
  const nodes = objectOf(affinities["nodeAffinity"]);
  const nodePlace = `${at}spec.affinity.nodeAffinity`;
  for (const [position, term] of objectsAt(objectOf(nodes[REQUIRED]), "nodeSelectorTerms").entries()) {
    warnOfTerm(term, { at: `${nodePlace}.${REQUIRED}.nodeSelectorTerms[${position}]` }, list);
  }
  for (const [position, { preference }] of objectsAt(nodes, PREFERRED).entries()) {
    const place = `${nodePlace}.${PREFERRED}[${position}].preference`;
    warnOfTerm(objectOf(preference), { at: place, checksValues: true }, list);
  }
  if (isListed(topologySpreadConstraints)) {
    for (const [position, constraint] of objectsAt(spec, "topologySpreadConstraints").entries()) {
      const place = `${at}spec.topologySpreadConstraints[${position}]`;
      warnOfLabel(constraint["topologyKey"], `${place}.topologyKey`, list);
      if (constraint["labelSelector"] == null && list.since("1.27")) list.add(`${place}.labelSelector`, NO_POD);
    }
  }
  if (!list.since("1.27")) return;
  for (const field of ["podAffinity", "podAntiAffinity"]) {
    const terms = objectOf(affinities[field]);
    const place = `${at}spec.affinity.${field}`;
    for (const [position, { labelSelector }] of objectsAt(terms, REQUIRED).entries()) {
      if (labelSelector == null) list.add(`${place}.${REQUIRED}[${position}].labelSelector`, NO_POD);
    }
    for (const [position, { podAffinityTerm }] of objectsAt(terms, PREFERRED).entries()) {
      if (objectOf(podAffinityTerm)["labelSelector"] != null) continue;
      list.add(`${place}.${PREFERRED}[${position}].podAffinityTerm.labelSelector`, NO_POD);
    }
  }
}

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const SECCOMP_FIELD = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function warnOfAnnotations({ at, metadata, spec }: PodShape, list: WarningList): void {
  const annotations = metadata["annotations"];
  if (!isObject(annotations)) return;
  const names = list.vocabulary.annotations;
  const place = (key: string) => `${at}metadata.annotations[${key}]`;
  const critical = names.schedulerAlphaCriticalPod;
  if (critical in annotations) {
    list.add(place(critical), 'non-functional in v1.16+; use the "priorityClassName" field instead');
  }
  const seccomp = names.seccompSecurityAlphaPod;
  if (list.since("1.27") && seccomp in annotations && fieldAt(spec, ["securityContext", "seccompProfile"]) == null) {
    list.add(place(seccomp), SECCOMP_FIELD);
  }
}

function warnOfContainerAnnotations(
  { at, metadata, spec }: PodShape,
  { container }: PlacedContainer,
  list: WarningList,
): void {
  const annotations = metadata["annotations"];
  if (!isObject(annotations)) return;
  const names = list.vocabulary.annotations;
  const name = String(container["name"] ?? "");
  const warn = (prefix: string, field: string, text: string) => {
    const key = `${prefix}${name}`;
    if (!(key in annotations) || fieldAt(container, ["securityContext", field]) != null) return;
    list.add(`${at}metadata.annotations[${key}]`, text);
  };
  if (list.since("1.27")) warn(names.containerSeccompSecurityAlpha, "seccompProfile", SECCOMP_FIELD);
  if (list.since("1.30") && fieldAt(spec, ["securityContext", "appArmorProfile"]) == null) {
    const text = 'deprecated since v1.30; use the "appArmorProfile" field instead';
    warn(names.containerApparmorSecurityBeta, "appArmorProfile", text);
  }
}

/** Adds warnings about repeated host aliases and pull secrets. */
function warnOfRepeats({ at, spec }: PodShape, list: WarningList): void {
  const repeats = (field: string, key: string, what: string) => {
    const seen = new Set<JsonValue>();
    for (const [position, item] of objectsAt(spec, field).entries()) {
      const value = item[key] ?? "";
      if (seen.has(value))
        list.add(`${at}spec.${field}[${position}].${key}`, `duplicate ${what} ${JSON.stringify(value)}`);
      seen.add(value);
    }
  };
  repeats("hostAliases", "ip", "ip");
  repeats("imagePullSecrets", "name", "name");
  for (const [position, { name = "" }] of objectsAt(spec, "imagePullSecrets").entries()) {
    if (name === "") list.add(`${at}spec.imagePullSecrets[${position}].name`, 'invalid empty name ""');
  }
}

/** Adds warnings about the claims that a pod's ephemeral volumes create. */
function warnOfClaimTemplates({ at, spec }: PodShape, list: WarningList): void {
  if (!list.since("1.22")) return;
  for (const [position, volume] of objectsAt(spec, "volumes").entries()) {
    const resources = fieldAt(volume, ["ephemeral", "volumeClaimTemplate", "spec", "resources"]);
    if (!isObject(resources)) continue;
    warnOfClaim(resources, `${at}spec.volumes[${position}].ephemeral.volumeClaimTemplate.spec`, list);
  }
}

/** Adds warnings about the storage that a claim asks for. @param at path of the claim's spec */
function warnOfClaim(resources: JsonObject, at: string, list: WarningList): void {
  for (const field of ["requests", "limits"]) {
    warnOfFraction(objectOf(resources[field])["storage"], `${at}.resources.${field}[storage]`, list);
  }
}

function warnOfAddresses({ at, spec }: PodShape, list: WarningList): void {
  const nameservers = objectOf(spec["dnsConfig"])["nameservers"];
  if (Array.isArray(nameservers)) {
    for (const [position, address] of nameservers.entries()) {
      warnOfAddress(address, `${at}spec.dnsConfig.nameservers[${position}]`, list);
    }
  }
  for (const [position, { ip }] of objectsAt(spec, "hostAliases").entries()) {
    warnOfAddress(ip, `${at}spec.hostAliases[${position}].ip`, list);
  }
}
