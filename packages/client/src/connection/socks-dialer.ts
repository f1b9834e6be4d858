// Connections through a SOCKS 5 proxy, which resolves host names. Source: RFC 1928; RFC 1929.
import { connect, isIP, type Socket } from "node:net";
import { type Dialer, type DialTarget, EgressError } from "@orch/platform";

export interface SocksProxy {
  /** Name of the proxy for messages, without credentials. */
  readonly name: string;
  readonly at: DialTarget;
  readonly login?: { readonly user: string; readonly password: string };
}

const TIMEOUT_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 30_000;
const VERSION = 5;
const METHOD = { none: 0, password: 2 } as const;
const PASSWORD_VERSION = 1;
const CONNECT = 1;
const ADDRESS = { ipv4: 1, name: 3, ipv6: 4 } as const;
const TEXT_MAX_BYTES = 255;
const REPLIES: Readonly<Record<number, string>> = {
  1: "it failed",
  2: "its rules do not allow the connection",
  3: "the network is unreachable",
  4: "the host is unreachable",
  5: "the connection was refused",
  6: "the time to live has expired",
  7: "it does not support the command",
  8: "it does not support the type of the address",
};

export class SocksDialer implements Dialer {
  constructor(private readonly proxy: SocksProxy) {}

  async dial(target: DialTarget): Promise<Socket> {
    const { name, at } = this.proxy;
    const socket = connect({ ...at });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    const reader = new Bytes(socket);
    const late = setTimeout(() => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
    try {
      await this.agree(socket, reader);
      await ask(socket, reader, target);
      reader.release();
      return socket;
    } catch (error) {
      socket.on("error", () => {}); // an error that follows has no receiver
      socket.destroy();
      const why = (error as Error).message;
      throw new EgressError(`cannot connect to ${target.host}:${target.port} through the proxy ${name}: ${why}`);
    } finally {
      clearTimeout(late);
    }
  }

  private async agree(socket: Socket, reader: Bytes): Promise<void> {
    const { login } = this.proxy;
    const offered = login === undefined ? [METHOD.none] : [METHOD.none, METHOD.password];
    socket.write(Buffer.from([VERSION, offered.length, ...offered]));
    const [version, method] = await reader.next(2);
    if (version !== VERSION) throw new Error("it does not speak SOCKS 5");
    if (method === METHOD.none) return;
    if (method !== METHOD.password || login === undefined) throw new Error("it requires other credentials");
    socket.write(Buffer.concat([Buffer.from([PASSWORD_VERSION]), counted(login.user), counted(login.password)]));
    const [, status] = await reader.next(2);
    if (status !== 0) throw new Error("it rejects the user name or the password");
  }
}

async function ask(socket: Socket, reader: Bytes, { host, port }: DialTarget): Promise<void> {
  const ports = Buffer.from([port >> 8, port & 0xff]);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(host), ports]));
  const [version, reply, , type] = await reader.next(4);
  if (version !== VERSION) throw new Error("it does not speak SOCKS 5");
  if (reply !== 0) throw new Error(REPLIES[reply as number] ?? `it answered with the code ${reply}`);
  const length = type === ADDRESS.ipv4 ? 4 : type === ADDRESS.ipv6 ? 16 : (await reader.next(1))[0];
  await reader.next((length as number) + 2);
}

function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([ADDRESS.ipv4, ...host.split(".").map(Number)]);
  if (isIP(host) === 6) return Buffer.concat([Buffer.from([ADDRESS.ipv6]), ipv6Bytes(host)]);
  return Buffer.concat([Buffer.from([ADDRESS.name]), counted(host)]);
}

function ipv6Bytes(host: string): Buffer {
  // The parser of URLs writes IPv6 addresses in one form, without dots.
  const text = new URL(`http://[${host}]`).hostname.slice(1, -1);
  const [before = "", after] = text.split("::");
  const groups = (part: string) => part.split(":").filter((group) => group !== "");
  const [first, last] = [groups(before), groups(after ?? "")];
  const middle = Array.from({ length: after === undefined ? 0 : 8 - first.length - last.length }, () => "0");
  return Buffer.from([...first, ...middle, ...last].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > TEXT_MAX_BYTES) throw new Error(`a name has more than ${TEXT_MAX_BYTES} bytes`);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** Reads counted bytes, and leaves the rest in the socket. */
class Bytes {
  private failure: Error | undefined;
  private wake: () => void = () => {};

  constructor(private readonly socket: Socket) {
    socket.on("readable", this.readable).on("error", this.failed).on("end", this.ended).on("close", this.ended);
  }

  async next(length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.socket.read(length) as Buffer | null;
      if (bytes !== null && bytes.length === length) return bytes;
      if (this.failure !== undefined) throw this.failure;
      if (bytes !== null) throw new Error("it closed the connection");
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  release(): void {
    const { socket } = this;
    socket.off("readable", this.readable).off("error", this.failed).off("end", this.ended).off("close", this.ended);
  }

  private readonly readable = (): void => this.wake();

  private readonly failed = (error: Error): void => {
    this.failure ??= error;
    this.wake();
  };

  private readonly ended = (): void => this.failed(new Error("it closed the connection"));
}
