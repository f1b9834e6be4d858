// Steps of the system clock, forward and back, under a running server. Durations are not affected, and decisions by a
// wrong date are revised.
import { describe, expect, test } from "@jest/globals";
import { type ApiServerOptions, startApiServer } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, sleep } from "./harness/eventually";
import { MachineDate } from "./harness/machine-date";
import { MakeRun } from "./harness/make-run";
import { useWorkplace } from "./harness/processes";
import { privateKeyFile } from "./harness/signing-key";

const workplace = useWorkplace();
const HOUR = 3_600;
const EVENTS = "/api/v1/namespaces/steps/events";
const ROBOT = "/api/v1/namespaces/steps/serviceaccounts/robot";

const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "steps", name: "web" },
  reason: "Pulled",
  type: "Normal",
});

type Store = ApiServerOptions["store"];
const STORES: readonly [string, () => Promise<Store>][] = [
  ["in memory", async () => ({ kind: "memory" })],
  ["etcd", async () => ({ kind: "etcd", endpoints: (await startEtcd(workplace)).endpoints })],
];

describe.each(STORES)("on a store: %s", (name, storeOf) => {
  test("watches and leases outlive every step, and a token counts whenever it is valid", async () => {
    const date = new MachineDate(workplace);
    const key = privateKeyFile(workplace);
    const flags = [
      `--service-account-signing-key-file=${key}`,
      `--service-account-key-file=${key}`,
      "--service-account-issuer=https://orch.example",
    ];
    const server = await startApiServer(workplace, { name: `server-${name}`, store: await storeOf(), flags, date });
    const { admin } = server;
    const path = await freshNamespace(admin, "steps");
    await expectStatus(201, admin.post("/api/v1/namespaces/steps/serviceaccounts", { metadata: { name: "robot" } }));
    const issued = await expectStatus(201, admin.post(`${ROBOT}/token`, { spec: { expirationSeconds: HOUR } }));
    const { token } = (issued as unknown as { readonly status: { readonly token: string } }).status;
    const robot = server.client({ ...admin.credentials, token });
    const asRobot = async () => (await robot.get(ROBOT)).status;
    await expectStatus(201, admin.post(EVENTS, event("before")));
    const watch = await admin.watch(`${path}?timeoutSeconds=600`);
    let made = 0;
    const goesOn = async () => {
      made += 1;
      await expectStatus(201, admin.post(path, configMap(`map-${made}`)));
      expect((await watch.next())?.object.metadata.name).toBe(`map-${made}`);
      await expectStatus(200, admin.get(`${EVENTS}/before`));
    };

    await goesOn();
    expect(await asRobot()).toBe(403);
    for (const seconds of [2 * HOUR, -HOUR, 3 * HOUR]) {
      date.step(seconds);
      // Periodic checks of watches, leases and connections run at least once a second.
      await sleep(1_500);
      await goesOn();
      expect(await asRobot()).toBe(401);
    }
    date.step(0);
    await eventually("the token is valid again", async () => (await asRobot()) === 403);
    await goesOn();
    watch.close();
  }, 60_000);
});

/** @param seconds clock error at the start */
async function recovers(name: string, seconds: number): Promise<void> {
  const date = new MachineDate(workplace);
  date.step(seconds);
  const run = await MakeRun.start(workplace, name, [], date);
  date.step(0);
  const accountIsMade = async (): Promise<boolean> => {
    await run.try("create", "namespace", "late");
    return (await run.try("get", "serviceaccount", "default", "--namespace=late")).code === 0;
  };
  await eventually(`controllers of ${name} work`, accountIsMade, { timeoutMs: 60_000, pauseMs: 500 });
}

test("a server that starts with a wrong clock has its controllers back within a minute of the clock being right", async () => {
  await Promise.all([recovers("ahead", 3 * HOUR), recovers("behind", -400 * 24 * HOUR)]);
}, 120_000);
