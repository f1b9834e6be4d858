// The published schema, for now without definitions: valid, so that clients which check bodies against it skip that step instead
// of failing. It says of each kind that its patches can be rehearsed, which clients look for before they ask for a dry run. The whole
// document is made from the schema of record in a later step.
import type { Vocabulary } from "@orch/schema";
import type { ResourceRoute } from "../handlers/resource-route";
import type { VersionInfo } from "./version-document";

const TITLE = "Control plane API";

export const OPENAPI_PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/** The same as answers name it: an @ may not stand in a media type, and clients that parse the header refuse it. */
export const OPENAPI_PROTOBUF_ANSWER_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export interface OpenapiSource {
  readonly version: VersionInfo;
  readonly vocabulary: Vocabulary;
  readonly routes: Iterable<ResourceRoute>;
}

interface PatchPath {
  readonly path: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
}

const DRY_RUN = { name: "dryRun", in: "query", type: "string" } as const;

export function openapiJson({ version, vocabulary, routes }: OpenapiSource): Buffer {
  const paths = patchPaths(routes).map(({ path, kind }) => {
    const patch = {
      parameters: [DRY_RUN],
      responses: {},
      [vocabulary.schemaExtensions.groupVersionKind]: kind,
    };
    return [path, { patch }];
  });
  const info = { title: TITLE, version: version.gitVersion };
  return Buffer.from(JSON.stringify({ swagger: "2.0", info, paths: Object.fromEntries(paths), definitions: {} }));
}

/** The same as the protobuf message Document: swagger = 1, info = 2 { title = 1, version = 2 }, paths = 8 { path = 2 }. */
export function openapiProtobuf({ version, vocabulary, routes }: OpenapiSource): Buffer {
  const info = [textField(1, TITLE), textField(2, version.gitVersion)];
  const extension = vocabulary.schemaExtensions.groupVersionKind;
  const paths = patchPaths(routes).map((path) => messageField(2, namedPath(path, extension)));
  return Buffer.concat([textField(1, "2.0"), messageField(2, info), messageField(8, paths)]);
}

/** name = 1, value = 2 { patch = 8 { parameters = 8, vendor_extension = 13 { name = 1, value = 2 { yaml = 2 } } } }. */
function namedPath({ path, kind }: PatchPath, extension: string): readonly Buffer[] {
  const yaml = messageField(2, [textField(2, JSON.stringify(kind))]);
  const operation = [messageField(8, DRY_RUN_PARAMETER), messageField(13, [textField(1, extension), yaml])];
  return [textField(1, path), messageField(2, [messageField(8, operation)])];
}

function patchPaths(routes: Iterable<ResourceRoute>): readonly PatchPath[] {
  const paths: PatchPath[] = [];
  for (const { definition, version, subresource, verbs } of routes) {
    if (subresource !== undefined || !verbs.has("patch")) continue;
    const root = version.group === "" ? "/api" : "/apis";
    const place = definition.scope === "Namespaced" ? "/namespaces/{namespace}" : "";
    const kind = { group: version.group, version: version.version, kind: version.kind };
    paths.push({ path: `${root}/${version.apiVersion}${place}/${definition.plural}/{name}`, kind });
  }
  return paths;
}

function textField(number: number, value: string): Buffer {
  return lengthDelimited(number, Buffer.from(value));
}

function messageField(number: number, fields: readonly Buffer[]): Buffer {
  return lengthDelimited(number, Buffer.concat(fields));
}

function lengthDelimited(number: number, value: Buffer): Buffer {
  const head = [(number << 3) | 2];
  let length = value.length;
  for (; length > 0x7f; length >>>= 7) head.push((length & 0x7f) | 0x80);
  head.push(length);
  return Buffer.concat([Buffer.from(head), value]);
}

/** parameter = 1 { non_body_parameter = 2 { query_parameter_sub_schema = 3 { in = 2, name = 4, type = 6 } } }. */
const DRY_RUN_PARAMETER = [
  messageField(1, [
    messageField(2, [
      messageField(3, [textField(2, DRY_RUN.in), textField(4, DRY_RUN.name), textField(6, DRY_RUN.type)]),
    ]),
  ]),
];
