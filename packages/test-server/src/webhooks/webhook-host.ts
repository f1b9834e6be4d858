// Serves the webhooks of a test over HTTPS, with a certificate authority of its own, and writes their configurations.
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type KeyAndCertificate, makeCertificate, systemClock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { messageText } from "../messages/message-text";
import type { AdmissionRequest, LocalWebhook } from "./local-webhook";

const HOST = "127.0.0.1";
const FORBIDDEN = 403;
/** Requests with larger bodies are refused. The server sends at most an object and its old state. */
const LARGEST_BODY_BYTES = 16 * 1024 * 1024;
const CONFIGURATIONS = {
  validating: "ValidatingWebhookConfiguration",
  mutating: "MutatingWebhookConfiguration",
} as const;

export class WebhookHost {
  private readonly server: Server;

  private constructor(
    private readonly webhooks: ReadonlyMap<string, LocalWebhook>,
    private readonly authority: KeyAndCertificate,
    serving: KeyAndCertificate,
    private readonly group: string,
  ) {
    this.server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        response.writeHead(500, { "content-type": "text/plain" }).end(`the webhook failed: ${String(error)}`);
      });
    });
  }

  /** @param group API group of webhook configurations and admission reviews: `admissionregistration.k8s.io` */
  static async open(webhooks: readonly LocalWebhook[], group: string): Promise<WebhookHost> {
    const nowMs = systemClock.now();
    const authority = makeCertificate({ subject: { commonName: "webhooks" }, usage: { kind: "authority" }, nowMs });
    const usage = { kind: "server", names: [HOST] } as const;
    const serving = makeCertificate({ subject: { commonName: HOST }, usage, issuer: authority, nowMs });
    const host = new WebhookHost(new Map(webhooks.map((one) => [one.name, one])), authority, serving, group);
    host.server.listen(0, HOST);
    await once(host.server, "listening");
    return host;
  }

  /** Returns one configuration for each webhook. */
  configurations(): readonly JsonObject[] {
    const { port } = this.server.address() as AddressInfo;
    const caBundle = Buffer.from(this.authority.certificate).toString("base64");
    return [...this.webhooks.values()].map(({ name, kind, rules, settings }) => ({
      apiVersion: `${this.group}/v1`,
      kind: CONFIGURATIONS[kind],
      metadata: { name },
      webhooks: [
        {
          name,
          rules: [...rules],
          clientConfig: { url: `https://${HOST}:${port}/${name}`, caBundle },
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          ...settings,
        },
      ],
    }));
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, "close");
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = new URL(request.url ?? "/", "https://webhook").pathname.slice(1);
    const webhook = this.webhooks.get(name);
    if (webhook === undefined) {
      response.writeHead(404).end(`no webhook is named ${JSON.stringify(name)}`);
      return;
    }
    const review = JSON.parse(await messageText(request, LARGEST_BODY_BYTES)) as {
      readonly apiVersion: string;
      readonly request: AdmissionRequest;
    };
    const { allowed, message, code = FORBIDDEN, patch, warnings } = await webhook.handler(review.request);
    const answer = {
      uid: review.request.uid,
      allowed,
      ...(!allowed && { status: { code, ...(message !== undefined && { message }) } }),
      ...(patch && { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") }),
      ...(warnings && { warnings }),
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: "AdmissionReview", response: answer }));
  }
}
