// An authorization webhook over TLS with configurable answers, and its kubeconfig.
import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Authority } from "./credentials";
import type { Workplace } from "./processes";

export interface AccessReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly user: string;
    readonly groups?: readonly string[];
    readonly resourceAttributes?: Readonly<Record<string, string>>;
  };
}

export class AccessWebhook {
  readonly asked: AccessReview[] = [];
  private server: Server | undefined;

  /** @param answer the status; undefined when the function answers itself */
  constructor(
    private readonly authority: Authority,
    public answer: (review: AccessReview, response: ServerResponse) => object | undefined,
  ) {}

  /** @returns the path of the kubeconfig */
  async start(workplace: Workplace): Promise<string> {
    const { cert, key, ca } = this.authority.issue("access-webhook");
    const files = { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
    this.server = createServer({ ...files, requestCert: true, rejectUnauthorized: true }, (request, response) => {
      let text = "";
      request.on("data", (piece) => {
        text += String(piece);
      });
      request.on("end", () => {
        const review = JSON.parse(text) as AccessReview;
        this.asked.push(review);
        const status = this.answer(review, response);
        if (status !== undefined) response.end(JSON.stringify({ ...review, status }));
      });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, "127.0.0.1", resolve));
    const { port } = this.server.address() as AddressInfo;
    const client = this.authority.issue("api-server-client");
    const path = join(workplace.folder(), "access-webhook.json");
    const configuration = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "webhook" },
      clusters: [{ name: "webhook", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": ca } }],
      users: [{ name: "server", user: { "client-certificate": client.cert, "client-key": client.key } }],
      contexts: [{ name: "webhook", context: { cluster: "webhook", user: "server" } }],
    };
    writeFileSync(path, JSON.stringify(configuration));
    return path;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
