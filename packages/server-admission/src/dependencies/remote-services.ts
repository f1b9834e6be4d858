// Calls of admission plugins to the services that a client configuration file names.
import type { PluginFactory, RemoteService, RemoteServiceOptions, RemoteServices } from "@orch/admission";
import { StatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { type EndSignal, LongWaits, pause, pauseMsAfter, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";

export interface OpenRemoteServices extends RemoteServices {
  close(): void;
}

export interface RemoteServicesParts {
  readonly settings: { readonly plugins: readonly PluginFactory[] };
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
}

/** Plugins that call a remote service. Without them no client is loaded. */
const ASKING: ReadonlySet<string> = new Set(["ImagePolicyWebhook"]);
const NONE: OpenRemoteServices = {
  open() {
    throw new Error("no admission plugin of this server calls external services");
  },
  close() {},
};

/** Maximum size of an answer. */
const ANSWER_MAX_BYTES = 512 * 1024;
/** Timeout of one question, with all its retries. The request may have less time. */
const TIMEOUT_MS = 30_000;
/** Retries use an exponential backoff. */
const TRIES = 5;
const FACTOR = 1.5;
const JITTER = 0.2;
/** Status codes after which the question is repeated. */
const PASSING_CODES: ReadonlySet<number> = new Set([429, 500, 504]);
/** Maximum number of characters of an error, which may repeat the answer of the service. */
const ERROR_MAX = 1024;
/** The log gets one line in this interval for all failures of a service. */
const TELL_EVERY_MS = 10_000;

export async function openRemoteServices(parts: RemoteServicesParts): Promise<OpenRemoteServices> {
  const { settings, vocabulary, logger } = parts;
  if (!settings.plugins.some(({ name }) => ASKING.has(name))) return NONE;
  const { Client, ConnectionError, loadConnection } = require("@orch/client") as typeof import("@orch/client");
  const clients: InstanceType<typeof Client>[] = [];
  const waits = new LongWaits(systemClock);
  const isTransient = (error: unknown): boolean =>
    error instanceof StatusError
      ? PASSING_CODES.has(error.code)
      : error instanceof ConnectionError && error.code === "ECONNRESET";

  function open(file: string, { what, backoffMs }: RemoteServiceOptions): RemoteService {
    const connection = loadConnection({ path: file, vocabulary: vocabulary.name });
    if (!connection.server.startsWith("https://")) throw new Error(`${file}: the server's URL must use https`);
    const client = new Client({
      connection,
      vocabulary: vocabulary.name,
      program: vocabulary.programs.apiserver,
      component: "admission",
      rateLimit: { perSecond: 0, burst: 0 },
      log: logger,
      onWarning: () => {},
    });
    clients.push(client);
    let toldMs = Number.NEGATIVE_INFINITY;
    const tell = ({ message }: Error) => {
      if (performance.now() - toldMs < TELL_EVERY_MS) return;
      toldMs = performance.now();
      logger.warn(`the ${what} cannot be called`, { file, error: message.slice(0, ERROR_MAX) });
    };
    const pauses = { firstMs: backoffMs, factor: FACTOR, maxMs: TIMEOUT_MS };

    async function tried(body: Buffer, signal: AbortSignal): Promise<string> {
      for (let tries = 1; ; tries += 1) {
        try {
          return await client.postJson(body, { signal, answerMaxBytes: ANSWER_MAX_BYTES });
        } catch (error) {
          if (tries === TRIES || signal.aborted || !isTransient(error)) throw error;
          await pause(systemClock, pauseMsAfter(pauses, tries - 1) * (1 + JITTER * Math.random()), signal);
        }
      }
    }

    return {
      async ask(body, signal) {
        const bound = boundBy(signal);
        const wait = waits.begin(signal);
        try {
          return await tried(Buffer.from(body), bound.signal);
        } catch (error) {
          tell(error as Error);
          // The client sees this message; it does not contain the answer or the address of the service.
          const why = error instanceof StatusError ? `HTTP status ${error.code}` : (error as Error).message;
          throw new Error(`the ${what} cannot be called: ${why.slice(0, ERROR_MAX)}`, { cause: error });
        } finally {
          waits.end(wait);
          bound.release();
        }
      },
    };
  }

  return {
    open,
    close() {
      for (const client of clients) client.close();
    },
  };
}

function boundBy(signal: EndSignal): { readonly signal: AbortSignal; release(): void } {
  const bound = new AbortController();
  const end = () => bound.abort(new Error("the request ended before the answer arrived"));
  const late = systemClock.after(TIMEOUT_MS, () => bound.abort(new Error("the time limit was exceeded")));
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  return {
    signal: bound.signal,
    release() {
      late();
      signal.removeEventListener("abort", end);
    },
  };
}
