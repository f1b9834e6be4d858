// Pods and service accounts after `make run`, with kubectl (Debian's 1.20): in a namespace that was just created, and
// with the referenced objects in place.
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { MakeRun } from "./harness/make-run";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const NAMESPACES = Number(process.env["MANY_NAMESPACES"] ?? 60);
const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

interface Pod {
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly {
      readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
    }[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly secret?: { readonly secretName: string };
      readonly projected?: { readonly sources: readonly { readonly configMap?: { readonly name: string } }[] };
    }[];
  };
}
interface Account {
  readonly secrets?: readonly { readonly name: string }[];
}
interface Secret {
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
}

const inPlace = (text = ""): string => Buffer.from(text, "base64").toString();

/** Waits for the default service account of a namespace. */
async function accountIn(run: MakeRun, namespace: string, isDone = (_account: Account) => true): Promise<void> {
  const asked = ["get", "serviceaccount", "default", `--namespace=${namespace}`, "--output=json"];
  await eventually("there is an account", async () => {
    const { code, stdout } = await run.try(...asked);
    return code === 0 && isDone(JSON.parse(stdout) as Account);
  });
}

/** Creates a namespace with a pod once its service account is complete: controllers start after the server is ready. */
async function podIn(run: MakeRun, namespace: string, isDone?: (account: Account) => boolean): Promise<Pod> {
  await run.kubectl("create", "namespace", namespace);
  await accountIn(run, namespace, isDone);
  await run.kubectl("run", "web", "--image=nginx", "--restart=Never", `--namespace=${namespace}`);
  return run.json<Pod>("get", "pod", "web", `--namespace=${namespace}`);
}

/** Identifies the bearer of a token by the message of a refused request. */
async function bearerOf(run: MakeRun, token: string): Promise<string> {
  const answer = await run.try(`--token=${token}`, "get", "pods", "--kubeconfig=/dev/null", ...to(run));
  return /User "([^"]*)"|(Unauthorized)|must be logged in/.exec(answer.stderr)?.slice(1).find(Boolean) ?? answer.stderr;
}
const to = ({ url, folder }: MakeRun): readonly string[] => [
  `--server=${url}`,
  `--certificate-authority=${join(folder, "pki/ca.crt")}`,
];

async function tokenSecrets(run: MakeRun, namespace: string): Promise<readonly Secret[]> {
  const selector = "--field-selector=type=kubernetes.io/service-account-token";
  return (await run.json<{ items: readonly Secret[] }>("get", "secrets", `--namespace=${namespace}`, selector)).items;
}

describe("in a release whose pods have tokens of their own", () => {
  test("the sources of a pod's token volume exist", async () => {
    const run = await MakeRun.start(workplace, "run-1.24", ["--emulated-release=1.24"]);
    const { spec } = await podIn(run, "new");
    expect(spec.serviceAccountName).toBe("default");
    const [volume] = spec.volumes ?? [];
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec.containers[0]?.volumeMounts).toMatchObject([{ name: volume?.name, mountPath: MOUNT_PATH }]);
    const map = volume?.projected?.sources.find(({ configMap }) => configMap !== undefined)?.configMap?.name ?? "";
    const read = () => run.try("get", "configmap", map, "--namespace=new", "--output=jsonpath={.data.ca\\.crt}");
    const authority = await eventually("the map is there", async () => (await read()).stdout || undefined);
    expect(new X509Certificate(authority).ca).toBe(true);
    expect(authority).toBe(readFileSync(join(run.folder, "pki/ca.crt"), "utf8"));

    // Secrets are not generated any more; one that a user creates is filled.
    expect(await tokenSecrets(run, "new")).toEqual([]);
    const file = join(run.folder, "token.json");
    const annotations = { "kubernetes.io/service-account.name": "default" };
    const secret = { metadata: { name: "mine", annotations }, type: "kubernetes.io/service-account-token" };
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "Secret", ...secret }));
    await run.kubectl("create", "--filename", file, "--namespace=new");
    const [filled] = await eventually("it is filled", async () => {
      const all = await tokenSecrets(run, "new");
      return all[0]?.data?.["token"] !== undefined && all;
    });
    expect(await bearerOf(run, inPlace(filled?.data["token"]))).toBe("system:serviceaccount:new:default");

    // Deleted objects are restored, and changed ones are reset.
    await run.kubectl("delete", "configmap", map, "--namespace=new");
    await eventually("the map is back", async () => (await read()).stdout === authority);
    await run.kubectl("patch", "configmap", map, "--namespace=new", '--patch={"data":{"ca.crt":"x","more":"y"}}');
    await eventually("the map is as it was", async () => (await read()).stdout === authority);
    await run.kubectl("delete", "serviceaccount", "default", "--namespace=new");
    await accountIn(run, "new");
    await run.kubectl("run", "second", "--image=nginx", "--restart=Never", "--namespace=new");
    await eventually("the token has gone with its account", async () => (await tokenSecrets(run, "new")).length === 0);
    await run.kubectl("delete", "namespace", "new", "--timeout=30s");
  }, 120_000);
});

describe("in a release whose pods have tokens of secrets", () => {
  test("each account has one, and it lives as long as both", async () => {
    const run = await MakeRun.start(workplace, "run-1.20", ["--emulated-release=1.20"]);
    const { spec } = await podIn(run, "new", ({ secrets = [] }) => secrets.length > 0);
    const name = spec.volumes?.[0]?.secret?.secretName ?? "";
    expect(name).toMatch(/^default-token-[a-z0-9]{5}$/);
    expect(spec.volumes).toMatchObject([{ name }]);
    expect(spec.containers[0]?.volumeMounts).toMatchObject([{ name, mountPath: MOUNT_PATH }]);
    const [secret] = await tokenSecrets(run, "new");
    expect(secret).toMatchObject({ metadata: { name } });
    const { token, namespace, "ca.crt": authority } = secret?.data ?? {};
    expect(inPlace(namespace)).toBe("new");
    expect(inPlace(authority)).toBe(readFileSync(join(run.folder, "pki/ca.crt"), "utf8"));
    expect(await bearerOf(run, inPlace(token))).toBe("system:serviceaccount:new:default");

    await run.kubectl("delete", "secret", name, "--namespace=new");
    const another = await eventually("there is another", async () => {
      const { secrets = [] } = await run.json<Account>("get", "serviceaccount", "default", "--namespace=new");
      return secrets.length === 1 && secrets[0]?.name !== name && secrets[0]?.name;
    });
    expect((await tokenSecrets(run, "new")).map(({ metadata }) => metadata.name)).toEqual([another]);
    expect(await bearerOf(run, inPlace(token))).not.toContain("default");

    await run.kubectl("create", "serviceaccount", "robot", "--namespace=new");
    await eventually("it has one, too", async () => (await tokenSecrets(run, "new")).length === 2);
    await run.kubectl("delete", "serviceaccount", "robot", "--namespace=new");
    await eventually("it goes with it", async () => (await tokenSecrets(run, "new")).length === 1);
    await run.kubectl("delete", "namespace", "new", "--timeout=30s");
  }, 120_000);
});

test("namespaces that are made all at once lack nothing and have nothing twice, though the manager is killed amid its work", async () => {
  const server = await startApiServer(workplace, { store: { kind: "memory" }, flags: ["--emulated-release=1.20"] });
  const managers = new ControllerManagers(workplace, server);
  const key = join(workplace.folder(), "key.pem");
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  const flags = ["--leader-elect=false", `--service-account-private-key-file=${key}`];
  const items = async (path: string) => {
    const { items: all } = JSON.parse((await server.admin.get(path)).body) as { items: readonly Listed[] };
    return all.filter(({ metadata }) => metadata.namespace.startsWith("many-"));
  };
  const accounts = () => items("/api/v1/serviceaccounts");
  const secrets = () => items("/api/v1/secrets?fieldSelector=type%3Dorch.io/service-account-token");
  const maps = () => items("/api/v1/configmaps?fieldSelector=metadata.name%3Dorch-root-ca.crt");

  const first = managers.start("first", flags);
  const names = Array.from({ length: NAMESPACES }, (_, index) => `many-${index}`);
  await Promise.all(names.map((name) => server.admin.post("/api/v1/namespaces", { metadata: { name } })));
  await eventually("it is amid its work", async () => (await secrets()).length > NAMESPACES / 8, { pauseMs: 1 });
  await first.kill();
  managers.start("second", flags);
  const isDone = async () => {
    const [given, made] = [await accounts(), await maps()];
    return (
      made.length === NAMESPACES && given.length === NAMESPACES && given.every(({ secrets: held }) => held?.length)
    );
  };
  await eventually("every namespace has everything", isDone, { timeoutMs: 90_000 });
  const referenced = (await accounts()).flatMap(({ metadata, secrets: held = [] }) =>
    held.map(({ name }) => `${metadata.namespace}/${name}`),
  );
  const there = (await secrets()).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  expect(there.sort()).toEqual(referenced.sort());
  expect(there).toHaveLength(NAMESPACES);
}, 120_000);

interface Listed {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly secrets?: readonly { readonly name: string }[];
}
