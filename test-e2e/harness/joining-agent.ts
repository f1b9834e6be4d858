// The client side of a kubelet that joins a cluster: it starts with the server's address and a bootstrap token only.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseConfiguration } from "@orch/client";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { type KeyKind, requestField, testKey } from "@orch/testing";
import type { ApiObject } from "./api-object";
import type { CertificateFiles } from "./credentials";
import { eventually } from "./eventually";
import { type Answer, ApiClient } from "./https-client";

export interface JoiningAgentOptions {
  readonly vocabulary: VocabularyName;
  readonly url: string;
  readonly token: string;
  /** Name of the node. */
  readonly name: string;
  /** Directory of the agent. */
  readonly folder: string;
}

export interface RequestOptions {
  readonly commonName?: string;
  /** IPv4 address in the certificate. */
  readonly address?: string;
  /** Default: `p256`. */
  readonly key?: KeyKind;
}

/** Result of a certificate signing request. */
export interface Issued {
  /** Name of the request. */
  readonly request: string;
  readonly certificate: string;
  readonly key: string;
}

/** Result of discovery: the cluster's address and authority. */
interface Found {
  readonly url: string;
  readonly ca: Buffer;
}

const USAGES = {
  client: ["digital signature", "key encipherment", "client auth"],
  serving: ["digital signature", "key encipherment", "server auth"],
} as const;

/** Signature secret of a token, in the formats of the two vocabularies. */
const SHARED_SECRET: Readonly<Record<VocabularyName, (token: string) => string>> = {
  orch: (token) => token,
  kubernetes: (token) => token.split(".")[1] ?? "",
};

export class JoiningAgent {
  private requests = 0;
  private readonly clients: ApiClient[] = [];

  constructor(private readonly of: JoiningAgentOptions) {}

  get user(): string {
    return `system:node:${this.of.name}`;
  }

  /**
   * Reads the cluster information from a server that is not trusted yet.
   * @throws Error when it is not signed with the token
   */
  async discover(): Promise<Found> {
    const { vocabulary, url, token } = this.of;
    const { public: namespace } = vocabularyOf(vocabulary).namespaces;
    const map = await readUntrusted(`${url}/api/v1/namespaces/${namespace}/configmaps/cluster-info`);
    const { kubeconfig = "", [`jws-kubeconfig-${token.split(".")[0]}`]: signature = "" } = map.data ?? {};
    const [header = "", payload, proof] = signature.split(".");
    const { alg } = JSON.parse(Buffer.from(header, "base64url").toString() || "{}") as { alg?: string };
    const signed = `${header}.${Buffer.from(kubeconfig).toString("base64url")}`;
    const expected = createHmac("sha256", SHARED_SECRET[vocabulary](token)).update(signed).digest("base64url");
    if (alg !== "HS256" || payload !== "" || proof !== expected)
      throw new Error("cluster-info is not signed by the token");
    const cluster = parseConfiguration(kubeconfig, "cluster-info").clusters.get("");
    const ca = Buffer.from(String(cluster?.["certificate-authority-data"]), "base64");
    return { url: String(cluster?.server), ca };
  }

  /** A client with the bootstrap token. */
  joining({ url, ca }: Found): ApiClient {
    return this.opened(url, { ca, token: this.of.token });
  }

  living({ url, ca }: Found, { certificate, key }: Issued): ApiClient {
    return this.opened(url, { ca, cert: Buffer.from(certificate), key: Buffer.from(key) });
  }

  /** Requests a certificate. @returns the answer to the request, and the data for `collect` */
  async ask(
    as: ApiClient,
    kind: keyof typeof USAGES,
    { commonName = this.user, address, key = "p256" }: RequestOptions = {},
  ): Promise<{ readonly answer: Answer; readonly name: string; readonly key: string }> {
    const { groups, signers } = vocabularyOf(this.of.vocabulary);
    this.requests += 1;
    const name = `${this.of.name}-${kind}-${this.requests}`;
    const signerName = kind === "client" ? signers.apiserverClientAgent : signers.agentServing;
    const request = requestField({
      key,
      subject: [
        ["O", "system:nodes"],
        ["CN", commonName],
      ],
      names: address === undefined ? [] : [["ip", Buffer.from(address.split(".").map(Number))]],
    });
    const spec = { request, signerName, usages: USAGES[kind] };
    const answer = await as.post(`/apis/${groups.certificates}/v1/certificatesigningrequests`, {
      metadata: { name },
      spec,
    });
    return { answer, name, key: testKey(key).export({ type: "pkcs8", format: "pem" }) as string };
  }

  /** Waits for the certificate. */
  async collect(as: ApiClient, { name, key }: { readonly name: string; readonly key: string }): Promise<Issued> {
    const { groups } = vocabularyOf(this.of.vocabulary);
    const path = `/apis/${groups.certificates}/v1/certificatesigningrequests/${name}`;
    const certificate = await eventually(`${name} is signed`, async () => {
      const { status } = (await as.get(path)).object() as unknown as { status?: { certificate?: string } };
      return status?.certificate;
    });
    return { request: name, certificate: Buffer.from(certificate, "base64").toString(), key };
  }

  async join(as: ApiClient, kind: keyof typeof USAGES = "client", options: RequestOptions = {}): Promise<Issued> {
    const asked = await this.ask(as, kind, options);
    if (asked.answer.status !== 201) throw new Error(`${asked.answer.status}: ${asked.answer.body}`);
    return this.collect(as, asked);
  }

  /** Files for starting a server in its place. */
  files({ ca }: Found, { request, certificate, key }: Issued): CertificateFiles {
    const write = (name: string, content: string | Buffer) => {
      const path = join(this.of.folder, name);
      writeFileSync(path, content);
      return path;
    };
    return {
      ca: write("ca.crt", ca),
      cert: write(`${request}.crt`, certificate),
      key: write(`${request}.key`, key),
    };
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  private opened(url: string, credentials: ConstructorParameters<typeof ApiClient>[1]): ApiClient {
    const client = new ApiClient(url, credentials);
    this.clients.push(client);
    return client;
  }
}

/** Reads an object without verifying the server. @throws Error when the answer is not an object */
function readUntrusted(url: string): Promise<ApiObject> {
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      text(answer).then((body) => {
        if (answer.statusCode === 200) resolve(JSON.parse(body) as ApiObject);
        else reject(new Error(`${answer.statusCode}: ${body}`));
      }, reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}
