import { afterAll, beforeAll } from "@jest/globals";
import { openStore } from "../open-store";
import { type EtcdProcesses, startEtcd } from "../testing/etcd-processes";
import { describeStoreContract } from "../testing/store-contract";

let etcd: EtcdProcesses;
beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(() => etcd.stop());

for (const transport of ["direct", "grpc-js"] as const) {
  describeStoreContract(`the etcd store over ${transport}`, () =>
    openStore({ kind: "etcd", endpoints: etcd.endpoints, transport }),
  );
}
