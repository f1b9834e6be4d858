// `orch certificate`: requests for certificates that the cluster signs.
import { type Command, Option } from "commander";
import { outputOption } from "../../../output/format";
import { collected } from "../../../process/global-options";
import type { Session } from "../../../session/session";
import type { DecideOptions } from "./decide";
import type { RequestOptions } from "./request";

export function define(command: Command, session: Session): void {
  command
    .command("request")
    .description("request a certificate, wait for it, and write it and its key to files")
    .argument("<name>", "name of the request, and of the files NAME.key and NAME.crt")
    .option("--common-name <name>", "common name; for users, their name; default: the name of the request")
    .option("--group <group>", "organization; for users, a group; may be repeated", collected)
    .option("--host <host>", "DNS name or IP address of a server; may be repeated", collected)
    .option("--signer <signer>", "client, serving, or the name of a signer", "client")
    .option("--usage <usage>", "key usage; default: those of the signer; may be repeated", collected)
    .option("--expires <duration>", "requested lifetime, such as 24h")
    .option("--directory <folder>", "folder of the files", ".")
    .option("--timeout <duration>", "longest time to wait for the certificate", "5m")
    .option("--no-wait", "only create the request; repeat the command to wait")
    .action(async (name: string, options: RequestOptions) =>
      (await import("./request.js")).requestCertificate(session, name, options),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  orch certificate request ann --group=dev --expires=24h\n  orch certificate request web --signer=example.com/web --host=web.example.com --usage='server auth'",
    );
  for (const [name, summary] of [
    ["approve", "approve requests"],
    ["deny", "deny requests"],
  ] as const) {
    command
      .command(name)
      .description(summary)
      .argument("[names...]", "names of the requests")
      .option("-f, --filename <file>", "file with requests; may be repeated", collected)
      .addOption(new Option("-R, --recursive", "also read the folders within folders"))
      .option("--force", "write the condition again")
      .addOption(outputOption(["json", "yaml", "name"]))
      .action(async (names: string[], options: DecideOptions) =>
        (await import("./decide.js")).decide(session, names, { ...options, decision: name }),
      );
  }
  command
    .command("list")
    .description("list the requests with their subjects and conditions")
    .option("--pending", "only those that wait for a decision")
    .option("--no-headers", "leave out the headers")
    .action(async (options: { readonly pending?: boolean; readonly headers: boolean }) =>
      (await import("./list.js")).listRequests(session, options),
    );
}
