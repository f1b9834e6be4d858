// A proxy between client and server that loses the answer to the first request of each kind that the test names: the
// request is carried out, but the client does not learn that, nor sees it in a watch before it retries.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { RunningServer } from "@orch/apiserver";

const WATCHES_LATE_MS = 500;

export class LosingProxy {
  /** Method and path of lost answers. */
  readonly lost = new Set<string>();
  private readonly agent: Agent;
  private readonly server: Server;

  /**
   * @param loses whether the answer to such a request is lost, once. The proxy uses the credentials of a user with all
   * permissions
   */
  constructor(
    private readonly upstream: RunningServer,
    private readonly loses: (method: string, path: string) => boolean,
  ) {
    const { certificate: cert, key } = upstream.admin;
    this.agent = new Agent({ ca: upstream.ca, cert, key, keepAlive: true });
    this.server = createServer((asked, answer) => this.pass(asked, answer));
  }

  /** @returns the URL of the proxy */
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
