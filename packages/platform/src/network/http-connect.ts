// Connections through a proxy by the method CONNECT. Source: RFC 9110, section 9.3.6;
// staging/src/k8s.io/apiserver/pkg/server/egressselector/egress_selector.go.
import { connect, isIPv6, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { type Dialer, type DialTarget, EgressError } from "./dialer";

export interface ConnectProxy {
  /** Name of the proxy for messages, without credentials. */
  readonly name: string;
  readonly at: DialTarget | { readonly path: string };
  /** Undefined: the connection to the proxy is not encrypted. */
  readonly tls?: ConnectionOptions | undefined;
  /** Value of the header Proxy-Authorization. Absent: none is sent. */
  readonly authorization?: string | undefined;
  /** Timeout from the connection to the proxy to its answer. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

export interface DialObserver {
  started(): void;
  /** @param stage connect: the proxy cannot be reached; proxy: it opened no connection to the target */
  failed(stage: "connect" | "proxy"): void;
  connected(seconds: number): void;
}

const TIMEOUT_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 30_000;
const HEAD_MAX_BYTES = 16 * 1024;
const HEAD_END = Buffer.from("\r\n\r\n");
const REASON_MAX = 100;
/** Statuses after which another try may succeed: Request Timeout, Too Early, Too Many Requests. */
const PASSING_REFUSALS = ["408", "425", "429"];

export class ConnectDialer implements Dialer {
  constructor(
    private readonly proxy: ConnectProxy,
    private readonly observer: DialObserver,
  ) {}

  async dial(target: DialTarget): Promise<Socket> {
    const { proxy, observer } = this;
    const begun = performance.now();
    const dialing = new Dialing(proxy, hostAndPort(target));
    observer.started();
    try {
      const socket = await dialing.opened;
      observer.connected((performance.now() - begun) / 1000);
      return socket;
    } catch (error) {
      observer.failed(dialing.stage);
      throw error;
    }
  }
}

const hostAndPort = ({ host, port }: DialTarget): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** One connection until the proxy has answered. */
class Dialing {
  readonly opened: Promise<Socket>;
  stage: "connect" | "proxy" = "connect";
  private readonly socket: Socket;
  private readonly head = Buffer.allocUnsafe(HEAD_MAX_BYTES);
  private length = 0;
  private resolve: (socket: Socket) => void = () => {};
  private reject: (error: EgressError) => void = () => {};
  private readonly late: NodeJS.Timeout;

  constructor(
    private readonly proxy: ConnectProxy,
    private readonly target: string,
  ) {
    const { at, tls, timeoutMs = TIMEOUT_MS } = proxy;
    this.opened = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.late = setTimeout(() => this.fail(`no answer within ${timeoutMs} ms`), timeoutMs);
    this.socket = tls === undefined ? connect({ ...at }) : connectTls({ ...tls, ...at });
    this.socket.setNoDelay(true);
    this.socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    this.socket.once(tls === undefined ? "connect" : "secureConnect", this.ask);
    this.socket.on("error", this.failed);
    this.socket.on("close", this.closed);
  }

  private readonly ask = (): void => {
    this.stage = "proxy";
    this.socket.on("readable", this.read);
    this.socket.on("end", this.closed);
    const { authorization } = this.proxy;
    const more = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    this.socket.write(`CONNECT ${this.target} HTTP/1.1\r\nHost: ${this.target}\r\n${more}\r\n`);
  };

  private readonly failed = ({ message }: Error): void => this.fail(message);
  private readonly closed = (): void => this.fail("the proxy closed the connection");

  private readonly read = (): void => {
    for (let chunk = this.socket.read() as Buffer | null; chunk !== null; chunk = this.socket.read() as Buffer | null) {
      const before = this.length;
      this.length += chunk.copy(this.head, before);
      const end = this.head.subarray(0, this.length).indexOf(HEAD_END, Math.max(0, before - HEAD_END.length + 1));
      if (end >= 0) {
        this.answered(this.head.toString("latin1", 0, end), chunk.subarray(end + HEAD_END.length - before));
        return;
      }
      if (this.length === HEAD_MAX_BYTES) {
        this.fail(`the head of its answer has more than ${HEAD_MAX_BYTES} bytes`);
        return;
      }
    }
  };

  /** @param rest bytes of the target that arrived with the answer */
  private answered(head: string, rest: Buffer): void {
    const [line = ""] = head.split("\r\n", 1);
    const [, code, reason = ""] = /^HTTP\/1\.[01] ([0-9]{3})(?: (.*))?$/.exec(line) ?? [];
    if (code === undefined) this.fail("its answer is not an answer of HTTP/1.1");
    else if (code !== "200") {
      const why = `it answered with HTTP status ${code} ${printable(reason)}`.trimEnd();
      this.fail(why, PASSING_REFUSALS.includes(code) || !code.startsWith("4") ? undefined : "EPROXYREFUSED");
    } else {
      const { socket } = this;
      this.release();
      if (rest.length > 0) socket.unshift(rest);
      this.resolve(socket);
    }
  }

  private fail(why: string, code?: EgressError["code"]): void {
    this.release();
    // An error that follows has no receiver.
    this.socket.on("error", () => {});
    this.socket.destroy();
    this.reject(new EgressError(`cannot connect to ${this.target} through the proxy ${this.proxy.name}: ${why}`, code));
  }

  private release(): void {
    clearTimeout(this.late);
    this.socket.off("readable", this.read).off("error", this.failed).off("close", this.closed).off("end", this.closed);
    this.socket.off("connect", this.ask).off("secureConnect", this.ask);
  }
}

const printable = (reason: string): string => reason.slice(0, REASON_MAX).replace(/[^\x20-\x7e]/g, "?");
