// `orch expose`: creates a service for the pods of a workload, a service or a pod.
import { labelsOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { pairsOf } from "./create/generator";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, addFiles, addSwitch, type DryRun, type FileOptions } from "./options";
import { addOutput, type OutcomeOptions, Outcomes } from "./outcome";
import { addOverrides, type OverrideOptions, overridden } from "./overrides";
import { containersOf, podSpecOf } from "./set/pod-template";
import { chosenTargets, clientOf, liveObject, type Target } from "./targets";

/** Names of services are DNS labels. */
const MAX_NAME = 63;

interface Options extends FileOptions, ManagerOption, OutcomeOptions, OverrideOptions {
  readonly name?: string;
  readonly port?: string;
  readonly targetPort?: string;
  readonly protocol?: string;
  readonly type?: string;
  readonly selector?: string;
  readonly labels?: string;
  readonly clusterIp?: string;
  readonly headless: boolean;
  readonly dryRun: DryRun;
}

export function define(command: Command, session: Session): void {
  command
    .argument("[resources...]", "resource and name, such as deployment shop")
    .option("--name <name>", "name of the service; default: that of the object")
    .option("--port <number>", "port of the service; default: the ports of the containers")
    .option("--target-port <number|name>", "port of the containers")
    .option("--protocol <name>", "TCP, UDP or SCTP")
    .option("--type <type>", "ClusterIP, NodePort, LoadBalancer or ExternalName")
    .option("--selector <key=value,...>", "labels of the pods; default: the selector of the object")
    .option("-l, --labels <key=value,...>", "labels of the service; default: those of the object")
    .option("--cluster-ip <address>", "address of the service; None: a headless service");
  addFiles(command, "expose");
  addOverrides(command);
  addSwitch(command, "--headless", "short for --cluster-ip=None");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.action(async (words: string[], options: Options) => {
    const outcomes = new Outcomes(session, options);
    const { filename, recursive = false } = options;
    const { targets, errors } = await chosenTargets(session, words, filename ? { filename, recursive } : {});
    for (const target of targets) {
      const { service, object } = await exposed(session, target, options);
      outcomes.tell(service, "exposed", object);
    }
    throwAll(errors);
  });
}

async function exposed(session: Session, source: Target, options: Options) {
  // The object of a file need not be on the server.
  const live = source.object ?? (await liveObject(session, source));
  const names = await session.vocabulary();
  const name = options.name ?? source.name.slice(0, MAX_NAME);
  const { clusterIp = options.headless ? "None" : undefined, type } = options;
  const object: JsonObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      labels: options.labels === undefined ? { ...labelsOf(live) } : pairsOf(options.labels, "--labels"),
    },
    spec: {
      selector: options.selector === undefined ? selectorOf(source, live) : pairsOf(options.selector, "--selector"),
      ports: portsOf(source, live, options),
      ...(clusterIp === undefined ? {} : { clusterIP: clusterIp }),
      ...(type === undefined ? {} : { type }),
    },
  };
  const services = await (await session.catalog()).forKind("v1", "Service");
  const plain: Target = { type: services, namespace: source.namespace, name, object, source: undefined };
  const service = overridden(plain, options);
  const wanted = service.object as JsonObject;
  if (options.dryRun === "client") return { service, object: wanted };
  const client = await clientOf(session, service);
  const write = {
    dryRun: options.dryRun === "server",
    fieldManager: managerOf(names, "expose", options),
    signal: session.signal,
  };
  return { service, object: await client.create(wanted, write) };
}

function selectorOf({ type }: Target, live: JsonObject): JsonObject {
  const spec = (live["spec"] ?? {}) as JsonObject;
  const selector = (spec["selector"] ?? {}) as JsonObject;
  switch (type.kind) {
    case "Pod": {
      if (Object.keys(labelsOf(live)).length > 0) return { ...labelsOf(live) };
      throw new CliError("the pod has no labels and cannot be exposed");
    }
    case "Service":
    case "ReplicationController":
      return selector;
    case "Deployment":
    case "ReplicaSet": {
      if (Array.isArray(selector["matchExpressions"]) && selector["matchExpressions"].length > 0) {
        throw new CliError("couldn't convert expressions to map-based selector format: give --selector");
      }
      const labels = (selector["matchLabels"] ?? {}) as JsonObject;
      if (Object.keys(labels).length > 0) return labels;
      throw new CliError(`invalid ${type.kind.toLowerCase()}: no selectors, therefore cannot be exposed`);
    }
    default:
      throw new CliError(`cannot expose a ${type.kind}`);
  }
}

function portsOf(source: Target, live: JsonObject, { port, targetPort, protocol }: Options): JsonObject[] {
  const own = ownPorts(source, live);
  const given =
    port === undefined
      ? own
      : port.split(",").map((text) => ({ port: Number(text), protocol: protocolOf(own, Number(text)) }));
  if (given.length === 0) throw new CliError("couldn't find port via --port flag or introspection");
  if (given.some((each) => !Number.isInteger(each.port)))
    throw new CliError(`--port: ${JSON.stringify(port)} is not a number`);
  return given.map((each, at) => ({
    port: each.port,
    protocol: protocol ?? each.protocol,
    targetPort: targetPort === undefined ? each.port : /^\d+$/.test(targetPort) ? Number(targetPort) : targetPort,
    ...(given.length > 1 ? { name: `port-${at + 1}` } : {}),
  }));
}

interface Port {
  readonly port: number;
  readonly protocol: string;
}

interface ContainerPorts {
  readonly ports?: readonly { readonly containerPort: number; readonly protocol?: string }[];
}

const protocolOf = (own: readonly Port[], port: number): string =>
  own.find((each) => each.port === port)?.protocol ?? "TCP";

function ownPorts(source: Target, live: JsonObject): Port[] {
  if (source.type.kind === "Service") {
    const { ports = [] } = (live["spec"] ?? {}) as { readonly ports?: readonly Partial<Port>[] };
    return ports.map(({ port = 0, protocol = "TCP" }) => ({ port, protocol }));
  }
  return containersOf(podSpecOf(source, live)).flatMap((container) => {
    const { ports = [] } = container as unknown as ContainerPorts;
    return ports.map(({ containerPort, protocol = "TCP" }) => ({ port: containerPort, protocol }));
  });
}
