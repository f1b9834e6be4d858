// A process in a container, with the streams that were asked for.
import { Readable, Writable } from "node:stream";
import { receivedStatusError } from "@orch/machinery";
import { isObject, type JsonValue, readJson } from "@orch/schema";

export interface RemoteProcess {
  /** The negotiated subprotocol, such as `v5.channel.k8s.io`. */
  readonly protocol: string;
  /** Ending it closes the standard input of the process. Not writable when it was not requested. */
  readonly stdin: Writable;
  /** Must be read, as `stderr`: a stream that is not read holds up the others. Empty when it was not requested. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Exit code of the command. Rejected with a StatusError when the server or the kubelet could not run it, and with a
   * ConnectionError when the connection was lost.
   */
  readonly exitCode: Promise<number>;
  /** Tells the size of the terminal. */
  resize(size: TerminalSize): void;
  /** Closes the connection. The process may go on. */
  close(): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  /** False with a terminal. */
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Returns the standard input of a process that has none. */
export function noInput(): Writable {
  const stream = new Writable();
  stream.on("error", () => {});
  return stream.destroy(new Error("the standard input was not requested"));
}

/** Returns an output that was not requested. */
export const noOutput = (): Readable => Readable.from([]);

/** Message of the resize channel. */
export const sizeText = ({ columns, rows }: TerminalSize): string =>
  `${JSON.stringify({ Width: columns, Height: rows })}\n`;

/**
 * Reads the status that a kubelet sends when a command has ended. Source:
 * staging/src/k8s.io/client-go/tools/remotecommand/v4.go.
 * @param text empty: success
 * @returns the exit code
 * @throws StatusError when the command could not be run
 */
export function exitCodeOf(text: string): number {
  if (text.trim() === "") return 0;
  const status = parsed(text);
  const { status: outcome, reason, details } = (status ?? {}) as SentStatus;
  if (outcome === "Success") return 0;
  if (reason === "NonZeroExitCode") {
    const code = Number(details?.causes?.find((cause) => cause.reason === "ExitCode")?.message);
    if (Number.isInteger(code)) return code;
  }
  // Kubelets leave out the kind.
  throw receivedStatusError(isObject(status) ? { kind: "Status", ...status } : status, { code: 500, text });
}

interface SentStatus {
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
