// Certificate signing requests and their controllers, against a server in this process: approved, signed, used, refused
// and cleaned, with the permissions of the bootstrap roles only.
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, Client, type ConnectionSettings } from "@orch/client";
import { chosenControllers, runControllers, SharedViews } from "@orch/controllers";
import { type KeyAndCertificate, makeCertificate } from "@orch/platform";
import { type certificatesV1, type JsonObject, type VocabularyName, vocabularyOf } from "@orch/schema";
import { ManualClock, type RequestParts, requestField, testKey } from "@orch/testing";
import { eventually } from "./harness/eventually";
import { adminConnection } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";

type Request = certificatesV1.CertificateSigningRequest;

const workplace = useWorkplace();
const log = { info() {}, warn() {}, error() {} };
const unlimited = { perSecond: 0, burst: 0 };
const CLIENT_USAGES = ["client auth", "digital signature", "key encipherment"];

const newAuthority = (commonName: string): KeyAndCertificate =>
  makeCertificate({ subject: { commonName }, usage: { kind: "authority" }, nowMs: Date.now() });
const AUTHORITIES = [newAuthority("first"), newAuthority("second")] as const;
const bundle = AUTHORITIES.map(({ certificate }) => certificate).join("");

const HOUR_MS = 60 * 60_000;

/** Reports each pass of a controller, which is followed by a pause of an hour. */
class PassClock extends ManualClock {
  passes = 0;

  override after(delayMs: number, callback: () => void): () => void {
    if (delayMs === HOUR_MS) this.passes += 1;
    return super.after(delayMs, callback);
  }
}

/** A server and the certificate controllers. */
class Cluster {
  private stopping = new AbortController();
  private readonly clients: Client[] = [];
  private controllers: Promise<void> = Promise.resolve();

  private constructor(
    readonly server: RunningServer,
    readonly vocabulary: VocabularyName,
    readonly files: { readonly certificate: string; readonly key: string },
  ) {}

  /** @param signs whether the controllers have a signing certificate */
  static async start(vocabulary: VocabularyName, release?: string, signs = true): Promise<Cluster> {
    const folder = workplace.folder();
    const trusted = join(folder, "trusted.crt");
    writeFileSync(trusted, bundle);
    const server = await startServer({
      vocabulary,
      flags: {
        "client-ca-file": trusted,
        "authorization-mode": ["Node", "RBAC"],
        ...(release !== undefined && { "emulated-release": release }),
      },
    });
    const cluster = new Cluster(server, vocabulary, {
      certificate: join(folder, "ca.crt"),
      key: join(folder, "ca.key"),
    });
    cluster.signWith(AUTHORITIES[0]);
    cluster.work(signs);
    return cluster;
  }

  signWith({ certificate, key }: KeyAndCertificate): void {
    writeFileSync(this.files.key, key);
    writeFileSync(this.files.certificate, certificate);
  }

  /** Starts the controllers under the service account of their roles. */
  private work(signs: boolean): void {
    const { namespaces } = vocabularyOf(this.vocabulary);
    const of = `${namespaces.system}`;
    const { certificate, key } = this.server.issueClient({
      name: `system:serviceaccount:${of}:certificate-controller`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${of}`, "system:authenticated"],
    });
    const controllers = chosenControllers(["csrapproving", "csrsigning", "csrcleaner"]);
    const options = signs
      ? { "cluster-signing-cert-file": this.files.certificate, "cluster-signing-key-file": this.files.key }
      : {};
    const connection = this.connection({ certificate, key });
    const { vocabulary } = this;
    this.controllers = runControllers({ connection, vocabulary, log, controllers, options }, this.stopping.signal);
  }

  connection({ certificate, key }: KeyAndCertificate): ConnectionSettings {
    const text = (value: string) => ({ kind: "text", text: value }) as const;
    return {
      ...adminConnection(this.server),
      credentials: { certificate: { certificate: text(certificate), key: text(key) } },
    };
  }

  client(of: KeyAndCertificate): Client {
    const { vocabulary } = this;
    const connection = this.connection(of);
    const client = new Client({ connection, vocabulary, program: "test", rateLimit: unlimited });
    this.clients.push(client);
    return client;
  }

  private asAdmin: Client | undefined;

  get admin(): Client {
    this.asAdmin ??= this.client(this.server.admin);
    return this.asAdmin;
  }

  requests(client: Client = this.admin) {
    return client.resource(builtInTypes(this.vocabulary).certificateSigningRequests);
  }

  get signers() {
    return vocabularyOf(this.vocabulary).signers;
  }

  async request(name: string, spec: object, client: Client = this.admin): Promise<Request> {
    return this.requests(client).create({ metadata: { name }, spec } as Request);
  }

  async approve(name: string): Promise<void> {
    const condition = { type: "Approved", status: "True", reason: "Known", message: "" };
    await this.requests().patch(name, "merge", { status: { conditions: [condition] } }, { subresource: "approval" });
  }

  answered(name: string): Promise<Request> {
    return eventually(`${name} is answered`, async () => {
      const found = await this.requests().get(name);
      const { certificate, conditions = [] } = found.status ?? {};
      return certificate || conditions.some(({ type }) => type === "Failed") ? found : undefined;
    });
  }

  /** Stops the controllers and starts them with a signing certificate. */
  async restartWithSigner(): Promise<void> {
    this.stopping.abort();
    await this.controllers;
    this.stopping = new AbortController();
    this.work(true);
  }

  /** The first event about a request. */
  eventOf(name: string): Promise<{ readonly type?: string; readonly reason?: string; readonly message?: string }> {
    const core = { group: "", version: "v1", resource: "events", kind: "Event", namespaced: true };
    return eventually(`an event tells of ${name}`, async () => {
      const fieldSelector = `involvedObject.kind=CertificateSigningRequest,involvedObject.name=${name}`;
      return (await this.admin.resource<JsonObject>(core).list({ fieldSelector })).items[0];
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.controllers;
    for (const client of this.clients) client.close();
    await this.server.stop();
  }
}

const certificateOf = ({ status }: Request): string => Buffer.from(status?.certificate ?? "", "base64").toString();
const keyText = (parts: RequestParts): string =>
  testKey(parts.key ?? "p256").export({ type: "pkcs8", format: "pem" }) as string;

describe.each<VocabularyName>(["orch", "kubernetes"])("in the vocabulary %s", (vocabulary) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(vocabulary);
  });
  afterAll(() => cluster.stop());

  test("a manually approved request gets a certificate that the server accepts at once", async () => {
    const parts: RequestParts = {
      subject: [
        ["CN", "ann"],
        ["O", "dev"],
        ["O", "ops"],
      ],
    };
    const spec = { request: requestField(parts), signerName: cluster.signers.apiserverClient, usages: CLIENT_USAGES };
    await cluster.request("ann", { ...spec, expirationSeconds: 3600 });
    await cluster.approve("ann");
    const certificate = certificateOf(await cluster.answered("ann"));
    const { validFrom, validTo, issuer } = new X509Certificate(certificate);
    expect([Date.parse(validTo) - Date.parse(validFrom), issuer]).toEqual([65 * 60_000, "CN=first"]);
    const ann = cluster.client({ certificate, key: keyText(parts) });
    const { group } = builtInTypes(vocabulary).subjectAccessReviews;
    const type = {
      group,
      version: "v1",
      resource: "selfsubjectaccessreviews",
      kind: "SelfSubjectAccessReview",
      namespaced: false,
    };
    const review = await ann
      .resource<JsonObject>(type)
      .create({ spec: { resourceAttributes: { verb: "get", resource: "pods" } } });
    expect(review["status"]).toMatchObject({ allowed: false });
    await expect(ann.resource(builtInTypes(vocabulary).pods).namespace("default").list()).rejects.toThrow(
      'User "ann" cannot list',
    );
  });

  test("a request for longer than the signer signs gets a certificate for as long as the signer does", async () => {
    const spec = { signerName: cluster.signers.apiserverClient, usages: CLIENT_USAGES };
    const request = requestField({ subject: [["CN", "bob"]] });
    await cluster.request("long", { ...spec, request, expirationSeconds: 2_000_000_000 });
    await cluster.approve("long");
    const { validFrom, validTo } = new X509Certificate(certificateOf(await cluster.answered("long")));
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(8760 * HOUR_MS);
  });

  test("an agent is approved by leave of the roles, signed, and lives on its certificate", async () => {
    const groups = ["system:bootstrappers"];
    const joining = cluster.client(cluster.server.issueClient({ name: "system:bootstrap:abcdef", groups }));
    const rbac = cluster.admin.resource(builtInTypes(vocabulary).clusterRoleBindings);
    const { rbacNames, groups: apiGroups } = vocabularyOf(vocabulary);
    const bind = (name: string, role: string, group: string) =>
      rbac.create({
        metadata: { name },
        roleRef: { apiGroup: apiGroups.rbac, kind: "ClusterRole", name: role },
        subjects: [{ apiGroup: apiGroups.rbac, kind: "Group", name: group }],
      });
    const parts: RequestParts = {
      subject: [
        ["O", "system:nodes"],
        ["CN", "system:node:one"],
      ],
    };
    const spec = { signerName: cluster.signers.apiserverClientAgent, usages: CLIENT_USAGES };
    await bind("joining", "system:node-bootstrapper", "system:bootstrappers");
    await eventually("it may ask", () =>
      cluster.request("one", { ...spec, request: requestField(parts) }, joining).catch(() => undefined),
    );
    await bind("new-nodes", rbacNames.certificatesCertificatesigningrequestsNodeclient, "system:bootstrappers");
    const answered = await cluster.answered("one");
    expect(answered.status?.conditions).toEqual([
      expect.objectContaining({
        type: "Approved",
        status: "True",
        reason: "AutoApproved",
        message: "Auto approving kubelet client certificate after SubjectAccessReview.",
      }),
    ]);

    await bind("nodes", rbacNames.certificatesCertificatesigningrequestsSelfnodeclient, "system:nodes");
    const agent = cluster.client({ certificate: certificateOf(answered), key: keyText(parts) });
    await agent.resource(builtInTypes(vocabulary).nodes).create({ metadata: { name: "one" } });
    await expect(agent.resource(builtInTypes(vocabulary).secrets).namespace("default").list()).rejects.toThrow(
      'User "system:node:one" cannot list',
    );
    const renewed: RequestParts = { ...parts, key: "ed25519" };
    await eventually("it may ask", () =>
      cluster.request("one-again", { ...spec, request: requestField(renewed) }, agent).catch(() => undefined),
    );
    const again = await cluster.answered("one-again");
    expect(again.status?.conditions?.[0]?.message).toBe(
      "Auto approving self kubelet client certificate after SubjectAccessReview.",
    );
    const key = keyText(renewed);
    const since = cluster.client({ certificate: certificateOf(again), key });
    expect((await since.resource(builtInTypes(vocabulary).nodes).get("one")).metadata?.name).toBe("one");
  });

  test("an approved request that violates its signer's rules fails permanently with the reason", async () => {
    const parts: RequestParts = { subject: [["CN", "ann"]] };
    const usages = ["client auth", "server auth"];
    await cluster.request("odd", { request: requestField(parts), signerName: cluster.signers.apiserverClient, usages });
    await cluster.approve("odd");
    const { status } = await cluster.answered("odd");
    expect(status).toEqual({
      conditions: [
        expect.objectContaining({ type: "Approved" }),
        {
          type: "Failed",
          status: "True",
          reason: "SignerValidationFailure",
          message: "invalid usage for client certificate: server auth",
          lastUpdateTime: expect.any(String),
          lastTransitionTime: expect.any(String),
        },
      ],
    });
    expect(await cluster.eventOf("odd")).toMatchObject({
      type: "Warning",
      reason: "SignerValidationFailure",
      message: "invalid usage for client certificate: server auth",
    });
  });

  test("a signer of the server's own domain that there is not is named in an event", async () => {
    const signerName = `${cluster.signers.apiserverClient.split("/")[0]}/nobody`;
    const request = requestField({ subject: [["CN", "ann"]] });
    await cluster.request("nobodys", { request, usages: CLIENT_USAGES, signerName });
    expect(await cluster.eventOf("nobodys")).toMatchObject({
      type: "Warning",
      reason: "UnknownSigner",
      message: `the signer ${signerName} does not exist`,
    });
    await cluster.requests().delete("nobodys");
  });

  test("requests of other signers, unapproved and denied requests are not changed", async () => {
    const request = requestField({ subject: [["CN", "ann"]] });
    const spec = { request, usages: CLIENT_USAGES };
    const { apiserverClient } = cluster.signers;
    await cluster.request("others", { ...spec, signerName: "example.com/own" });
    await cluster.approve("others");
    await cluster.request("unanswered", { ...spec, signerName: apiserverClient });
    await cluster.request("denied", { ...spec, signerName: apiserverClient });
    const condition = { type: "Denied", status: "True", reason: "Unknown", message: "" };
    await cluster
      .requests()
      .patch("denied", "merge", { status: { conditions: [condition] } }, { subresource: "approval" });
    // A later request is handled, so the earlier ones have been seen.
    await cluster.request("later", { ...spec, signerName: apiserverClient });
    await cluster.approve("later");
    await cluster.answered("later");
    for (const name of ["others", "unanswered", "denied"]) {
      expect([name, (await cluster.requests().get(name)).status?.certificate]).toEqual([name, undefined]);
    }
  });

  test("a signer's files are exchanged while it runs; half of a pair is not taken", async () => {
    async function issuerOf(name: string): Promise<string> {
      const parts: RequestParts = { subject: [["CN", name]] };
      const spec = { signerName: cluster.signers.apiserverClient, usages: CLIENT_USAGES };
      await cluster.request(name, { ...spec, request: requestField(parts) });
      await cluster.approve(name);
      const certificate = certificateOf(await cluster.answered(name));
      const client = cluster.client({ certificate, key: keyText(parts) });
      const pods = client.resource(builtInTypes(vocabulary).pods).namespace("default");
      await expect(pods.list()).rejects.toThrow(`User "${name}" cannot list`);
      return new X509Certificate(certificate).issuer;
    }
    expect(await issuerOf("a")).toBe("CN=first");
    writeFileSync(cluster.files.certificate, AUTHORITIES[1].certificate);
    expect(await issuerOf("b")).toBe("CN=first");
    writeFileSync(cluster.files.key, AUTHORITIES[1].key);
    expect(await issuerOf("c")).toBe("CN=second");
  });

  test("answered requests are deleted after an hour, pending ones after a day", async () => {
    const clock = new PassClock(Date.now());
    const connection = adminConnection(cluster.server);
    const client = new Client({ connection, vocabulary, program: "test", clock, rateLimit: unlimited });
    const [cleaner] = chosenControllers(["csrcleaner"]);
    const stop = new AbortController();
    const context = {
      client,
      release: "1.23",
      isOn: () => false,
      events: { record() {} } as never,
      views: new SharedViews(client),
    };
    const cleaned = cleaner?.run(context, {}, stop.signal);
    const request = requestField({ subject: [["CN", "ann"]] });
    const spec = { request, signerName: "example.com/own", usages: CLIENT_USAGES };
    await cluster.request("approved-alone", spec);
    await cluster.approve("approved-alone");
    const names = async () => (await cluster.requests().list()).items.map(({ metadata }) => metadata?.name).sort();
    const before = await names();
    expect(before).toEqual(expect.arrayContaining(["a", "denied", "odd", "unanswered"]));
    await eventually("the first pass", async () => clock.passes === 1);
    expect(await names()).toEqual(before);
    clock.advance(2 * HOUR_MS);
    await eventually("a second pass", async () => clock.passes === 2);
    expect(await names()).toEqual(["unanswered"]);
    clock.advance(23 * HOUR_MS);
    await eventually("a third pass", async () => clock.passes === 3);
    expect(await names()).toEqual([]);
    stop.abort();
    await cleaned;
    client.close();
  });
});

test("up to release 1.18 requests are of the beta version, which need not name a signer, nor says how long", async () => {
  const cluster = await Cluster.start("orch", "1.17");
  try {
    const type = { ...builtInTypes().certificateSigningRequests, version: "v1beta1" };
    const requests = cluster.admin.resource<JsonObject>(type as never);
    const parts: RequestParts = { subject: [["CN", "ann"]] };
    const spec = { request: requestField(parts), usages: CLIENT_USAGES, expirationSeconds: 3600 };
    await requests.create({ metadata: { name: "ann" }, spec });
    const conditions = [{ type: "Approved", status: "True", reason: "Known", message: "" }];
    await requests.patch("ann", "merge", { status: { conditions } }, { subresource: "approval" });
    const answered = await eventually("it is signed", async () => {
      const found = (await requests.get("ann")) as unknown as Request;
      return found.status?.certificate === undefined ? undefined : found;
    });
    const { validFrom, validTo } = new X509Certificate(certificateOf(answered));
    expect([answered.spec.signerName, Date.parse(validTo) - Date.parse(validFrom)]).toEqual([
      cluster.signers.legacyUnknown,
      8760 * HOUR_MS,
    ]);
  } finally {
    await cluster.stop();
  }
});

test("an approved request says in an event and a condition that its signer has no certificate, until it is signed", async () => {
  const cluster = await Cluster.start("orch", "1.23", false);
  try {
    const request = requestField({ subject: [["CN", "ann"]] });
    const signerName = cluster.signers.apiserverClient;
    await cluster.request("waiting", { request, usages: CLIENT_USAGES, signerName });
    await cluster.approve("waiting");
    expect(await cluster.eventOf("waiting")).toMatchObject({
      type: "Warning",
      reason: "SignerNotConfigured",
      message: expect.stringContaining("--cluster-signing-cert-file"),
    });
    const told = await eventually("the condition says so", async () => {
      const { status } = await cluster.requests().get("waiting");
      return status?.conditions?.find(({ type }) => type === "SignerNotConfigured");
    });
    expect(told).toMatchObject({ status: "True", message: expect.stringContaining("--cluster-signing-cert-file") });
    await cluster.restartWithSigner();
    const { status } = await cluster.answered("waiting");
    expect(status?.certificate).toBeDefined();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(["Approved"]);
  } finally {
    await cluster.stop();
  }
});
