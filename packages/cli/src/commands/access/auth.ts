// `orch auth`: questions about users and their rights.
import type { Command } from "commander";
import { outputOption } from "../../output/format";
import { collected } from "../../process/global-options";
import type { Session } from "../../session/session";
import type { CanIOptions } from "./can-i";
import type { ReconcileOptions } from "./reconcile";
import type { WhoCanOptions } from "./who-can";
import type { WhyOptions } from "./why";

const examples = (...lines: readonly string[]) => `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}`;

export function define(command: Command, session: Session): void {
  command
    .command("can-i")
    .description("ask whether you may act")
    .argument("[words...]", "VERB TYPE, VERB TYPE/NAME or VERB /PATH")
    .option("-A, --all-namespaces", "ask for all namespaces")
    .option("-q, --quiet", "write nothing; the exit code answers")
    .option("--subresource <name>", "subresource, such as log or scale")
    .option("--list", "list all rights in the namespace")
    .option("--no-headers", "leave out the headers of --list")
    .action(async (words: string[], options: CanIOptions) => (await import("./can-i.js")).canI(session, words, options))
    .addHelpText(
      "after",
      examples(
        "orch auth can-i create pods -n shop",
        "orch auth can-i get pods --subresource=log",
        "orch auth can-i --list",
      ),
    );
  command
    .command("why")
    .description("show which grant lets a user act, or which grants come near")
    .argument("<user>", "name of the user, such as ann or system:serviceaccount:shop:web")
    .argument("<verb>", "verb, such as get")
    .argument("<resource>", "TYPE, TYPE/NAME or /PATH")
    .option("--group <group>", "group of the user; may be repeated", collected)
    .option("-A, --all-namespaces", "ask for all namespaces")
    .option("--subresource <name>", "subresource, such as log or scale")
    .addOption(outputOption(["json", "yaml"]))
    .action(async (user: string, verb: string, resource: string, options: WhyOptions) =>
      (await import("./why.js")).why(session, user, [verb, resource], options),
    )
    .addHelpText(
      "after",
      examples("orch auth why ann delete pods -n shop", "orch auth why ann get nodes --group=operators"),
    );
  command
    .command("who-can")
    .description("list the users, groups and service accounts that may act")
    .argument("<verb>", "verb, such as get")
    .argument("<resource>", "TYPE, TYPE/NAME or /PATH")
    .argument("[name]", "name of an object")
    .option("-A, --all-namespaces", "ask for every namespace")
    .option("--subresource <name>", "subresource, such as log or scale")
    .option("--no-headers", "leave out the headers")
    .addOption(outputOption(["json", "yaml"]))
    .action(async (verb: string, resource: string, name: string | undefined, options: WhoCanOptions) =>
      (await import("./who-can.js")).whoCan(session, [verb, resource, ...(name === undefined ? [] : [name])], options),
    )
    .addHelpText("after", examples("orch auth who-can delete pods -n shop", "orch auth who-can get /metrics"));
  command
    .command("reconcile")
    .description("make roles and bindings have at least the rules and subjects of files")
    .option("-f, --filename <file>", "file, folder or URL; may be repeated", collected)
    .option("-R, --recursive", "also read the folders within folders")
    .option("--remove-extra-permissions", "remove other rules of roles")
    .option("--remove-extra-subjects", "remove other subjects of bindings")
    .option("--dry-run [mode]", "client: only say what would change")
    .action(async (options: ReconcileOptions) => (await import("./reconcile.js")).reconcile(session, options))
    .addHelpText("after", examples("orch auth reconcile -f roles.yaml"));
  command
    .command("whoami")
    .description("show the user that the server sees")
    .addOption(outputOption(["json", "yaml"]))
    .action(async (options: { readonly output?: string }) => (await import("./whoami.js")).whoAmI(session, options));
}
