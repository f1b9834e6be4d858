// Objects of an older release are migrated while the server serves, and a kill -9 in the middle loses nothing.
import { describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { expectStatus, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const SERVICES = "/api/v1/namespaces/default/services";
const MIGRATE = "/debug/migrate?resource=services";
/** In addition to the service of the API server. */
const COUNT = 40;

const workplace = useWorkplace();

interface Row {
  readonly phase: string;
  readonly rewritten: number;
  readonly looked: number;
  readonly after: string;
  readonly message: string;
}

describe.each(["etcd", "embedded"] as const)("a server that is killed while it migrates, store %s", (kind) => {
  test("goes on where it was, and stores nothing twice", async () => {
    const store = kind === "etcd" ? { kind, endpoints: (await startEtcd(workplace)).endpoints } : { kind };
    // Services of that release have no list of addresses.
    const older = await startApiServer(workplace, { name: `older-${kind}`, store, flags: ["--emulated-release=1.19"] });
    await inParallel(COUNT, 4, async (at) => {
      const metadata = { name: `s${String(at).padStart(2, "0")}` };
      await expectStatus(201, older.admin.post(SERVICES, { metadata, spec: { ports: [{ port: 80 }] } }));
    });
    await older.stop();

    const flags = ["--storage-migration-rate=16"];
    const server = await startApiServer(workplace, { name: `newer-${kind}`, store, dataDir: older.dataDir, flags });
    const row = async () => {
      const { migrations } = JSON.parse((await server.admin.get(MIGRATE)).body) as { migrations: Row[] };
      return migrations[0] as Row;
    };
    const versions = async () => {
      const { items = [] } = await expectStatus(200, server.admin.get(SERVICES));
      return new Map(items.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]));
    };
    const before = await versions();
    await expectStatus(202, server.admin.post(MIGRATE, {}));
    const isUnderWay = async () => {
      const found = await row();
      return found.after !== "" && found;
    };
    const known = await eventually("some is written down", isUnderWay);
    await server.kill();
    server.launch();
    await server.untilReady();
    const meanwhile = await versions();
    const done = [...meanwhile].filter(([name, version]) => version !== before.get(name)).map(([name]) => name);
    expect(done.length).toBeGreaterThanOrEqual(known.rewritten);

    const over = await eventually("it is over", async () => (await row()).phase === "Succeeded" && row());
    expect(over).toMatchObject({ looked: COUNT + 1, message: "all objects are stored in v1" });
    const after = await versions();
    expect([...after].filter(([name, version]) => version === before.get(name)).length).toBeLessThanOrEqual(1);
    expect(done.map((name) => after.get(name))).toEqual(done.map((name) => meanwhile.get(name)));
    // The migration resumes from its record.
    expect(server.program.logTail).toMatch(/"after":"default\/s\d\d".*started a storage migration/);
  }, 60_000);
});
