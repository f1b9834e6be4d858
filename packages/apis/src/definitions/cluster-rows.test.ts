import { expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { rowOf } from "../testing/row";

const { labels } = vocabularyOf("orch");
const ages = { Name: "it", Age: "60m" };
const condition = (type: string, status: string, rest: JsonObject = {}) => ({ type, status, ...rest });

type Case = readonly [behaviour: string, kind: string, object: JsonObject, row: Readonly<Record<string, JsonValue>>];

const CORE: readonly Case[] = [
  ["a namespace", "Namespace", { status: { phase: "Active" } }, { ...ages, Status: "Active" }],
  ["a config map", "ConfigMap", { data: { a: "1", b: "2" }, binaryData: { c: "AA==" } }, { ...ages, Data: 3 }],
  ["a secret", "Secret", { type: "Opaque", data: { a: "AA==" } }, { ...ages, Type: "Opaque", Data: 1 }],
  ["an account", "ServiceAccount", { secrets: [{ name: "token" }] }, { ...ages, Secrets: 1 }],
  [
    "a quota",
    "ResourceQuota",
    {
      status: {
        hard: { pods: "10", "requests.cpu": "2", "limits.memory": "2Gi", "limits.cpu": "4", "count/jobs.batch": "5" },
        used: { pods: "3", "requests.cpu": "500m", "limits.cpu": "1" },
      },
    },
    {
      ...ages,
      Request: "count/jobs.batch: 0/5, pods: 3/10, requests.cpu: 500m/2",
      Limit: "limits.cpu: 1/4, limits.memory: 0/2Gi",
    },
  ],
  ["a quota that nobody has counted", "ResourceQuota", { spec: { hard: { pods: "1" } } }, { Request: "", Limit: "" }],
  [
    "a component that works",
    "ComponentStatus",
    { conditions: [condition("Healthy", "True", { message: "ok" })] },
    { Name: "it", Status: "Healthy", Message: "ok", Error: "" },
  ],
  [
    "a component that does not",
    "ComponentStatus",
    { conditions: [condition("Other", "True"), condition("Healthy", "False", { error: "refused" })] },
    { Status: "Unhealthy", Message: "", Error: "refused" },
  ],
  ["a component unheard of", "ComponentStatus", {}, { Status: "Unknown" }],

  [
    "a node",
    "Node",
    {
      metadata: {
        labels: {
          [`${labels.nodeRole}worker`]: "",
          [`${labels.nodeRole}edge`]: "true",
          [labels.nodeRole]: "",
          [labels.role]: "worker",
          arch: "arm64",
        },
      },
      status: {
        conditions: [condition("MemoryPressure", "False"), condition("Ready", "True")],
        nodeInfo: {
          kubeletVersion: "v1.23.4",
          osImage: "Debian GNU/Linux 12",
          kernelVersion: "6.1.0",
          containerRuntimeVersion: "containerd://1.7",
        },
        addresses: [
          { type: "Hostname", address: "n1" },
          { type: "InternalIP", address: "10.1.0.1" },
          { type: "InternalIP", address: "fd00::1" },
        ],
      },
    },
    {
      ...ages,
      Status: "Ready",
      Roles: "edge,worker",
      Version: "v1.23.4",
      "Internal-IP": "10.1.0.1",
      "External-IP": "<none>",
      "OS-Image": "Debian GNU/Linux 12",
      "Kernel-Version": "6.1.0",
      "Container-Runtime": "containerd://1.7",
    },
  ],
  [
    "a node that takes no pods",
    "Node",
    { spec: { unschedulable: true }, status: { conditions: [condition("Ready", "Unknown")] } },
    { Status: "NotReady,SchedulingDisabled", Roles: "<none>", Version: "", "OS-Image": "<unknown>" },
  ],
  [
    "a node unheard of, with a role by the older label",
    "Node",
    {
      metadata: { labels: { [labels.role]: "storage" } },
      status: { addresses: [{ type: "ExternalIP", address: "192.0.2.1" }] },
    },
    { Status: "Unknown", Roles: "storage", "External-IP": "192.0.2.1", "Internal-IP": "<none>" },
  ],
];

const EVENTS: readonly Case[] = [
  [
    "an event",
    "Event",
    {
      involvedObject: { kind: "ReplicaSet", name: "web", fieldPath: "spec.containers{web}" },
      reason: "Started",
      type: "Normal",
      message: " started\n",
      count: 3,
      firstTimestamp: "2024-05-01T11:30:00Z",
      lastTimestamp: "2024-05-01T11:59:30Z",
      source: { component: "agent", host: "n1" },
    },
    {
      "Last Seen": "30s",
      Type: "Normal",
      Reason: "Started",
      Object: "replicaset/web",
      Subobject: "spec.containers{web}",
      Source: "agent, n1",
      Message: "started",
      "First Seen": "30m",
      Count: 3,
      Name: "it",
    },
  ],
  [
    "an event of a series",
    "Event",
    {
      involvedObject: { kind: "Node" },
      eventTime: "2024-05-01T11:00:00.000000Z",
      series: { count: 4, lastObservedTime: "2024-05-01T11:58:00.000000Z" },
      reportingComponent: "scheduler",
      reportingInstance: "s-1",
    },
    { "Last Seen": "2m", "First Seen": "60m", Object: "node", Source: "scheduler, s-1", Count: 5 },
  ],
  [
    "an event that happened once",
    "Event",
    {
      eventTime: "2024-05-01T11:00:00.000000Z",
      firstTimestamp: null,
      lastTimestamp: null,
      reportingComponent: "scheduler",
    },
    { "Last Seen": "60m", "First Seen": "60m", Source: "scheduler", Count: 1 },
  ],
  ["an event of no time", "Event", {}, { "Last Seen": "<unknown>", "First Seen": "<unknown>", Source: "" }],
];

const ACCESS: readonly Case[] = [
  ...["RoleBinding", "ClusterRoleBinding"].map(
    (kind): Case => [
      "who may do what",
      kind,
      {
        roleRef: { apiGroup: "", kind: "ClusterRole", name: "view" },
        subjects: [
          { kind: "User", name: "jane" },
          { kind: "Group", name: "dev" },
          { kind: "ServiceAccount", namespace: "shop", name: "bot" },
          { kind: "User", name: "joe" },
        ],
      },
      { ...ages, Role: "ClusterRole/view", Users: "jane, joe", Groups: "dev", ServiceAccounts: "shop/bot" },
    ],
  ),
  [
    "nobody may",
    "RoleBinding",
    { roleRef: { kind: "Role", name: "view" } },
    { Users: "", Groups: "", ServiceAccounts: "" },
  ],
  [
    "an open request",
    "CertificateSigningRequest",
    { spec: { signerName: "example.com/s", username: "jane" }, status: {} },
    { ...ages, SignerName: "example.com/s", Requestor: "jane", Condition: "Pending" },
  ],
  [
    "a certificate",
    "CertificateSigningRequest",
    { spec: {}, status: { conditions: [condition("Approved", "True")], certificate: "AA==" } },
    { SignerName: "<none>", Condition: "Approved,Issued" },
  ],
  [
    "a failure",
    "CertificateSigningRequest",
    { status: { conditions: [condition("Approved", "True"), condition("Failed", "True")] } },
    { Condition: "Approved,Failed" },
  ],
  [
    "a refusal",
    "CertificateSigningRequest",
    { status: { conditions: [condition("Approved", "True"), condition("Denied", "True")] } },
    { Condition: "Denied" },
  ],
  ["a holder", "Lease", { spec: { holderIdentity: "me" } }, { ...ages, Holder: "me" }],
  ["a free lease", "Lease", { spec: {} }, { Holder: "" }],
  ["a runtime", "RuntimeClass", { handler: "gvisor" }, { ...ages, Handler: "gvisor" }],
  [
    "a priority",
    "PriorityClass",
    { value: 1000, globalDefault: true },
    { ...ages, Value: 1000, "Global-Default": true },
  ],
  ["a priority of few pods", "PriorityClass", { value: -1 }, { Value: -1, "Global-Default": false }],
  [
    "a budget of those that stay",
    "PodDisruptionBudget",
    { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } },
    { ...ages, "Min Available": "50%", "Max Unavailable": "N/A", "Allowed Disruptions": 2 },
  ],
  [
    "a budget of those that go",
    "PodDisruptionBudget",
    { spec: { maxUnavailable: 0 }, status: {} },
    { "Min Available": "N/A", "Max Unavailable": "0", "Allowed Disruptions": 0 },
  ],
  [
    "what pods may do",
    "PodSecurityPolicy",
    {
      spec: {
        privileged: true,
        allowedCapabilities: ["NET_ADMIN", "SYS_TIME"],
        seLinux: { rule: "RunAsAny" },
        runAsUser: { rule: "MustRunAsNonRoot" },
        fsGroup: { rule: "MayRunAs" },
        supplementalGroups: { rule: "MustRunAs" },
        readOnlyRootFilesystem: true,
        volumes: ["secret", "configMap"],
      },
    },
    {
      Name: "it",
      Priv: "true",
      Caps: "NET_ADMIN,SYS_TIME",
      SELinux: "RunAsAny",
      RunAsUser: "MustRunAsNonRoot",
      FsGroup: "MayRunAs",
      SupGroup: "MustRunAs",
      ReadOnlyRootFs: true,
      Volumes: "secret,configMap",
    },
  ],
];

const SERVER: readonly Case[] = [
  ["two webhooks", "MutatingWebhookConfiguration", { webhooks: [{}, {}] }, { ...ages, Webhooks: 2 }],
  ["no webhook", "ValidatingWebhookConfiguration", {}, { ...ages, Webhooks: 0 }],
  [
    "an API of this server",
    "APIService",
    { spec: { group: "apps" }, status: { conditions: [condition("Available", "True", { reason: "Local" })] } },
    { ...ages, Service: "Local", Available: "True" },
  ],
  [
    "an API that does not answer",
    "APIService",
    {
      spec: { service: { namespace: "shop", name: "metrics" } },
      status: { conditions: [condition("Available", "False", { reason: "MissingEndpoints" })] },
    },
    { Service: "shop/metrics", Available: "False (MissingEndpoints)" },
  ],
  ["an API nobody has asked", "APIService", { spec: {} }, { Available: "Unknown" }],
  ["no reason", "APIService", { status: { conditions: [condition("Available", "False")] } }, { Available: "False" }],
  [
    "a flow",
    "FlowSchema",
    {
      spec: {
        priorityLevelConfiguration: { name: "low" },
        matchingPrecedence: 500,
        distinguisherMethod: { type: "ByUser" },
      },
      status: { conditions: [condition("Dangling", "False")] },
    },
    { ...ages, PriorityLevel: "low", MatchingPrecedence: 500, DistinguisherMethod: "ByUser", MissingPL: "False" },
  ],
  ["a flow unheard of", "FlowSchema", { spec: {} }, { DistinguisherMethod: "<none>", MissingPL: "?" }],
  [
    "a level that queues",
    "PriorityLevelConfiguration",
    {
      spec: {
        type: "Limited",
        limited: {
          assuredConcurrencyShares: 30,
          limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    { ...ages, Type: "Limited", AssuredConcurrencyShares: 30, Queues: 64, HandSize: 6, QueueLengthLimit: 50 },
  ],
  [
    "a level that rejects",
    "PriorityLevelConfiguration",
    { spec: { type: "Limited", limited: { assuredConcurrencyShares: 5, limitResponse: { type: "Reject" } } } },
    { AssuredConcurrencyShares: 5, Queues: "<none>", HandSize: "<none>", QueueLengthLimit: "<none>" },
  ],
  [
    "a level without limit",
    "PriorityLevelConfiguration",
    { spec: { type: "Exempt" } },
    { AssuredConcurrencyShares: "<none>" },
  ],
];

test.each([...CORE, ...EVENTS, ...ACCESS, ...SERVER])("%s: a row of %s", (_behaviour, kind, object, row) =>
  expect(rowOf(kind, object)).toMatchObject(row),
);
