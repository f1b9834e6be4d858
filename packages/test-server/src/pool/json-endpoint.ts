// HTTP endpoints on this machine that exchange JSON, for the processes of one test run.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { messageText } from "../messages/message-text";
import type { Place } from "./pool-protocol";

const HOST = "127.0.0.1";
const TOKEN_BYTES = 16;
/** Requests with larger bodies are refused. Manifests of a test are smaller by far. */
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

export interface JsonEndpoint extends Place {
  close(): Promise<void>;
}

/** @param answer receives the path without its slash, and the body; an error becomes the error of the caller */
export async function openEndpoint(answer: (name: string, body: unknown) => Promise<unknown>): Promise<JsonEndpoint> {
  const token = randomBytes(TOKEN_BYTES).toString("hex");
  const server = createServer((received, response) => {
    const finish = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value ?? {}));
    };
    if (!isAllowed(received, token)) {
      finish(401, { error: "the request lacks the token of this test run" });
      return;
    }
    const name = (received.url ?? "/").slice(1);
    messageText(received, LARGEST_BODY_BYTES)
      .then((text) => answer(name, text === "" ? {} : JSON.parse(text)))
      .then(
        (value) => finish(200, value),
        (error: unknown) => finish(500, { error: error instanceof Error ? error.message : String(error) }),
      );
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}`,
    token,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** @throws Error with the message of the other side */
export async function ask({ url, token }: Place, name: string, body: unknown): Promise<unknown> {
  const sent = request(`${url}/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  sent.end(JSON.stringify(body));
  const [response] = await answered;
  const value = JSON.parse(await messageText(response, LARGEST_BODY_BYTES)) as { readonly error?: string };
  if (response.statusCode !== 200) throw new Error(value.error ?? `the test server answered ${response.statusCode}`);
  return value;
}

function isAllowed({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
