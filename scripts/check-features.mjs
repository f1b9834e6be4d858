// Sends the requests of packages/apis/testdata/features to a running server and prints the answers that differ from those
// of a release of Kubernetes. See USAGE.
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import client from "../packages/client/dist/index.js";
import { isProgram, readCommandLine } from "./command-line.mjs";
import { valueAt, withValues } from "./json-pointers.mjs";

const TESTDATA = new URL("../packages/apis/testdata/", import.meta.url);
const read = (path) => JSON.parse(readFileSync(fileURLToPath(new URL(path, TESTDATA)), "utf8"));
const PARALLEL = 8;
/** Limit of the steps that wait for the server to take notice of an earlier step. */
const WAIT_MS = 10_000;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const PATCH_TYPES = { json: "json-patch", merge: "merge-patch", strategic: "strategic-merge-patch" };

const isBefore = (release, other) => Number(release.split(".")[1]) < Number(other.split(".")[1]);

/** Requests of one user to a server. */
class Server {
  constructor(url, ca, pair) {
    Object.assign(this, { url, ca, pair });
  }

  /** @returns code, headers, text and, for JSON, the object of the answer */
  send({ method, path, headers, body, token }) {
    // A client certificate would take precedence over the token.
    const credentials = token === undefined ? this.pair : {};
    const options = { method, headers, ca: this.ca, ...credentials, agent: false };
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.url), options, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => resolve(answerOf(answer, Buffer.concat(parts))));
      });
      sent.on("upgrade", (answer, socket) => {
        socket.destroy();
        resolve(answerOf(answer, Buffer.alloc(0)));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

function answerOf({ statusCode, headers }, bytes) {
  const text = bytes.toString();
  const answer = { code: statusCode, headers, text };
  try {
    return { ...answer, json: JSON.parse(text) };
  } catch {
    return answer;
  }
}

/** One feature: its steps run in order and share what they keep. */
class Sequence {
  constructor(server, bases, { name, since, steps }, release) {
    Object.assign(this, { server, bases, name, steps, release });
    this.isOn = !isBefore(release, since);
    this.created = [];
  }

  /** @returns the steps whose answer differs */
  async run(namespace) {
    const kept = { ns: namespace, minor: this.release.split(".")[1] };
    const differing = [];
    for (const [index, step] of this.steps.entries()) {
      const expected = this.isOn ? step.on : step.off;
      const { found, answer } = await this.perform(step, expected, kept);
      for (const [name, pointer] of Object.entries(step.keep ?? {})) kept[name] = valueAt(answer.json, pointer);
      if (found.length > 0) differing.push({ name: this.name, step: index + 1, found, text: answer.text });
    }
    return differing;
  }

  /** Performs a step. A step that waits is repeated until its answer is the expected one. */
  async perform(step, expected, kept) {
    const end = Date.now() + (step.wait === true ? WAIT_MS : 0);
    for (;;) {
      const sent = this.requestOf(step, kept);
      const answer = await this.server.send(sent);
      if (sent.method === "POST" && answer.code === 201 && answer.json?.metadata?.uid !== undefined) {
        this.created.push(`${sent.path.split("?")[0]}/${answer.json.metadata.name}`);
      }
      const found = differencesOf(answer, expected, kept);
      if (found.length === 0 || Date.now() >= end) return { found, answer };
      await pause(100);
    }
  }

  requestOf(step, kept) {
    const method = METHODS.find((each) => step[each] !== undefined);
    const { as, token } = filled({ as: step.as, token: step.token }, kept);
    const type = method === "PATCH" ? `application/${PATCH_TYPES[step.type ?? "strategic"]}+json` : "application/json";
    const { base, set } = step.body ?? {};
    const body = base === undefined ? step.body : withValues(this.bases[base].object, set);
    return {
      method,
      path: filled(step[method], kept),
      token,
      headers: {
        accept: "application/json",
        ...(step.body !== undefined && { "content-type": type }),
        ...(as !== undefined && { "impersonate-user": as.user, "impersonate-group": as.groups ?? [] }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...step.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(filled(body, kept)),
    };
  }

  /** Deletes the created objects outside of the namespace, the last first. */
  async clean(namespace) {
    const inside = `/namespaces/${namespace}/`;
    const paths = this.created.filter((path) => !path.includes(inside)).reverse();
    for (const path of paths) await this.server.send({ method: "DELETE", path, headers: {} });
  }
}

/** Replaces `<name>` in all texts by what an earlier step has kept under the name. */
function filled(value, kept) {
  if (typeof value === "string") return value.replace(/<([a-z]+)>/g, (all, name) => kept[name] ?? all);
  if (Array.isArray(value)) return value.map((each) => filled(each, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, kept)]));
}

/** Returns the parts of an answer that are not as expected, each with what was found. */
function differencesOf(answer, expected, kept) {
  if (expected === undefined) return [];
  const wanted = typeof expected === "number" ? { code: expected } : expected;
  return Object.entries(wanted).flatMap(([part, value]) => {
    const found = partOf(answer, part);
    return satisfies(found, filled(value, kept)) ? [] : [`${part}: ${JSON.stringify(found)?.slice(0, 300)}`];
  });
}

function partOf({ code, headers, text, json }, part) {
  if (part === "code") return code;
  if (part === "text") return text;
  if (part.startsWith("header ")) return headers[part.slice("header ".length)] ?? null;
  return valueAt(json, part);
}

function satisfies(found, wanted) {
  if (wanted?.matches !== undefined) return new RegExp(wanted.matches, "s").test(String(found));
  if (typeof wanted?.not === "string") return !String(found).includes(wanted.not);
  if (wanted?.not !== undefined) return found !== wanted.not;
  return isDeepStrictEqual(found, wanted);
}

/** Runs the sequences that tell something about the release. */
async function check(server, release, only) {
  const bases = read("release-objects/bases.json");
  const all = Object.entries(read("features/steps.json")).map(([name, rest]) => ({ name, ...rest }));
  const told = all.filter(({ name, since, introduced = "1.0", steps }) => {
    if ((only !== undefined && name !== only) || isBefore(release, introduced)) return false;
    return !isBefore(release, since) || steps.some(({ off }) => off !== undefined);
  });
  const namespace = `features-${process.pid}`;
  const headers = { "content-type": "application/json" };
  const post = (path, object) => server.send({ method: "POST", path, headers, body: JSON.stringify(object) });
  await post("/api/v1/namespaces", { metadata: { name: namespace } });
  await post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
  const sequences = told.map((feature) => new Sequence(server, bases, feature, release));
  try {
    const differing = [];
    const waiting = [...sequences];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        differing.push(...(await next.run(namespace)));
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return { sequences: sequences.length, differing };
  } finally {
    for (const sequence of sequences) await sequence.clean(namespace);
    await server.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}`, headers: {} });
  }
}

const USAGE = `Compares the answers of a running server with those of a release of Kubernetes, feature by feature: a request or a
short sequence of requests shows that the feature is on, or that it is off in releases before its own. Prints each answer
that differs, and exits with 1 if there is one. The objects are in a namespace of their own or named after it, and are
deleted at the end.

Usage: node scripts/check-features.mjs --kubeconfig FILE [options]

  --kubeconfig FILE   client configuration file of an administrator with a client certificate
  --release NAME      release whose answers are expected (default 1.36)
  --feature NAME      only this feature
  --help              print this text`;

const textOf = (source) => (source.kind === "text" ? source.text : readFileSync(source.path, "utf8"));

if (isProgram(import.meta.url)) {
  const { values } = readCommandLine(USAGE, {
    options: {
      kubeconfig: { type: "string" },
      release: { type: "string", default: "1.36" },
      feature: { type: "string" },
    },
    check: ({ values }) => (values.kubeconfig === undefined ? "--kubeconfig is needed" : undefined),
  });
  const connection = client.loadConnection({ path: values.kubeconfig, vocabulary: "kubernetes" });
  const { certificate } = connection.credentials;
  const pair = { cert: textOf(certificate.certificate), key: textOf(certificate.key) };
  const server = new Server(connection.server, textOf(connection.tls.ca), pair);
  const { sequences, differing } = await check(server, values.release, values.feature);
  for (const { name, step, found, text } of differing) {
    console.log(`${name}, step ${step}\n    found ${found.join("; ")}\n    in    ${text.slice(0, 300)}`);
  }
  console.log(`${sequences} features, ${differing.length} answers differ`);
  if (differing.length > 0 || sequences === 0) process.exitCode = 1;
}
