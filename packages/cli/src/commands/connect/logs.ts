// `orch logs`: logs of containers, of one pod or of several with a prefix per line.
import { isObject, type JsonObject } from "@orch/schema";
import { type Command, Option } from "commander";
import { visible } from "../../output/columns";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { chosenContainer, containerNames } from "./containers";
import { podTimeout } from "./exec";
import { durationOf, name, namespaceOfPod, podsOf, podsWith } from "./find-pods";
import { readLog } from "./follow-log";

interface Options {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly allPods?: boolean;
  readonly selector?: string;
  readonly since?: string;
  readonly sinceTime?: string;
  readonly tail?: number;
  readonly limitBytes?: number;
  readonly timestamps?: boolean;
  readonly prefix?: boolean;
  readonly ignoreErrors?: boolean;
  readonly maxLogRequests: number;
  readonly podRunningTimeout: string;
}

/** Number of last lines per container with a selector, as kubectl has it. */
const TAIL_OF_SELECTED = 10;
const MAX_REQUESTS = 5;

const EXAMPLES = `
Examples:
  # The last 20 lines of a pod, and what follows
  orch logs web --tail 20 -f

  # All containers of the pods with a label, each line with its pod
  orch logs -l app=shop --all-containers --prefix -f`;

export function define(command: Command, session: Session): void {
  command
    .argument("[pod]", "POD or TYPE/NAME")
    .argument("[container]", "container")
    .option("-f, --follow", "wait for more lines; continues after a lost connection")
    .option("-p, --previous", "log of the instance before the last restart")
    .option("-c, --container <name>", "container; default: that of the annotation, or the first")
    .option("--all-containers", "all containers of the pods")
    .option("--all-pods", "all pods of the workload, with prefixes")
    .option("-l, --selector <selector>", "pods with these labels")
    .option("--since <duration>", "lines of this time up to now, such as 5m")
    .option("--since-time <time>", "lines since a time (RFC 3339)")
    .addOption(new Option("--tail <lines>", "number of last lines; -1: all").argParser(wholeNumber("--tail")))
    .addOption(new Option("--limit-bytes <bytes>", "maximum size").argParser(wholeNumber("--limit-bytes")))
    .option("--timestamps", "begin each line with its time")
    .option("--prefix", "begin each line with its pod and container")
    .option("--ignore-errors", "go on with the other logs when one cannot be read")
    .addOption(
      new Option("--max-log-requests <number>", "maximum number of logs that are followed at the same time")
        .argParser(wholeNumber("--max-log-requests"))
        .default(MAX_REQUESTS),
    )
    .addOption(podTimeout("20s"))
    .addHelpText("after", EXAMPLES);
  command.action((pod: string | undefined, container: string | undefined, options: Options) =>
    new Logs(session, { ...options, ...(container !== undefined && { container }) }).run(pod),
  );
}

interface Source {
  readonly pod: JsonObject;
  readonly container: string;
}

class Logs {
  constructor(
    private readonly session: Session,
    private readonly options: Options,
  ) {}

  async run(word: string | undefined): Promise<void> {
    const { session, options } = this;
    this.checkOptions(word);
    const sources = await this.sources(word);
    if (sources.length === 0) {
      session.tell(`No resources found in ${session.namespace} namespace.`);
      return;
    }
    if (options.follow !== true) {
      for (const source of sources) await this.read(source);
      return;
    }
    if (sources.length > options.maxLogRequests) {
      throw new CliError(
        `you are attempting to follow ${sources.length} log streams, but maximum allowed concurrency is ${options.maxLogRequests}, use --max-log-requests to increase the limit`,
      );
    }
    await Promise.all(sources.map((source) => this.read(source)));
  }

  private checkOptions(word: string | undefined): void {
    const { selector, since, sinceTime, container, allContainers } = this.options;
    if ((word === undefined) === (selector === undefined)) {
      throw new CliError(
        word === undefined
          ? "expected POD or TYPE/NAME, or --selector"
          : "only a selector (-l) or a POD name is allowed",
      );
    }
    if (since !== undefined && sinceTime !== undefined) {
      throw new CliError("at most one of --since and --since-time may be specified");
    }
    if (container !== undefined && allContainers === true) {
      throw new CliError("--all-containers=true should not be specified with container name");
    }
  }

  private async sources(word: string | undefined): Promise<readonly Source[]> {
    const { session, options } = this;
    const pods = word === undefined ? await podsWith(session, options.selector ?? "") : await this.podsOfWord(word);
    const names = await session.vocabulary();
    return pods.flatMap((pod) => {
      if (options.allContainers === true) return containerNames(pod).map((container) => ({ pod, container }));
      const { container, hint } = chosenContainer(pod, options.container, names);
      if (hint !== undefined) session.tell(hint);
      return [{ pod, container }];
    });
  }

  private async podsOfWord(word: string): Promise<readonly JsonObject[]> {
    const { session, options } = this;
    const timeoutMs = durationOf("--pod-running-timeout", options.podRunningTimeout);
    const { pods, owner } = await podsOf(session, word, timeoutMs);
    if (owner === undefined || options.allPods === true || pods.length === 1) return pods;
    const [first] = pods;
    if (first === undefined) return [];
    session.tell(`Found ${pods.length} pods, using pod/${name(first)}`);
    return [first];
  }

  private async read({ pod, container }: Source): Promise<void> {
    const { session, options } = this;
    const { selector, since, sinceTime, tail, limitBytes, follow, previous, timestamps } = options;
    const client = await session.client();
    const tailLines = tail ?? (selector === undefined ? undefined : TAIL_OF_SELECTED);
    const log = {
      namespace: namespaceOfPod(pod),
      name: name(pod),
      container,
      follow,
      previous,
      timestamps,
      limitBytes,
      sinceTime,
      sinceSeconds: since === undefined ? undefined : Math.max(1, Math.ceil(durationOf("--since", since) / 1000)),
      tailLines: tailLines === undefined || tailLines < 0 ? undefined : tailLines,
      signal: session.signal,
    };
    const hasPrefix = options.prefix === true || options.allPods === true;
    const prefix = hasPrefix ? Buffer.from(`[pod/${visible(name(pod))}/${visible(container)}] `) : undefined;
    const write = (line: Buffer) => this.write(prefix === undefined ? line : Buffer.concat([prefix, line]));
    try {
      await readLog(client, log, write, () => this.isRunning(pod, container));
    } catch (error) {
      if (options.ignoreErrors !== true || session.signal.aborted) throw error;
      session.tell(`error: ${(error as Error).message}`);
    }
  }

  private write(bytes: Buffer): Promise<void> | void {
    const { stdout } = this.session.io;
    if (stdout.write(bytes)) return;
    return new Promise((resolve) => stdout.once("drain", () => resolve()));
  }

  /** Tells whether the same instance of the container still runs. */
  private async isRunning(before: JsonObject, container: string): Promise<boolean> {
    const { session } = this;
    const type = await (await session.catalog()).forName("pods");
    const pods = (await session.client()).resource(type).namespace(namespaceOfPod(before));
    const pod = await pods.find(name(before), { signal: session.signal });
    const [now, then] = [pod, before].map((each) => statusOf(each, container));
    return (
      now !== undefined &&
      isObject(now["state"]) &&
      isObject(now["state"]["running"]) &&
      now["containerID"] === then?.["containerID"]
    );
  }
}

function statusOf(pod: JsonObject | undefined, container: string): JsonObject | undefined {
  const status = pod?.["status"];
  if (!isObject(status)) return undefined;
  return ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]
    .flatMap((list) => (Array.isArray(status[list]) ? status[list].filter(isObject) : []))
    .find((each) => each["name"] === container);
}

function wholeNumber(option: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= -1) return number;
    throw new CliError(`${option}: ${JSON.stringify(text)} is not a whole number`);
  };
}
