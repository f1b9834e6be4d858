// Encodes the parts of a published schema document in JSON and in protobuf.
import { type JsonObject, MessageWriter, type OpenapiVersion } from "@orch/schema";
import { type DocumentPart, SECURITY_SCHEME } from "./document-parts";

/** Title and version of the API. */
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

export type Section = DocumentPart["section"];
const SECTIONS: readonly Section[] = ["paths", "parameters", "models", "securitySchemes"];

/** One encoded part. Its bytes move when it is copied into a document. */
export interface PartBytes {
  readonly section: Section;
  readonly name: string;
  bytes: Buffer;
}

export type PartsBySection = Readonly<Record<Section, readonly PartBytes[]>>;

/** A piece of a document's bytes, in order: a part, or the bytes between parts. */
export type Chunk = Buffer | PartBytes;

export interface DocumentForm {
  readonly name: "json" | "protobuf";
  part(part: DocumentPart): Buffer;
  chunks(parts: PartsBySection): Iterable<Chunk>;
}

const COMMA = Buffer.from(",");
const SECURITY: JsonObject[] = [{ [SECURITY_SCHEME]: [] }];

export class JsonForm implements DocumentForm {
  readonly name = "json";

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
  ) {}

  part({ name, value }: DocumentPart): Buffer {
    return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
  }

  *chunks(parts: PartsBySection): Generator<Chunk> {
    const info = JSON.stringify(this.info);
    const security = JSON.stringify(SECURITY);
    switch (this.version) {
      case "v2":
        yield* section(parts.paths, `{"swagger":"2.0","info":${info},"security":${security},"paths":`);
        yield* section(parts.models, ',"definitions":');
        yield* section(parts.parameters, ',"parameters":');
        yield* section(parts.securitySchemes, ',"securityDefinitions":');
        yield Buffer.from("}");
        break;
      case "v3":
        yield* section(parts.paths, `{"openapi":"3.0.0","info":${info},"security":${security},"paths":`);
        yield* section(parts.models, ',"components":{"schemas":');
        yield* section(parts.parameters, ',"parameters":');
        yield* section(parts.securitySchemes, ',"securitySchemes":');
        yield Buffer.from("}}");
        break;
    }
  }
}

function* section(parts: readonly PartBytes[], front: string): Generator<Chunk> {
  yield Buffer.from(`${front}{`);
  let isFirst = true;
  for (const part of parts) {
    if (!isFirst) yield COMMA;
    isFirst = false;
    yield part;
  }
  yield Buffer.from("}");
}

/** Protobuf message type of each section, and the member of its parent message that holds it. */
const MESSAGES: Readonly<
  Record<OpenapiVersion, Readonly<Record<Section, readonly [type: string, owner: string, member: string]>>>
> = {
  v2: {
    paths: ["Paths", "Document", "paths"],
    models: ["Definitions", "Document", "definitions"],
    parameters: ["ParameterDefinitions", "Document", "parameters"],
    securitySchemes: ["SecurityDefinitions", "Document", "securityDefinitions"],
  },
  v3: {
    paths: ["Paths", "Document", "paths"],
    models: ["SchemasOrReferences", "Components", "schemas"],
    parameters: ["ParametersOrReferences", "Components", "parameters"],
    securitySchemes: ["SecuritySchemesOrReferences", "Components", "securitySchemes"],
  },
};

export class ProtobufForm implements DocumentForm {
  readonly name = "protobuf";
  private madeWriter: MessageWriter | undefined;

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
  ) {}

  private get writer(): MessageWriter {
    this.madeWriter ??= new MessageWriter(this.version);
    return this.madeWriter;
  }

  part({ section, name, value }: DocumentPart): Buffer {
    const [type] = MESSAGES[this.version][section];
    return this.writer.encode(type, { [name]: value });
  }

  *chunks(parts: PartsBySection): Generator<Chunk> {
    const { title, version } = this.info;
    const info = { title, version };
    switch (this.version) {
      case "v2":
        yield this.writer.encode("Document", { swagger: "2.0", info, security: SECURITY });
        yield* this.sectionsOf("Document", parts);
        break;
      case "v3":
        yield this.writer.encode("Document", { openapi: "3.0.0", info, security: SECURITY });
        yield* this.sectionsOf("Document", parts);
        yield* this.wrapped("Document", "components", [...this.sectionsOf("Components", parts)]);
        break;
    }
  }

  private *sectionsOf(message: string, parts: PartsBySection): Generator<Chunk> {
    for (const section of SECTIONS) {
      const [, owner, member] = MESSAGES[this.version][section];
      if (owner === message) yield* this.wrapped(owner, member, parts[section]);
    }
  }

  private *wrapped(owner: string, member: string, chunks: readonly Chunk[]): Generator<Chunk> {
    let length = 0;
    for (const chunk of chunks) length += bytesOf(chunk).length;
    yield this.writer.front(owner, member, length);
    yield* chunks;
  }
}

export const bytesOf = (chunk: Chunk): Buffer => (Buffer.isBuffer(chunk) ? chunk : chunk.bytes);
