// A remote service over real TLS that the server calls and that answers as a test says.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeClient, makeSelfSignedCa } from "@orch/http-server";

export type RemoteAnswer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

export interface RemoteService {
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly ca: string;
  /** Number of received requests. */
  asked: number;
  answer: RemoteAnswer;
  /** Returns a kubeconfig for the service, with a client certificate. */
  configuration(path?: string): string;
  close(): Promise<void>;
}

/** @param needsClient refuses clients without a certificate of its authority */
export async function remoteService(answer: RemoteAnswer, { needsClient = false } = {}): Promise<RemoteService> {
  const authority = makeSelfSignedCa(["127.0.0.1", "localhost"]);
  const { certificate: cert, key } = authority.serving;
  const client = makeClient(authority.ca, { commonName: "api-server" });
  const ca = authority.ca.certificate;
  const server = createServer(
    { cert, key, ca, requestCert: needsClient, rejectUnauthorized: needsClient },
    (request, response) => {
      let text = "";
      request.on("data", (piece) => {
        text += String(piece);
      });
      request.on("end", () => {
        made.asked += 1;
        made.answer(request, text, response);
      });
      response.on("error", () => undefined);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const base64 = (pem: string) => Buffer.from(pem).toString("base64");
  const made: RemoteService = {
    url,
    ca,
    asked: 0,
    answer,
    configuration: (path = "/review") =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "there", cluster: { server: url + path, "certificate-authority-data": base64(ca) } }],
        users: [
          {
            name: "here",
            user: { "client-certificate-data": base64(client.certificate), "client-key-data": base64(client.key) },
          },
        ],
        contexts: [{ name: "there", context: { cluster: "there", user: "here" } }],
        "current-context": "there",
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}

/** Answers endlessly with useless data. */
export function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(" ".repeat(65_536)));
    if (!response.destroyed) response.once("drain", more);
  };
  response.writeHead(200, { "content-type": "application/json" });
  more();
}
