// Requests over HTTP/1.1 whose responses are passed on unchanged: with all headers, as a stream, or as an upgraded
// connection. They use node:http, and connections of their own.
import { Agent, type ClientRequest, type IncomingMessage, request as openRequest } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { StopSignal } from "@orch/platform";
import type { TlsSettings } from "../connection/connection-settings";
import type { TlsMaterial, TlsMaterialSource } from "../connection/tls-material";
import { type DialDeps, dial, prompt, tlsOptions } from "./dial";
import { stopWith } from "./stop-with";
import { ConnectionError } from "./transport";

export interface DirectRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | Readable | undefined;
  /** Ends the request, and the response while it is being read. An upgraded connection is left open. */
  readonly signal: StopSignal;
}

export type DirectAnswer =
  | { readonly kind: "answer"; readonly answer: IncomingMessage }
  | { readonly kind: "upgrade"; readonly answer: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

export interface DirectOptions {
  readonly url: URL;
  readonly tls: TlsSettings;
}

const CONNECTIONS_KEPT_MAX = 25;

export class DirectRequests {
  private known: { readonly material: TlsMaterial | undefined; readonly agent: Agent } | undefined;
  private closed = false;

  constructor(
    private readonly options: DirectOptions,
    private readonly deps: DialDeps & { readonly material: TlsMaterialSource },
  ) {}

  /** @throws ConnectionError without a response; the signal's reason when aborted */
  async send(request: DirectRequest): Promise<DirectAnswer> {
    const agent = await this.agent();
    if (request.signal.aborted) throw request.signal.reason;
    if (this.closed) throw new ConnectionError("the client was closed", { notProcessed: true });
    return new Promise((resolve, reject) => {
      const sent = this.opened(request, agent);
      stopWith(request.signal, sent);
      sent.on("response", (answer) => resolve({ kind: "answer", answer }));
      sent.on("upgrade", (answer, socket, head) => resolve({ kind: "upgrade", answer, socket, head }));
      sent.on("error", (cause) => reject(request.signal.aborted ? request.signal.reason : failure(cause)));
      const { body } = request;
      if (body === undefined || typeof body === "string" || body instanceof Uint8Array) sent.end(body);
      else {
        body.on("error", (error) => sent.destroy(error));
        body.pipe(sent);
      }
    });
  }

  close(): void {
    this.closed = true;
    this.known?.agent.destroy();
  }

  private opened({ method, path, headers }: DirectRequest, agent: Agent): ClientRequest {
    const { host } = this.options.url;
    const written = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
    );
    return openRequest({ agent, method, path, headers: { ...written, host }, ...this.address });
  }

  private get address(): { readonly host: string; readonly port: number } {
    const { hostname, port, protocol } = this.options.url;
    return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || (protocol === "https:" ? 443 : 80)) };
  }

  /** Returns the kept connections. They are replaced when a certificate has changed. */
  private async agent(): Promise<Agent> {
    const material = this.options.url.protocol === "https:" ? await this.deps.material.current() : undefined;
    if (this.known === undefined || this.known.material !== material) {
      this.known?.agent.destroy();
      const open = material === undefined ? () => this.plain() : this.secure(material);
      this.known = { material, agent: new OwnAgent(open) };
    }
    return this.known.agent;
  }

  private async plain(): Promise<Socket> {
    const { dialer } = this.deps;
    if (dialer !== undefined) return dialer.dial(this.address);
    const socket = connect(this.address);
    prompt(socket);
    return socket;
  }

  private secure(material: TlsMaterial): () => Promise<Socket> {
    const { url, tls } = this.options;
    const made = tlsOptions(url, tls, material, { chance: this.deps.chance });
    return () => dial(made, ["http/1.1"], this.deps);
  }
}

class OwnAgent extends Agent {
  constructor(private readonly open: () => Promise<Socket>) {
    super({ keepAlive: true, maxFreeSockets: CONNECTIONS_KEPT_MAX });
  }

  override createConnection(_options: object, created?: (error: Error | null, socket: Duplex) => void): undefined {
    this.open().then(
      (socket) => created?.(null, socket),
      // node:http does not use the connection of a failed call.
      (error: Error) => created?.(error, undefined as unknown as Duplex),
    );
  }
}

function failure(cause: Error): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  return new ConnectionError(`the request failed: ${cause.message}`, { cause });
}
