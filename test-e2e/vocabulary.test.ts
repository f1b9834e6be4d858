// A store has one vocabulary: a server that is started with another one exits with an error.
import { describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { startEtcd } from "./harness/etcd";
import { within } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

describe("the vocabulary of a store", () => {
  test("is recorded at its first use, and the other one is refused", async () => {
    const store = { kind: "etcd", endpoints: (await startEtcd(workplace)).endpoints } as const;
    const first = await startApiServer(workplace, { name: "orch", store });
    expect((await first.admin.get("/apis/rbac.authorization.orch.io/v1")).status).toBe(200);
    expect((await first.admin.get("/api/v1/namespaces/orch-system")).status).toBe(200);

    const other = startApiServer(workplace, { name: "kubernetes", store, flags: ["--vocabulary=kubernetes"] });
    await expect(within(30_000, "the refusal", other)).rejects.toThrow(/vocabulary/);
    expect(await first.ready()).toBe(true);
  }, 60_000);

  test("kubernetes has the names of that ecosystem", async () => {
    const server = await startApiServer(workplace, {
      name: "other-names",
      store: { kind: "memory" },
      flags: ["--vocabulary=kubernetes"],
    });
    expect((await server.admin.get("/apis/rbac.authorization.k8s.io/v1")).status).toBe(200);
    expect((await server.admin.get("/apis/rbac.authorization.orch.io/v1")).status).toBe(404);
    expect((await server.admin.get("/api/v1/namespaces/kube-system")).status).toBe(200);
  }, 60_000);
});
