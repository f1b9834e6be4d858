// Connections to ports of a pod, each with a stream for data and one for an error. Source:
// staging/src/k8s.io/client-go/tools/portforward/portforward.go.
import type { Duplex } from "node:stream";
import { readBytes } from "../transport/read-body";
import { ConnectionError } from "../transport/transport";
import type { UpgradedConnection } from "../transport/upgraded-connection";
import { SpdySession } from "./spdy-session";

/** Maximum length of the message that a kubelet sends when a port cannot be reached. */
const ERROR_MAX_BYTES = 64 * 1024;

export interface ForwardedPort {
  /** Bytes of the connection to the port. */
  readonly data: Duplex;
  /** Resolves at the end of the connection. @throws ConnectionError with the kubelet's message */
  readonly ended: Promise<void>;
}

export class PortForward {
  /** The negotiated subprotocol. */
  readonly protocol: string;
  /** Resolves when the connection to the server has ended. The error is undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
  private readonly session: SpdySession;
  private opened = 0;

  constructor({ socket, head, protocol }: UpgradedConnection) {
    this.protocol = protocol;
    this.session = new SpdySession(socket, head);
    this.closed = this.session.closed;
  }

  /** Opens a connection to a port. Several may be open at a time. */
  connect(port: number): ForwardedPort {
    const headers = { port: String(port), requestid: String(this.opened) };
    this.opened += 1;
    const errors = this.session.open({ ...headers, streamtype: "error" });
    errors.end();
    const data = this.session.open({ ...headers, streamtype: "data" });
    const ended = this.outcome(errors, data);
    ended.catch(() => {}); // the caller may only use the data
    return { data, ended };
  }

  close(): void {
    this.session.close();
  }

  private async outcome(errors: Duplex, data: Duplex): Promise<void> {
    const message = (await readBytes(errors, ERROR_MAX_BYTES)).toString("utf8");
    if (message === "") return;
    const error = new ConnectionError(message);
    data.destroy(error);
    throw error;
  }
}
