// A sequence of hostile clients: each input is sent on a connection that is kept as long as the server keeps it, and
// the answer is checked. The seed determines everything that a lane does.
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { readAnswers } from "../http-answers";
import { FRAME, ping, readFrames } from "../http2-frames";
import { type Random, seededRandom } from "../random";
import { http1Input } from "./http1-inputs";
import { http2Input, http2Opening, StreamIds } from "./http2-inputs";
import type { Pace } from "./pace";

/** Number of beats without an answer after which an input is taken as incomplete. */
const QUIET_BEATS = 2;
/** Maximum number of inputs per connection. */
const INPUTS_PER_CONNECTION = 60;
/** Time limit of a handshake; a longer one counts as hanging. */
const HANDSHAKE_MS = 30_000;

export interface LaneOptions {
  readonly port: number;
  readonly protocol: "http/1.1" | "h2";
  readonly seed: number;
  readonly pace: Pace;
}

/** Outcome of an input. */
export type Outcome = "answered" | "closed" | "silent";

export interface Finding {
  readonly what: string;
  readonly seed: number;
  /** The inputs of the connection, the last one at the end. */
  readonly sent: readonly string[];
}

export class Lane {
  readonly outcomes: Record<Outcome, number> = { answered: 0, closed: 0, silent: 0 };
  readonly findings: Finding[] = [];
  private readonly random: Random;
  private connection: LaneConnection | undefined;
  private ids = new StreamIds();
  private sent: string[] = [];
  private inputs = 0;

  constructor(private readonly options: LaneOptions) {
    this.random = seededRandom(options.seed);
  }

  /** Sends one input. */
  async step(): Promise<void> {
    this.inputs += 1;
    const connection = this.connection ?? (await this.open());
    if (connection === undefined) return;
    const isHttp1 = this.options.protocol === "http/1.1";
    const input = isHttp1 ? http1Input(this.random) : http2Input(this.random, this.ids);
    this.sent.push(input.toString("latin1"));
    const outcome = isHttp1 ? await this.stepHttp1(connection, input) : await this.stepHttp2(connection, input);
    this.outcomes[outcome] += 1;
    if (outcome === "answered" && this.sent.length < INPUTS_PER_CONNECTION) return;
    // Closes the connection in order or abruptly.
    if (this.random.chance(0.5)) connection.socket.end();
    connection.socket.destroy();
    this.connection = undefined;
  }

  private async open(): Promise<LaneConnection | undefined> {
    this.sent = [];
    this.ids = new StreamIds();
    const connection = await LaneConnection.open(this.options);
    if (typeof connection === "string") {
      this.find(connection);
      return undefined;
    }
    this.connection = connection;
    if (this.options.protocol === "h2") {
      const opening = http2Opening(this.random);
      this.sent.push(opening.toString("latin1"));
      connection.socket.write(opening);
    }
    return connection;
  }

  /** A valid request after the input tells whether the connection is still usable. */
  private async stepHttp1(connection: LaneConnection, input: Buffer): Promise<Outcome> {
    const name = `fuzz-${this.inputs}`;
    connection.received = "";
    connection.socket.write(
      Buffer.concat([input, Buffer.from(`OPTIONS * HTTP/1.1\r\nHost: x\r\nAudit-Id: ${name}\r\n\r\n`)]),
    );
    const outcome = await connection.outcome(() => connection.received.includes(`Audit-Id: ${name}\r\n`));
    const { answers, wrong } = readAnswers(connection.received, input.includes("HEAD"));
    if (wrong !== undefined) this.find(`no HTTP: ${wrong}`);
    for (const { code, body } of answers) if (code === 500 || code === 501) this.find(`${code}: ${body.slice(0, 200)}`);
    const last = answers.at(-1);
    if (
      outcome === "answered" &&
      (last?.headers.get("connection") === "close" || last?.headers.get("audit-id") !== name)
    )
      return "closed";
    return outcome;
  }

  private async stepHttp2(connection: LaneConnection, input: Buffer): Promise<Outcome> {
    const mark = Buffer.alloc(8);
    mark.writeUInt32BE(this.inputs);
    const isBack = () => connection.received.includes(`\0\0\x08\x06\x01\0\0\0\0${mark.toString("latin1")}`);
    connection.socket.write(Buffer.concat([input, ping(mark)]));
    const outcome = await connection.outcome(isBack);
    const { frames, read } = readFrames(Buffer.from(connection.received, "latin1"));
    for (const { type, payload } of frames) {
      if (type > FRAME.continuation || payload.length > 16_384)
        this.find(`no frame: type ${type} of ${payload.length} bytes`);
    }
    connection.received = connection.received.slice(read);
    return outcome;
  }

  private find(what: string): void {
    this.findings.push({ what, seed: this.options.seed, sent: this.sent.slice(-5) });
  }

  close(): void {
    this.connection?.socket.destroy();
  }
}

/**
 * Made once, because it is the most expensive step. TLS 1.2 lets a connection resume another one without a key
 * exchange.
 */
const CLIENT = createSecureContext({ maxVersion: "TLSv1.2" });
/** Session tickets: a resumed connection costs both sides half. */
const tickets = new Map<string, Buffer>();

class LaneConnection {
  received = "";
  private closed = false;
  private look: (() => void) | undefined;
  private pieces = 0;

  private constructor(
    readonly socket: TLSSocket,
    private readonly pace: Pace,
  ) {
    socket.on("data", (piece: Buffer) => {
      this.received += piece.toString("latin1");
      this.pieces += 1;
      this.look?.();
    });
    socket.on("close", () => {
      this.closed = true;
      this.look?.();
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => undefined);
  }

  /** @returns a text that describes a fault of the server */
  static open({ port, protocol, pace }: LaneOptions): Promise<LaneConnection | string> {
    return new Promise((resolve) => {
      const session = tickets.get(protocol);
      const socket = connect({
        host: "127.0.0.1",
        port,
        rejectUnauthorized: false,
        secureContext: CLIENT,
        ALPNProtocols: [protocol],
        ...(session === undefined ? {} : { session }),
      });
      socket.setNoDelay(true);
      socket.on("session", (ticket) => tickets.set(protocol, ticket));
      const late = setTimeout(() => {
        socket.destroy();
        resolve(`no connection within ${HANDSHAKE_MS} ms`);
      }, HANDSHAKE_MS);
      socket.once("error", (error) => {
        clearTimeout(late);
        resolve(`no connection: ${error.message}`);
      });
      socket.once("secureConnect", () => {
        clearTimeout(late);
        socket.removeAllListeners("error");
        resolve(new LaneConnection(socket, pace));
      });
    });
  }

  /** Waits until the input is taken, the connection ends, or silence. */
  outcome(isTaken: () => boolean): Promise<Outcome> {
    return new Promise((resolve) => {
      let settled = false;
      const settle = (outcome: Outcome) => {
        settled = true;
        this.look = undefined;
        resolve(outcome);
      };
      this.look = () => {
        if (this.closed) settle("closed");
        else if (isTaken()) settle("answered");
      };
      this.look();
      void this.untilQuiet(() => settled).then(() => settled || settle("silent"));
    });
  }

  private async untilQuiet(isOver: () => boolean): Promise<void> {
    let quiet = 0;
    while (quiet < QUIET_BEATS && !isOver()) {
      const { pieces } = this;
      await this.pace.beat();
      quiet = pieces === this.pieces ? quiet + 1 : 0;
    }
  }
}
