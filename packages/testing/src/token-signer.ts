// An external signer of service account tokens on a Unix socket, over real gRPC, whose answers tests can change.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { rmSync } from "node:fs";
import type { Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";

type Message = Record<string, unknown>;
type Method = "Sign" | "FetchKeys" | "Metadata";

const PROTOCOL = `
syntax = "proto3";
message SignJWTRequest { string claims = 1; }
message SignJWTResponse { string header = 1; string signature = 2; }
message FetchKeysRequest {}
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message Key { string key_id = 1; bytes key = 2; bool exclude_from_oidc_discovery = 3; }
message FetchKeysResponse { repeated Key keys = 1; Timestamp data_timestamp = 2; int64 refresh_hint_seconds = 3; }
message MetadataRequest {}
message MetadataResponse { int64 max_token_expiration_seconds = 1; }
`;
const MESSAGES: Readonly<Record<Method, readonly [request: string, answer: string]>> = {
  Sign: ["SignJWTRequest", "SignJWTResponse"],
  FetchKeys: ["FetchKeysRequest", "FetchKeysResponse"],
  Metadata: ["MetadataRequest", "MetadataResponse"],
};

interface SignerKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly der: Buffer;
  readonly isExcluded: boolean;
}

export class TokenSigner {
  /** The first key signs. */
  keys: readonly SignerKey[] = [signerKey("key-1")];
  refreshSeconds = 3600;
  maxSeconds = 7200;
  /** Replaces parts of the header. */
  header: Message = {};
  /** Calls by version and method. */
  readonly calls: string[] = [];
  private server: Server | undefined;

  constructor(readonly socket: string) {}

  async start(): Promise<this> {
    // Loaded only by tests that use it.
    const { Server, ServerCredentials } = require("@grpc/grpc-js") as typeof import("@grpc/grpc-js");
    const server = new Server();
    for (const version of ["v1", "v1alpha1"]) server.addService(...this.service(version));
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${this.socket}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
    this.server = server;
    return this;
  }

  stop(): void {
    this.server?.forceShutdown();
    this.server = undefined;
    rmSync(this.socket, { force: true });
  }

  private service(version: string): Parameters<Server["addService"]> {
    const protobuf = require("protobufjs") as typeof import("protobufjs");
    const { root } = protobuf.parse(PROTOCOL, { keepCase: true });
    const rows = Object.entries(MESSAGES) as [Method, readonly [string, string]][];
    const definitions = rows.map(([name, types]) => {
      const [request, answer] = types.map((type) => root.lookupType(type)) as [
        ReturnType<typeof root.lookupType>,
        ReturnType<typeof root.lookupType>,
      ];
      return [
        name,
        {
          path: `/${version}.ExternalJWTSigner/${name}`,
          requestStream: false,
          responseStream: false,
          requestSerialize: (message: Message) => Buffer.from(request.encode(message).finish()),
          requestDeserialize: (bytes: Buffer) => request.decode(bytes) as unknown as Message,
          responseSerialize: (message: Message) => Buffer.from(answer.encode(answer.fromObject(message)).finish()),
          responseDeserialize: (bytes: Buffer) => answer.decode(bytes) as unknown as Message,
        },
      ] as const;
    });
    const handlers = rows.map(([name]) => [
      name,
      (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) => {
        this.calls.push(`${version} ${name}`);
        done(null, this.answer(name, call.request));
      },
    ]);
    return [Object.fromEntries(definitions), Object.fromEntries(handlers)];
  }

  private answer(method: Method, request: Message): Message {
    switch (method) {
      case "Sign": {
        const [key] = this.keys as readonly [SignerKey];
        const fields = { alg: "ES256", kid: key.id, typ: "JWT", ...this.header };
        const header = Buffer.from(JSON.stringify(fields)).toString("base64url");
        const content = Buffer.from(`${header}.${String(request["claims"])}`);
        const signature = sign("sha256", content, { key: key.privateKey, dsaEncoding: "ieee-p1363" });
        return { header, signature: signature.toString("base64url") };
      }
      case "FetchKeys":
        return {
          keys: this.keys.map(({ id, der, isExcluded }) => ({
            ...{ key_id: id, key: der, exclude_from_oidc_discovery: isExcluded },
          })),
          data_timestamp: { seconds: 1 },
          refresh_hint_seconds: this.refreshSeconds,
        };
      case "Metadata":
        return { max_token_expiration_seconds: this.maxSeconds };
    }
  }
}

export function signerKey(id: string, isExcluded = false): SignerKey {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { id, privateKey, der: publicKey.export({ type: "spki", format: "der" }), isExcluded };
}
