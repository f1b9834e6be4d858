// Calls in both directions over one message port: each side offers functions by name.

import type { MessagePort, Transferable, Worker } from "node:worker_threads";
import { ClientGoneError, type EndSignal } from "../time/end-signal";

/** The functions that one side offers. Each takes one argument that can be sent, and a signal. */
export type Offered = object;

type OfferedFunction = (argument: unknown, signal: EndSignal) => unknown;
type ArgumentOf<F> = F extends (argument: infer A, ...rest: never[]) => unknown ? A : never;
type ResultOf<F> = F extends (...given: never[]) => infer R ? Awaited<R> : never;

type Message =
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly argument: unknown }
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failure"; readonly id: number; readonly error: SentError };

type SentError =
  | { readonly kind: "typed"; readonly error: object }
  | { readonly kind: "other"; readonly message: string; readonly stack: string | undefined };

/** Errors that keep their type on the other side. Both sides of a port have the same ones. */
export interface TypedErrors {
  /** Returns what restores the error, as plain data; undefined for an error of another type. */
  sent(error: unknown): object | undefined;
  /** @param sent result of `sent` */
  received(sent: object): Error;
}

const NO_TYPED_ERRORS: TypedErrors = {
  sent: () => undefined,
  received: () => new Error("the error has no known type"),
};

/** The other side is gone. Whether it has carried out the call is unknown. */
export class PeerLostError extends Error {
  override readonly name = "PeerLostError";
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A message endpoint: a worker, or the port to the thread that started it. */
type Port = Pick<MessagePort | Worker, "postMessage">;

export interface CallOptions {
  /** Objects whose ownership moves to the other side. */
  readonly transfer?: readonly Transferable[];
  /** A call whose signal is already aborted is not sent. */
  readonly signal?: EndSignal | undefined;
}

export class PortPeer<There extends Offered> {
  private readonly waiting = new Map<number, Waiting>();
  private readonly running = new Map<number, AbortController>();
  private lastId = 0;
  private lost: PeerLostError | undefined;

  constructor(
    private readonly port: Port,
    private readonly offered: Offered,
    private readonly typedErrors = NO_TYPED_ERRORS,
  ) {}

  /**
   * Calls a function of the other side.
   * @throws what the function throws there; PeerLostError; ClientGoneError when the signal is aborted first
   */
  call<Name extends keyof There & string>(
    name: Name,
    argument: ArgumentOf<There[Name]>,
    { transfer = [], signal }: CallOptions = {},
  ): Promise<ResultOf<There[Name]>> {
    if (this.lost !== undefined) return Promise.reject(this.lost);
    if (signal?.aborted === true) return Promise.reject(givenUp());
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.send({ kind: "cancel", id });
        this.settle(id)?.reject(givenUp());
      };
      const off = (): void => signal?.removeEventListener("abort", cancel);
      this.waiting.set(id, {
        resolve(value) {
          off();
          resolve(value as ResultOf<There[Name]>);
        },
        reject(error) {
          off();
          reject(error);
        },
      });
      signal?.addEventListener("abort", cancel);
      try {
        this.send({ kind: "call", id, name, argument }, transfer);
      } catch (error) {
        // The argument cannot be sent, for example because its buffer was transferred before.
        this.settle(id)?.reject(error);
      }
    });
  }

  /** Number of calls under way on the other side. */
  get pending(): number {
    return this.waiting.size;
  }

  receive(message: Message): void {
    switch (message.kind) {
      case "call":
        void this.answer(message);
        break;
      case "cancel":
        this.running.get(message.id)?.abort();
        break;
      case "result":
        this.settle(message.id)?.resolve(message.value);
        break;
      case "failure":
        this.settle(message.id)?.reject(this.received(message.error));
    }
  }

  /** Fails all calls under way, and every later call. */
  lose(why: string): void {
    this.lost ??= new PeerLostError(why);
    for (const { reject } of this.waiting.values()) reject(this.lost);
    this.waiting.clear();
    for (const controller of this.running.values()) controller.abort(this.lost);
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private async answer({ id, name, argument }: Message & { readonly kind: "call" }): Promise<void> {
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const offered = (this.offered as Readonly<Record<string, OfferedFunction | undefined>>)[name];
      if (offered === undefined) throw new Error(`the other thread does not offer ${name}`);
      const value = await offered(argument, controller.signal);
      this.send({ kind: "result", id, value });
    } catch (error) {
      this.send({ kind: "failure", id, error: this.sent(error) });
    } finally {
      this.running.delete(id);
    }
  }

  private sent(error: unknown): SentError {
    const typed = this.typedErrors.sent(error);
    if (typed !== undefined) return { kind: "typed", error: typed };
    if (error instanceof Error) return { kind: "other", message: error.message, stack: error.stack };
    return { kind: "other", message: String(error), stack: undefined };
  }

  private received(error: SentError): Error {
    if (error.kind === "typed") return this.typedErrors.received(error.error);
    const made = new Error(error.message);
    if (error.stack !== undefined) made.stack = error.stack;
    return made;
  }

  private send(message: Message, transfer: readonly Transferable[] = []): void {
    this.port.postMessage(message, transfer as Transferable[]);
  }
}

const givenUp = () => new ClientGoneError("the request ended");

/** Returns a Buffer over received bytes without copying them. */
export const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
