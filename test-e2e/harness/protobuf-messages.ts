// Protobuf messages of an independent implementation: protobufjs with the declarations in proto/.
import { join } from "node:path";
import protobuf from "protobufjs";
import { repository } from "./processes";

export const PROTOBUF = "application/vnd.orch.protobuf";
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const FRAME_LENGTH_BYTES = 4;

/** A message as a plain value: fields by their names in proto/, 64-bit integers as text, bytes in base64. */
export type Message = Readonly<Record<string, unknown>>;

export interface Enveloped {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: Message;
}

export class ProtobufMessages {
  private readonly root = new protobuf.Root();

  /** @param files such as "core/v1"; kinds of other files are unknown */
  constructor(files: readonly string[]) {
    const folder = join(repository, "proto");
    this.root.resolvePath = (_origin, target) =>
      target.startsWith("google/") ? join(require.resolve("protobufjs"), "..", target) : join(folder, target);
    this.root.loadSync(
      ["runtime", "meta/v1", ...files].map((id) => `${id}.proto`),
      { keepCase: true },
    );
    this.root.resolveAll();
  }

  /** Encodes a whole body. */
  envelope({ apiVersion, kind, message }: Enveloped): Buffer {
    const raw = this.encode(nameOf(apiVersion, kind), message);
    return Buffer.concat([MAGIC, this.encode("runtime.Unknown", { typeMeta: { apiVersion, kind }, raw })]);
  }

  /** @throws Error for bytes of another format */
  open(bytes: Buffer): Enveloped {
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(`no envelope: ${bytes.subarray(0, 64)}`);
    const { typeMeta, raw } = this.decode("runtime.Unknown", bytes.subarray(MAGIC.length)) as {
      typeMeta: { apiVersion: string; kind: string };
      raw: string;
    };
    const { apiVersion, kind } = typeMeta;
    return { apiVersion, kind, message: this.decode(nameOf(apiVersion, kind), Buffer.from(raw, "base64")) };
  }

  /** Decodes the events of a watch that has ended. */
  events(stream: Buffer): { type: string; object: Enveloped }[] {
    const events: { type: string; object: Enveloped }[] = [];
    for (let at = 0; at < stream.length; ) {
      const end = at + FRAME_LENGTH_BYTES + stream.readUInt32BE(at);
      const event = this.decode("meta.v1.WatchEvent", stream.subarray(at + FRAME_LENGTH_BYTES, end));
      const { raw } = event["object"] as { raw: string };
      events.push({ type: String(event["type"]), object: this.open(Buffer.from(raw, "base64")) });
      at = end;
    }
    return events;
  }

  private encode(name: string, message: Message): Buffer {
    const type = this.root.lookupType(name);
    return Buffer.from(type.encode(type.fromObject(message)).finish());
  }

  private decode(name: string, bytes: Buffer): Message {
    const type = this.root.lookupType(name);
    return type.toObject(type.decode(bytes), { longs: String, bytes: String });
  }
}

/** Status belongs to the meta group in every API version. */
function nameOf(apiVersion: string, kind: string): string {
  if (kind === "Status" || kind === "DeleteOptions") return `meta.v1.${kind}`;
  return apiVersion === "v1" ? `core.v1.${kind}` : `${apiVersion.replace("/", ".")}.${kind}`;
}
