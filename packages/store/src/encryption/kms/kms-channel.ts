// The connection to one key management service: gRPC over a Unix socket. The service may be missing, stop, restart,
// hang or send invalid answers. Each call then fails within its timeout, and the next one connects again.

import {
  type ChannelOptions,
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import type { Clock } from "@orch/platform";
import { decode, encode, FRAME_PREFIX_BYTES } from "../../etcd/wire";
import type { Codec } from "../../generated/etcd";
import type { EncryptionError, KmsTerms } from "../provider";
import { CallQueue } from "./call-queue";
import { kmsUnavailable, quoted, refused } from "./kms-failures";
import type { KmsObserver } from "./kms-observer";

/** One method of the service. */
export interface KmsMethod<Request, Answer> {
  readonly path: string;
  readonly request: Codec<Request>;
  readonly answer: Codec<Answer>;
}

export interface KmsChannelDeps {
  readonly clock: Clock;
  readonly observer: KmsObserver;
}

/** Larger than the longest answer: an encrypted key of 64 KiB, or annotations of 32 kB. */
const ANSWER_MAX_BYTES = 128 * 1024;
const RUNNING_MAX = 64;
const WAITING_MAX = 4096;

const OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": ANSWER_MAX_BYTES,
  "grpc.enable_retries": 0,
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2000,
  // Providers of the same socket would share a connection, and lose it together.
  "grpc.use_local_subchannel_pool": 1,
};

export class KmsChannel {
  private readonly client: Client;
  private readonly turns: CallQueue;
  private readonly running = new Set<ClientUnaryCall>();
  private answeredAtMs = Number.NEGATIVE_INFINITY;
  private closed = false;

  /** Connects with the first call. */
  constructor(
    private readonly terms: Pick<KmsTerms, "name" | "endpoint" | "timeoutMs">,
    private readonly deps: KmsChannelDeps,
  ) {
    this.client = new Client(`unix:${socketPath(terms.endpoint)}`, credentials.createInsecure(), OPTIONS);
    this.turns = new CallQueue({
      runningMax: RUNNING_MAX,
      waitingMax: WAITING_MAX,
      tooMany: () => kmsUnavailable(terms.name, `${WAITING_MAX} calls are queued already`),
    });
  }

  /** @throws EncryptionError */
  call<Request, Answer>(method: KmsMethod<Request, Answer>, request: Request): Promise<Answer> {
    const message = encode(method.request, request).subarray(FRAME_PREFIX_BYTES);
    return this.turns.run(async () => this.read(method, await this.ask(method.path, message)));
  }

  close(): void {
    this.closed = true;
    this.turns.failWaiting(this.unused());
    for (const call of this.running) call.cancel();
    this.client.close();
  }

  private read<Request, Answer>(method: KmsMethod<Request, Answer>, bytes: Buffer): Answer {
    try {
      return decode(method.answer, bytes);
    } catch (error) {
      throw refused(this.terms.name, `its answer cannot be read: ${quoted((error as Error).message)}`, error);
    }
  }

  private ask(path: string, message: Buffer): Promise<Buffer> {
    const { clock, observer } = this.deps;
    if (this.closed) return Promise.reject(this.unused());
    const sentAtMs = clock.elapsed();
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + this.terms.timeoutMs;
      const settled = (error: ServiceError | null, answer?: Buffer): void => {
        this.running.delete(call);
        const { name: provider } = this.terms;
        const code = error === null ? status.OK : error.code;
        const tookSeconds = (clock.elapsed() - sentAtMs) / 1000;
        observer.called({ provider, method: path, status: status[code] ?? "UNKNOWN", tookSeconds });
        if (error === null && answer !== undefined) {
          this.answeredAtMs = clock.elapsed();
          resolve(answer);
          return;
        }
        const failure = this.failure(error);
        // No call was answered during this time, so waiting calls would fail in the same way.
        if (failure.isTransient && this.answeredAtMs <= sentAtMs) this.turns.failWaiting(failure);
        reject(failure);
      };
      const call = this.client.makeUnaryRequest(path, asIs, asIs, message, new Metadata(), { deadline }, settled);
      this.running.add(call);
    });
  }

  private failure(error: ServiceError | null): EncryptionError {
    const { name, timeoutMs } = this.terms;
    if (this.closed) return this.unused();
    if (error?.code === status.DEADLINE_EXCEEDED)
      return kmsUnavailable(name, `no answer within ${timeoutMs} ms`, error);
    const said = quoted(withoutFrame(error?.details ?? "no answer"));
    if (error?.code === status.UNAVAILABLE) return kmsUnavailable(name, `cannot be reached: ${said}`, error);
    return refused(name, `returned ${status[error?.code ?? status.UNKNOWN] ?? "UNKNOWN"}: ${said}`, error);
  }

  private unused(): EncryptionError {
    return kmsUnavailable(this.terms.name, "the configuration no longer uses it");
  }
}

const asIs = (bytes: Buffer): Buffer => bytes;

/** Extracts the actual error from the library's description of its name resolution. */
const withoutFrame = (details: string): string =>
  details.replace(/^No connection established\. Last error: (?:Error: )?(.*)\. Resolution note: .*$/, "$1");

/**
 * Returns the socket's path. The name of an abstract socket begins with a zero byte, written as @ in the configuration.
 */
function socketPath(endpoint: string): string {
  const path = endpoint.replace(/^unix:\/\//, "");
  return path.startsWith("/@") ? `\0${path.slice(2)}` : path;
}
