// `orch config`: the files of the client configuration. Commands, options and texts are those of `kubectl config`.
import type { Command } from "commander";
import { outputOption } from "../../../output/format";
import { collected } from "../../../process/global-options";
import type { Session } from "../../../session/session";

const contexts = () => import("./contexts.js");
const entries = () => import("./entries.js");
const properties = () => import("./properties.js");

export function define(command: Command, session: Session): void {
  defineContexts(command, session);
  defineEntries(command, session);
  command
    .command("set")
    .description("set a value, such as contexts.NAME.namespace")
    .arguments("<property> <value>")
    .option("--set-raw-bytes", "store the value of a data field in base64")
    .action(async (property: string, value: string, options: object) =>
      (await properties()).setProperty(session, property, { value, ...options }),
    );
  command
    .command("unset")
    .description("remove a value, or an entry such as users.NAME")
    .argument("<property>")
    .action(async (property: string) => (await properties()).setProperty(session, property, {}));
  command
    .command("view")
    .description("show the configuration without its secrets")
    .option("--minify", "only what the current context uses")
    .option("--flatten", "with the content of the files that it names")
    .option("--raw", "with its secrets")
    .option("--merge [true|false]", "merge all files")
    .addOption(outputOption(["json", "yaml", "jsonpath=", "jsonpath-as-json=", "jsonpath-file="]))
    .option("--allow-missing-template-keys <bool>", "print nothing where a key of a jsonpath is missing", "true")
    .action(async (options: object) => (await import("./view.js")).view(session, options));
  command
    .command("merge")
    .description("add the contexts, clusters and users of another file")
    .argument("<file>", "client configuration file; - reads standard input")
    .option("--overwrite", "replace entries of the same name that differ")
    .option("--prefix <text>", "text before the names of all added entries")
    .option("--use", "use the current context of the file")
    .action(async (file: string, options: object) => (await import("./merge.js")).merge(session, file, options));
  command
    .command("validate")
    .description("check the files: every fault with its line and its remedy")
    .argument("[files...]", "default: the files in use")
    .action(async (files: string[]) => (await import("./validate.js")).validate(session, files));
}

function defineContexts(command: Command, session: Session): void {
  command
    .command("get-contexts")
    .description("list the contexts")
    .argument("[names...]")
    .option("--no-headers", "leave out the headers")
    .addOption(outputOption(["name"]))
    .action(async (names: string[], options: { readonly headers: boolean; readonly output?: string }) =>
      (await contexts()).getContexts(session, names, options),
    );
  command
    .command("use-context")
    .alias("use")
    .description("set the current context")
    .argument("<name>")
    .action(async (name: string) => (await contexts()).useContext(session, name));
  command
    .command("current-context")
    .description("show the current context")
    .action(async () => (await contexts()).currentContext(session));
  command
    .command("rename-context")
    .description("rename a context")
    .arguments("<name> <newName>")
    .action(async (name: string, newName: string) => (await contexts()).renameContext(session, name, newName));
  for (const [singular, list] of [
    ["context", "contexts"],
    ["cluster", "clusters"],
    ["user", "users"],
  ] as const) {
    command
      .command(`delete-${singular}`)
      .description(`delete a ${singular}`)
      .argument("<name>")
      .action(async (name: string) => (await contexts()).deleteEntry(session, list, name));
    if (list === "contexts") continue;
    command
      .command(`get-${list}`)
      .description(`list the ${list}`)
      .action(async () => (await contexts()).getNames(session, list));
  }
}

function defineEntries(command: Command, session: Session): void {
  command
    .command("set-context")
    .description("set fields of a context: --cluster, --user, --namespace")
    .argument("[name]")
    .option("--current", "change the current context")
    .action(async (name: string | undefined, options: { readonly current?: boolean }) =>
      (await entries()).setContext(session, name, options),
    );
  command
    .command("set-cluster")
    .description("set fields of a cluster: --server, --certificate-authority, --tls-server-name and others")
    .argument("<name>")
    .option("--proxy-url <url>", "URL of the proxy to the server")
    .option("--embed-certs", "store the content of the files")
    .action(async (name: string, options: object) => (await entries()).setCluster(session, name, options));
  command
    .command("set-credentials")
    .description("set fields of a user: --token, --username, --client-certificate, --client-key and others")
    .argument("<name>")
    .option("--embed-certs", "store the content of the files")
    .option("--auth-provider <name>", "helper for credentials, such as oidc")
    .option(
      "--auth-provider-arg <key=value>",
      "configuration of the helper; KEY- removes one; may be repeated",
      collected,
    )
    .option("--exec-command <command>", "command that prints credentials")
    .option("--exec-api-version <version>", "version of its input and output")
    .option("--exec-arg <argument>", "argument of the command; may be repeated", collected)
    .option("--exec-env <key=value>", "variable for the command; KEY- removes one; may be repeated", collected)
    .option("--exec-interactive-mode <mode>", "Never, IfAvailable or Always")
    .option("--exec-provide-cluster-info", "pass the data of the cluster to the command")
    .action(async (name: string, options: object) => (await entries()).setCredentials(session, name, options));
}
