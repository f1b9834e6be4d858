// Commands in containers, and ports of pods: over WebSocket, or over SPDY where the server does not speak WebSocket.
// Source: KEP-4006.
import { StatusError } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { VOCABULARY_NAMES, type VocabularyName, vocabularyOf } from "@orch/schema";
import type { UpgradedConnection, UpgradeRequest } from "../transport/upgraded-connection";
import { ChannelProcess } from "./channel-process";
import type { AttachOptions, ExecOptions, PodReference } from "./pod-stream-options";
import { PortForward } from "./port-forward";
import type { RemoteProcess, WantedStreams } from "./remote-process";
import { SpdyProcess } from "./spdy-process";
import { tunneled } from "./spdy-tunnel";

export interface PodStreamDeps {
  readonly upgrade: (request: UpgradeRequest) => Promise<UpgradedConnection>;
  readonly clock: Clock;
  readonly vocabulary: VocabularyName;
}

/** Runs a command in a container. @throws StatusError, ConnectionError, TimeoutError, the signal's reason */
export function exec(deps: PodStreamDeps, options: ExecOptions): Promise<RemoteProcess> {
  return processOf(deps, "exec", options, options.command);
}

/** Attaches to the process that a container runs. Throws like `exec`. */
export function attach(deps: PodStreamDeps, options: AttachOptions): Promise<RemoteProcess> {
  return processOf(deps, "attach", options, []);
}

async function processOf(
  deps: PodStreamDeps,
  verb: "exec" | "attach",
  options: AttachOptions,
  command: readonly string[],
): Promise<RemoteProcess> {
  const { container, stdin = false, stdout = true, stderr = true, tty = false, signal, timeoutMs } = options;
  const wanted: WantedStreams = { stdin, stdout, stderr: stderr && !tty, tty };
  const query = new URLSearchParams();
  for (const word of command) query.append("command", word);
  if (container) query.set("container", container);
  for (const name of ["stdin", "stdout", "stderr", "tty"] as const) if (wanted[name]) query.set(name, "true");
  const request = { path: `${pathOf(options, verb)}?${query}`, ...bounds({ signal, timeoutMs }) };
  const v5 = namesOf(deps.vocabulary, "v5Channel");
  const v4 = namesOf(deps.vocabulary, "v4Channel");
  // Before v5, the end of the standard input cannot be sent over WebSocket.
  const protocols = stdin ? v5 : [...v5, ...v4];
  return withFallback<RemoteProcess>(
    async () => new ChannelProcess(await deps.upgrade({ ...request, to: "websocket", protocols }), wanted, deps.clock),
    async () => new SpdyProcess(await deps.upgrade({ ...request, to: "SPDY/3.1", protocols: [...v5, ...v4] }), wanted),
  );
}

/** Opens a connection to the ports of a pod. Throws like `exec`. */
export function portForward(
  deps: PodStreamDeps,
  options: PodReference & Pick<AttachOptions, "signal" | "timeoutMs">,
): Promise<PortForward> {
  const request = { path: pathOf(options, "portforward"), ...bounds(options) };
  return withFallback(
    async () => {
      const protocols = namesOf(deps.vocabulary, "spdyPortforward");
      const { socket, head, protocol } = await deps.upgrade({ ...request, to: "websocket", protocols });
      return new PortForward({ socket: tunneled(socket, head, deps.clock), head: NOTHING, protocol });
    },
    async () => {
      const protocols = namesOf(deps.vocabulary, "portforward");
      return new PortForward(await deps.upgrade({ ...request, to: "SPDY/3.1", protocols }));
    },
  );
}

const NOTHING = Buffer.alloc(0);

const pathOf = ({ namespace, name }: PodReference, verb: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/${verb}`;

const bounds = ({ signal, timeoutMs }: Pick<AttachOptions, "signal" | "timeoutMs">) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

type Subprotocol = "v4Channel" | "v5Channel" | "portforward" | "spdyPortforward";

/** Returns the names of a subprotocol. The kubelet may use another vocabulary than the server. */
function namesOf(own: VocabularyName, subprotocol: Subprotocol): readonly string[] {
  const names = [own, ...VOCABULARY_NAMES.filter((name) => name !== own)];
  return names.map((name) => vocabularyOf(name).subprotocols[subprotocol]);
}

/**
 * Tries the first way, and the second one when the server refuses the first. Permissions of both may differ: a
 * WebSocket is a GET, which needs the verb `get`, and SPDY a POST, which needs `create`.
 */
async function withFallback<Result>(first: () => Promise<Result>, second: () => Promise<Result>): Promise<Result> {
  try {
    return await first();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code === 401) throw error;
    return second();
  }
}
