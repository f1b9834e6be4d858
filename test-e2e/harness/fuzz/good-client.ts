// A well-behaved client whose requests must all succeed during an attack.
import { type ClientHttp2Session, connect } from "node:http2";
import { text } from "node:stream/consumers";
import type { ApiServer } from "../api-server";
import { configMap, configMapsPath, freshNamespace } from "../config-maps";
import { sleep, within } from "../eventually";
import type { ApiClient } from "../https-client";

/** A request without an answer for this time counts as hanging. */
const HANG_MS = 60_000;
const NAMESPACE = "undisturbed";
/** Pause between rounds, so that the client leaves time for others. */
const PAUSE_MS = 20;

/** Runs until stopped. */
export class GoodClient {
  /** Number of successful rounds. */
  rounds = 0;
  /** The slowest answer. Reported only, because a machine may be slow. */
  slowest = { what: "", ms: 0 };
  readonly complaints: string[] = [];
  private over = false;

  constructor(private readonly server: ApiServer) {}

  async run(): Promise<void> {
    const { server } = this;
    const client = server.client(server.admin.credentials);
    await freshNamespace(client, NAMESPACE);
    const session = connect(server.url, { ca: server.admin.credentials.ca });
    session.on("error", (error) => this.complaints.push(`the connection of HTTP/2 failed: ${error.message}`));
    await within(HANG_MS, "a connection", new Promise((resolve) => session.once("connect", resolve)));
    try {
      while (!this.over && this.complaints.length < 10) {
        await this.round(client, session);
        this.rounds += 1;
        await sleep(PAUSE_MS);
      }
    } catch (error) {
      this.complaints.push(String(error));
    }
    session.destroy();
    client.close();
  }

  stop(): void {
    this.over = true;
  }

  private async round(client: ApiClient, session: ClientHttp2Session): Promise<void> {
    const maps = configMapsPath(NAMESPACE);
    const name = `map-${this.rounds}`;
    const options = { timeoutMs: HANG_MS };
    const expect = async (
      code: number,
      what: string,
      asked: Promise<{ readonly status: number; readonly body: string }>,
    ) => {
      const began = performance.now();
      const { status, body } = await asked;
      const ms = Math.round(performance.now() - began);
      if (ms > this.slowest.ms) this.slowest = { what, ms };
      if (status !== code) throw new Error(`${what}: ${status} ${body.slice(0, 300)}`);
      return body;
    };
    await expect(201, "a create", client.post(maps, configMap(name, { round: String(this.rounds) }), options));
    const read = await expect(200, "a get over HTTP/2", this.getOver(session, `${maps}/${name}`));
    if ((JSON.parse(read) as { data: { round: string } }).data.round !== String(this.rounds))
      throw new Error(`another object: ${read}`);
    const listed = await expect(200, "a list", client.get(maps, options));
    const items = (JSON.parse(listed) as { items: { metadata: { name: string } }[] }).items;
    if (items.length !== 1 || items[0]?.metadata.name !== name)
      throw new Error(`another list: ${listed.slice(0, 300)}`);
    await expect(200, "the readiness", client.get("/readyz", options));
    await expect(200, "a deletion", client.delete(`${maps}/${name}`, options));
  }

  private async getOver(session: ClientHttp2Session, path: string): Promise<{ status: number; body: string }> {
    const { token = "" } = this.server.admin.credentials;
    const stream = session.request({ ":path": path, authorization: `Bearer ${token}` });
    const status = new Promise<number>((resolve, reject) => {
      stream.once("response", (headers) => resolve(Number(headers[":status"])));
      stream.once("error", reject);
      stream.once("close", () => reject(new Error("the stream was closed")));
    });
    const [code, body] = await within(HANG_MS, "an answer over HTTP/2", Promise.all([status, text(stream)]));
    return { status: code, body };
  }
}
