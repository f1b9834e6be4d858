// `orch diff`: what an apply of files would change, from dry runs of the server. Source: kubectl's reference, "kubectl diff".
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import { addKustomize } from "../../resources/kustomize";
import { readManifests } from "../../resources/manifests";
import type { Session } from "../../session/session";
import { type Compared, Differences, FAILED } from "./diff/differences";

interface Options {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly forceConflicts?: boolean;
  readonly fieldManager?: string;
  readonly showManagedFields?: boolean;
}

const TRIES = 4;
const EXAMPLES = `
Examples:
  orch diff -f deployment.yaml
  cat service.json | orch diff -f -

The exit code is 0 without differences, 1 with differences, and 2 after an error.`;

export function define(command: Command, session: Session): void {
  command
    .option("-f, --filename <path>", "file, folder or URL; may be repeated", collected)
    .option("-R, --recursive", "also read the folders within the folders of -f")
    .option("--server-side", "compare with a server-side apply, as always")
    .option("--force-conflicts", "compare with an apply that takes fields over from other managers")
    .option("--field-manager <name>", "name of the field manager")
    .option("--show-managed-fields", "also compare metadata.managedFields")
    .addHelpText("after", EXAMPLES);
  addKustomize(command);
  command.action(async (options: Options) => {
    try {
      await diff(session, options);
    } catch (error) {
      session.exitCode = FAILED;
      throw error;
    }
  });
}

async function diff(session: Session, options: Options): Promise<void> {
  const { filename = [], recursive = false } = options;
  if (filename.length === 0) throw new CliError("name a file with -f, such as orch diff -f deployment.yaml");
  const differences = new Differences(session, options.showManagedFields);
  try {
    for await (const { source, object } of readManifests(filename, session.io, {
      recursive,
      timeoutMs: session.requestTimeoutMs(),
    }))
      await differences.add(await comparedWith(session, source, object, options));
    session.exitCode = await differences.end();
  } finally {
    differences.close();
  }
}

/** Returns the live object, and the object after an apply. */
async function comparedWith(session: Session, source: string, object: JsonObject, options: Options): Promise<Compared> {
  const catalog = await session.catalog();
  const names = await session.vocabulary();
  const type = await catalog.forKind(String(object["apiVersion"]), String(object["kind"]));
  const { name, namespace } = isObject(object["metadata"]) ? object["metadata"] : {};
  if (typeof name !== "string") throw new CliError(`${source}: metadata.name is not set`);
  const where = typeof namespace === "string" && namespace !== "" ? namespace : session.namespace;
  const all = catalog.client.resource(type);
  const client = type.namespaced ? all.namespace(where) : all;
  const fieldManager = options.fieldManager ?? names.fieldManagers.orchctl;
  let force = options.forceConflicts === true;
  for (let tries = 1; ; tries += 1) {
    const live = await client.find(name, { signal: session.signal });
    const version = isObject(live?.["metadata"]) ? live["metadata"]["resourceVersion"] : undefined;
    const metadata: JsonObject = {
      ...(object["metadata"] as JsonObject),
      ...(type.namespaced && { namespace: where }),
    };
    // The last try compares with whatever version there is.
    if (tries < TRIES && version !== undefined) metadata["resourceVersion"] = version;
    try {
      const merged = await client.apply(
        { ...object, metadata },
        { fieldManager, dryRun: true, force, signal: session.signal },
      );
      return { type, namespace: type.namespaced ? where : undefined, name, live, merged };
    } catch (error) {
      if (!isCode(error, 409)) throw error;
      const isConflict = error.message.startsWith("Apply failed with");
      if (isConflict && !force) {
        session.warn(`${source}: an apply needs --force-conflicts: ${error.message}`);
        force = true;
      } else if (isConflict || tries >= TRIES) throw error;
    }
  }
}
