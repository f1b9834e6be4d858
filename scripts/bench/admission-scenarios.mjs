// Cost of admission per create: all default plugins, one webhook on this machine, a hundred policies, each compared
// with a server without.
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { defaultPluginNames, pluginsOf } from "@orch/admission";
import { DEFAULT_RELEASES } from "@orch/apis";
import { vocabularyOf } from "@orch/schema";
import { inTurns } from "./in-turns.mjs";
import { NAMESPACE } from "./objects.mjs";

const { admissionregistration: GROUP } = vocabularyOf("orch").groups;
const CONFIGURATIONS = `/apis/${GROUP}/v1`;
const NONE = `--disable-admission-plugins=${defaultPluginNames(pluginsOf(DEFAULT_RELEASES.orch)).join(",")}`;
const DEFAULT = "--disable-admission-plugins=";
const ROUND_MS = 3000;

async function create(bench, server, path, object) {
  const { status, body } = await bench.fetchFrom(server, path, { method: "POST", body: JSON.stringify(object) });
  if (status !== 201) throw new Error(`${path} answered ${status}: ${body}`);
}

/** Creates the namespace and the service account that its pods run as. */
async function prepare(bench, server) {
  await create(bench, server, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: NAMESPACE },
  });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  await create(bench, server, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
}

/** Measures creates on both servers, with distinct names in each round. */
async function creates(bench, pair, plural) {
  const made = new Map();
  return inTurns(bench, pair, (server, round) => {
    const firstIndex = round * 100_000;
    made.set(server, firstIndex);
    const make = { namespace: NAMESPACE, firstIndex, plural };
    return {
      maker: "create",
      make,
      target: server.target,
      concurrency: bench.concurrency,
      warmupMs: 1000,
      durationMs: ROUND_MS,
    };
  });
}

const told = ({ last, more, without, with: beside }, what) => ({
  ours: last,
  notes: [
    `${beside.toFixed(1)} µs of CPU a create with ${what}, ${without.toFixed(1)} without: ${more.toFixed(1)} µs more, ${(beside / without).toFixed(2)} times`,
  ],
});

/** Compares all default plugins with none. */
const plugins = {
  async run(bench) {
    const pair = [await bench.startServer([NONE]), await bench.startServer([DEFAULT])];
    for (const server of pair) await prepare(bench, server);
    const figures = await creates(bench, pair, "pods");
    for (const server of pair) await bench.stop(server);
    return told(figures, "all default plugins");
  },
};

/** @param set sets up the measured feature on the second server @returns a function that removes it */
const beside = (what, set) => ({
  async run(bench) {
    const pair = [await bench.startServer([]), await bench.startServer([])];
    for (const server of pair) await prepare(bench, server);
    const end = await set(bench, pair[1]);
    const figures = await creates(bench, pair, "configmaps");
    for (const server of pair) await bench.stop(server);
    end();
    return told(figures, what);
  },
});

const ALL_MAPS = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };

async function setWebhook(bench, server) {
  const { cert, key, ca } = bench.serving;
  const allow = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { apiVersion, kind, request: asked } = JSON.parse(Buffer.concat(parts));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, allowed: true } }));
    });
  });
  await new Promise((resolve) => allow.listen(0, "127.0.0.1", resolve));
  const webhook = {
    name: "bench.example.com",
    clientConfig: { url: `https://127.0.0.1:${allow.address().port}/`, caBundle: readFileSync(ca).toString("base64") },
    rules: [ALL_MAPS],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  await create(bench, server, `${CONFIGURATIONS}/validatingwebhookconfigurations`, {
    apiVersion: `${GROUP}/v1`,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "bench" },
    webhooks: [webhook],
  });
  return () => allow.close();
}

const POLICIES = 100;

async function setPolicies(bench, server) {
  const validations = [
    { expression: "object.metadata.name.startsWith('object-')" },
    { expression: "!has(object.data) || object.data.all(key, key.size() < 100)" },
    { expression: "!has(object.metadata.labels) || object.metadata.labels.size() < 50" },
  ];
  for (let at = 0; at < POLICIES; at += 1) {
    const name = `bench-${at}.example.com`;
    const policy = { failurePolicy: "Fail", matchConstraints: { resourceRules: [ALL_MAPS] }, validations };
    const of = (kind, spec) => ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec });
    await create(
      bench,
      server,
      `${CONFIGURATIONS}/validatingadmissionpolicies`,
      of("ValidatingAdmissionPolicy", policy),
    );
    const binding = { policyName: name, validationActions: ["Deny"] };
    await create(
      bench,
      server,
      `${CONFIGURATIONS}/validatingadmissionpolicybindings`,
      of("ValidatingAdmissionPolicyBinding", binding),
    );
  }
  return () => {};
}

export const ADMISSION_SCENARIOS = {
  "admission-plugins": plugins,
  "admission-webhook": beside("one webhook", setWebhook),
  "admission-policies": beside(`${POLICIES} policies of 3 expressions`, setPolicies),
};
