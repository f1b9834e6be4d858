// etcd is stopped, restored from a backup and restarted at the same address, while servers run.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const MAPS = configMapsPath();
const workplace = useWorkplace();

const create = async (server: ApiServer, name: string): Promise<string> =>
  (await expectStatus(201, server.admin.post(MAPS, configMap(name, { of: name })))).metadata.resourceVersion;

async function names(server: ApiServer, query = ""): Promise<readonly string[]> {
  const list = await expectStatus(200, server.admin.get(`${MAPS}${query}`));
  return (list.items ?? []).map((item) => item.metadata.name).sort();
}

test.each([1, 3])(
  "etcd of %i members: servers return the restored state and make clients list again",
  async (members) => {
    const etcd = await startEtcd(workplace, { members });
    const between = async (act: (member: (typeof etcd.members)[number]) => void) => {
      await Promise.all(etcd.members.map((member) => member.kill()));
      for (const member of etcd.members) act(member);
      for (const member of etcd.members) member.start();
      await etcd.untilHealthy();
    };
    const replicas = await startReplicas(workplace, etcd.endpoints);
    const [server, other] = replicas;
    await create(server, "kept-1");
    await create(other, "kept-2");
    await between((member) => member.save());
    await eventually("both are ready again", async () => (await server.ready()) && (await other.ready()));

    const lost: string[] = [];
    for (let count = 0; count < 30; count += 1)
      lost.push(await create(replicas[count % 2] as ApiServer, `lost-${count}`));
    const deleted = await server.admin.delete(`${MAPS}/kept-1`);
    expect(deleted.status).toBe(200);
    const page = await expectStatus(200, server.admin.get(`${MAPS}?limit=5`));
    const watches = await Promise.all(
      replicas.map((replica) => replica.admin.watch(`${MAPS}?resourceVersion=${lost.at(-1)}`)),
    );
    await eventually("the watches have seen the deletion", async () => (await names(other)).length === 31);

    await between((member) => member.restore());
    await eventually("both are ready again", async () => (await server.ready()) && (await other.ready()), {
      timeoutMs: 30_000,
    });
    for (const [index, replica] of replicas.entries()) {
      expect((await names(replica)).filter((name) => name !== "new")).toEqual(["kept-1", "kept-2"]);
      expect((await names(replica, "?resourceVersion=0")).filter((name) => name !== "new")).toEqual([
        "kept-1",
        "kept-2",
      ]);
      const events = await watches[index]?.take(2);
      expect(events?.map(({ type, object }) => [type, object["code"] ?? object.metadata.name])).toEqual([
        ["DELETED", "kept-1"],
        ["ERROR", 410],
      ]);
      expect((await replica.admin.get(`${MAPS}/lost-3`)).status).toBe(404);
      // A client that continues from a lost revision.
      const late = await replica.admin.watch(`${MAPS}?resourceVersion=${lost.at(-1)}`);
      const [event] = await late.take(1);
      late.close();
      expect([event?.type, event?.object["code"]]).toEqual(["ERROR", 410]);
      const token = encodeURIComponent(page.metadata.continue ?? "");
      expect((await replica.admin.get(`${MAPS}?limit=5&continue=${token}`)).status).toBe(410);
      expect((await replica.admin.get(`${MAPS}?resourceVersion=${lost.at(-1)}`)).status).toBe(504);
      expect(readFileSync(replica.program.logFile, "utf8")).toContain("the store was restored from a backup");
      if (index === 0) await create(replica, "new");
    }
    expect(await names(other)).toEqual(["kept-1", "kept-2", "new"]);
    const changed = configMap("kept-1", { text: "changed" });
    expect((await other.admin.put(`${MAPS}/kept-1`, changed)).status).toBe(200);
    expect((await server.admin.get(`${MAPS}/kept-1`)).object().data).toEqual({ text: "changed" });
    for (const replica of replicas) expect(await replica.stop()).toBe(0);
  },
  180_000,
);
