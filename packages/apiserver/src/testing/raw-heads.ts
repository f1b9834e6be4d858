// Sends requests with arbitrary headers, which client libraries reject.
import type { ClientHttp2Session } from "node:http2";
import { connect } from "node:tls";
import type { KeyAndCertificate } from "@orch/platform";
import type { RunningServer } from "../server/start-server";

export interface Heard {
  readonly code: number;
  /** The whole answer over HTTP/1.1, with its headers. */
  readonly text: string;
}

/** Sends a request over HTTP/1.1. @param headers lines after the request line, in Latin-1 */
export function sendHead(
  server: RunningServer,
  { certificate: cert, key }: KeyAndCertificate,
  line: string,
  headers: readonly string[],
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", ca: server.ca, cert, key }, () =>
      socket.write(`${[line, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`, "latin1"),
    );
    let heard = "";
    socket.on("data", (piece) => {
      heard += String(piece);
    });
    socket.on("close", () => resolve({ code: Number(heard.split(" ")[1]), text: heard }));
    socket.on("error", reject);
  });
}

/** Sends a GET over HTTP/2. */
export async function sendHttp2Head(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<Heard> {
  const stream = session.request({ ":path": path, ...headers });
  const code = await new Promise<number>((resolve, reject) => {
    stream.once("response", (head) => resolve(Number(head[":status"])));
    stream.once("error", reject);
  });
  let text = "";
  for await (const piece of stream) text += String(piece);
  return { code, text };
}
