// The published schema, for now without definitions: valid, so that clients which check bodies against it skip that step instead
// of failing. The whole document is made from the schema of record in a later step.
import type { VersionInfo } from "./version-document";

const TITLE = "Control plane API";

export const OPENAPI_PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
/** The same as answers name it: an @ may not stand in a media type, and clients that parse the header refuse it. */
export const OPENAPI_PROTOBUF_ANSWER_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export function openapiJson(version: VersionInfo): Buffer {
  return Buffer.from(
    JSON.stringify({ swagger: "2.0", info: { title: TITLE, version: version.gitVersion }, paths: {}, definitions: {} }),
  );
}

/** The same as the protobuf message Document: swagger = 1, info = 2 { title = 1, version = 2 }, paths = 8. */
export function openapiProtobuf(version: VersionInfo): Buffer {
  const info = Buffer.concat([bytesField(1, Buffer.from(TITLE)), bytesField(2, Buffer.from(version.gitVersion))]);
  return Buffer.concat([bytesField(1, Buffer.from("2.0")), bytesField(2, info), bytesField(8, Buffer.alloc(0))]);
}

/** A length-delimited field; shorter than 128 bytes, so that its length is one byte. */
function bytesField(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, value.length]), value]);
}
