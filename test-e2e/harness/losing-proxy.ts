// Stands between a client and a server, and loses the answer to the first request of each kind that the test names: what the request was for
// has been done, and whoever sent it does not know, nor hears of it from a watch before it has tried again.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { RunningServer } from "@orch/apiserver";

const WATCHES_LATE_MS = 500;

export class LosingProxy {
  /** What has been lost, by method and path. */
  readonly lost = new Set<string>();
  private readonly agent: Agent;
  private readonly server: Server;

  /** @param loses whether the answer to such a request is lost, once. It asks as the user who may do everything */
  constructor(
    private readonly upstream: RunningServer,
    private readonly loses: (method: string, path: string) => boolean,
  ) {
    const { certificate: cert, key } = upstream.admin;
    this.agent = new Agent({ ca: upstream.ca, cert, key, keepAlive: true });
    this.server = createServer((asked, answer) => this.pass(asked, answer));
  }

  /** @returns the URL to ask */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
    this.agent.destroy();
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method = "", url = "", headers } = asked;
    const what = `${method} ${url.split("?")[0]}`;
    const isLost = this.loses(method, url) && !this.lost.has(what);
    const passed = request(new URL(url, this.upstream.url), { method, headers, agent: this.agent }, (got) => {
      if (isLost) {
        this.lost.add(what);
        got.resume();
        got.once("end", () => asked.socket.destroy());
        return;
      }
      answer.writeHead(got.statusCode ?? 500, got.headers);
      if (!url.includes("watch=")) got.pipe(answer);
      else got.on("data", (piece) => setTimeout(() => answer.write(piece), WATCHES_LATE_MS));
    });
    passed.on("error", () => answer.destroy());
    answer.once("close", () => passed.destroy());
    asked.pipe(passed);
  }
}
