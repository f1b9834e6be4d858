// From the parts of a published schema document to its bytes, in JSON and in protobuf.
import type { JsonObject, MessageWriter, OpenapiVersion } from "@orch/schema";
import { type DocumentPart, SECURITY_SCHEME } from "./document-parts";

/** Title and version of the API. */
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

type Section = DocumentPart["section"];
const SECTIONS: readonly Section[] = ["paths", "parameters", "models", "securitySchemes"];

/** Bytes of each part, by section and in the order of names, so that equal contents are equal bytes. */
type Parts = Readonly<Record<Section, (readonly [name: string, bytes: Buffer])[]>>;

const noParts = (): Parts => ({ paths: [], parameters: [], models: [], securitySchemes: [] });

function sorted(parts: Parts, section: Section): readonly Buffer[] {
  return parts[section].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, bytes]) => bytes);
}

export class JsonDocument {
  private readonly parts = noParts();

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
  ) {}

  add({ section, name, value }: DocumentPart): void {
    this.parts[section].push([name, Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`)]);
  }

  *pieces(): Generator<Buffer> {
    const info = JSON.stringify(this.info);
    const security = JSON.stringify(SECURITY);
    switch (this.version) {
      case "v2":
        yield* this.section("paths", `{"swagger":"2.0","info":${info},"security":${security},"paths":`);
        yield* this.section("models", ',"definitions":');
        yield* this.section("parameters", ',"parameters":');
        yield* this.section("securitySchemes", ',"securityDefinitions":');
        yield Buffer.from("}");
        break;
      case "v3":
        yield* this.section("paths", `{"openapi":"3.0.0","info":${info},"security":${security},"paths":`);
        yield* this.section("models", ',"components":{"schemas":');
        yield* this.section("parameters", ',"parameters":');
        yield* this.section("securitySchemes", ',"securitySchemes":');
        yield Buffer.from("}}");
        break;
    }
  }

  private *section(section: Section, front: string): Generator<Buffer> {
    yield Buffer.from(`${front}{`);
    let isFirst = true;
    for (const bytes of sorted(this.parts, section)) {
      if (!isFirst) yield COMMA;
      isFirst = false;
      yield bytes;
    }
    yield Buffer.from("}");
  }
}

const COMMA = Buffer.from(",");
const SECURITY: JsonObject[] = [{ [SECURITY_SCHEME]: [] }];

/** The message that holds a section, and where the document holds that message. */
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

export class ProtobufDocument {
  private readonly parts = noParts();

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
    private readonly writer: MessageWriter,
  ) {}

  add({ section, name, value }: DocumentPart): void {
    const [type] = MESSAGES[this.version][section];
    this.parts[section].push([name, this.writer.encode(type, { [name]: value })]);
  }

  *pieces(): Generator<Buffer> {
    const { title, version } = this.info;
    const info = { title, version };
    switch (this.version) {
      case "v2":
        yield this.writer.encode("Document", { swagger: "2.0", info, security: SECURITY });
        yield* this.sectionsOf("Document");
        break;
      case "v3":
        yield this.writer.encode("Document", { openapi: "3.0.0", info, security: SECURITY });
        yield* this.sectionsOf("Document");
        yield* this.wrapped("Document", "components", [...this.sectionsOf("Components")]);
        break;
    }
  }

  private *sectionsOf(message: string): Generator<Buffer> {
    for (const section of SECTIONS) {
      const [, owner, member] = MESSAGES[this.version][section];
      if (owner === message) yield* this.wrapped(owner, member, sorted(this.parts, section));
    }
  }

  private *wrapped(owner: string, member: string, parts: readonly Buffer[]): Generator<Buffer> {
    let length = 0;
    for (const part of parts) length += part.length;
    yield this.writer.front(owner, member, length);
    yield* parts;
  }
}
