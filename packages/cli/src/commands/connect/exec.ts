// `orch exec`: runs a command in a container.
import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { chosenContainer } from "./containers";
import { durationOf, name, namespaceOfPod, podsOf } from "./find-pods";
import { runRemote, terminalFor } from "./run-remote";

interface Options {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly quiet?: boolean;
  readonly podRunningTimeout: string;
}

const EXAMPLES = `
Examples:
  # Output of a command
  orch exec web -- date

  # A shell in the container main of a pod of the deployment shop
  orch exec -it deploy/shop -c main -- sh`;

export function define(command: Command, session: Session): void {
  command
    .argument("<pod>", "POD or TYPE/NAME")
    .argument("[command...]", "command and its arguments, after --")
    .option("-c, --container <name>", "container; default: that of the annotation, or the first")
    .option("-i, --stdin", "pass standard input")
    .option("-t, --tty", "standard input is a terminal")
    .option("-q, --quiet", "print only the output of the command")
    .addOption(podTimeout("1m"))
    .addHelpText("after", EXAMPLES);
  command.action(async (word: string, words: readonly string[], options: Options) => {
    if (words.length === 0)
      throw new CliError("you must specify at least one command for the container: orch exec POD -- COMMAND");
    const { pods } = await podsOf(session, word, durationOf("--pod-running-timeout", options.podRunningTimeout));
    const [pod] = pods;
    if (pod === undefined) throw new CliError(`there is no pod of ${word}`);
    const { container, hint } = chosenContainer(pod, options.container, await session.vocabulary());
    if (hint !== undefined && options.quiet !== true) session.tell(hint);
    const stdin = options.stdin === true;
    const tty = terminalFor(session, options.tty === true, stdin);
    const client = await session.client();
    const place = { namespace: namespaceOfPod(pod), name: name(pod), container };
    const open = () => client.exec({ ...place, command: words, stdin, tty, signal: session.signal });
    const code = await runRemote(session, open, { stdin, tty });
    if (code !== 0 && options.quiet !== true) session.tell(`command terminated with exit code ${code}`);
    session.exitCode = code;
  });
}

export const podTimeout = (byDefault: string): Option =>
  new Option("--pod-running-timeout <duration>", "how long to wait for a pod of the workload").default(byDefault);
