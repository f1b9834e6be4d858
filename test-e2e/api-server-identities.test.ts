// API servers of two releases on one etcd: their identity leases, and the StorageVersions that name them.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const VERSIONS = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";

interface StorageVersion {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly commonEncodingVersion?: string;
    readonly storageVersions: readonly { readonly apiServerID: string; readonly encodingVersion: string }[];
  };
}

interface Lease {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const workplace = useWorkplace();
let older: ApiServer;
let newer: ApiServer;

beforeAll(async () => {
  const { endpoints } = await startEtcd(workplace);
  const authority = new Authority(workplace);
  const start = (release: string) =>
    startApiServer(workplace, {
      name: `apiserver-${release}`,
      authority,
      store: { kind: "etcd", endpoints },
      flags: [
        "--vocabulary=kubernetes",
        `--emulated-release=${release}`,
        "--feature-gates=APIServerIdentity=true,StorageVersionAPI=true",
        "--runtime-config=internal.apiserver.k8s.io/v1alpha1=true",
      ],
    });
  older = await start("1.26");
  newer = await start("1.36");
}, 120_000);

const items = async <Item>(path: string): Promise<readonly Item[]> =>
  ((await older.admin.get(path)).object() as unknown as { readonly items: readonly Item[] }).items;

async function identities(): Promise<readonly string[]> {
  const leases = await items<Lease>(`${LEASES}?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver`);
  return leases.map(({ metadata }) => metadata.name);
}

const named = async (name: string) =>
  (await items<StorageVersion>(VERSIONS)).find(({ metadata }) => metadata.name === name)?.status;

test("StorageVersions name the live API servers only", async () => {
  const live = await identities();
  expect(live).toHaveLength(2);
  const schemas = await named("flowcontrol.apiserver.k8s.io.flowschemas");
  const pods = await named("core.pods");
  expect(pods).toMatchObject({ commonEncodingVersion: "v1" });
  expect(new Set(pods?.storageVersions.map(({ apiServerID }) => apiServerID))).toEqual(new Set(live));
  // 1.26 stores v1beta2, which 1.36 no longer serves.
  expect(schemas?.commonEncodingVersion).toBeUndefined();
  expect(new Set(schemas?.storageVersions.map(({ encodingVersion }) => encodingVersion)).size).toBe(2);
  const onlyNewer = await named("networking.k8s.io.servicecidrs");
  expect(onlyNewer?.storageVersions).toHaveLength(1);

  const manager = new ControllerManagers(workplace, older, "kubernetes").start("manager", [
    "--controllers=storage-version-gc",
  ]);
  await eventually("it leads", async () => leads(manager));
  await newer.stop();
  await eventually("its lease is gone", async () => (await identities()).length === 1);
  const [left] = await identities();
  await eventually("its entries are gone", async () => {
    const all = await items<StorageVersion>(VERSIONS);
    return all.every(({ status }) => status.storageVersions.every(({ apiServerID }) => apiServerID === left));
  });
  expect(await named("networking.k8s.io.servicecidrs")).toBeUndefined();
  expect((await named("flowcontrol.apiserver.k8s.io.flowschemas"))?.commonEncodingVersion).toBe(
    schemas?.storageVersions.find(({ apiServerID }) => apiServerID === left)?.encodingVersion,
  );
}, 60_000);
