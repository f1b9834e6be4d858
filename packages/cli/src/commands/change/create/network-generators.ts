// Generators of services and ingresses.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import { collected, separated } from "../../../process/global-options";
import { type Generator, type Given, type Input, integerOf, listOf, metadataOf, required, textOf } from "./generator";

export const NETWORK_GENERATORS: readonly Generator[] = [
  {
    words: "service clusterip",
    resource: "services",
    summary: "create a service with an address in the cluster",
    options: (command) => {
      portOptions(command);
      command.option("--clusterip <address>", "the address; None: a headless service");
    },
    build: (given) => {
      const clusterIP = textOf(given, "clusterip");
      if (clusterIP !== "None" && listOf(given, "tcp").length === 0) {
        throw new CliError("at least one tcp port specifier must be provided");
      }
      return service(given, "ClusterIP", clusterIP === undefined ? {} : { clusterIP });
    },
  },
  {
    words: "service nodeport",
    resource: "services",
    summary: "create a service with a port of each node",
    options: (command) => {
      portOptions(command);
      command.option("--node-port <number>", "the port of the nodes");
    },
    build: (given) => {
      if (listOf(given, "tcp").length === 0) throw new CliError("at least one tcp port specifier must be provided");
      return service(given, "NodePort", {});
    },
  },
  {
    words: "service loadbalancer",
    resource: "services",
    summary: "create a service with a load balancer",
    options: portOptions,
    build: (given) => {
      if (listOf(given, "tcp").length === 0) throw new CliError("at least one tcp port specifier must be provided");
      return service(given, "LoadBalancer", {});
    },
  },
  {
    words: "service externalname",
    resource: "services",
    summary: "create a service that is an alias of a DNS name",
    options: (command) => {
      portOptions(command);
      command.option("--external-name <name>", "the DNS name");
    },
    build: (given) =>
      service(given, "ExternalName", { externalName: required(given, "externalName", "--external-name") }),
  },
  {
    words: "ingress",
    aliases: ["ing"],
    summary: "create an ingress",
    options: (command) => {
      command
        .option("--class <name>", "the ingress class")
        .option("--rule <host/path=service:port[,tls[=secret]]>", "a rule; may be repeated", collected)
        .option("--default-backend <service:port>", "backend of requests that match no rule")
        .option("--annotation <key=value>", "an annotation; may be repeated", collected);
    },
    build: ingress,
  },
];

function portOptions(command: Command): void {
  command.option("--tcp <port[:targetPort]>", "a port; may be repeated", separated);
}

function service(given: Input, type: string, more: JsonObject): JsonObject {
  const nodePort = integerOf(given, "nodePort", "--node-port") ?? 0;
  const ports = listOf(given, "tcp").map((text) => {
    const [port = "", target = port] = text.split(":");
    if (!/^\d+$/.test(port)) throw new CliError(`--tcp: ${JSON.stringify(text)} is not of the form PORT[:TARGET]`);
    return {
      name: text.replace(":", "-"),
      port: Number(port),
      protocol: "TCP",
      targetPort: /^\d+$/.test(target) ? Number(target) : target,
      ...(nodePort === 0 ? {} : { nodePort }),
    };
  });
  const labels = { app: given.name };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(given, { labels }),
    spec: { ...(ports.length === 0 ? {} : { ports }), selector: labels, type, ...more },
    status: { loadBalancer: {} },
  };
}

interface Rule {
  readonly host: string;
  readonly path: string;
  readonly backend: JsonObject;
  /** Undefined: no TLS; "": TLS without a secret of its own. */
  readonly secretName: string | undefined;
}

const RULE = /^(?<host>[\w.*-]*)(?<path>\/[^=,]*)?=(?<backend>[^:,]+:[^,]+)(?:,(?<tls>tls(?:=(?<secret>[\w.-]+))?))?$/;

function ingress(given: Given): JsonObject {
  const rules = listOf(given, "rule").map(ruleOf);
  const defaultBackend = textOf(given, "defaultBackend");
  if (rules.length === 0 && defaultBackend === undefined) {
    throw new CliError(
      "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
    );
  }
  const annotations = Object.fromEntries(
    listOf(given, "annotation").map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new CliError(`--annotation: ${JSON.stringify(text)} is not of the form KEY=VALUE`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
  const ingressClassName = textOf(given, "class");
  const tls = rules.filter(({ secretName }) => secretName !== undefined);
  return {
    apiVersion: `${given.names.groups.networking}/v1`,
    kind: "Ingress",
    metadata: metadataOf(given, Object.keys(annotations).length === 0 ? {} : { annotations }),
    spec: {
      ...(ingressClassName === undefined ? {} : { ingressClassName }),
      ...(defaultBackend === undefined ? {} : { defaultBackend: backendOf(defaultBackend) }),
      ...(rules.length === 0 ? {} : { rules: byHost(rules) }),
      ...(tls.length === 0 ? {} : { tls: tls.map(tlsOf) }),
    },
    status: { loadBalancer: {} },
  };
}

function ruleOf(text: string): Rule {
  const found = RULE.exec(text)?.groups;
  if (found === undefined) {
    throw new CliError(`rule ${text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
  }
  return {
    host: found["host"] ?? "",
    path: found["path"] ?? "/",
    backend: backendOf(found["backend"] ?? ""),
    secretName: found["tls"] === undefined ? undefined : (found["secret"] ?? ""),
  };
}

function backendOf(text: string): JsonObject {
  const [name = "", port = ""] = text.split(":");
  if (name === "" || port === "") throw new CliError("default-backend must be in format servicename:serviceport");
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

function byHost(rules: readonly Rule[]): JsonObject[] {
  const paths = new Map<string, JsonObject[]>();
  for (const { host, path, backend } of rules) {
    const isPrefix = path.endsWith("*");
    const entry = { path: isPrefix ? path.slice(0, -1) : path, pathType: isPrefix ? "Prefix" : "Exact", backend };
    paths.set(host, [...(paths.get(host) ?? []), entry]);
  }
  return [...paths].map(([host, each]) => ({ ...(host === "" ? {} : { host }), http: { paths: each } }));
}

const tlsOf = ({ host, secretName = "" }: Rule): JsonObject => ({
  ...(host === "" ? {} : { hosts: [host] }),
  ...(secretName === "" ? {} : { secretName }),
});
