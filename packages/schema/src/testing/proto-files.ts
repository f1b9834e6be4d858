// The files of proto/ as a protobuf parser of others reads them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";

export const PROTO_DIR = join(__dirname, "../../../../proto");

/** Those of the schema of record, as "core/v1". */
export function protoFiles(): string[] {
  return readdirSync(PROTO_DIR, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith(".proto") && readFileSync(join(PROTO_DIR, name), "utf8").includes("schema/options.proto"),
    )
    .map((name) => name.slice(0, -".proto".length));
}

/** All of them, linked to one another; fields have the names that the files give them. */
export function linkedProtoFiles(): protobuf.Root {
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) =>
    target.startsWith("google/") ? join(require.resolve("protobufjs"), "..", target) : join(PROTO_DIR, target);
  root.loadSync(
    protoFiles().map((id) => `${id}.proto`),
    { keepCase: true },
  );
  root.resolveAll();
  return root;
}
