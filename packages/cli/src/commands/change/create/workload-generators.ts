// Generators of workloads, services and their policies.

import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { separated } from "../../../process/global-options";
import { addSwitch } from "../options";
import { clientOf } from "../targets";
import {
  type Generator,
  type Given,
  type Input,
  integerOf,
  isOn,
  listOf,
  metadataOf,
  required,
  textOf,
} from "./generator";

const BATCH = "batch/v1";

export const WORKLOAD_GENERATORS: readonly Generator[] = [
  {
    words: "deployment",
    resource: "deployments",
    aliases: ["deploy"],
    summary: "create a deployment",
    usage: "<name> [command...]",
    options: (command) => {
      command
        .option("--image <image>", "image of a container; may be repeated", separated)
        .option("-r, --replicas <number>", "number of replicas", "1")
        .option("--port <number>", "port of the container");
    },
    build: deployment,
  },
  {
    words: "job",
    summary: "create a job",
    usage: "<name> [command...]",
    options: (command) => {
      command
        .option("--image <image>", "image of the container")
        .option("--from <cronjob/name>", "cron job whose template the job has");
    },
    build: job,
  },
  {
    words: "cronjob",
    resource: "cronjobs",
    aliases: ["cj"],
    summary: "create a cron job",
    usage: "<name> [command...]",
    options: (command) => {
      command
        .option("--image <image>", "image of the container")
        .option("--schedule <schedule>", "times of the job, such as '0 3 * * *'")
        .option("--restart <policy>", "restart policy of the pod: OnFailure or Never", "OnFailure");
    },
    build: (given) => {
      const template = podTemplate(given, [required(given, "image", "--image")], {
        restartPolicy: textOf(given, "restart") ?? "OnFailure",
      });
      return {
        apiVersion: BATCH,
        kind: "CronJob",
        metadata: metadataOf(given),
        spec: {
          schedule: required(given, "schedule", "--schedule"),
          jobTemplate: { metadata: { name: given.name }, spec: { template } },
        },
        status: {},
      };
    },
  },
  {
    words: "priorityclass",
    aliases: ["pc"],
    summary: "create a priority class",
    options: (command) => {
      command
        .option("--value <number>", "the priority", "0")
        .option("--description <text>", "when the class should be used")
        .option("--preemption-policy <policy>", "PreemptLowerPriority or Never", "PreemptLowerPriority");
      addSwitch(command, "--global-default", "use the class for pods that name none");
    },
    build: (given) => ({
      apiVersion: `${given.names.groups.scheduling}/v1`,
      kind: "PriorityClass",
      metadata: metadataOf(given),
      value: integerOf(given, "value", "--value") ?? 0,
      ...(isOn(given, "globalDefault") ? { globalDefault: true } : {}),
      ...(textOf(given, "description") === undefined ? {} : { description: textOf(given, "description") ?? "" }),
      preemptionPolicy: textOf(given, "preemptionPolicy") ?? "",
    }),
  },
  {
    words: "poddisruptionbudget",
    resource: "poddisruptionbudgets",
    aliases: ["pdb"],
    summary: "create a pod disruption budget",
    options: (command) => {
      command
        .option("--min-available <number|percentage>", "pods that stay available")
        .option("--max-unavailable <number|percentage>", "pods that may be unavailable")
        .option("--selector <key=value,...>", "labels of the pods");
    },
    build: disruptionBudget,
  },
];

function deployment(given: Input): JsonObject {
  const images = listOf(given, "image");
  if (images.length === 0) throw new CliError('required flag(s) "image" not set');
  if (images.length > 1 && given.rest.length > 0) {
    throw new CliError("cannot specify multiple --image options and command");
  }
  const replicas = integerOf(given, "replicas", "--replicas") ?? 1;
  if (replicas < 0) throw new CliError("--replicas must be greater than or equal to 0");
  const labels = { app: given.name };
  const template = podTemplate(given, images, {});
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(given, { labels }),
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: {},
      template: { ...template, metadata: { labels } },
    },
    status: {},
  };
}

/** Returns the template of a pod. Jobs name the container as themselves, deployments after its image. */
function podTemplate(given: Input, images: readonly string[], spec: JsonObject): JsonObject {
  const port = integerOf(given, "port", "--port");
  const containers = images.map((image) => ({
    image,
    name: Array.isArray(given.options["image"]) ? nameOfImage(image) : given.name,
    resources: {},
    ...(given.rest.length === 0 ? {} : { command: [...given.rest] }),
    ...(port === undefined ? {} : { ports: [{ containerPort: port }] }),
  }));
  return { metadata: {}, spec: { containers, ...spec } };
}

/** Returns the last part of an image's path, as the name of a container. */
const nameOfImage = (image: string): string => {
  const last = image.split("/").at(-1) ?? "";
  return (last.split(/[:@]/)[0] ?? "").replaceAll("_", "-").toLowerCase();
};

async function job(given: Given): Promise<JsonObject> {
  const from = textOf(given, "from");
  const image = textOf(given, "image");
  if ((from === undefined) === (image === undefined)) throw new CliError("either --image or --from must be specified");
  const metadata = metadataOf(given);
  if (image !== undefined) {
    const template = podTemplate(given, [image], { restartPolicy: "Never" });
    return { apiVersion: BATCH, kind: "Job", metadata, spec: { template }, status: {} };
  }
  const [resource = "", name = ""] = (from ?? "").split("/");
  const type = await given.catalog.forName(resource);
  if (type.kind !== "CronJob" || name === "") throw new CliError("--from must be cronjob/NAME");
  const { session } = given;
  const client = await clientOf(session, { type, namespace: session.namespace });
  const cron = await client.get(name, { signal: session.signal });
  const { jobTemplate = {} } = cron["spec"] as { readonly jobTemplate?: JsonObject };
  const ofTemplate = (jobTemplate["metadata"] ?? {}) as {
    readonly labels?: JsonObject;
    readonly annotations?: JsonObject;
  };
  const { uid = "" } = cron["metadata"] as { readonly uid?: string };
  return {
    apiVersion: BATCH,
    kind: "Job",
    metadata: {
      ...metadata,
      annotations: { ...ofTemplate.annotations, [given.names.annotations.cronjobInstantiate]: "manual" },
      ...(ofTemplate.labels === undefined ? {} : { labels: ofTemplate.labels }),
      ownerReferences: [{ apiVersion: BATCH, kind: "CronJob", name, uid, controller: true }],
    },
    spec: jobTemplate["spec"] ?? {},
    status: {},
  };
}

function disruptionBudget(given: Input): JsonObject {
  const selector = required(given, "selector", "--selector");
  const least = textOf(given, "minAvailable");
  const most = textOf(given, "maxUnavailable");
  if ((least === undefined) === (most === undefined)) {
    throw new CliError("one of min-available or max-unavailable must be specified");
  }
  const matchLabels = Object.fromEntries(selector.split(",").map((each) => each.split("=") as [string, string]));
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(given),
    spec: {
      ...(least === undefined ? {} : { minAvailable: numberOrText(least) }),
      ...(most === undefined ? {} : { maxUnavailable: numberOrText(most) }),
      selector: { matchLabels },
    },
    status: {},
  };
}

const numberOrText = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);
