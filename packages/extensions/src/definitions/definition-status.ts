// Status of a custom resource definition, computed from the definition and from its state on this replica. All replicas
// compute the same status, so any of them may write it.
// Source: staging/src/k8s.io/apiextensions-apiserver/pkg/controller.
import { conditionAt, type DefinitionFindings, withCondition, withoutCondition } from "@orch/apis";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { AcceptedNames } from "./accepted-names";

export interface StatusParts {
  readonly names: AcceptedNames;
  readonly findings: DefinitionFindings;
  /** Whether this replica serves the names already. */
  readonly isServed: boolean;
  readonly vocabulary: Vocabulary;
  readonly nowMs: number;
}

/** Returns the complete status. @param status the present status; returned unchanged when it is complete already */
export function completeStatus(
  status: JsonObject,
  { names, findings, isServed, vocabulary, nowMs }: StatusParts,
): JsonObject {
  const said = withCondition(named(status, names), names.condition, nowMs);
  const established = withEstablished(said, { names, isServed, nowMs });
  const structural = withStructure(established, findings, nowMs);
  return withApproval(structural, findings, { type: vocabulary.conditionTypes.apiApprovalPolicyConformant, nowMs });
}

function named(status: JsonObject, { accepted }: AcceptedNames): JsonObject {
  const acceptedNames = accepted as unknown as JsonObject;
  const before = status["acceptedNames"] as JsonObject | undefined;
  return before !== undefined && JSON.stringify(inOrder(before)) === JSON.stringify(inOrder(acceptedNames))
    ? status
    : { ...status, acceptedNames };
}

const inOrder = (names: JsonObject) =>
  Object.entries(names)
    .filter(([, value]) => !(Array.isArray(value) && value.length === 0))
    .sort(([one], [other]) => (one < other ? -1 : 1));

function withEstablished(
  status: JsonObject,
  { names, isServed, nowMs }: { readonly names: AcceptedNames; readonly isServed: boolean; readonly nowMs: number },
): JsonObject {
  const type = "Established";
  if (conditionAt(status, type)?.["status"] === "True") return status;
  if (names.condition.status !== "True") {
    const message = "not all names are accepted";
    return withCondition(status, { type, status: "False", reason: "NotAccepted", message }, nowMs);
  }
  const message = "the initial names have been accepted";
  return withCondition(
    status,
    isServed
      ? { type, status: "True", reason: "InitialNamesAccepted", message }
      : { type, status: "False", reason: "Installing", message },
    nowMs,
  );
}

/** Maximum number of violations listed in a condition. */
const BREACHES_TOLD = 20;

function withStructure(status: JsonObject, { notStructural }: DefinitionFindings, nowMs: number): JsonObject {
  const type = "NonStructuralSchema";
  if (notStructural.length === 0) return withoutCondition(status, type);
  const more = notStructural.length - BREACHES_TOLD;
  const told = notStructural.slice(0, BREACHES_TOLD).join(", ");
  const all = more > 0 ? `${told}, and ${more} more` : told;
  const message = notStructural.length === 1 ? all : `[${all}]`;
  return withCondition(status, { type, status: "True", reason: "Violations", message }, nowMs);
}

const APPROVALS = {
  approved: {
    status: "True",
    reason: "ApprovedAnnotation",
    message: "the group is protected, and an approval annotation is present",
  },
  missing: {
    status: "False",
    reason: "MissingAnnotation",
    message: "the group is protected, and the approval annotation is missing",
  },
  invalid: {
    status: "False",
    reason: "InvalidAnnotation",
    message: "the group is protected, and the approval annotation is not a URL",
  },
  unapproved: { status: "False", reason: "UnapprovedAnnotation", message: "the group is protected, and not approved" },
} as const;

function withApproval(
  status: JsonObject,
  { approval }: DefinitionFindings,
  { type, nowMs }: { readonly type: string; readonly nowMs: number },
): JsonObject {
  return approval === "notNeeded"
    ? withoutCondition(status, type)
    : withCondition(status, { type, ...APPROVALS[approval] }, nowMs);
}
