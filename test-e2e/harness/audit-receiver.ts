// An audit webhook over TLS with configurable answers.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Authority } from "./credentials";
import type { Workplace } from "./processes";

export interface KeptEvent {
  readonly kind: string;
  readonly level: string;
  readonly stage: string;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number; readonly status?: string; readonly message?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly annotations?: Readonly<Record<string, string>>;
}

export class AuditReceiver {
  readonly events: KeptEvent[] = [];
  /** Number of received requests, whatever the answer. */
  asked = 0;
  /** Status code of each answer; "never": no answer. */
  answer: number | "never" = 200;
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly authority: Authority) {}

  /** Starts, on the former port if there was one. */
  async start(): Promise<void> {
    const { cert, key, ca } = this.authority.issue("receiver");
    const server = createServer(
      { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) },
      (request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          this.asked += 1;
          if (this.answer === "never") return;
          if (this.answer === 200) {
            const list = JSON.parse(Buffer.concat(chunks).toString()) as { items: KeptEvent[] };
            this.events.push(...list.items);
          }
          response.writeHead(this.answer).end();
        });
      },
    );
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Stops as if its process had ended. */
  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  /** Writes a kubeconfig for the webhook. @param server default: its own address */
  configuration(workplace: Workplace, server = `https://127.0.0.1:${this.port}/events`): string {
    const path = join(workplace.folder(), "receiver.kubeconfig");
    writeFileSync(path, this.configurationText(server));
    return path;
  }

  configurationText(server = `https://127.0.0.1:${this.port}/events`): string {
    const cluster = { server, "certificate-authority": this.authority.caFile };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "receiver", cluster }],
      contexts: [{ name: "receiver", context: { cluster: "receiver" } }],
      "current-context": "receiver",
    });
  }
}
