// The configuration file of tracing: versions by release, fields and their rules.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { type ConfigurationError, parseFlags } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { withDependentDefaults } from "../settings/dependent-defaults";
import { settingsOf } from "../settings/settings";
import { readTracing, tracingConfiguration } from "./tracing-configuration";

const vocabulary = vocabularyOf("kubernetes");
const folder = mkdtempSync(join(tmpdir(), "tracing-configuration-"));
afterAll(() => rmSync(folder, { recursive: true }));

const document = (fields: object = {}, version = "v1") =>
  JSON.stringify({ apiVersion: `apiserver.config.k8s.io/${version}`, kind: "TracingConfiguration", ...fields });

async function linesOf(text: string, release = "1.36"): Promise<readonly string[]> {
  try {
    await readTracing(text, vocabulary, release);
    return [];
  } catch (error) {
    return (error as ConfigurationError).lines;
  }
}

describe("a configuration", () => {
  test.each([
    ["v1", "1.36", 0],
    ["v1", "1.34", 0],
    ["v1", "1.33", 1],
    ["v1beta1", "1.27", 0],
    ["v1beta1", "1.26", 1],
    ["v1alpha1", "1.22", 0],
    ["v2", "1.36", 1],
  ])("with version %s in release %s has %i errors", async (version, release, count) => {
    expect(await linesOf(document({}, version), release)).toHaveLength(count);
  });

  test.each([
    [{}, { endpoint: "localhost:4317", ratio: 0 }],
    [
      { endpoint: "collector.example.com:4317", samplingRatePerMillion: 10_000 },
      { endpoint: "collector.example.com:4317", ratio: 0.01 },
    ],
    [
      { endpoint: "dns://10.0.0.1:4317", samplingRatePerMillion: 1_000_000 },
      { endpoint: "dns://10.0.0.1:4317", ratio: 1 },
    ],
    [{ endpoint: "unix:///run/otel.sock" }, { endpoint: "unix:///run/otel.sock", ratio: 0 }],
  ])("with %j is read", async (fields, read) => {
    expect(await readTracing(document(fields), vocabulary, "1.36")).toEqual(read);
  });

  test.each([
    [{ samplingRatePerMillion: -1 }, "samplingRatePerMillion: Invalid value: -1: sampling rate must be positive"],
    [
      { samplingRatePerMillion: 1_000_001 },
      "samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million",
    ],
    [{ samplingRatePerMillion: "many" }, "samplingRatePerMillion: Invalid value: must be an integer"],
    [{ samplingRatePerMillion: 0.5 }, "samplingRatePerMillion: Invalid value: must be an integer"],
    [
      { endpoint: "http://localhost:4317" },
      'endpoint: Invalid value: "http://localhost:4317": unsupported scheme: http.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
    ],
    [
      { endpoint: "unix://" },
      'endpoint: Invalid value: "unix://": must name a host and port, or a socket, without white space',
    ],
    [{ endpoint: 4317 }, "endpoint: Invalid value: must be a string"],
    [{ samplingRate: 5 }, "samplingRate: unknown field"],
  ])("with %j is rejected", async (fields, line) => {
    expect(await linesOf(document(fields))).toEqual([line]);
  });
});

describe("the option", () => {
  const configOf = (...words: string[]): ServerConfig => {
    const { config, given } = parseFlags(SERVER_FLAGS, words);
    return withDependentDefaults(config as ServerConfig, given);
  };
  const file = join(folder, "tracing.yaml");
  writeFileSync(file, document({ samplingRatePerMillion: 5 }));

  test("names itself, the file and the field in its errors", async () => {
    const broken = join(folder, "broken.yaml");
    writeFileSync(broken, document({ samplingRatePerMillion: -5 }));
    const config = configOf(`--tracing-config-file=${broken}`, "--emulated-release=1.36");
    await expect(tracingConfiguration(config, vocabulary, settingsOf(config, vocabulary))).rejects.toThrow(
      `--tracing-config-file: ${broken}: samplingRatePerMillion: Invalid value: -5: sampling rate must be positive`,
    );
  });

  test.each([
    ["1.36", [], "on"],
    ["1.27", [], "on"],
    ["1.27", ["--feature-gates=APIServerTracing=false"], "rejected"],
    ["1.26", [], "off"],
    ["1.26", ["--feature-gates=APIServerTracing=true"], "on"],
    ["1.21", [], "off"],
  ] as const)("in release %s with gates %j is %s", async (release, gates, expected) => {
    const config = configOf(`--tracing-config-file=${file}`, `--emulated-release=${release}`, ...gates);
    const outcome = async () => {
      try {
        const settings = settingsOf(config, vocabulary);
        const warned = settings.warnings.some((line) => line.startsWith("--tracing-config-file has no effect"));
        return warned ? "off" : settings.gates.APIServerTracing ? "on" : "silent";
      } catch {
        return "rejected";
      }
    };
    expect(await outcome()).toBe(expected);
  });
});
