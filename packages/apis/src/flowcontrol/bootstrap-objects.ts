// Flow schemas and priority levels that the server creates: mandatory ones, which it maintains, and suggested ones,
// which operators may change. Source: staging/src/k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
import { existsIn, type flowcontrolV1, type JsonObject, type Vocabulary } from "@orch/schema";
import { MANDATORY_FLOW_SCHEMAS, mandatoryPriorityLevels } from "./mandatory-specs";

export interface BootstrapFlowControl {
  readonly priorityLevels: readonly BootstrapObject[];
  readonly flowSchemas: readonly BootstrapObject[];
  /** Names of flow schemas that only earlier releases have. */
  readonly formerFlowSchemas: readonly string[];
}

export interface BootstrapObject {
  readonly name: string;
  readonly isMandatory: boolean;
  /** Spec in the hub version. */
  readonly spec: JsonObject;
}

type Queues = readonly [queues: number, handSize: number];

/** First and last release of an object. */
interface Releases {
  readonly since?: string;
  readonly until?: string;
}

/** Suggested priority levels. */
const LEVELS: readonly (readonly [name: string, shares: number, lendable: number, of: Queues, Releases?])[] = [
  ["system", 30, 33, [64, 6]],
  ["node-high", 40, 25, [64, 6], { since: "1.22" }],
  ["leader-election", 10, 0, [16, 4]],
  ["workload-high", 40, 50, [128, 6]],
  ["workload-low", 100, 90, [128, 6]],
  ["global-default", 20, 50, [128, 6]],
];

const LENGTH_MAX = 50;
/** Releases in which levels lend seats. */
const LENDING = { since: "1.26" };
/** Releases in which endpoints and config maps elect leaders. */
const FORMER_LOCKS = { until: "1.33" };

export const bootstrapFlowControl = (vocabulary: Vocabulary, release: string): BootstrapFlowControl => ({
  priorityLevels: [
    ...mandatory(mandatoryPriorityLevels(release)),
    ...LEVELS.filter(([, , , , releases = {}]) => existsIn(releases, release)).map(([name, shares, lendable, of]) =>
      suggested(name, levelSpec(shares, existsIn(LENDING, release) ? lendable : undefined, of)),
    ),
  ],
  flowSchemas: [
    ...mandatory(MANDATORY_FLOW_SCHEMAS),
    ...schemas(vocabulary, release)
      .filter(({ releases = {} }) => existsIn(releases, release))
      .map(({ name, row }) => suggested(name, schemaSpec(...row))),
  ],
  formerFlowSchemas: schemas(vocabulary, release)
    .filter(({ releases: { until } = {} }) => until !== undefined && !existsIn({ until }, release))
    .map(({ name }) => name),
});

const mandatory = (specs: ReadonlyMap<string, object>): readonly BootstrapObject[] =>
  [...specs].map(([name, spec]) => ({ name, isMandatory: true, spec: spec as JsonObject }));

const suggested = (name: string, spec: object): BootstrapObject => ({
  name,
  isMandatory: false,
  spec: spec as JsonObject,
});

const levelSpec = (
  shares: number,
  lendable: number | undefined,
  [queues, handSize]: Queues,
): flowcontrolV1.PriorityLevelConfigurationSpec => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: LENGTH_MAX } },
    ...(lendable !== undefined && { lendablePercent: lendable }),
  },
});

type Rules = Omit<flowcontrolV1.PolicyRulesWithSubjects, "subjects">;

type SchemaRow = readonly [
  level: string,
  precedence: number,
  distinguisher: "ByUser" | "ByNamespace" | undefined,
  subjects: readonly flowcontrolV1.Subject[],
  rules: Rules,
];

interface SuggestedSchema {
  readonly name: string;
  readonly releases?: Releases;
  readonly row: SchemaRow;
}

function schemas(
  { groups, users, namespaces, flowSchemas: names }: Vocabulary,
  release: string,
): readonly SuggestedSchema[] {
  const account = (name: string): flowcontrolV1.Subject => ({
    kind: "ServiceAccount",
    serviceAccount: { namespace: namespaces.system, name },
  });
  const systemAccounts = account("*");
  const election = (namespace: string): Rules => ({
    resourceRules: [
      ...(existsIn(FORMER_LOCKS, release)
        ? [rule({ apiGroups: [""], resources: ["endpoints", "configmaps"], namespaces: [namespace] })]
        : []),
      rule({ apiGroups: [groups.coordination], resources: ["leases"], namespaces: ["*"] }),
    ],
  });
  const everybody = [group("system:unauthenticated"), group("system:authenticated")];
  const nodes = [group("system:nodes")];
  const controllerManager = user(users.controllerManager);
  const suggest = (name: string, row: SchemaRow, releases: Releases = {}): SuggestedSchema => ({ name, row, releases });
  return [
    suggest(
      "probes",
      [
        "exempt",
        2,
        undefined,
        everybody,
        { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
      ],
      { since: "1.22" },
    ),
    suggest("system-leader-election", [
      "leader-election",
      100,
      "ByUser",
      [controllerManager, user(users.scheduler), systemAccounts],
      election(namespaces.system),
    ]),
    suggest(
      "endpoint-controller",
      [
        "workload-high",
        150,
        "ByUser",
        [controllerManager, account("endpoint-controller"), account("endpointslicemirroring-controller")],
        { resourceRules: [rule({ apiGroups: [""], resources: ["endpoints"], namespaces: ["*"] })] },
      ],
      { since: "1.24", ...FORMER_LOCKS },
    ),
    suggest(
      "workload-leader-election",
      ["leader-election", 200, "ByUser", [systemAccounts], election("*")],
      FORMER_LOCKS,
    ),
    suggest("system-node-high", ["node-high", 400, "ByUser", nodes, nodeReports(groups)], { since: "1.22" }),
    suggest("system-nodes", ["system", 500, "ByUser", nodes, EVERYTHING]),
    suggest(names.controllerManager, ["workload-high", 800, "ByNamespace", [controllerManager], EVERYTHING]),
    suggest(names.scheduler, ["workload-high", 800, "ByNamespace", [user(users.scheduler)], EVERYTHING]),
    suggest(names.systemServiceAccounts, ["workload-high", 900, "ByNamespace", [systemAccounts], EVERYTHING]),
    suggest("service-accounts", ["workload-low", 9000, "ByUser", [group("system:serviceaccounts")], EVERYTHING]),
    suggest("global-default", ["global-default", 9900, "ByUser", everybody, EVERYTHING]),
  ];
}

/** Returns the rules for the status and the leases of nodes. */
const nodeReports = (groups: Vocabulary["groups"]): Rules => ({
  resourceRules: [
    { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
    { verbs: ["*"], apiGroups: [groups.coordination], resources: ["leases"], namespaces: ["*"] },
  ],
});

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
  ...(distinguisher && { distinguisherMethod: { type: distinguisher } }),
  rules: [{ subjects: [...subjects], ...rules }],
});
