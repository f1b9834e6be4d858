// A kubelet without containers: it speaks the kubelet's protocols over TLS and runs commands as processes of this
// machine. Streams are multiplexed by SPDY/3.1, which clients use towards kubelets.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { CertificateFiles } from "./credentials";
import { type SpdyStream, serveSpdy } from "./spdy-session";

export interface AgentRequest {
  readonly path: string;
  /** Common name of the caller's certificate. */
  readonly peer: string;
}

const STATUS_PROTOCOL = "v4.channel.k8s.io";
const PORT_PROTOCOL = "portforward.k8s.io";

export class FakeNodeAgent {
  readonly requests: AgentRequest[] = [];
  /** Responses of open log streams, to which a test writes. */
  readonly openLogs = new Set<ServerResponse>();
  /** Log with times. Absent: two lines without. */
  timedLog: readonly { readonly time: string; readonly text: string }[] | undefined;
  /** Number of command connections that have not ended. */
  openRuns = 0;
  private readonly server: Server;
  private readonly upgraded = new Set<Duplex>();

  constructor({ ca, cert, key }: CertificateFiles) {
    this.server = createServer({
      ca: readFileSync(ca),
      cert: readFileSync(cert),
      key: readFileSync(key),
      requestCert: true,
      rejectUnauthorized: true,
    });
    this.server.on("request", (request, response) => this.answer(request, response));
    this.server.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Closes the connections of commands and forwarded ports. */
  dropUpgraded(): void {
    for (const socket of this.upgraded) socket.destroy();
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private note(request: IncomingMessage): URL {
    const path = request.url ?? "";
    const peer = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
    this.requests.push({ path, peer: String(peer) });
    return new URL(path, "https://agent");
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = this.note(request);
    if (!pathname.startsWith("/containerLogs/")) {
      response.end(`agent: ${request.method} ${pathname}\n`);
      return;
    }
    response.write(this.timedLog === undefined ? "first line\nsecond line\n" : this.timedText(searchParams));
    if (searchParams.get("follow") !== "true") {
      response.end();
      return;
    }
    this.openLogs.add(response);
    response.on("close", () => this.openLogs.delete(response));
  }

  private timedText(query: URLSearchParams): string {
    const since = query.get("sinceTime") ?? "";
    return (this.timedLog ?? [])
      .filter(({ time }) => time >= since)
      .map(({ time, text }) => (query.get("timestamps") === "true" ? `${time} ${text}\n` : `${text}\n`))
      .join("");
  }

  /** A kubelet refuses unknown protocols; clients then try others. */
  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = this.note(request);
    socket.on("error", () => {});
    const forwards = pathname.startsWith("/portForward/");
    const offered = String(request.headers["x-stream-protocol-version"] ?? "").split(/, */);
    const protocol = forwards ? PORT_PROTOCOL : STATUS_PROTOCOL;
    if (request.headers.upgrade !== "SPDY/3.1" || !offered.includes(protocol)) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    this.upgraded.add(socket);
    socket.on("close", () => this.upgraded.delete(socket));
    if (head.length > 0) socket.unshift(head);
    if (!forwards) {
      this.openRuns += 1;
      socket.on("close", () => {
        this.openRuns -= 1;
      });
    }
    const session = forwards ? new PortForwards() : new Run(searchParams, pathname.startsWith("/attach/"), socket);
    serveSpdy(socket, (stream) => session.take(stream)).catch(() => socket.destroy());
  }
}

/** One command with its streams. Attach connects to a process that repeats its input. */
class Run {
  private readonly streams = new Map<string, SpdyStream>();
  private readonly wanted: readonly string[];
  private isStarted = false;

  constructor(
    private readonly query: URLSearchParams,
    private readonly attaches: boolean,
    private readonly socket: Duplex,
  ) {
    const asked = { input: "stdin", output: "stdout", error: "stderr" } as const;
    const names = Object.entries(asked).flatMap(([name, type]) => (query.get(name) === "1" ? [type] : []));
    this.wanted = ["error", ...names];
  }

  take(stream: SpdyStream): void {
    this.streams.set(stream.headers.get("streamtype") ?? "", stream);
    // The stream of the terminal's size may come later.
    if (this.isStarted || !this.wanted.every((type) => this.streams.has(type))) return;
    this.isStarted = true;
    this.start();
  }

  private start(): void {
    const [program = "", ...args] = this.attaches ? ["cat"] : this.query.getAll("command");
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    child.on("error", (error) => this.end({ status: "Failure", message: error.message, code: 500 }));
    child.stdin.on("error", () => {});
    const input = this.streams.get("stdin");
    if (input === undefined) child.stdin.end();
    else input.pipe(child.stdin);
    for (const type of ["stdout", "stderr"] as const) {
      const output = this.streams.get(type);
      if (output === undefined) child[type].resume();
      else child[type].pipe(output);
    }
    child.on("close", (code) => this.end(outcome(code ?? 1)));
    this.socket.on("close", () => child.kill());
  }

  private end(status: object): void {
    this.streams.get("error")?.end(JSON.stringify({ metadata: {}, ...status }));
  }
}

function outcome(code: number): object {
  if (code === 0) return { status: "Success" };
  return {
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

/** Pairs of streams, each for a port of this machine. */
class PortForwards {
  take(stream: SpdyStream): void {
    if (stream.headers.get("streamtype") !== "data") {
      stream.end(); // an empty error stream tells the client that the forward succeeded
      return;
    }
    const target = connect(Number(stream.headers.get("port")), "127.0.0.1");
    target.on("error", () => stream.end());
    stream.pipe(target);
    target.pipe(stream);
  }
}
