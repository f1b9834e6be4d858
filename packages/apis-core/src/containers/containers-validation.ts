// Validation of containers, init containers and ephemeral containers. Source: pkg/apis/core/validation/validation.go.

import { fields, isAbsent, label1123, oneOf, type Place, type Report, type Rule, required } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { env, envFrom } from "./container-env-validation";
import { containerPorts, hostPortConflicts, portsOfHost } from "./container-ports-validation";
import { decisiveProbe, lifecycle, probe, sleepActions } from "./probes-validation";
import { resizePolicies } from "./resize-policy-validation";
import { resourceRequirements } from "./resource-requirements-validation";
import { containerRestartPolicy, initContainerRestartPolicy } from "./restart-policy-validation";
import { securityContext } from "./security-context-validation";
import { type VolumesByName, volumeDevices, volumeMounts } from "./volume-mounts-validation";

const terminationMessagePolicy: Rule<string> = (value, at, report) => {
  if (value !== "File" && value !== "FallbackToLogsOnError") {
    report.invalid(at, value, "must be 'File' or 'FallbackToLogsOnError'");
  }
};

const ownRules = fields<coreV1.Container>({
  name: required(label1123),
  image: required(),
  ports: containerPorts,
  envFrom,
  env,
  resources: resourceRequirements,
  livenessProbe: decisiveProbe,
  readinessProbe: probe,
  startupProbe: decisiveProbe,
  lifecycle,
  terminationMessagePolicy: required(terminationMessagePolicy),
  imagePullPolicy: required(oneOf("Always", "IfNotPresent", "Never")),
  securityContext,
});

/** Properties of the pod that the rules of containers depend on. */
interface ContainerSurroundings {
  readonly volumes: VolumesByName;
  readonly hostNetwork: boolean;
  readonly restartPolicy: string | undefined;
  readonly graceSeconds: number | undefined;
}

const surroundingsOf = (spec: coreV1.PodSpec, volumes: VolumesByName): ContainerSurroundings => ({
  volumes,
  hostNetwork: spec.hostNetwork === true,
  restartPolicy: spec.restartPolicy,
  graceSeconds: spec.terminationGracePeriodSeconds,
});

function containerErrors(
  container: coreV1.Container,
  { volumes, restartPolicy, graceSeconds }: ContainerSurroundings,
  at: Place,
  report: Report,
): void {
  ownRules(container, at, report);
  if (container.resizePolicy !== undefined) resizePolicies(container, restartPolicy, at, report);
  if (container.lifecycle !== undefined) sleepActions(container.lifecycle, graceSeconds, at.field("lifecycle"), report);
  volumeMounts(container, volumes, at, report);
  volumeDevices(container, volumes, at, report);
}

/** Validates all containers of a pod. @param at path of the pod's spec */
export function allContainerErrors(spec: coreV1.PodSpec, volumes: VolumesByName, at: Place, report: Report): void {
  const surroundings = surroundingsOf(spec, volumes);
  const names = new Set<string>();
  runningContainerErrors(spec.containers ?? [], surroundings, names, at.field("containers"), report);
  if (spec.initContainers !== undefined) {
    initContainerErrors(spec.initContainers, surroundings, names, at.field("initContainers"), report);
  }
  if (spec.ephemeralContainers !== undefined) {
    ephemeralContainerErrors(spec.ephemeralContainers, surroundings, names, at.field("ephemeralContainers"), report);
  }
}

/** Validates the ephemeral containers against the existing ones. @param at path of the pod's spec */
export function joiningContainerErrors(spec: coreV1.PodSpec, at: Place, report: Report): void {
  const volumes: VolumesByName = new Map((spec.volumes ?? []).map((each) => [each.name, each]));
  const names = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const surroundings = surroundingsOf(spec, volumes);
  const place = at.field("ephemeralContainers");
  ephemeralContainerErrors(spec.ephemeralContainers ?? [], surroundings, names, place, report);
}

function runningContainerErrors(
  containers: readonly coreV1.Container[],
  surroundings: ContainerSurroundings,
  names: Set<string>,
  at: Place,
  report: Report,
): void {
  if (containers.length === 0) report.required(at);
  const hostPorts = new Set<string>();
  containers.forEach((container, position) => {
    const place = at.item(position);
    containerErrors(container, surroundings, place, report);
    freshName(container.name, names, place, report);
    hostPortConflicts(container, hostPorts, place, report);
    if (surroundings.hostNetwork) portsOfHost(container, place, report);
    containerRestartPolicy(container, place, report);
  });
}

const NEVER_FIRST = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Validates init containers, which have no probes unless they restart. */
function initContainerErrors(
  containers: readonly coreV1.Container[],
  surroundings: ContainerSurroundings,
  names: Set<string>,
  at: Place,
  report: Report,
): void {
  containers.forEach((container, position) => {
    const place = at.item(position);
    containerErrors(container, surroundings, place, report);
    freshName(container.name, names, place, report);
    hostPortConflicts(container, new Set(), place, report);
    if (surroundings.hostNetwork) portsOfHost(container, place, report);
    initContainerRestartPolicy(container, place, report);
    if (container.restartPolicy === "Always") return;
    for (const name of NEVER_FIRST) {
      if (container[name] !== undefined) {
        report.invalid(place.field(name), container[name], "must not be set for init containers");
      }
    }
  });
}

const EPHEMERAL_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "image",
  "command",
  "args",
  "workingDir",
  "envFrom",
  "env",
  "volumeMounts",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "imagePullPolicy",
  // Fields that Kubernetes also allows, for debugging processes of other containers.
  "securityContext",
  "stdin",
  "stdinOnce",
  "tty",
  "targetContainerName",
]);

function ephemeralContainerErrors(
  containers: readonly coreV1.EphemeralContainer[],
  surroundings: ContainerSurroundings,
  names: Set<string>,
  at: Place,
  report: Report,
): void {
  const targets = new Set(names);
  containers.forEach((container, position) => {
    const place = at.item(position);
    containerErrors(container, surroundings, place, report);
    freshName(container.name, names, place, report);
    const { targetContainerName: target = "" } = container;
    if (target !== "" && !targets.has(target)) report.notFound(place.field("targetContainerName"), target);
    for (const [name, value] of Object.entries(container)) {
      if (EPHEMERAL_FIELDS.has(name) || isNothing(value)) continue;
      report.forbidden(place.field(name), "cannot be set for an Ephemeral Container");
    }
  });
}

/** Returns whether a value is what decoding sets for an absent field, such as the empty `resources`. */
const isNothing = (value: unknown): boolean =>
  isAbsent(value) || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

function freshName(name: string, names: Set<string>, at: Place, report: Report): void {
  if (isAbsent(name)) return;
  if (names.has(name)) report.duplicate(at.field("name"), name);
  names.add(name);
}
