// `orch run`: creates a pod, and a service for it on demand.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import type { Session } from "../../session/session";
import { created } from "./create";
import { pairsOf } from "./create/generator";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, addSwitch, type DryRun } from "./options";
import { addOutput, type OutcomeOptions, Outcomes } from "./outcome";
import { addOverrides, type OverrideOptions, overridden } from "./overrides";
import type { Target } from "./targets";

interface Options extends ManagerOption, OutcomeOptions, OverrideOptions {
  readonly image?: string;
  readonly env?: readonly string[];
  readonly port?: string;
  readonly labels?: string;
  readonly annotations?: readonly string[];
  readonly restart: string;
  readonly imagePullPolicy?: string;
  readonly command: boolean;
  readonly expose: boolean;
  readonly saveConfig: boolean;
  readonly dryRun: DryRun;
}

/** Host, path, tag and digest of an image. Source: distribution/reference/regexp.go. */
const IMAGE =
  /^(?:[A-Za-z0-9.-]+(?::\d+)?\/|\[[0-9a-fA-F:]+\](?::\d+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$/;

export function define(command: Command, session: Session): void {
  command
    .argument("<name>", "name of the pod")
    .argument("[args...]", "arguments of the image, after --")
    .option("--image <image>", "image of the container")
    .option("--env <name=value>", "an environment variable; may be repeated", collected)
    .option("--port <number>", "port of the container")
    .option("-l, --labels <key=value,...>", "labels of the pod; default: run=NAME")
    .option("--annotations <key=value>", "an annotation; may be repeated", collected)
    .option("--restart <policy>", "Always, OnFailure or Never", "Always")
    .option("--image-pull-policy <policy>", "Always, IfNotPresent or Never");
  addSwitch(command, "--command", "take the arguments as the command of the container");
  addSwitch(command, "--expose", "also create a service for the port of the pod");
  addSwitch(command, "--save-config", "keep the object in an annotation, for client-side apply");
  addOverrides(command);
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.action(async (name: string, args: string[], options: Options) => {
    const objects = [podOf(name, args, options), ...(options.expose ? [serviceOf(name, options)] : [])];
    const targets: Target[] = [];
    for (const object of objects) {
      const type = await (await session.catalog()).forKind("v1", String(object["kind"]));
      targets.push({ type, namespace: session.namespace, name, object, source: undefined });
    }
    // The patch is meant for the pod.
    targets[0] = overridden(targets[0] as Target, options);
    const fieldManager = managerOf(await session.vocabulary(), "run", options);
    const given = { ...options, fieldManager, saveConfig: options.saveConfig, validate: "strict" };
    const results: (readonly [Target, JsonObject])[] = [];
    const errors: unknown[] = [];
    for (const target of targets) {
      try {
        results.push([target, await created(session, target, given)]);
      } catch (error) {
        // Without the pod there is no service. A pod stays without it.
        if (results.length === 0) throw error;
        errors.push(error);
      }
    }
    const outcomes = new Outcomes(session, options);
    for (const [target, object] of results.reverse()) outcomes.tell(target, "created", object);
    throwAll(errors);
  });
}

function podOf(name: string, args: readonly string[], options: Options): JsonObject {
  const { image, env = [], port, labels, annotations = [], restart, imagePullPolicy } = options;
  if (image === undefined || image === "") throw new CliError('required flag(s) "image" not set');
  if (!IMAGE.test(image)) {
    throw new CliError(`Invalid image name ${JSON.stringify(image)}: invalid reference format`);
  }
  if (!["Always", "OnFailure", "Never"].includes(restart)) throw new CliError(`invalid restart policy: ${restart}`);
  if (port !== undefined && !/^\d+$/.test(port)) throw new CliError(`--port: ${JSON.stringify(port)} is not a number`);
  const words = args.length === 0 ? {} : { [options.command ? "command" : "args"]: [...args] };
  const container: JsonObject = {
    image,
    name,
    resources: {},
    ...words,
    ...(env.length === 0 ? {} : { env: env.map((text) => variable(text)) }),
    ...(port === undefined ? {} : { ports: [{ containerPort: Number(port) }] }),
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      labels: labelsOf(name, labels),
      name,
      ...(annotations.length === 0 ? {} : { annotations: pairsOf(annotations.join(","), "--annotations") }),
    },
    spec: { containers: [container], dnsPolicy: "ClusterFirst", restartPolicy: restart },
    status: {},
  };
}

const labelsOf = (name: string, labels: string | undefined): JsonObject =>
  labels === undefined ? { run: name } : pairsOf(labels, "--labels");

function serviceOf(name: string, { labels, port }: Options): JsonObject {
  if (port === undefined) throw new CliError("--port must be set when exposing a service");
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, ...(labels === undefined ? {} : { labels: labelsOf(name, labels) }) },
    spec: {
      ports: [{ port: Number(port), protocol: "TCP", targetPort: Number(port) }],
      selector: labelsOf(name, labels),
    },
    status: { loadBalancer: {} },
  };
}

function variable(text: string): JsonObject {
  const at = text.indexOf("=");
  if (at < 1) throw new CliError(`invalid env: ${text}: use NAME=VALUE`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}
