// `orch explain`: the fields of a resource, from the published schema of the server, custom resources included. Texts have
// the form of kubectl's. Source: kubectl/pkg/explain/v2/templates/plaintext.tmpl.
import type { DiscoveredResource } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { visibleLines } from "../../output/columns";
import { CliError } from "../../process/cli-error";
import { likelyName } from "../../resources/likely-name";
import type { Session } from "../../session/session";
import { explainedText, type Schemas, schemaAt } from "./explain/schema-text";

interface Options {
  readonly recursive?: boolean;
  readonly apiVersion?: string;
}

const EXAMPLES = `
Examples:
  orch explain pods
  orch explain deployments.spec.strategy
  orch explain cronjobs.spec --recursive
  orch explain horizontalpodautoscalers --api-version=autoscaling/v1`;

export function define(command: Command, session: Session): void {
  command
    .argument("<resource>", "TYPE, or TYPE.FIELD.FIELD")
    .option("--recursive", "list the fields of the fields, without descriptions")
    .option("--api-version <version>", "version of the API, such as apps/v1")
    .addHelpText("after", EXAMPLES);
  command.action(async (word: string, options: Options) => {
    const { type, path } = await typeAndPath(session, word, options);
    const schemas = await schemasOf(session, type);
    const root = Object.values(schemas).find((schema) => isOfKind(schema, type));
    const version = type.group === "" ? type.version : `${type.group}/${type.version}`;
    if (root === undefined) throw new CliError(`the server publishes no schema of ${type.kind} in ${version}`);
    const found = schemaAt(schemas, root, path);
    if ("missing" in found) {
      throw new CliError(`field ${JSON.stringify(found.missing)} does not exist${hintOf(found.missing, found.known)}`);
    }
    const head = [
      ...(type.group === "" ? [] : [`GROUP:      ${type.group}`]),
      `KIND:       ${type.kind}`,
      `VERSION:    ${type.version}`,
    ];
    session.write(visibleLines(`${head.join("\n")}\n\n${explainedText(schemas, found, options.recursive === true)}`));
  });
}

/** Splits `deployments.apps.spec.replicas`: the longest beginning that is a resource, and the path of the field. */
async function typeAndPath(
  session: Session,
  word: string,
  { apiVersion }: Options,
): Promise<{ readonly type: DiscoveredResource; readonly path: readonly string[] }> {
  const catalog = await session.catalog();
  const parts = word.split(".").filter((part) => part !== "");
  const all = await catalog.all();
  for (let count = parts.length; count > 1; count -= 1) {
    const [short = "", ...group] = parts.slice(0, count);
    const suffix = group.join(".");
    const type = all.find(
      (each) =>
        each.group !== "" &&
        (suffix === each.group || suffix === `${each.version}.${each.group}`) &&
        [each.resource, each.singular, each.kind.toLowerCase(), ...each.shortNames].includes(short.toLowerCase()),
    );
    if (type !== undefined) return { type: inVersion(all, type, apiVersion), path: parts.slice(count) };
  }
  const type = await catalog.forName(parts[0] ?? "");
  return { type: inVersion(all, type, apiVersion), path: parts.slice(1) };
}

function inVersion(
  all: readonly DiscoveredResource[],
  type: DiscoveredResource,
  apiVersion: string | undefined,
): DiscoveredResource {
  if (apiVersion === undefined) return type;
  const found = all.find(
    ({ group, version, kind }) => kind === type.kind && (group === "" ? version : `${group}/${version}`) === apiVersion,
  );
  if (found !== undefined) return found;
  throw new CliError(`--api-version: the server has no ${type.resource} in ${JSON.stringify(apiVersion)}`);
}

/** Reads the document of the group version, or the whole document from servers that have only that one. */
async function schemasOf(session: Session, { group, version }: DiscoveredResource): Promise<Schemas> {
  const client = await session.client();
  const path = group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
  try {
    const { components } = (await client.getJson(path, { signal: session.signal })) as JsonObject;
    if (isObject(components) && isObject(components["schemas"])) return components["schemas"] as Schemas;
  } catch (error) {
    if (!isCode(error, 404) && !isCode(error, 406)) throw error;
  }
  const { definitions } = (await client.getJson("/openapi/v2", { signal: session.signal })) as JsonObject;
  return isObject(definitions) ? (definitions as Schemas) : {};
}

function isOfKind(schema: JsonObject, { group, version, kind }: DiscoveredResource): boolean {
  const key = Object.keys(schema).find((each) => each.endsWith("-group-version-kind"));
  const kinds = key === undefined ? undefined : schema[key];
  return (
    Array.isArray(kinds) &&
    kinds.some(
      (each) =>
        isObject(each) && (each["group"] ?? "") === group && each["version"] === version && each["kind"] === kind,
    )
  );
}

function hintOf(missing: string, known: readonly string[]): string {
  const likely = likelyName(
    missing,
    known.map((name) => ({ resource: name, singular: name, shortNames: [] }) as unknown as DiscoveredResource),
  );
  return likely === undefined ? "" : ` (did you mean ${JSON.stringify(likely)}?)`;
}
