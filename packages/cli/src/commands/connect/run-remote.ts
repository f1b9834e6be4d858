// Connects the streams of this process with those of a remote one: pipes, or a terminal in raw mode with its size.
import { pipeline } from "node:stream/promises";
import type { RemoteProcess } from "@orch/client";
import type { Session } from "../../session/session";

interface TerminalInput {
  readonly isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  destroy(): unknown;
}

/**
 * Opens a remote process and runs until it ends. The terminal is in raw mode before, so that it repeats no key.
 * @returns the exit code
 */
export async function runRemote(
  session: Session,
  open: () => Promise<RemoteProcess>,
  streams: { readonly stdin: boolean; readonly tty: boolean },
): Promise<number> {
  const input = session.io.stdin as Session["io"]["stdin"] & TerminalInput;
  const isRaw = streams.tty && streams.stdin;
  if (isRaw) input.setRawMode?.(true);
  try {
    return await connected(session, await open(), streams);
  } finally {
    if (isRaw) input.setRawMode?.(false);
    if (streams.stdin) input.destroy();
  }
}

async function connected(
  { io, signal }: Session,
  remote: RemoteProcess,
  { stdin, tty }: { readonly stdin: boolean; readonly tty: boolean },
): Promise<number> {
  const input = io.stdin;
  const close = () => remote.close();
  signal.addEventListener("abort", close);
  const size = () => {
    const { columns, rows } = io.stdout;
    if (columns !== undefined && rows !== undefined) remote.resize({ columns, rows });
  };
  if (tty) {
    io.stdout.on("resize", size);
    size();
  }
  try {
    if (stdin) {
      input.pipe(remote.stdin);
      // The remote process may end before it has read its input.
      remote.stdin.on("error", () => {});
    }
    const outputs = [
      pipeline(remote.stdout, io.stdout, { end: false }),
      pipeline(remote.stderr, io.stderr, { end: false }),
    ];
    const code = await remote.exitCode;
    await Promise.all(outputs);
    return code;
  } finally {
    signal.removeEventListener("abort", close);
    io.stdout.off("resize", size);
    if (stdin) input.unpipe(remote.stdin);
  }
}

/** Tells whether the remote process gets a terminal, and tells people when it cannot. */
export function terminalFor({ io, tell }: Session, wanted: boolean, stdin: boolean): boolean {
  if (!wanted) return false;
  if (!stdin || io.stdin.isTTY === true) return true;
  tell.call({ io }, "Unable to use a TTY - input is not a terminal or the right kind of file");
  return false;
}
