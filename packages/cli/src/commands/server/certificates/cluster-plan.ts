// The certificates of a highly available cluster: which machine has which, with their subjects, names and uses. See
// docs/high-availability.md, "Three machines from nothing".
import type { Subject, Usage } from "@orch/platform";
import { type Vocabulary, vocabularyOf } from "@orch/schema";
import type { AuthorityName } from "./authorities";

export interface Machine {
  readonly name: string;
  readonly address: string;
}

/** The machines and addresses of a cluster, on which its certificates depend. The record is kept beside them, so that a repeated command needs no options. */
export interface ClusterRecord {
  readonly machines: readonly Machine[];
  /** Addresses and names by which clients reach the servers, such as that of the load balancer; the first is in URLs. */
  readonly addresses: readonly string[];
  /** Port of the URL in client configurations. */
  readonly port: number;
  readonly vocabulary: "orch" | "kubernetes";
}

/** A certificate and its key as `<path>.crt` and `<path>.key`, in the folder of the cluster. */
export interface PlannedPair {
  readonly path: string;
  readonly authority: Exclude<AuthorityName, "service-account">;
  readonly subject: Subject;
  readonly usage: Usage;
}

/** Names of this machine in a certificate that programs on the machine itself use too. */
const LOCAL_NAMES = ["localhost", "127.0.0.1"];

/** Returns the folders of a machine: the files of the programs of Orch, and those of etcd. */
export const foldersOf = ({ name }: Machine) => ({
  orch: `${name}/orch`,
  etcdClient: `${name}/orch/etcd`,
  etcd: `${name}/etcd`,
});

export function plannedPairs(record: ClusterRecord): readonly PlannedPair[] {
  const vocabulary = vocabularyOf(record.vocabulary);
  const ofAdministrator: readonly PlannedPair[] = [
    client("admin", "ca", { commonName: "admin", organizations: ["system:masters"] }),
    client("prometheus", "ca", { commonName: "prometheus", organizations: ["system:monitoring"] }),
    client("etcd-admin", "etcd-ca", { commonName: "etcd-admin" }),
  ];
  return [...ofAdministrator, ...record.machines.flatMap((machine) => pairsOf(machine, record, vocabulary))];
}

function pairsOf(machine: Machine, record: ClusterRecord, vocabulary: Vocabulary): readonly PlannedPair[] {
  const { name, address } = machine;
  const folders = foldersOf(machine);
  const own = [name, address, ...LOCAL_NAMES];
  const served = unique([...own, ...record.addresses, ...Object.values(vocabulary.dnsNames)]);
  return [
    {
      path: `${folders.orch}/apiserver`,
      authority: "ca",
      subject: { commonName: `apiserver-${name}` },
      usage: { kind: "server", names: served },
    },
    {
      path: `${folders.orch}/apiserver-agent-client`,
      authority: "ca",
      subject: { commonName: "apiserver-agent-client", organizations: ["system:agent-clients"] },
      usage: { kind: "agentClient" },
    },
    {
      path: `${folders.orch}/controller-manager`,
      authority: "ca",
      subject: { commonName: vocabulary.users.controllerManager },
      usage: { kind: "peer", names: own },
    },
    client(`${folders.etcdClient}/apiserver`, "etcd-ca", { commonName: `apiserver-${name}` }),
    {
      path: `${folders.etcd}/member`,
      authority: "etcd-ca",
      subject: { commonName: name },
      usage: { kind: "peer", names: own },
    },
  ];
}

const client = (path: string, authority: PlannedPair["authority"], subject: Subject): PlannedPair => ({
  path,
  authority,
  subject,
  usage: { kind: "client" },
});

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** Returns the URL in client configurations. */
export function urlOf({ addresses, machines, port }: ClusterRecord): string {
  const host = addresses[0] ?? machines[0]?.address ?? "";
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
