// gRPC with @grpc/grpc-js, for environments that the client of this package does not support (a proxy named by the
// environment, special TLS settings). Costs about 100 µs more per call.

import { type ChannelOptions, Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { readTlsFiles, type TlsFiles, type TlsSource } from "./tls-files";
import {
  type CallBounds,
  type Connect,
  type Connection,
  type Endpoint,
  GRPC_STATUS,
  GrpcError,
  type GrpcStream,
  PING_INTERVAL_MS,
  PING_TIMEOUT_MS,
  type StreamHandlers,
  type StreamOptions,
  WINDOW_BYTES,
} from "./transport";
import { FRAME_PREFIX_BYTES, MESSAGE_MAX_BYTES } from "./wire";

const OPTIONS: ChannelOptions = {
  "grpc.keepalive_time_ms": PING_INTERVAL_MS,
  "grpc.keepalive_timeout_ms": PING_TIMEOUT_MS,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_send_message_length": -1,
  "grpc.enable_retries": 0,
  "grpc-node.flow_control_window": WINDOW_BYTES,
  // Clients with the same options would share a connection, but watches need one of their own.
  "grpc.use_local_subchannel_pool": 1,
};

// Removes the gRPC frame, which the library adds itself.
const unframe = (framed: Buffer): Buffer => framed.subarray(FRAME_PREFIX_BYTES);
const asIs = (bytes: Buffer): Buffer => bytes;

export function grpcJsTransport(tls: TlsFiles | TlsSource = {}): Connect {
  return async (endpoint, timeoutMs) => {
    const client = new Client(new URL(endpoint.url).host, await credentialsFor(endpoint, tls), OPTIONS);
    await new Promise<void>((resolve, reject) => {
      client.waitForReady(Date.now() + timeoutMs, (error) => {
        if (error === undefined) resolve();
        else {
          client.close();
          reject(new Error(`${endpoint.url} does not answer: ${error.message}`));
        }
      });
    });
    return new GrpcJsConnection(client, endpoint);
  };
}

async function credentialsFor(endpoint: Endpoint, files: TlsFiles | TlsSource) {
  if (!endpoint.tls) return credentials.createInsecure();
  const { ca, key, cert } = await readTlsFiles(files);
  return credentials.createSsl(ca, key, cert);
}

class GrpcJsConnection implements Connection {
  readonly endpoint: string;
  /** The library reports silence only by closing the connection. */
  readonly silent = false;
  private readonly client: Client;
  private isOpen = true;
  private running = 0;

  constructor(client: Client, endpoint: Endpoint) {
    this.client = client;
    this.endpoint = endpoint.url;
    this.watchState();
  }

  get open(): boolean {
    return this.isOpen;
  }

  call(method: string, message: Buffer, { timeoutMs, signal, headers = {} }: CallBounds): Promise<Buffer> {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new Promise((resolve, reject) => {
      const abort = () => call.cancel();
      this.running++;
      const deadline = { deadline: Date.now() + timeoutMs };
      const call = this.client.makeUnaryRequest(method, unframe, asIs, message, metadata, deadline, (error, answer) => {
        signal?.removeEventListener("abort", abort);
        this.ended();
        if (error !== null) reject(grpcError(error));
        else resolve(answer ?? Buffer.alloc(0));
      });
      signal?.addEventListener("abort", abort);
    });
  }

  stream(method: string, handlers: StreamHandlers, { isPaced = false }: StreamOptions = {}): GrpcStream {
    const metadata = new Metadata();
    metadata.set("hasleader", "true");
    this.running++;
    const call = this.client.makeBidiStreamRequest(method, unframe, asIs, metadata);
    let over = false;
    const end = (error: GrpcError) => {
      if (over) return;
      over = true;
      this.ended();
      handlers.end(error);
    };
    let held = 0;
    call.on("data", (bytes: Buffer) => {
      if (over) return;
      held += bytes.length;
      if (isPaced && held >= WINDOW_BYTES) call.pause();
      handlers.message(bytes);
    });
    call.on("error", (error: ServiceError) => end(grpcError(error)));
    call.on("end", () => {
      if (handlers.completed === undefined)
        end(new GrpcError(GRPC_STATUS.unavailable, "the server ended the stream", true));
    });
    call.on("status", ({ code }) => {
      if (over || code !== GRPC_STATUS.ok || handlers.completed === undefined) return;
      over = true;
      this.ended();
      handlers.completed();
    });
    return {
      send: (message, isLast = false) => {
        if (over) return;
        call.write(message);
        if (isLast) call.end();
      },
      processed: (bytes) => {
        held -= bytes;
        if (isPaced && !over && held < WINDOW_BYTES) call.resume();
      },
      close: () => {
        if (over) return;
        over = true;
        this.ended();
        call.cancel();
      },
    };
  }

  probe(): void {
    // The library's own pings detect a dead connection.
  }

  retire(): void {
    this.isOpen = false;
    if (this.running === 0) this.client.close();
  }

  destroy(): void {
    this.isOpen = false;
    this.client.getChannel().close();
  }

  private ended(): void {
    if (--this.running === 0 && !this.isOpen) this.client.close();
  }

  /**
   * Retires the connection when the library loses it. Otherwise the library would reconnect by itself, while the pool
   * must choose the endpoint.
   */
  private watchState(): void {
    const channel = this.client.getChannel();
    const ready = channel.getConnectivityState(false);
    channel.watchConnectivityState(ready, Number.POSITIVE_INFINITY, () => this.retire());
  }
}

function grpcError({ code, details, message }: ServiceError): GrpcError {
  // The library does not tell whether a lost call had been sent.
  return new GrpcError(code ?? GRPC_STATUS.unknown, details || message, true);
}
