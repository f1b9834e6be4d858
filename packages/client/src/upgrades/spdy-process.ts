// A process over SPDY/3.1, with a stream for each of its own. Source:
// staging/src/k8s.io/client-go/tools/remotecommand/v4.go.
import type { Readable, Writable } from "node:stream";
import { readBytes } from "../transport/read-body";
import type { UpgradedConnection } from "../transport/upgraded-connection";
import {
  exitCodeOf,
  noInput,
  noOutput,
  type RemoteProcess,
  sizeText,
  type TerminalSize,
  type WantedStreams,
} from "./remote-process";
import { SpdySession, type SpdyStream } from "./spdy-session";

/** Maximum length of the status of a process. */
const STATUS_MAX_BYTES = 1024 * 1024;

export class SpdyProcess implements RemoteProcess {
  readonly protocol: string;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exitCode: Promise<number>;
  private readonly session: SpdySession;
  private readonly sizes: SpdyStream | undefined;
  private readonly outputs: readonly Readable[];

  constructor({ socket, head, protocol }: UpgradedConnection, wanted: WantedStreams) {
    this.protocol = protocol;
    const session = new SpdySession(socket, head);
    this.session = session;
    const open = (streamtype: string) => session.open({ streamtype });
    const status = open("error");
    status.end();
    this.stdin = wanted.stdin ? drained(open("stdin")) : noInput();
    this.stdout = wanted.stdout ? ended(open("stdout")) : noOutput();
    this.stderr = wanted.stderr ? ended(open("stderr")) : noOutput();
    this.sizes = wanted.tty ? drained(open("resize")) : undefined;
    this.outputs = [...(wanted.stdout ? [this.stdout] : []), ...(wanted.stderr ? [this.stderr] : [])];
    this.exitCode = this.outcome(status);
    this.exitCode.catch(() => {}); // the caller may only read the streams
  }

  resize(size: TerminalSize): void {
    this.sizes?.write(sizeText(size));
  }

  close(): void {
    this.session.close();
  }

  private async outcome(status: SpdyStream): Promise<number> {
    const outputs = this.outputs.map(closing);
    try {
      return exitCodeOf((await readBytes(status, STATUS_MAX_BYTES)).toString("utf8"));
    } finally {
      // The output may still be arriving, or may not be read.
      void Promise.all(outputs).then(() => this.session.close());
    }
  }
}

/** Ends the unused direction from the client. */
function ended(stream: SpdyStream): Readable {
  return stream.end();
}

/** Drops what the server sends, and does not wait for it. */
function drained(stream: SpdyStream): SpdyStream {
  return stream.resume();
}

const closing = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
