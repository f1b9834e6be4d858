// Each controller runs under its own service account with the permissions of its bootstrap role. The audit log shows
// all requests of the controllers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, type ResourceType } from "@orch/client";
import { accountOf, EVERY_CONTROLLER, runControllers } from "@orch/controllers";
import { makeCertificate } from "@orch/platform";
import { groupName, vocabularyOf } from "@orch/schema";
import { requestField } from "@orch/testing";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";
import { privateKeyFile } from "./harness/signing-key";

const workplace = useWorkplace();

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number };
}

describe("against a real server", () => {
  const names = vocabularyOf("orch");
  const types = builtInTypes();
  const stop = new AbortController();
  let server: RunningServer;
  let admin: Client;
  let log: string;
  let done: Promise<void>;

  beforeAll(async () => {
    const folder = workplace.folder();
    const policy = join(folder, "policy.yaml");
    log = join(folder, "audit.log");
    writeFileSync(policy, `apiVersion: ${names.groups.audit}/v1\nkind: Policy\nrules:\n- level: Metadata\n`);
    server = await startServer({
      flags: { "audit-policy-file": policy, "audit-log-path": log, "audit-log-mode": "blocking" },
    });
    admin = adminClient(server);
    const user = server.issueClient({ name: names.users.controllerManager });
    const text = (value: string) => ({ kind: "text", text: value }) as const;
    const certificate = { certificate: text(user.certificate), key: text(user.key) };
    const [signer, signerKey] = [join(folder, "signer.crt"), join(folder, "signer.key")];
    const authority = makeCertificate({
      subject: { commonName: "a" },
      usage: { kind: "authority" },
      nowMs: Date.now(),
    });
    writeFileSync(signer, authority.certificate);
    writeFileSync(signerKey, authority.key);
    const options = {
      "service-account-private-key-file": privateKeyFile(workplace),
      "cluster-signing-cert-file": signer,
      "cluster-signing-key-file": signerKey,
    };
    const connection = { ...adminConnection(server), credentials: { certificate } };
    const silent = { info() {}, warn() {}, error() {} };
    done = runControllers({ connection, vocabulary: "orch", log: silent, options, usesAccounts: true }, stop.signal);
  }, 60_000);
  afterAll(async () => {
    stop.abort();
    await done;
    admin.close();
    await server.stop();
  });

  const events = (): readonly AuditEvent[] =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as AuditEvent);
  const named = (account: string): string => `system:serviceaccount:${names.namespaces.system}:${account}`;
  const fromControllers = ({ user: { username } }: AuditEvent): boolean =>
    username.startsWith(`system:serviceaccount:${names.namespaces.system}:`) ||
    username === names.users.controllerManager;
  const inNew = <T extends object>(type: ResourceType<T>) => admin.resource(type).namespace("new");
  const quotas: ResourceType<{ metadata: object; spec: object; status?: { used?: object } }> = {
    ...{ group: "", version: "v1", resource: "resourcequotas", kind: "ResourceQuota", namespaced: true },
  };

  test("they do their work, and are refused nothing", async () => {
    await admin.resource(types.namespaces).create({ metadata: { name: "new" } });
    const account = await eventually("there is an account, with a secret", async () => {
      const found = await inNew(types.serviceAccounts).find("default");
      return found?.secrets !== undefined && found;
    });
    expect(account.secrets).toHaveLength(1);
    await eventually("the authorities are told", () => inNew(types.configMaps).find(names.objectNames.rootCaCrt));

    await inNew(quotas).create({ metadata: { name: "q" }, spec: { hard: { configmaps: "9" } } });
    await eventually("the quota is counted", async () => (await inNew(quotas).get("q")).status?.used);

    const owner = await inNew(types.configMaps).create({ metadata: { name: "owner" } });
    const { name = "", uid = "" } = owner.metadata ?? {};
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true }];
    await inNew(types.configMaps).create({ metadata: { name: "owned", ownerReferences } });
    await inNew(types.configMaps).delete("owner", { propagationPolicy: "Foreground" });
    const isGone = async (of: string) => (await inNew(types.configMaps).find(of)) === undefined;
    await eventually("the owned one goes with its owner", () => isGone("owned"));
    await eventually("so the owner goes", () => isGone("owner"));

    const label = names.labels.rbacAuthorizationAggregateToView;
    const rules = [{ apiGroups: ["fruit.example"], resources: ["apples"], verbs: ["get"] }];
    await admin
      .resource(types.clusterRoles)
      .create({ metadata: { name: "fruit", labels: { [label]: "true" } }, rules });
    await eventually("the role's rules are in those that gather them", async () =>
      JSON.stringify((await admin.resource(types.clusterRoles).get("view")).rules).includes("fruit.example"),
    );

    const resources = { requests: { storage: "1Gi" } };
    await inNew(types.persistentVolumeClaims).create({
      metadata: { name: "claim" },
      spec: { accessModes: ["ReadWriteOnce"], resources },
    });
    const ofClaim = () => inNew(types.persistentVolumeClaims).find("claim");
    await eventually("the claim is protected", async () => (await ofClaim())?.metadata?.finalizers?.length);
    await inNew(types.persistentVolumeClaims).delete("claim");
    await eventually("the claim goes", async () => (await ofClaim()) === undefined);

    await seeToServices();
    await seeToBudgetsAndJobs();
    await seeToTokens();
    await seeToRequests();

    await admin.resource(types.namespaces).delete("new");
    await eventually(
      "the namespace goes",
      async () => (await admin.resource(types.namespaces).find("new")) === undefined,
    );

    const accounts = EVERY_CONTROLLER.map(({ name: controller }) => accountOf(controller, "orch")).filter(
      (each) => each !== undefined,
    );
    const writers = new Set(
      events()
        .filter(fromControllers)
        .map(({ user }) => user.username),
    );
    expect([...writers]).toEqual(expect.arrayContaining(WORKING.map(named)));
    expect(accounts).toEqual(expect.arrayContaining(WORKING));
    expect(events().filter((event) => fromControllers(event) && isRefused(event))).toEqual([]);
  }, 60_000);

  async function seeToServices(): Promise<void> {
    const port = { port: 80, protocol: "TCP" } as const;
    await inNew(types.services).create({
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [port] },
    });
    await inNew(types.services).create({ metadata: { name: "outer" }, spec: { ports: [port] } });
    await inNew(types.endpoints).create({
      metadata: { name: "outer" },
      subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [port] }],
    });
    await eventually("the endpoints are listed", () => inNew(types.endpoints).find("web"));
    const ofServices = async () => {
      const { items } = await inNew(type("discovery", "endpointslices", "EndpointSlice")).list();
      return items.map(({ metadata }) => metadata?.labels?.[names.labels.serviceName as string]).sort();
    };
    await eventually("there are slices", async () => String(await ofServices()) === "outer,web");
  }

  async function seeToBudgetsAndJobs(): Promise<void> {
    const budgets = inNew(type("policy", "poddisruptionbudgets", "PodDisruptionBudget"));
    await budgets.create({
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    await eventually("the budget has a status", async () => (await budgets.get("b")).status?.["observedGeneration"]);
    const jobs = inNew(type("batch", "jobs", "Job"));
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const job = await jobs.create({ metadata: { name: "j" }, spec: { ttlSecondsAfterFinished: 0, template } });
    const conditions = [{ type: "Complete", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }];
    await jobs.updateStatus({ ...job, status: { conditions } });
    await eventually("the job goes", async () => {
      const left = await jobs.find("j");
      return left === undefined || left.metadata?.deletionTimestamp !== undefined;
    });
  }

  async function seeToTokens(): Promise<void> {
    const secrets = admin.resource(types.secrets).namespace(names.namespaces.system);
    const token = (id: string, more: object) =>
      secrets.create({
        metadata: { name: `bootstrap-token-${id}` },
        type: names.secretTypes.bootstrapToken,
        stringData: { "token-id": id, "token-secret": "0123456789abcdef", ...more },
      });
    await token("gone00", { expiration: "2020-01-01T00:00:00Z" });
    await eventually("the token goes", async () => (await secrets.find("bootstrap-token-gone00")) === undefined);
    const maps = admin.resource(types.configMaps).namespace(names.namespaces.public);
    await maps.create({ metadata: { name: "cluster-info" }, data: { kubeconfig: "text" } });
    await token("good00", { "usage-bootstrap-signing": "true" });
    const data = async () => (await maps.get("cluster-info")).data ?? {};
    await eventually("the map is signed", async () => (await data())["jws-kubeconfig-good00"]);
  }

  async function seeToRequests(): Promise<void> {
    const requests = admin.resource(types.certificateSigningRequests);
    await requests.create({
      metadata: { name: "r" },
      spec: {
        request: requestField(),
        signerName: names.signers.apiserverClient,
        usages: ["server auth"],
      },
    });
    const request = await requests.get("r");
    const approved = { type: "Approved", status: "True", reason: "r", message: "m" };
    await requests.updateSubresource("r", "approval", { ...request, status: { conditions: [approved] } });
    const state = async () => JSON.stringify((await requests.get("r")).status);
    await eventually("the request is refused", async () => (await state()).includes("SignerValidationFailure"));
  }

  const type = (group: string, resource: string, kind: string): ResourceType<Untyped> => ({
    ...{ group: groupName(names, group), version: "v1", resource, kind, namespaced: true },
  });

  test("one whose account is deleted has another, and goes on", async () => {
    const accounts = admin.resource(types.serviceAccounts).namespace(names.namespaces.system);
    const before = await accounts.get("resourcequota-controller");
    await accounts.delete("resourcequota-controller");
    const inDefault = admin.resource(quotas).namespace("default");
    await inDefault.create({ metadata: { name: "q" }, spec: { hard: { configmaps: "9" } } });
    await eventually("the quota is counted", async () => (await inDefault.get("q")).status?.used);
    expect((await accounts.get("resourcequota-controller")).metadata?.uid).not.toBe(before.metadata?.uid);
  }, 60_000);
});

/** Accounts of the controllers for which the test creates work. */
const WORKING = [
  "service-account-controller",
  "root-ca-cert-publisher",
  "namespace-controller",
  "generic-garbage-collector",
  "resourcequota-controller",
  "clusterrole-aggregation-controller",
  "pvc-protection-controller",
  "endpoint-controller",
  "endpointslice-controller",
  "endpointslicemirroring-controller",
  "disruption-controller",
  "ttl-after-finished-controller",
  "token-cleaner",
  "bootstrap-signer",
  "certificate-controller",
];

interface Untyped {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly name?: string;
  };
  readonly spec?: object;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Whether a request was refused for lack of permission. A terminating namespace refuses new objects of every user. */
const isRefused = ({ annotations = {}, responseStatus }: AuditEvent): boolean =>
  responseStatus?.code === 401 ||
  Object.entries(annotations).some(([key, value]) => key.endsWith("/decision") && value === "forbid");
