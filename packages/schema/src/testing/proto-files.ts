// The files of proto/, parsed by an independent protobuf library.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";

export const PROTO_DIR = join(__dirname, "../../../../proto");

/** Returns the files of the built-in schema, as "core/v1". */
export function protoFiles(): string[] {
  return readdirSync(PROTO_DIR, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith(".proto") && readFileSync(join(PROTO_DIR, name), "utf8").includes("schema/options.proto"),
    )
    .map((name) => name.slice(0, -".proto".length));
}

/** Returns all files, linked. Fields keep the names of the files. */
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
