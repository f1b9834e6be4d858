// Generators of the core group.

import { isUtf8 } from "node:buffer";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { collected, separated } from "../../../process/global-options";
import { addSwitch } from "../options";
import { addDataOptions, dataOf, hashedName, readBytes } from "./data-sources";
import {
  type Generator,
  type Given,
  type Input,
  isOn,
  listOf,
  metadataOf,
  pairsOf,
  required,
  textOf,
} from "./generator";

export const CORE_GENERATORS: readonly Generator[] = [
  {
    words: "namespace",
    resource: "namespaces",
    aliases: ["ns"],
    summary: "create a namespace",
    build: (given) => ({ apiVersion: "v1", kind: "Namespace", metadata: metadataOf(given), spec: {}, status: {} }),
  },
  {
    words: "serviceaccount",
    resource: "serviceaccounts",
    aliases: ["sa"],
    summary: "create a service account",
    build: (given) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: metadataOf(given) }),
  },
  {
    words: "configmap",
    resource: "configmaps",
    aliases: ["cm"],
    summary: "create a config map from literals, files or folders",
    options: addDataOptions,
    build: configMap,
  },
  {
    words: "secret generic",
    resource: "secrets",
    summary: "create a secret from literals, files or folders",
    options: (command) => {
      addDataOptions(command);
      command.option("--type <type>", "type of the secret");
    },
    build: (given) => secret(given, { type: textOf(given, "type"), data: dataOf(given) }),
  },
  {
    words: "secret tls",
    summary: "create a secret from a certificate and its key",
    options: (command) => {
      command.option("--cert <file>", "PEM file of the certificate").option("--key <file>", "PEM file of the key");
      addSwitch(command, "--append-hash", "append a hash of the data to the name");
    },
    build: (given) => {
      const data = new Map([
        ["tls.crt", readBytes(required(given, "cert", "--cert"))],
        ["tls.key", readBytes(required(given, "key", "--key"))],
      ]);
      return secret(given, { type: given.names.secretTypes.tls, data });
    },
  },
  {
    words: "secret docker-registry",
    summary: "create a secret for an image registry",
    options: (command) => {
      command
        .option("--docker-username <name>", "user of the registry")
        .option("--docker-password <password>", "password of the user")
        .option("--docker-email <address>", "email address of the user")
        .option("--docker-server <url>", "the registry", "https://index.docker.io/v1/")
        .option("--from-file <[key=]file>", "a file with the credentials instead", collected);
      addSwitch(command, "--append-hash", "append a hash of the data to the name");
    },
    build: registrySecret,
  },
  {
    words: "quota",
    resource: "resourcequotas",
    aliases: ["resourcequota"],
    summary: "create a resource quota",
    options: (command) => {
      command
        .option("--hard <name=quantity,...>", "the limits")
        .option("--scopes <scope,...>", "scopes of the objects that count", separated);
    },
    build: (given) => {
      const hard = textOf(given, "hard");
      const scopes = [...listOf(given, "scopes")];
      const spec: JsonObject = {
        ...(hard === undefined ? {} : { hard: pairsOf(hard, "--hard") }),
        ...(scopes.length === 0 ? {} : { scopes }),
      };
      return { apiVersion: "v1", kind: "ResourceQuota", metadata: metadataOf(given), spec, status: {} };
    },
  },
];

function configMap(given: Input): JsonObject {
  const text: JsonObject = {};
  const binary: JsonObject = {};
  for (const [key, bytes] of sorted(dataOf(given))) {
    if (isUtf8(bytes)) text[key] = bytes.toString("utf8");
    else binary[key] = bytes.toString("base64");
  }
  const content: JsonObject = {
    ...(Object.keys(text).length === 0 ? {} : { data: text }),
    ...(Object.keys(binary).length === 0 ? {} : { binaryData: binary }),
  };
  const hashed = {
    ...(Object.keys(binary).length === 0 ? {} : { binaryData: binary }),
    data: Object.keys(text).length === 0 ? "" : text,
    kind: "ConfigMap",
  };
  const name = isOn(given, "appendHash") ? hashedName(given.name, hashed) : given.name;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(given, { name }), ...content };
}

function secret(
  given: Input,
  { type, data }: { readonly type: string | undefined; readonly data: ReadonlyMap<string, Buffer> },
): JsonObject {
  const encoded: JsonObject = {};
  for (const [key, bytes] of sorted(data)) encoded[key] = bytes.toString("base64");
  const name = isOn(given, "appendHash")
    ? hashedName(given.name, { data: encoded, kind: "Secret", name: "", type: type ?? "" })
    : given.name;
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: metadataOf(given, { name }),
    ...(type === undefined ? {} : { type }),
    ...(data.size === 0 ? {} : { data: encoded }),
  };
}

const sorted = (data: ReadonlyMap<string, Buffer>) => [...data].sort(([one], [other]) => (one < other ? -1 : 1));

function registrySecret(given: Given): JsonObject {
  const type = given.names.secretTypes.dockerconfigjson;
  if (listOf(given, "fromFile").length > 0) {
    return secret(given, { type, data: new Map([...dataOf(given)].map(([key, bytes]) => [key, bytes])) });
  }
  const username = textOf(given, "dockerUsername");
  const password = textOf(given, "dockerPassword");
  if (username === undefined || password === undefined) {
    throw new CliError(
      "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
    );
  }
  const email = textOf(given, "dockerEmail");
  const auth = {
    username,
    password,
    ...(email === undefined ? {} : { email }),
    auth: Buffer.from(`${username}:${password}`).toString("base64"),
  };
  const text = JSON.stringify({ auths: { [textOf(given, "dockerServer") ?? ""]: auth } });
  return secret(given, { type, data: new Map([[".dockerconfigjson", Buffer.from(text)]]) });
}
