// Many concurrent writes of objects that govern the server: each is answered when it is in force.
import { type HostileInput, type HostileRequest, sent, times } from "./requests";

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1beta1/flowschemas";
const LEVELS = "/apis/flowcontrol.apiserver.k8s.io/v1beta1/prioritylevelconfigurations";

const labels = { hostile: "writers" };
const removed = (path: string): HostileRequest => ({
  method: "DELETE",
  path: `${path}?labelSelector=hostile%3Dwriters`,
  timeoutMs: 120_000,
});

const role = (at: number): HostileRequest =>
  sent("POST", ROLES, {
    metadata: { name: `writers-${at}`, labels },
    rules: times(200, (rule) => ({ apiGroups: ["a"], resources: [`r${rule}`, `s${rule}`], verbs: ["get", "list"] })),
  });
const level = (at: number): HostileRequest =>
  sent("POST", LEVELS, {
    metadata: { name: `writers-${at}`, labels },
    spec: {
      type: "Limited",
      limited: {
        assuredConcurrencyShares: 1,
        limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
      },
    },
  });
const EVERYTHING = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] };
const flow = (at: number): HostileRequest =>
  sent("POST", FLOWS, {
    metadata: { name: `writers-${at}`, labels },
    spec: {
      matchingPrecedence: 9000,
      priorityLevelConfiguration: { name: "global-default" },
      rules: times(10, (rule) => ({
        subjects: [{ kind: "User", user: { name: `u${rule}` } }],
        resourceRules: [EVERYTHING],
      })),
    },
  });

const atOnce = (what: string, path: string, write: (at: number) => HostileRequest): HostileInput => ({
  what: `writers: ${what}`,
  size: 200,
  before: () => [removed(path)],
  request: () => write(0),
  beside: (size) => times(size - 1, (at) => write(at + 1)),
});

export const HOSTILE_WRITERS: readonly HostileInput[] = [
  atOnce("roles at once", ROLES, role),
  atOnce("priority levels at once", LEVELS, level),
  atOnce("flow schemas at once", FLOWS, flow),
];
