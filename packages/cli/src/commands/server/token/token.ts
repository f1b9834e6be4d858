// `orch token`: bootstrap tokens, with which machines join.
import { createHash, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { builtInTypes, type ConnectionSettings, configurationFor, writeConfiguration } from "@orch/client";
import { parseGoDuration } from "@orch/machinery";
import { certificateBlocks } from "@orch/platform";
import { type coreV1, type JsonObject, vocabularyOf } from "@orch/schema";
import type { Command } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { secretName, type TokenRow, tokenId, tokenParts, tokenRow, tokenSecret, usagesIn } from "./bootstrap-token";

interface CreateOptions {
  readonly ttl: string;
  readonly usages: string;
  readonly groups?: string;
  readonly description?: string;
  readonly printJoinCommand?: boolean;
  readonly bootstrapConfig?: string;
}

const PAGE = 500;

export function define(command: Command, session: Session): void {
  command.addHelpText(
    "after",
    `
Examples:
  orch token create --ttl=2h --description="rack 7"
  orch token create --bootstrap-config=/etc/node/bootstrap.kubeconfig
  orch token list
  orch token delete abcdef
  orch token publish --address=https://api.example.com:8443`,
  );
  command
    .command("create [token]")
    .description("make a token, or keep the one that is given")
    .option("--ttl <duration>", "time until the token ends; 0: it does not end", "24h")
    .option("--usages <usages>", "signing, authentication or both, separated by commas", "signing,authentication")
    .option("--groups <groups>", "further groups of the user, each beginning with system:bootstrappers:")
    .option("--description <text>", "purpose of the token, for people")
    .option("--print-join-command", "print the command of kubeadm that joins with the token")
    .option(
      "--bootstrap-config <file>",
      "write a client configuration with the token, for --bootstrap-kubeconfig of a kubelet",
    )
    .action((token: string | undefined, options: CreateOptions) => create(session, token, options));
  command
    .command("list")
    .description("list the tokens")
    .addOption(outputOption(["json", "yaml"]))
    .action(({ output }: { readonly output?: string }) => list(session, output));
  command
    .command("delete <token...>")
    .description("delete tokens, given by their ids")
    .action((tokens: readonly string[]) => remove(session, tokens));
  command
    .command("publish")
    .description("publish the address and the authority of the server, which joining machines read, as cluster-info")
    .option("--address <url>", "address at which machines reach the server (default: that of the connection)")
    .action(({ address }: { readonly address?: string }) => publish(session, address));
}

async function publish(session: Session, address: string | undefined): Promise<void> {
  const { connection } = session;
  const server = address ?? connection.server;
  if (!URL.canParse(server) || new URL(server).protocol !== "https:") {
    throw new CliError(
      `--address: ${JSON.stringify(server)} is not a URL of https, such as https://api.example.com:8443`,
    );
  }
  const authority = authorityOf(connection);
  if (authority === undefined) {
    throw new CliError("joining machines need the authority of the server: name it with --certificate-authority");
  }
  const client = await session.client();
  const { publishClusterInfo } = require("@orch/controllers") as typeof import("@orch/controllers");
  await publishClusterInfo(client, { server, authority }, session.signal);
  session.tell(`published ${server} in the config map cluster-info`);
}

async function secretsOf(session: Session) {
  const client = await session.client();
  return client
    .resource(builtInTypes(client.vocabulary).secrets)
    .namespace(vocabularyOf(client.vocabulary).namespaces.system);
}

async function create(session: Session, text: string | undefined, options: CreateOptions): Promise<void> {
  const { id, secret } = tokenParts(text);
  const ttlMs = options.ttl === "0" ? Number.POSITIVE_INFINITY : parseGoDuration(options.ttl);
  if (ttlMs === undefined || ttlMs < 0) {
    throw new CliError(
      `--ttl: ${JSON.stringify(options.ttl)} is not a duration, such as 2h; 0 for a token without an end`,
    );
  }
  const access = await secretsOf(session);
  const { vocabulary } = await session.client();
  const token = {
    ...{ id, secret, usages: usagesIn(options.usages), description: options.description ?? "" },
    groups: options.groups === undefined ? [] : options.groups.split(","),
    expiresAtMs: ttlMs === 0 ? Number.POSITIVE_INFINITY : session.io.now() + ttlMs,
  };
  await access.create(tokenSecret(token, vocabulary));
  const whole = `${id}.${secret}`;
  if (options.bootstrapConfig !== undefined) {
    const { server, tls } = session.connection;
    const ca = authorityOf(session.connection);
    const name = "bootstrap";
    const made = configurationFor({ name, server, user: { token: whole }, ...(ca !== undefined && { ca }) });
    const entry = made.clusters.get(name);
    const named = tls.serverName === undefined ? {} : { "tls-server-name": tls.serverName };
    writeConfiguration(options.bootstrapConfig, { ...made, clusters: new Map([[name, { ...entry, ...named }]]) });
    session.tell(`wrote ${options.bootstrapConfig}`);
  }
  session.write(`${options.printJoinCommand === true ? joinCommand(session.connection, whole) : whole}\n`);
}

function authorityOf({ tls: { ca } }: ConnectionSettings): string | undefined {
  if (ca === undefined) return undefined;
  return ca.kind === "text" ? ca.text : readFileSync(ca.path, "utf8");
}

/** Source: kubeadm's discovery of the authority by its public key (RFC 7469, 2.4). */
function joinCommand(connection: ConnectionSettings, token: string): string {
  const hashes = certificateBlocks(authorityOf(connection) ?? "").map((block) => {
    const key = new X509Certificate(block).publicKey.export({ type: "spki", format: "der" });
    return ` --discovery-token-ca-cert-hash sha256:${createHash("sha256").update(key).digest("hex")}`;
  });
  if (hashes.length === 0) {
    throw new CliError(
      "the command needs the authority of the server: name it with --certificate-authority; the token was made",
    );
  }
  return `kubeadm join ${new URL(connection.server).host} --token ${token}${hashes.join("")}`;
}

async function list(session: Session, output: string | undefined): Promise<void> {
  const access = await secretsOf(session);
  const type = (await session.vocabulary()).secretTypes.bootstrapToken;
  const rows: TokenRow[] = [];
  let next = "";
  do {
    const page = await access.list({
      fieldSelector: `type=${type}`,
      limit: PAGE,
      ...(next !== "" && { continue: next }),
    });
    rows.push(...page.items.map((secret: coreV1.Secret) => tokenRow(secret as JsonObject)));
    next = page.continue;
  } while (next !== "");
  if (output !== undefined) {
    session.write(formatted(rows, output));
    return;
  }
  if (rows.length === 0) {
    session.tell("No bootstrap tokens found.");
    return;
  }
  const nowMs = session.io.now();
  const cells = rows.map((row) => [
    row.token,
    row.expires === undefined ? "<forever>" : leftText(Date.parse(row.expires) - nowMs),
    row.expires ?? "<never>",
    row.usages.join(",") || "<none>",
    row.description || "<none>",
    row.groups.join(",") || "<none>",
  ]);
  const head = ["TOKEN", "TTL", "EXPIRES", "USAGES", "DESCRIPTION", "EXTRA GROUPS"];
  session.write(columnText([head, ...cells.map((row) => row.map(visible))]));
  for (const { token, flaws } of rows) {
    for (const flaw of flaws) session.warn(`token ${token.slice(0, token.indexOf("."))} does not work: ${flaw}`);
  }
}

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];

function leftText(ms: number): string {
  if (ms <= 0) return "<expired>";
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`;
}

async function remove(session: Session, tokens: readonly string[]): Promise<void> {
  const ids = tokens.map(tokenId);
  const access = await secretsOf(session);
  for (const id of ids) {
    await access.delete(secretName(id));
    session.write(`bootstrap token ${JSON.stringify(id)} deleted\n`);
  }
}
