// The life of a kubelet: it starts with a bootstrap token and the server's address, and continues with certificates
// that it requests.
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { configurationFor, configurationText } from "@orch/client";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
import { Authority } from "./harness/credentials";
import { pageAt } from "./harness/documents";
import { eventually } from "./harness/eventually";
import { FakeNodeAgent } from "./harness/fake-node-agent";
import type { Answer, ApiClient } from "./harness/https-client";
import { type Issued, JoiningAgent } from "./harness/joining-agent";
import { Kubectl } from "./harness/kubectl";
import { MakeRun } from "./harness/make-run";
import { repository, tool, useWorkplace } from "./harness/processes";

const TOKEN = "abcdef.0123456789abcdef";
const CALLER = "apiserver-to-agents";
const POD = "/api/v1/namespaces/default/pods/tool";

const workplace = useWorkplace();

describe.each<VocabularyName>(["orch", "kubernetes"])("in the vocabulary %s", (vocabularyName) => {
  const vocabulary = vocabularyOf(vocabularyName);
  const { namespaces, groups, rbacNames, secretTypes } = vocabulary;
  const requests = `/apis/${groups.certificates}/v1/certificatesigningrequests`;
  const leases = `/apis/${groups.coordination}/v1/namespaces/${namespaces.nodeLease}/leases`;
  const secret = `/api/v1/namespaces/${namespaces.system}/secrets/bootstrap-token-abcdef`;
  const agents: JoiningAgent[] = [];
  let server: ApiServer;
  let serving: FakeNodeAgent | undefined;
  /** The kubelet that has joined. */
  let agent: JoiningAgent;
  let found: Awaited<ReturnType<JoiningAgent["discover"]>>;
  let life: ApiClient;
  let kubectl: Kubectl;
  let first: Issued;

  const created = async (path: string, object: object) => {
    const answer = await server.admin.post(path, object);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  };
  const patch = (as: ApiClient, path: string, body: object): Promise<Answer> =>
    as.send(path, {
      method: "PATCH",
      body: JSON.stringify(body),
      headers: { "content-type": "application/merge-patch+json" },
    });
  const outcome = ({ status, body }: Answer) => [status, status < 300 ? "" : (JSON.parse(body).message as string)];

  function newAgent(name: string, token = TOKEN): JoiningAgent {
    const made = new JoiningAgent({
      vocabulary: vocabularyName,
      url: server.url,
      token,
      name,
      folder: workplace.folder(),
    });
    agents.push(made);
    return made;
  }

  /** Creates what an administrator provides for joining nodes. */
  async function admit(): Promise<void> {
    const bind = (name: string, role: string, group: string) =>
      created(`/apis/${groups.rbac}/v1/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: groups.rbac, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup: groups.rbac, kind: "Group", name: group }],
      });
    await bind("joining-ask", "system:node-bootstrapper", "system:bootstrappers");
    await bind("joining-first", rbacNames.certificatesCertificatesigningrequestsNodeclient, "system:bootstrappers");
    await bind("nodes-renew", rbacNames.certificatesCertificatesigningrequestsSelfnodeclient, "system:nodes");
    await created(`/api/v1/namespaces/${namespaces.system}/secrets`, {
      metadata: { name: "bootstrap-token-abcdef" },
      type: secretTypes.bootstrapToken,
      stringData: {
        "token-id": "abcdef",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
        "usage-bootstrap-signing": "true",
        expiration: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
  }

  async function publish(): Promise<void> {
    const file = join(workplace.folder(), "kubeconfig");
    const ca = String(server.authority.anonymous().ca);
    const user = { token: String(server.admin.credentials.token) };
    writeFileSync(file, configurationText(configurationFor({ name: "admin", server: server.url, ca, user })));
    const script = join(repository, "scripts/publish-cluster-info.mjs");
    await promisify(execFile)(process.execPath, [script, "--kubeconfig", file, "--vocabulary", vocabularyName]);
  }

  beforeAll(async () => {
    const authority = new Authority(workplace);
    const caller = authority.issue(CALLER);
    server = await startApiServer(workplace, {
      name: `apiserver-${vocabularyName}`,
      store: { kind: "memory" },
      authority,
      flags: [
        `--vocabulary=${vocabularyName}`,
        "--authorization-mode=Node", // beside RBAC, which the harness asks for
        "--enable-admission-plugins=NodeRestriction",
        "--enable-bootstrap-token-auth",
        `${vocabulary.flags.nodeagentCertificateAuthority}=${caller.ca}`,
        `${vocabulary.flags.nodeagentClientCertificate}=${caller.cert}`,
        `${vocabulary.flags.nodeagentClientKey}=${caller.key}`,
        `${vocabulary.flags.nodeagentPreferredAddressTypes}=InternalIP`,
      ],
    });
    new ControllerManagers(workplace, server, vocabularyName).start(`manager-${vocabularyName}`, [
      "--controllers=bootstrapsigner,tokencleaner,csrapproving,csrsigning",
      `--cluster-signing-cert-file=${authority.caFile}`,
      `--cluster-signing-key-file=${authority.caFile.replace(/crt$/, "key")}`,
      "--leader-elect=false",
    ]);
    kubectl = new Kubectl(server, workplace.folder());
    await Promise.all([admit(), publish()]);
  }, 60_000);

  afterAll(() => {
    serving?.close();
    for (const each of agents) each.close();
  });

  test("verifies the server by the token and receives an automatically approved certificate", async () => {
    agent = newAgent("worker");
    found = await eventually("cluster-info is signed", () => agent.discover().catch(() => undefined));
    expect(found.url).toBe(server.url);
    await expect(newAgent("other", "abcdef.fedcba9876543210").discover()).rejects.toThrow("not signed by the token");
    const joining = agent.joining(found);
    expect(outcome(await joining.get("/api/v1/nodes"))).toEqual([
      403,
      expect.stringContaining("system:bootstrap:abcdef"),
    ]);
    first = await agent.join(joining);
    const { subject, ca } = new X509Certificate(first.certificate);
    expect([subject, ca]).toEqual([`O=system:nodes\nCN=${agent.user}`, false]);
    life = agent.living(found, first);
  });

  test("writes its node and lease, and no others", async () => {
    await created("/api/v1/nodes", { metadata: { name: "neighbour" } });
    expect((await life.post("/api/v1/nodes", { metadata: { name: "worker" } })).status).toBe(201);
    expect((await life.post(leases, { metadata: { name: "worker" }, spec: { holderIdentity: "worker" } })).status).toBe(
      201,
    );
    expect(
      outcome(await patch(life, `${leases}/worker`, { spec: { renewTime: "2030-01-01T00:00:00.000000Z" } })),
    ).toEqual([200, ""]);
    const ready = { status: { conditions: [{ type: "Ready", status: "True" }] } };
    expect(outcome(await patch(life, "/api/v1/nodes/worker/status", ready))).toEqual([200, ""]);
    const refused = [
      await life.post("/api/v1/nodes", { metadata: { name: "third" } }),
      await life.post(leases, { metadata: { name: "neighbour" } }),
      await patch(life, "/api/v1/nodes/neighbour/status", ready),
      await life.delete("/api/v1/nodes/worker"),
      await life.get(secret),
      await life.get(`/api/v1/namespaces/${namespaces.system}/secrets`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
  });

  test("renews its own certificate, and no other", async () => {
    const next = await agent.join(life, "client", { key: "rsa" });
    expect(next.certificate).not.toBe(first.certificate);
    const renewed = agent.living(found, next);
    expect(outcome(await renewed.get("/api/v1/nodes/worker"))).toEqual([200, ""]);
    const { name } = await agent.ask(renewed, "client", { commonName: "system:node:neighbour" });
    life = renewed;
    const third = await agent.join(life, "client", { key: "ed25519" }); // by then the other would have been approved, too
    expect((await server.admin.get(`${requests}/${name}`)).object()["status"]).toEqual({});
    life = agent.living(found, third);
    expect(outcome(await life.get("/api/v1/nodes/worker"))).toEqual([200, ""]);
  });

  test("serves with a certificate that an administrator has approved: logs and commands reach it", async () => {
    const asked = await agent.ask(life, "serving", { address: "127.0.0.1" });
    expect(outcome(asked.answer)).toEqual([201, ""]);
    const other = await agent.ask(life, "serving", { address: "192.0.2.1" });
    await decide(other.name, "Denied");
    await decide(asked.name, "Approved");
    const pair = await agent.collect(life, asked);
    expect((await server.admin.get(`${requests}/${other.name}`)).object()["status"]).not.toHaveProperty("certificate");
    serving = new FakeNodeAgent(agent.files(found, pair));
    await serving.listen();
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: serving.port } },
    };
    expect(outcome(await patch(life, "/api/v1/nodes/worker/status", { status }))).toEqual([200, ""]);
    const spec = { nodeName: "worker", containers: [{ name: "main", image: "example/main" }] };
    await created("/api/v1/namespaces/default/pods", { metadata: { name: "tool" }, spec });
    expect(outcome(await patch(life, `${POD}/status`, { status: { phase: "Running" } }))).toEqual([200, ""]);
    const log = await server.admin.get(`${POD}/log`);
    expect([log.status, log.body]).toEqual([200, "first line\nsecond line\n"]);
    if (vocabularyName === "kubernetes")
      expect(await kubectl.print(["exec", "tool", "--", "echo", "a b"])).toBe("a b\n");
    else expect(await upgraded(`${POD}/exec?command=true&stdout=true`)).toBe(101);
    const heard = serving.requests.map(({ path, peer }) => `${peer}: ${path.replace(/\?.*/, "")}`);
    const paths = ["/containerLogs/default/tool/main", "/exec/default/tool/main"];
    expect([...new Set(heard)]).toEqual(paths.map((path) => `${CALLER}: ${path}`));
  });

  /** Uses kubectl where it supports the vocabulary. */
  async function decide(name: string, decision: "Approved" | "Denied"): Promise<void> {
    if (vocabularyName === "kubernetes") {
      const shown = async () => (await kubectl.print(["get", "csr", name, "--no-headers"])).trim().split(/ +/);
      const asked = [name, expect.anything(), vocabulary.signers.agentServing, agent.user];
      expect(await shown()).toEqual([...asked, "Pending"]);
      await kubectl.print(["certificate", decision === "Approved" ? "approve" : "deny", name]);
      expect(await shown()).toEqual([...asked, expect.stringMatching(`^${decision}(,Issued)?$`)]);
      return;
    }
    const request = (await server.admin.get(`${requests}/${name}`)).object();
    const conditions = [{ type: decision, status: "True", reason: "Known", message: "It stands in the hall." }];
    const answer = await server.admin.put(`${requests}/${name}/approval`, { ...request, status: { conditions } });
    expect(answer.status).toBe(200);
  }

  /** Status code of an upgrade request. */
  function upgraded(path: string): Promise<number> {
    const headers = {
      authorization: `Bearer ${server.admin.credentials.token}`,
      connection: "Upgrade",
      upgrade: "SPDY/3.1",
      "x-stream-protocol-version": "v4.channel.k8s.io",
    };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", headers, ca: found.ca, agent: false } as const;
      const sent = httpsRequest(`${server.url}${path}`, options, (answer) => resolve(answer.resume().statusCode ?? 0));
      sent.once("upgrade", (_answer, socket) => {
        socket.destroy();
        resolve(101);
      });
      sent.once("error", reject);
      sent.end();
    });
  }

  test("lives on when the token has expired, with which no other joins", async () => {
    const second = newAgent("second");
    const known = await second.discover();
    const joining = second.joining(known);
    expect((await second.ask(joining, "client")).answer.status).toBe(201);
    const expiration = Buffer.from(new Date(Date.now() + 500).toISOString()).toString("base64");
    expect(outcome(await patch(server.admin, secret, { data: { expiration } }))).toEqual([200, ""]);
    const refused = await eventually("the token is refused", async () => {
      const { answer } = await second.ask(joining, "client");
      return answer.status === 201 ? undefined : answer;
    });
    expect(refused.status).toBe(401);
    await eventually("it is deleted", async () => (await server.admin.get(secret)).status === 404);
    await eventually("nothing is signed with it", () =>
      second.discover().then(
        () => false,
        () => true,
      ),
    );
    expect(outcome(await life.get("/api/v1/nodes/worker"))).toEqual([200, ""]);
    await agent.join(life);
  });
});

test("joins what `make run` has started, at the address that it printed, once the commands of docs/nodes.md are typed", async () => {
  const run = await MakeRun.start(workplace, "make-run");
  const { blocks } = pageAt("docs/nodes.md");
  const commands = blocks.find(({ text }) => text.includes("generic bootstrap-token-"))?.text ?? "exit 1";
  const env = {
    ...process.env,
    KUBECONFIG: join(run.folder, "admin.kubeconfig"),
    PATH: `${dirname(tool("kubectl"))}${delimiter}${process.env["PATH"]}`,
  };
  const { stdout } = await promisify(execFile)("bash", ["-euc", commands], { env });
  const token = stdout.trim().split("\n").at(-1) ?? "";
  const folder = workplace.folder();
  const agent = new JoiningAgent({ vocabulary: "kubernetes", url: run.url, token, name: "worker", folder });
  let serving: FakeNodeAgent | undefined;
  try {
    const found = await eventually("cluster-info is signed", () => agent.discover().catch(() => undefined));
    expect(found.url).toBe(run.url);
    const life = agent.living(found, await agent.join(agent.joining(found)));
    const asked = await agent.ask(life, "serving", { address: "127.0.0.1" });
    await run.kubectl("certificate", "approve", asked.name);
    serving = new FakeNodeAgent(agent.files(found, await agent.collect(life, asked)));
    await serving.listen();
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: serving.port } },
    };
    expect((await life.post("/api/v1/nodes", { metadata: { name: "worker" }, status })).status).toBe(201);
    await run.kubectl("run", "tool", "--image=example/tool", '--overrides={"spec":{"nodeName":"worker"}}');
    expect(await run.kubectl("logs", "tool")).toBe("first line\nsecond line\n");
  } finally {
    serving?.close();
    agent.close();
  }
}, 60_000);
