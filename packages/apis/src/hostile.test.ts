// Worst-case objects for the validation rules: the cost must grow in proportion to their size.
import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { certificateRequest, der, type Growing, growthOf, LINEAR_MAX, pemOf, type RequestParts } from "@orch/testing";
import { keyed, names, times, written } from "./testing/written";

const schemaAt = "/spec/versions/0/schema/openAPIV3Schema";
const PEM = (label: string, body = "AAAA") => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const conditions = (count: number): JsonValue =>
  times(count, (index) => ({ type: `x.y/c${index}`, status: "True", reason: "R", message: "" }));

const asking = (made: (size: number) => RequestParts | Buffer) =>
  written("signingRequest", (size) => {
    const asked = made(size);
    return { "/spec/request": base64(pemOf(Buffer.isBuffer(asked) ? asked : certificateRequest(asked))) };
  });
/** Returns nested DER sequences. */
const nested = (depth: number): Buffer => {
  let value = der(0x30);
  for (let at = 0; at < depth; at += 1) value = der(0x30, value);
  return value;
};

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "rules of a network": [
    300,
    written("networkPolicy", (size) => ({
      "/spec/ingress": times(size, (index) => ({
        ports: [{ port: 1 + index }],
        from: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
      })),
    })),
  ],
  "paths of an entrance": [
    500,
    written("ingress", (size) => ({
      "/spec/rules": [
        {
          host: "a.b",
          http: {
            paths: times(size, (index) => ({
              path: `/${index}`,
              pathType: "Exact",
              backend: { service: { name: "s", port: { number: 80 } } },
            })),
          },
        },
      ],
    })),
  ],
  "what a policy of pods forbids": [
    1000,
    written("podSecurityPolicy", (size) => ({
      "/spec/allowedCapabilities": names(size),
      "/spec/requiredDropCapabilities": names(size),
      "/spec/runtimeClass": { allowedRuntimeClassNames: names(size) },
    })),
  ],
  "patterns of kernel parameters": [
    1000,
    written("podSecurityPolicy", (size) => ({
      "/spec/allowedUnsafeSysctls": times(size, (index) => `a.b${index}.*`),
      "/spec/forbiddenSysctls": times(size, (index) => `c.d${index}*`),
    })),
  ],
  "a schedule": [20_000, written("cronJob", (size) => ({ "/spec/schedule": `@every ${"1h".repeat(size)}x` }))],
  "fields of a schedule": [
    20_000,
    written("cronJob", (size) => ({ "/spec/schedule": `${"1,".repeat(size)}1 * * * *` })),
  ],
  "white space in a schedule": [20_000, written("cronJob", (size) => ({ "/spec/schedule": `*${" ".repeat(size)}x` }))],
  "conditions of a request for a certificate": [
    500,
    written(
      "signingRequest",
      () => ({}),
      (size) => ({ "/status/conditions": conditions(size) }),
      "approval",
    ),
  ],
  "blocks of a certificate": [
    1000,
    written(
      "signingRequest",
      () => ({}),
      (size) => ({ "/status/certificate": base64(PEM("CERTIFICATE").repeat(size)) }),
      "status",
    ),
  ],
  "blocks without end": [
    5000,
    written(
      "signingRequest",
      () => ({}),
      (size) => ({ "/status/certificate": base64("-----BEGIN A-----\n".repeat(size)) }),
      "status",
    ),
  ],
  "names in a request for a certificate": [
    500,
    asking((size) => ({ names: times(size, () => ["dns", "a.example.com"]) })),
  ],
  "attributes in a request for a certificate": [200, asking((size) => ({ subject: times(size, () => ["O", "dev"]) }))],
  "extensions in a request for a certificate": [
    200,
    asking((size) => ({ extensions: times(size, (index) => [`1.2.${index}`, der(0x05)]) })),
  ],
  "a name without end in a request for a certificate": [
    20_000,
    asking((size) => ({ names: [["uri", "a".repeat(size)]] })),
  ],
  "a number without end in a request for a certificate": [
    20_000,
    asking((size) =>
      der(0x30, der(0x30, der(0x02), der(0x30), der(0x30, der(0x30, der(0x06, Buffer.alloc(size, 0x81)))))),
    ),
  ],
  "a request for a certificate, one value in the other": [500, asking(nested)],
  "a request for a certificate in many lines": [20_000, asking((size) => Buffer.alloc(size, 0x30))],
  "rules of a role": [
    500,
    written("clusterRole", (size) => ({
      "/rules": times(size, (index) => ({ apiGroups: [""], resources: [`r${index}`], verbs: ["get"] })),
    })),
  ],
  webhooks: [
    100,
    written("validatingWebhooks", (size) => ({
      "/webhooks": times(size, (index) => ({
        name: `w${index}.x.io`,
        clientConfig: { url: "https://a/b" },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        rules: times(5, () => ({ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] })),
      })),
    })),
  ],
  "a schema's branches": [
    200,
    written("definition", (size) => ({
      [schemaAt]: {
        type: "object",
        properties: keyed(size, () => ({ type: "string" })),
        allOf: times(size, (index) => ({ properties: { [`k${index}`]: { minLength: 1 } } })),
      },
    })),
  ],
  "a schema's patterns": [
    100,
    written("definition", (size) => ({
      [schemaAt]: { type: "object", properties: keyed(size, () => ({ type: "string", pattern: "^(a|b)+$" })) },
    })),
  ],
  "a text held against a pattern": [
    500,
    written("definition", (size) => ({
      [schemaAt]: {
        type: "object",
        properties: { a: { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(size)}!` } },
      },
    })),
  ],
  "defaults among allowed values": [
    100,
    written("definition", (size) => ({
      [schemaAt]: {
        type: "object",
        properties: keyed(size, () => ({ type: "string", default: "b", enum: ["a", "b"] })),
      },
    })),
  ],
  "a default of many items": [
    1000,
    written("definition", (size) => ({
      [schemaAt]: {
        type: "object",
        properties: {
          list: {
            type: "array",
            items: { type: "string", enum: times(size, (index) => `v${index}`) },
            default: times(size, (index) => `v${size - index - 1}`),
          },
        },
      },
    })),
  ],
  "keys of a list in a schema": [
    250,
    written("definition", (size) => ({
      [schemaAt]: {
        type: "object",
        properties: {
          list: {
            type: "array",
            "x-orch-list-type": "map",
            "x-orch-list-map-keys": names(size),
            items: {
              type: "object",
              required: names(size),
              properties: Object.fromEntries(names(size).map((name) => [name, { type: "string" }])),
            },
          },
        },
      },
    })),
  ],
  "versions of a definition": [
    200,
    written("definition", (size) => ({
      "/spec/versions": times(size, (index) => ({
        name: `v${index + 1}`,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object" } },
      })),
      "/status/storedVersions": times(size, (index) => `v${index + 1}`),
    })),
  ],
  "rules of a flow": [
    300,
    written("flowSchema", (size) => ({
      "/spec/rules": times(size, (index) => ({
        subjects: [{ kind: "User", user: { name: `u${index}` } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
      })),
    })),
  ],
  "devices of a slice": [
    400,
    written("resourceSlice", (size) => ({ "/spec/devices": times(size, (index) => ({ name: `d${index}` })) })),
  ],
  "attributes of a device": [
    400,
    written("resourceSlice", (size) => ({ "/spec/devices/0/attributes": keyed(size, () => ({ int: 1 })) })),
  ],
  "selectors of a claim": [
    400,
    written("resourceClaim", (size) => ({
      "/spec/devices/requests/0/exactly/selectors": times(size, () => ({ cel: { expression: "true" } })),
    })),
  ],
  "users of a claim": [
    400,
    written("resourceClaim", (size) => ({
      "/status/reservedFor": times(size, (index) => ({ resource: "pods", name: "p", uid: `u${index}` })),
    })),
  ],
  "metrics to scale by": [
    150,
    written("autoscaler", (size) => ({
      "/spec/metrics": times(size, (index) => ({
        type: "Pods",
        pods: { metric: { name: `m${index}` }, target: { type: "AverageValue", averageValue: "1" } },
      })),
    })),
  ],
};

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});
