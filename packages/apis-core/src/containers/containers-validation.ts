// Validation of containers, init containers and ephemeral containers. Source: pkg/apis/core/validation/validation.go.

import { fields, isAbsent, label1123, oneOf, type Place, type Report, type Rule, required } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import type { VolumeOwner, VolumesByName } from "../volumes/volumes-validation";
import { env, envFrom } from "./container-env-validation";
import { containerPorts, hostPortConflicts, portsOfHost } from "./container-ports-validation";
import { decisiveProbe, lifecycle, readinessProbe, sleepActions } from "./probes-validation";
import { resizePolicies } from "./resize-policy-validation";
import { resourceRequirements } from "./resource-requirements-validation";
import { containerRestartPolicy, initContainerRestartPolicy } from "./restart-policy-validation";
import { securityContext } from "./security-context-validation";
import { volumeDevices, volumeMounts } from "./volume-mounts-validation";

const MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];

const terminationMessagePolicy: Rule<string> = (value, at, report) => {
  if (MESSAGE_POLICIES.includes(value)) return;
  if (report.features.since("1.28")) report.notSupported(at, value, MESSAGE_POLICIES);
  else report.invalid(at, value, "must be 'File' or 'FallbackToLogsOnError'");
};

/** Rules of every container, also of those without probes and lifecycle. */
const commonRules = fields<coreV1.Container>({
  name: required(label1123),
  image: required(),
  ports: containerPorts,
  envFrom,
  env,
  resources: resourceRequirements,
  terminationMessagePolicy: required(terminationMessagePolicy),
  imagePullPolicy: required(oneOf("Always", "IfNotPresent", "Never")),
  securityContext,
});

const hookRules = fields<coreV1.Container>({
  livenessProbe: decisiveProbe,
  readinessProbe,
  startupProbe: decisiveProbe,
  lifecycle,
});

/** Properties of the pod that the rules of containers depend on. */
interface ContainerSurroundings {
  readonly volumes: VolumesByName;
  readonly owner: VolumeOwner;
  readonly hostNetwork: boolean;
  readonly restartPolicy: string | undefined;
  readonly graceSeconds: number | undefined;
}

/** Volumes that containers can mount, and the kind of the object. */
export type ContainerVolumes = Pick<ContainerSurroundings, "volumes" | "owner">;

const surroundingsOf = (spec: coreV1.PodSpec, volumes: ContainerVolumes): ContainerSurroundings => ({
  ...volumes,
  hostNetwork: spec.hostNetwork === true,
  restartPolicy: spec.restartPolicy,
  graceSeconds: spec.terminationGracePeriodSeconds,
});

function containerErrors(
  container: coreV1.Container,
  { volumes, restartPolicy }: ContainerSurroundings,
  at: Place,
  report: Report,
): void {
  commonRules(container, at, report);
  if (container.resizePolicy !== undefined) resizePolicies(container, restartPolicy, at, report);
  volumeMounts(container, volumes, at, report);
  volumeDevices(container, volumes, at, report);
}

/** Validates probes and lifecycle, of containers that may have them. */
function hookErrors(
  container: coreV1.Container,
  { graceSeconds }: ContainerSurroundings,
  at: Place,
  report: Report,
): void {
  hookRules(container, at, report);
  if (container.lifecycle !== undefined) sleepActions(container.lifecycle, graceSeconds, at.field("lifecycle"), report);
}

/** Validates all containers of a pod. @param at path of the pod's spec */
export function allContainerErrors(spec: coreV1.PodSpec, volumes: ContainerVolumes, at: Place, report: Report): void {
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
  const surroundings = surroundingsOf(spec, { volumes, owner: "pod" });
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
    hookErrors(container, surroundings, place, report);
    freshName(container.name, names, place, report);
    hostPortConflicts(container, hostPorts, place, report);
    if (surroundings.hostNetwork) portsOfHost(container, surroundings.owner, place, report);
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
    // Since 1.28, ports of init containers may differ.
    if (surroundings.hostNetwork && !report.features.since("1.28")) {
      portsOfHost(container, surroundings.owner, place, report);
    }
    initContainerRestartPolicy(container, place, report);
    // Before 1.25, the hooks of containers that may have none were validated too.
    const restarts = container.restartPolicy === "Always";
    if (restarts || !report.features.since("1.25")) hookErrors(container, surroundings, place, report);
    if (!restarts) noHooks(container, place, report);
  });
}

function noHooks(container: coreV1.Container, at: Place, report: Report): void {
  for (const name of NEVER_FIRST) {
    const value = container[name];
    if (value === undefined) continue;
    const place = at.field(name);
    if (report.features.since("1.28")) {
      report.forbidden(place, "may not be set for init containers without restartPolicy=Always");
    } else report.invalid(place, value, "must not be set for init containers");
  }
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
  "volumeDevices",
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
    if (!report.features.since("1.25")) hookErrors(container, surroundings, place, report);
    freshName(container.name, names, place, report);
    const { targetContainerName: target = "" } = container;
    if (target !== "" && !targets.has(target)) report.notFound(place.field("targetContainerName"), target);
    for (const [name, value] of Object.entries(container)) {
      if (EPHEMERAL_FIELDS.has(name) || isNothing(name, value)) continue;
      report.forbidden(place.field(name), NOT_EPHEMERAL);
    }
    if (report.features.since("1.25")) noSubPaths(container.volumeMounts ?? [], place.field("volumeMounts"), report);
  });
}

const NOT_EPHEMERAL = "cannot be set for an Ephemeral Container";

/** Bind mounts of sub-paths stay until the pod ends. */
function noSubPaths(mounts: readonly coreV1.VolumeMount[], at: Place, report: Report): void {
  mounts.forEach((mount, position) => {
    for (const name of ["subPath", "subPathExpr"] as const) {
      if (mount[name]) report.forbidden(at.item(position).field(name), NOT_EPHEMERAL);
    }
  });
}

/** Returns whether a value is what decoding sets for an absent field: only `resources` is then an empty object. */
const isNothing = (name: string, value: unknown): boolean =>
  name === "resources" && typeof value === "object" && value !== null
    ? Object.keys(value).length === 0
    : value === undefined || value === null;

function freshName(name: string, names: Set<string>, at: Place, report: Report): void {
  if (isAbsent(name)) return;
  if (names.has(name)) report.duplicate(at.field("name"), name);
  names.add(name);
}
