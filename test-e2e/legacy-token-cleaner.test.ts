// Unused auto-generated token Secrets: marked invalid, rejected, and later deleted. Labels with past dates replace
// waiting.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import { vocabularyOf } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";

const vocabulary = vocabularyOf("orch");
const { secrets, serviceAccounts, pods, configMaps } = builtInTypes("orch");
const USED = vocabulary.labels.legacyTokenLastUsed;
const INVALID = vocabulary.labels.legacyTokenInvalidSince;
const SINCE = vocabulary.objectNames.apiserverLegacyServiceAccountTokenTracking;

let server: RunningServer;
let admin: Client;

beforeAll(async () => {
  const flags = { "emulated-release": "1.26", "feature-gates": { LegacyServiceAccountTokenTracking: true } };
  server = await startServer({ flags });
  admin = adminClient(server);
}, 60_000);
afterAll(async () => {
  admin.close();
  await server.stop();
});

const { namespace, names } = { namespace: "default", names: vocabulary.annotations };

/** Creates a service account, and a Secret in place of its token. */
async function keep(account: string, of: { isNamed?: boolean; labels?: Record<string, string>; uid?: string } = {}) {
  const { isNamed = true, labels = {}, uid } = of;
  const secret = `${account}-token`;
  await admin
    .resource(serviceAccounts)
    .namespace(namespace)
    .create({ metadata: { name: account }, secrets: isNamed ? [{ name: secret }] : [] });
  const annotations = { [names.serviceAccountName]: account, ...(uid && { [names.serviceAccountUid]: uid }) };
  await admin
    .resource(secrets)
    .namespace(namespace)
    .create({ metadata: { name: secret, annotations, labels }, type: vocabulary.secretTypes.serviceAccountToken });
}

async function marks(): Promise<Record<string, string | undefined>> {
  const { items } = await admin.resource(secrets).namespace(namespace).list();
  return Object.fromEntries(items.map(({ metadata }) => [metadata?.name, metadata?.labels?.[INVALID]]));
}

test("an unused token is marked and deleted later; used tokens stay", async () => {
  await keep("a-unused");
  await keep("b-used", { labels: { [USED]: "9999-12-31" } });
  await keep("c-made", { isNamed: false });
  await keep("d-of-another", { uid: "another" });
  await keep("e-mounted");
  await keep("f-read");
  await keep("g-marked-lately", { labels: { [INVALID]: "9999-12-31" } });
  await keep("z-marked", { labels: { [INVALID]: "2020-01-01", [USED]: "2019-01-01" } });
  const image = "i";
  await admin
    .resource(pods)
    .namespace(namespace)
    .create({
      metadata: { name: "user" },
      spec: {
        volumes: [{ name: "v", secret: { secretName: "e-mounted-token" } }],
        containers: [{ name: "c", image, envFrom: [{ secretRef: { name: "f-read-token" } }] }],
      },
    } as never);
  const maps = admin.resource(configMaps).namespace(vocabulary.namespaces.system);
  await maps.patch(SINCE, "merge", { data: { since: "2020-01-01" } });

  const stop = new AbortController();
  const user = server.issueClient({ name: vocabulary.users.controllerManager });
  const text = (value: string) => ({ kind: "text", text: value }) as const;
  const certificate = { certificate: text(user.certificate), key: text(user.key) };
  const done = runControllers(
    {
      connection: { ...adminConnection(server), credentials: { certificate } },
      vocabulary: "orch",
      usesAccounts: true,
      log: { info() {}, warn() {}, error() {} },
      controllers: chosenControllers(["legacy-serviceaccount-token-cleaner-controller"]),
      options: { "legacy-service-account-token-clean-up-period": 1 },
    },
    stop.signal,
  );
  // Secrets are processed in order of their names.
  await eventually("the last of them is deleted", async () => !("z-marked-token" in (await marks())));
  stop.abort();
  await done;
  expect(await marks()).toEqual({
    "a-unused-token": expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    "b-used-token": undefined,
    "c-made-token": undefined,
    "d-of-another-token": undefined,
    "e-mounted-token": undefined,
    "f-read-token": undefined,
    "g-marked-lately-token": "9999-12-31",
  });
});

test("the controller is off by default", () => {
  const named = (names: readonly string[]) => chosenControllers(names).map(({ name }) => name);
  expect(named(["*"])).not.toContain("legacy-service-account-token-cleaner");
  expect(named(["*", "legacy-service-account-token-cleaner"])).toContain("legacy-service-account-token-cleaner");
});
