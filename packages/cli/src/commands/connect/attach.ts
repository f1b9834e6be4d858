// `orch attach`: connects to the process that a container runs.
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { chosenContainer } from "./containers";
import { podTimeout } from "./exec";
import { durationOf, name, namespaceOfPod, podsOf } from "./find-pods";
import { runRemote, terminalFor } from "./run-remote";

interface Options {
  readonly container?: string;
  readonly stdin?: boolean;
  readonly tty?: boolean;
  readonly quiet?: boolean;
  readonly podRunningTimeout: string;
}

export function define(command: Command, session: Session): void {
  command
    .argument("<pod>", "POD or TYPE/NAME")
    .option("-c, --container <name>", "container; default: that of the annotation, or the first")
    .option("-i, --stdin", "pass standard input")
    .option("-t, --tty", "standard input is a terminal")
    .option("-q, --quiet", "print only the output of the process")
    .addOption(podTimeout("1m"));
  command.action(async (word: string, options: Options) => {
    const { pods } = await podsOf(session, word, durationOf("--pod-running-timeout", options.podRunningTimeout));
    const [pod] = pods;
    if (pod === undefined) throw new CliError(`there is no pod of ${word}`);
    const { container, hint } = chosenContainer(pod, options.container, await session.vocabulary());
    if (hint !== undefined && options.quiet !== true) session.tell(hint);
    const stdin = options.stdin === true;
    const tty = terminalFor(session, options.tty === true, stdin);
    const client = await session.client();
    const place = { namespace: namespaceOfPod(pod), name: name(pod), container };
    const open = async () => {
      const remote = await client.attach({ ...place, stdin, tty, signal: session.signal });
      if (tty && options.quiet !== true) session.tell("If you don't see a command prompt, try pressing enter.\r");
      return remote;
    };
    session.exitCode = await runRemote(session, open, { stdin, tty });
  });
}
