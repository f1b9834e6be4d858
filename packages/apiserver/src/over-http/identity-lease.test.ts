// The identity Leases of API servers: written at the start, renewed, and deleted once the server is gone.
import { expect, test } from "@jest/globals";
import { openStore } from "@orch/store";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const LEASES = "/apis/coordination.orch.io/v1/namespaces/orch-system/leases";
const LABEL = "apiserver.orch.io/identity";

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly holderIdentity: string };
}

test("a server keeps its lease and deletes those of servers that are gone", async () => {
  const store = await openStore({ kind: "memory" });
  const lease = (name: string, renewTime: string, label = "orch-apiserver") => ({
    metadata: { name, labels: { [LABEL]: label } },
    spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime },
  });
  const names: string[][] = [];
  const holders: (Lease["spec"] | undefined)[] = [];
  for (const release of ["1.26", "1.36", "1.25"]) {
    const server = await startServer({ store, flags: { "emulated-release": release } });
    const client = new ApiClient(server, server.admin);
    const { items } = (await client.get(LEASES)).json as unknown as { readonly items: readonly Lease[] };
    names.push(items.map(({ metadata }) => metadata.name.replace(/^apiserver-[0-9a-f]{26}$/, "own")).sort());
    holders.push(items.find(({ spec }) => spec.holderIdentity.startsWith("apiserver-"))?.spec);
    if (release === "1.26") {
      await client.post(LEASES, lease("gone", "2020-01-01T00:00:00.000000Z"));
      await client.post(LEASES, lease("alive", "2999-01-01T00:00:00.000000Z"));
      await client.post(LEASES, lease("other", "2020-01-01T00:00:00.000000Z", "another-program"));
    }
    client.close();
    await server.stop();
  }
  expect(names[0]).toEqual(["own"]);
  expect(names[1]).toEqual(["alive", "other", "own"]);
  const [first, second, third] = holders;
  expect(second?.holderIdentity).not.toBe(first?.holderIdentity);
  // Earlier releases have no leases of their own.
  expect(third).toEqual(second);
  await store.close();
}, 30_000);
