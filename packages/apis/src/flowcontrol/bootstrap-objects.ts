// Flow schemas and priority levels that the server creates: mandatory ones, which it maintains, and suggested ones,
// which operators may change. Source: staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
import type { flowcontrolV1, JsonObject, Vocabulary } from "@orch/schema";
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from "./mandatory-specs";

export interface BootstrapFlowControl {
  readonly priorityLevels: readonly BootstrapObject[];
  readonly flowSchemas: readonly BootstrapObject[];
}

export interface BootstrapObject {
  readonly name: string;
  readonly isMandatory: boolean;
  /** Spec in the hub version. */
  readonly spec: JsonObject;
}

type Queues = readonly [queues: number, handSize: number];

/** Suggested priority levels. */
const LEVELS: readonly (readonly [name: string, shares: number, of: Queues])[] = [
  ["system", 30, [64, 6]],
  ["leader-election", 10, [16, 4]],
  ["workload-high", 40, [128, 6]],
  ["workload-low", 100, [128, 6]],
  ["global-default", 20, [128, 6]],
];

const LENGTH_MAX = 50;

export const bootstrapFlowControl = (vocabulary: Vocabulary): BootstrapFlowControl => ({
  priorityLevels: [
    ...mandatory(MANDATORY_PRIORITY_LEVELS),
    ...LEVELS.map(([name, shares, of]) => suggested(name, levelSpec(shares, of))),
  ],
  flowSchemas: [
    ...mandatory(MANDATORY_FLOW_SCHEMAS),
    ...schemas(vocabulary).map(([name, ...row]) => suggested(name, schemaSpec(...row))),
  ],
});

const mandatory = (specs: ReadonlyMap<string, object>): readonly BootstrapObject[] =>
  [...specs].map(([name, spec]) => ({ name, isMandatory: true, spec: spec as JsonObject }));

const suggested = (name: string, spec: object): BootstrapObject => ({
  name,
  isMandatory: false,
  spec: spec as JsonObject,
});

const levelSpec = (shares: number, [queues, handSize]: Queues): flowcontrolV1.PriorityLevelConfigurationSpec => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: LENGTH_MAX } },
  },
});

type Rules = Omit<flowcontrolV1.PolicyRulesWithSubjects, "subjects">;

type SchemaRow = readonly [
  level: string,
  precedence: number,
  distinguisher: "ByUser" | "ByNamespace",
  subjects: readonly flowcontrolV1.Subject[],
  rules: Rules,
];

function schemas({
  groups,
  users,
  namespaces,
  flowSchemas: names,
}: Vocabulary): readonly (readonly [name: string, ...SchemaRow])[] {
  const systemAccounts: flowcontrolV1.Subject = {
    kind: "ServiceAccount",
    serviceAccount: { namespace: namespaces.system, name: "*" },
  };
  const election = (namespace: string): Rules => ({
    resourceRules: [
      rule({ apiGroups: [""], resources: ["endpoints", "configmaps"], namespaces: [namespace] }),
      rule({ apiGroups: [groups.coordination], resources: ["leases"], namespaces: ["*"] }),
    ],
  });
  const everybody = [group("system:unauthenticated"), group("system:authenticated")];
  return [
    [
      "system-leader-election",
      "leader-election",
      100,
      "ByUser",
      [user(users.controllerManager), user(users.scheduler), systemAccounts],
      election(namespaces.system),
    ],
    ["workload-leader-election", "leader-election", 200, "ByUser", [systemAccounts], election("*")],
    ["system-nodes", "system", 500, "ByUser", [group("system:nodes")], EVERYTHING],
    [names.controllerManager, "workload-high", 800, "ByNamespace", [user(users.controllerManager)], EVERYTHING],
    [names.scheduler, "workload-high", 800, "ByNamespace", [user(users.scheduler)], EVERYTHING],
    [names.systemServiceAccounts, "workload-high", 900, "ByNamespace", [systemAccounts], EVERYTHING],
    ["service-accounts", "workload-low", 9000, "ByUser", [group("system:serviceaccounts")], EVERYTHING],
    ["global-default", "global-default", 9900, "ByUser", everybody, EVERYTHING],
  ];
}

const EVERYTHING: Rules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};

const rule = (
  of: Pick<flowcontrolV1.ResourcePolicyRule, "apiGroups" | "resources" | "namespaces">,
): flowcontrolV1.ResourcePolicyRule => ({ verbs: ["get", "create", "update"], ...of });

const group = (name: string): flowcontrolV1.Subject => ({ kind: "Group", group: { name } });
const user = (name: string): flowcontrolV1.Subject => ({ kind: "User", user: { name } });

const schemaSpec = (
  ...[level, precedence, distinguisher, subjects, rules]: SchemaRow
): flowcontrolV1.FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: level },
  matchingPrecedence: precedence,
  distinguisherMethod: { type: distinguisher },
  rules: [{ subjects: [...subjects], ...rules }],
});
