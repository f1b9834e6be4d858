// Scopes of pods.

import { type Features, objectsAt } from "@orch/apis-model";
import { existsIn, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { qualityOfService } from "../pods/quality-of-service";
import { type ScopeRequirement, selectsName } from "./scopes";

const AFFINITY_SCOPE = { since: "1.22" };

type Gates = Pick<Features, "isOn">;

type Scope = (spec: JsonObject, requirement: ScopeRequirement, qosClass?: JsonValue, gates?: Gates) => boolean;

const ends: Scope = ({ activeDeadlineSeconds: seconds }) => typeof seconds === "number" && seconds >= 0;
/** A pod without a class has not been prepared. */
const isBestEffort: Scope = (spec, _, qosClass, gates) => (qosClass || qualityOfService(spec, gates)) === "BestEffort";

const SCOPES: Readonly<Record<string, Scope>> = {
  Terminating: ends,
  NotTerminating: (spec, requirement) => !ends(spec, requirement),
  BestEffort: isBestEffort,
  NotBestEffort: (...pod) => !isBestEffort(...pod),
  PriorityClass: ({ priorityClassName }, requirement) => selectsName(requirement, priorityClassName),
  CrossNamespacePodAffinity: ({ affinity }) =>
    isObject(affinity) && POD_AFFINITIES.some((kind) => leads(affinity, kind)),
};

/** Returns whether the pod is in the scope Terminating, not NotTerminating. Only this scope can change in an update. */
export const hasDeadline = ({ spec }: JsonObject): boolean => isObject(spec) && ends(spec, TERMINATING);

const TERMINATING: ScopeRequirement = { scopeName: "Terminating", operator: "Exists", values: [] };

export function podInScope(
  { spec = {}, status }: JsonObject,
  requirement: ScopeRequirement,
  { release, isOn }: Gates & { readonly release: string },
): boolean {
  const { scopeName } = requirement;
  if (scopeName === "CrossNamespacePodAffinity" && !existsIn(AFFINITY_SCOPE, release)) return false;
  const qosClass = isObject(status) ? status["qosClass"] : undefined;
  return (
    isObject(spec) &&
    Object.hasOwn(SCOPES, scopeName) &&
    SCOPES[scopeName]?.(spec, requirement, qosClass, { isOn }) === true
  );
}

const POD_AFFINITIES = ["podAffinity", "podAntiAffinity"] as const;

/** Returns whether a term reaches other namespaces. */
function leads(affinity: JsonObject, kind: (typeof POD_AFFINITIES)[number]): boolean {
  const { [kind]: given } = affinity;
  if (!isObject(given)) return false;
  const preferred = objectsAt(given, "preferredDuringSchedulingIgnoredDuringExecution");
  const terms = [
    ...objectsAt(given, "requiredDuringSchedulingIgnoredDuringExecution"),
    ...preferred.flatMap(({ podAffinityTerm }) => (isObject(podAffinityTerm) ? [podAffinityTerm] : [])),
  ];
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (Array.isArray(namespaces) && namespaces.length > 0) || isObject(namespaceSelector),
  );
}
