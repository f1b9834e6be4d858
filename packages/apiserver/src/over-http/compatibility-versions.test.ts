// Emulated and minimum compatible version: `/version`, and versions of later releases. Source: KEP-4330.
import { expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

type Flags = NonNullable<StartOptions["flags"]>;

async function withServer<Result>(
  options: StartOptions,
  use: (client: ApiClient, server: RunningServer) => Promise<Result>,
): Promise<Result> {
  const server = await startServer(options);
  const client = new ApiClient(server, server.admin);
  try {
    return await use(client, server);
  } finally {
    client.close();
    await server.stop();
  }
}

const JOBS = "/registry/batch/cronjobs/";

async function storedVersions(store: Store): Promise<string[]> {
  const { items } = await store.range({ start: JOBS, end: JOBS.replace(/\/$/, "0") });
  return items.map(({ value }) => JSON.parse(value.toString()).apiVersion as string);
}

test.each<[Flags, object]>([
  [
    { "emulated-release": "1.32" },
    { major: "1", minor: "32", emulationMajor: undefined, minCompatibilityMinor: undefined },
  ],
  [
    { "emulated-version": ["kube=1.33"] },
    {
      ...{ major: "1", minor: "33", emulationMajor: "1", emulationMinor: "33" },
      ...{ minCompatibilityMajor: "1", minCompatibilityMinor: "32" },
    },
  ],
  [
    { "emulated-release": "1.36", "min-compatibility-version": ["1.36"] },
    { minor: "36", emulationMinor: "36", minCompatibilityMinor: "36" },
  ],
])("/version of a server with %j has %j", (flags, expected) =>
  withServer({ flags }, async (client) => {
    const { json } = await client.get("/version");
    expect({ ...json }).toMatchObject(JSON.parse(JSON.stringify(expected)));
    expect(Object.keys(json).filter((name) => /emulation|Compat/.test(name))).toHaveLength(
      flags["emulated-release"] === "1.32" ? 0 : 4,
    );
  }),
);

test("versions of later releases are served and stored in a version of the emulated release", async () => {
  const store = await openStore({ kind: "memory" });
  const path = "/apis/batch/v1/namespaces/default/cronjobs";
  const job = {
    metadata: { name: "nightly" },
    spec: {
      schedule: "0 3 * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  };
  const release = { "emulated-release": "1.20" };
  await withServer({ store, flags: release }, async (client) => {
    expect((await client.post(path, job)).code).toBe(404);
  });
  await withServer({ store, flags: { ...release, "emulation-forward-compatible": true } }, async (client) => {
    expect((await client.post(path, { apiVersion: "batch/v1", kind: "CronJob", ...job })).code).toBe(201);
    const older = await client.get(`${path.replace("v1", "v1beta1")}/nightly`);
    expect(older.json).toMatchObject({ apiVersion: "batch/v1beta1", spec: { schedule: "0 3 * * *" } });
  });
  expect(await storedVersions(store)).toEqual(["batch/v1beta1"]);
  await store.close();
});

test.each<[Flags, string]>([
  [{ "emulated-release": "1.21" }, "batch/v1beta1"],
  [{ "emulated-release": "1.21", "min-compatibility-version": ["1.21"] }, "batch/v1"],
])("a server with %j stores cron jobs in %s", async (flags, version) => {
  const store = await openStore({ kind: "memory" });
  await withServer({ store, flags }, async (client) => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const job = { schedule: "0 3 * * *", jobTemplate: { spec: { template } } };
    const body = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "nightly" }, spec: job };
    expect((await client.post("/apis/batch/v1/namespaces/default/cronjobs", body)).code).toBe(201);
  });
  expect(await storedVersions(store)).toEqual([version]);
  await store.close();
});

test("the metric of features has the gates of the release, with and without effect", async () => {
  const gates = { VolumeLimitScaling: true, HPAScaleToZero: true, "kube:OpenAPIEnums": false };
  const metrics = (flags: Flags) => withServer({ flags }, async (client) => (await client.get("/metrics")).text);
  const text = await metrics({ "emulated-release": "1.36", "feature-gates": gates });
  for (const series of [
    '{name="AllAlpha",stage="ALPHA"} 0',
    '{name="HPAScaleToZero",stage="ALPHA"} 1',
    '{name="HPAConfigurableTolerance",stage="BETA"} 1',
    '{name="OpenAPIEnums",stage="BETA"} 0',
    '{name="SidecarContainers",stage=""} 1',
    '{name="VolumeLimitScaling",stage="ALPHA"} 1',
  ]) {
    expect(text).toContain(`\norch_feature_enabled${series}\n`);
  }
  expect(await metrics({ "emulated-release": "1.25" })).not.toContain("orch_feature_enabled");
});
