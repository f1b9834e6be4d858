// An authorization webhook over real TLS that requires the server's client certificate and answers as a test says.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeClient, makeSelfSignedCa } from "@orch/http-server";

interface ReviewSpec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly group?: readonly string[];
  readonly resourceAttributes?: Readonly<Record<string, string>>;
  readonly nonResourceAttributes?: Readonly<Record<string, string>>;
}

interface AskedReview {
  readonly apiVersion: string;
  readonly spec: ReviewSpec;
}

export type ReviewAnswer = (spec: ReviewSpec, response: ServerResponse) => object | undefined;

export interface AccessWebhook {
  readonly asked: AskedReview[];
  /** The status to answer; undefined when the function answers itself. */
  answer: ReviewAnswer;
  /** Returns a kubeconfig for the webhook. @param path of its URL */
  configuration(path?: string): string;
  close(): Promise<void>;
}

export async function accessWebhook(first: ReviewAnswer = () => ({ allowed: false })): Promise<AccessWebhook> {
  const authority = makeSelfSignedCa(["127.0.0.1", "localhost"]);
  const { certificate: cert, key } = authority.serving;
  const client = makeClient(authority.ca, { commonName: "api-server" });
  const asked: AskedReview[] = [];
  const server = createServer(
    { cert, key, ca: authority.ca.certificate, requestCert: true, rejectUnauthorized: true },
    (request: IncomingMessage, response: ServerResponse) => {
      let text = "";
      request.on("data", (piece) => {
        text += String(piece);
      });
      request.on("end", () => {
        const review = JSON.parse(text) as AskedReview;
        asked.push(review);
        const status = made.answer(review.spec, response);
        if (status === undefined) return;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: "SubjectAccessReview", status }));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const made: AccessWebhook = {
    asked,
    answer: first,
    configuration: (path = "/authorize") =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          {
            name: "webhook",
            cluster: {
              server: `https://127.0.0.1:${port}${path}`,
              "certificate-authority-data": base64(authority.ca.certificate),
            },
          },
        ],
        users: [
          {
            name: "server",
            user: {
              "client-certificate-data": base64(client.certificate),
              "client-key-data": base64(client.key),
            },
          },
        ],
        contexts: [{ name: "webhook", context: { cluster: "webhook", user: "server" } }],
        "current-context": "webhook",
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}
