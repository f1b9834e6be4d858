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

/** Text of each part, by section and in the order of names, so that equal contents are equal bytes. */
export class JsonDocument {
  private readonly parts: Record<Section, (readonly [name: string, text: string])[]>;

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
  ) {
    this.parts = { paths: [], parameters: [], models: [], securitySchemes: [] };
  }

  add({ section, name, value }: DocumentPart): void {
    this.parts[section].push([name, JSON.stringify(value)]);
  }

  bytes(): Buffer {
    const [paths, parameters, models, securitySchemes] = SECTIONS.map((section) => membersText(this.parts[section]));
    const info = JSON.stringify(this.info);
    switch (this.version) {
      case "v2":
        return Buffer.from(
          `{"swagger":"2.0","info":${info},"paths":${paths},"definitions":${models},"parameters":${parameters}}`,
        );
      case "v3":
        return Buffer.from(
          `{"openapi":"3.0.0","info":${info},"security":${JSON.stringify(SECURITY)},"paths":${paths},` +
            `"components":{"schemas":${models},"parameters":${parameters},"securitySchemes":${securitySchemes}}}`,
        );
    }
  }
}

const SECURITY: JsonObject[] = [{ [SECURITY_SCHEME]: [] }];

function membersText(parts: (readonly [name: string, text: string])[]): string {
  parts.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${parts.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** The message that holds a section, and where the document holds that message. */
const MESSAGES: Readonly<
  Record<OpenapiVersion, Readonly<Partial<Record<Section, readonly [type: string, owner: string, member: string]>>>>
> = {
  v2: {
    paths: ["Paths", "Document", "paths"],
    models: ["Definitions", "Document", "definitions"],
    parameters: ["ParameterDefinitions", "Document", "parameters"],
  },
  v3: {
    paths: ["Paths", "Document", "paths"],
    models: ["SchemasOrReferences", "Components", "schemas"],
    parameters: ["ParametersOrReferences", "Components", "parameters"],
    securitySchemes: ["SecuritySchemesOrReferences", "Components", "securitySchemes"],
  },
};

export class ProtobufDocument {
  private readonly parts: Record<Section, (readonly [name: string, bytes: Buffer])[]>;

  constructor(
    private readonly version: OpenapiVersion,
    private readonly info: DocumentInfo,
    private readonly writer: MessageWriter,
  ) {
    this.parts = { paths: [], parameters: [], models: [], securitySchemes: [] };
  }

  add({ section, name, value }: DocumentPart): void {
    const [type] = MESSAGES[this.version][section] ?? [];
    if (type !== undefined) this.parts[section].push([name, this.writer.encode(type, { [name]: value })]);
  }

  bytes(): Buffer {
    const { title, version } = this.info;
    const info = { title, version };
    switch (this.version) {
      case "v2":
        return Buffer.concat([this.writer.encode("Document", { swagger: "2.0", info }), this.sectionsOf("Document")]);
      case "v3": {
        const head = this.writer.encode("Document", { openapi: "3.0.0", info, security: SECURITY });
        const components = this.writer.wrap("Document", "components", this.sectionsOf("Components"));
        return Buffer.concat([head, this.sectionsOf("Document"), components]);
      }
    }
  }

  private sectionsOf(message: string): Buffer {
    const sections = SECTIONS.flatMap((section) => {
      const [, owner, member] = MESSAGES[this.version][section] ?? [];
      if (owner !== message || member === undefined) return [];
      const parts = this.parts[section].sort(([a], [b]) => (a < b ? -1 : 1));
      return [this.writer.wrap(owner, member, Buffer.concat(parts.map(([, bytes]) => bytes)))];
    });
    return Buffer.concat(sections);
  }
}
