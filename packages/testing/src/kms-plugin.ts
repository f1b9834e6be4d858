// A KMS plugin on a Unix socket, with the v1beta1 and v2 interfaces, real encryption, and behaviours set by tests.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";

export type KmsPluginMethod = keyof typeof METHODS;
type Message = Record<string, unknown>;

/** Replaces a response: a message, a gRPC error, or no response; now or later. */
export type KmsBehaviour = (request: Message, honest: () => Message) => Answer | Promise<Answer>;
type Answer = Message | { readonly code: number; readonly details: string } | undefined;

const METHODS = {
  "v1beta1/Version": "Version",
  "v1beta1/Encrypt": "Encrypt",
  "v1beta1/Decrypt": "Decrypt",
  "v2/Status": "Status",
  "v2/Encrypt": "Encrypt",
  "v2/Decrypt": "Decrypt",
} as const;
const PROTOCOLS = join(__dirname, "../../../proto/kms");

export class KmsPlugin {
  /** Key for encryption; any key is accepted for decryption. */
  keyId = "key-1";
  healthz = "ok";
  annotations: Record<string, Buffer> = {};
  /** Replacements of responses, by method. */
  readonly behaviours: Partial<Record<KmsPluginMethod, KmsBehaviour>> = {};
  /** Number of requests, by method. */
  readonly calls: Record<KmsPluginMethod, number> = {
    "v1beta1/Version": 0,
    "v1beta1/Encrypt": 0,
    "v1beta1/Decrypt": 0,
    "v2/Status": 0,
    "v2/Encrypt": 0,
    "v2/Decrypt": 0,
  };
  private server: Server | undefined;
  private watchers: (() => void)[] = [];

  /** @param socket path of the socket; `@name` for an abstract one */
  constructor(readonly socket: string) {}

  /** Returns the endpoint as in an encryption configuration. */
  get endpoint(): string {
    return this.socket.startsWith("@") ? `unix:///${this.socket}` : `unix://${this.socket}`;
  }

  async start(): Promise<this> {
    // Loaded only by tests that use it.
    const { Server, ServerCredentials } = require("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
    const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
    for (const version of ["v1beta1", "v2"]) server.addService(...this.service(version));
    if (!this.socket.startsWith("@")) rmSync(this.socket, { force: true });
    const address = `unix:${this.socket.replace(/^@/, "\0")}`;
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
    });
    this.server = server;
    return this;
  }

  /** Stops at once, and closes all connections. */
  stop(): void {
    this.server?.forceShutdown();
    this.server = undefined;
    if (!this.socket.startsWith("@")) rmSync(this.socket, { force: true });
  }

  /** Resolves at the next request of a method. */
  async asked(method: KmsPluginMethod): Promise<void> {
    const before = this.calls[method];
    while (this.calls[method] === before) await new Promise<void>((resolve) => this.watchers.push(resolve));
  }

  private service(version: string): Parameters<Server["addService"]> {
    const protobuf = require("protobufjs") as typeof import("protobufjs");
    const messages = protobuf.loadSync(join(PROTOCOLS, `${version}.proto`));
    const rows = Object.entries(METHODS).filter(([id]) => id.startsWith(`${version}/`)) as [KmsPluginMethod, string][];
    const definitions = rows.map(([, name]) => {
      const request = messages.lookupType(`${version}.${name}Request`);
      const answer = messages.lookupType(`${version}.${name}Response`);
      return [
        name,
        {
          path: `/${version}.KeyManagementService/${name}`,
          requestStream: false,
          responseStream: false,
          requestSerialize: (message: Message) => Buffer.from(request.encode(message).finish()),
          requestDeserialize: (bytes: Buffer) => request.decode(bytes) as unknown as Message,
          responseSerialize: (message: Message) =>
            message["raw"] instanceof Buffer ? message["raw"] : Buffer.from(answer.encode(message).finish()),
          responseDeserialize: (bytes: Buffer) => answer.decode(bytes) as unknown as Message,
        },
      ] as const;
    });
    const handlers = rows.map(([id, name]) => [
      name,
      (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) => this.answer(id, call.request, done),
    ]);
    return [Object.fromEntries(definitions), Object.fromEntries(handlers)];
  }

  private async answer(id: KmsPluginMethod, request: Message, done: sendUnaryData<Message>): Promise<void> {
    this.calls[id] += 1;
    for (const wake of this.watchers.splice(0)) wake();
    const honest = () => this.honest(id, request);
    try {
      const answer = await (this.behaviours[id] ?? ((_, answered) => answered()))(request, honest);
      if (answer === undefined) return;
      if ("code" in answer) done(answer as { code: number; details: string });
      else done(null, answer);
    } catch (error) {
      done({ code: 3, details: (error as Error).message });
    }
  }

  private honest(id: KmsPluginMethod, request: Message): Message {
    switch (id) {
      case "v1beta1/Version":
        return { version: "v1beta1", runtimeName: "test", runtimeVersion: "1.0.0" };
      case "v1beta1/Encrypt":
        return { cipher: this.seal(request["plain"] as Buffer) };
      case "v1beta1/Decrypt":
        return { plain: unseal(request["cipher"] as Buffer) };
      case "v2/Status":
        return { version: "v2", healthz: this.healthz, keyId: this.keyId };
      case "v2/Encrypt": {
        const { keyId, annotations } = this;
        return { ciphertext: this.seal(request["plaintext"] as Buffer), keyId, annotations };
      }
      case "v2/Decrypt":
        return { plaintext: unseal(request["ciphertext"] as Buffer) };
    }
  }

  /** Encrypts a value. The key's name is a prefix, so that one process can decrypt the values of another. */
  private seal(plain: Buffer): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", keyOf(this.keyId), nonce);
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return Buffer.concat([Buffer.from([this.keyId.length]), Buffer.from(this.keyId), sealed]);
  }
}

function unseal(sealed: Buffer): Buffer {
  const end = 1 + (sealed[0] ?? 0);
  const cipher = createDecipheriv(
    "aes-256-gcm",
    keyOf(sealed.toString("utf8", 1, end)),
    sealed.subarray(end, end + 12),
  );
  cipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([cipher.update(sealed.subarray(end + 12, -16)), cipher.final()]);
}

const keyOf = (keyId: string): Buffer => createHash("sha256").update(keyId).digest();
