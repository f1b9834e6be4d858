// Mandatory objects of API priority and fairness, which cannot be changed. Source:
// staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
import { existsIn, type flowcontrolV1 } from "@orch/schema";

type Rules = Pick<flowcontrolV1.PolicyRulesWithSubjects, "resourceRules" | "nonResourceRules">;

const everything: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const group = (name: string): flowcontrolV1.Subject => ({ kind: "Group", group: { name } });

/** Specs keyed by name. */
export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, flowcontrolV1.FlowSchemaSpec> = new Map(
  Object.entries<flowcontrolV1.FlowSchemaSpec>({
    exempt: {
      priorityLevelConfiguration: { name: "exempt" },
      matchingPrecedence: 1,
      rules: [{ subjects: [group("system:masters")], ...everything }],
    },
    "catch-all": {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10000,
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [group("system:unauthenticated"), group("system:authenticated")], ...everything }],
    },
  }),
);

const CATCH_ALL_SHARES = 5;
/** Releases in which levels lend seats, and those in which the exempt level has seats of its own to lend. */
const LENDING = { since: "1.26" };
const EXEMPT_SEATS = { since: "1.28" };

/** Returns the specs of a release, keyed by name. */
export const mandatoryPriorityLevels = (
  release: string,
): ReadonlyMap<string, flowcontrolV1.PriorityLevelConfigurationSpec> =>
  new Map(
    Object.entries<flowcontrolV1.PriorityLevelConfigurationSpec>({
      exempt: {
        type: "Exempt",
        ...(existsIn(EXEMPT_SEATS, release) && { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
      },
      "catch-all": {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: CATCH_ALL_SHARES,
          limitResponse: { type: "Reject" },
          ...(existsIn(LENDING, release) && { lendablePercent: 0 }),
        },
      },
    }),
  );

/** Returns whether a mandatory priority level has the required spec. Other names may have any. */
export function isAsMandated(name: string, { type, limited }: flowcontrolV1.PriorityLevelConfigurationSpec): boolean {
  switch (name) {
    case EXEMPT:
      return type === "Exempt" && limited === undefined;
    case "catch-all":
      return (
        type === "Limited" &&
        limited !== undefined &&
        limited.nominalConcurrencyShares === CATCH_ALL_SHARES &&
        limited.limitResponse?.type === "Reject" &&
        limited.limitResponse.queuing === undefined &&
        (limited.lendablePercent ?? 0) === 0 &&
        limited.borrowingLimitPercent === undefined
      );
    default:
      return true;
  }
}

/** Name of the only priority level without a limit. */
export const EXEMPT = "exempt";
