// Assigns a pod to a node, once. Source: pkg/registry/core/pod/storage/storage.go, BindingREST.
import {
  CONFLICT_TEXT,
  conflict,
  isBeingDeleted,
  metaOf,
  type StatusError,
  timestamp,
  writableMeta,
} from "@orch/machinery";
import type { ActionHandler } from "@orch/request";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { setCondition } from "./pod-condition";

export interface BindingDeps {
  /** Milliseconds since 1970. */
  now(): number;
  /** Returns whether the feature gate is enabled. */
  isOn(gate: string): boolean;
}

export function binding({ now, isOn }: BindingDeps): ActionHandler {
  const copiesLabels = isOn("PodTopologyLabelsAdmission");
  const endsNomination = isOn("ClearingNominatedNodeNameAfterBinding");
  return async ({ body, key, storage, write }) => {
    const target = body["target"] as { readonly name: string };
    const assign = (pod: JsonObject): JsonObject => {
      requireUnbound(pod, metaOf(body));
      membersOf(pod, "spec")["nodeName"] = target.name;
      const { annotations, labels } = metaOf(body);
      if (annotations !== undefined) Object.assign(membersOf(writableMeta(pod), "annotations"), annotations);
      if (copiesLabels && labels !== undefined) Object.assign(membersOf(writableMeta(pod), "labels"), labels);
      const status = membersOf(pod, "status");
      if (endsNomination) delete status["nominatedNodeName"];
      setCondition(status, { type: "PodScheduled" }, timestamp(now()));
      return pod;
    };
    await storage.changeInPlace(assign, key, { ...write, subresource: { name: "binding", rules: FREE } });
    return undefined;
  };
}

/** Skips the rules for updates of pods, which would not allow an assignment. */
const FREE = { verbs: [], prepareForUpdate: () => {} } as const;

/** @param wanted preconditions of the binding; absent ones match any pod */
function requireUnbound(pod: JsonObject, wanted: { readonly uid?: string; readonly resourceVersion?: string }): void {
  const { name = "", uid = "", resourceVersion = "" } = metaOf(pod);
  const refusal = (text: string): StatusError => conflict({ group: "", resource: "pods/binding" }, name, text);
  if (wanted.uid && wanted.uid !== uid) {
    throw refusal(CONFLICT_TEXT.uidPrecondition({ wanted: wanted.uid, found: uid }));
  }
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    const versions = { wanted: wanted.resourceVersion, found: resourceVersion };
    throw refusal(CONFLICT_TEXT.resourceVersionPrecondition(versions));
  }
  if (isBeingDeleted(pod)) throw refusal(`pod ${name} is being deleted, cannot be assigned to a host`);
  const { nodeName = "", schedulingGates } = membersOf(pod, "spec");
  if (nodeName !== "") throw refusal(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (Array.isArray(schedulingGates) && schedulingGates.length > 0) {
    throw refusal(`pod ${name} has non-empty .spec.schedulingGates`);
  }
}

/** Returns a nested object for changes; creates it when it is missing. */
function membersOf(object: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = object[name];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  object[name] = made;
  return made;
}
