import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { PluginFactory } from "@orch/admission";
import { defaultsOf } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import { VOCABULARY_NAMES, type VocabularyName, vocabularyOf } from "@orch/schema";
import { readPluginConfigurations } from "@orch/server-admission";
import { SERVER_FLAGS, type ServerConfig, SettingsError } from "@orch/server-config";
import { startWithSeams } from "./start-server";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plugin-configurations-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Read {
  readonly configurations: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

const plugin = (name: string): PluginFactory => ({ name, make: () => ({ on: [] }) });
/** Plugins of Kubernetes that read a configuration. */
const ON = ["NamespaceLifecycle", "CertificateSigning", "ImagePolicyWebhook", "PodNodeSelector"].map(plugin);

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function read(files: Readonly<Record<string, string>>, of: Partial<Of> = {}): Promise<Read> {
  write(files);
  const { vocabulary = "orch", plugins = ON, file = "main.yaml" } = of;
  const path = join(folder, file);
  const config = { ...(defaultsOf(SERVER_FLAGS) as ServerConfig), "admission-control-config-file": path };
  const warnings: string[] = [];
  const logger = { ...SILENT, warn: (text: string) => void warnings.push(text.replaceAll(`${folder}/`, "")) };
  const settings = { plugins, release: "1.20" };
  const found = await readPluginConfigurations({ config, vocabulary: vocabularyOf(vocabulary), settings, logger });
  const shown = [...found].map(([name, { value, from }]) => [name, [value, from.replaceAll(`${folder}/`, "")]]);
  return { configurations: Object.fromEntries(shown), warnings };
}

interface Of {
  readonly vocabulary: VocabularyName;
  readonly plugins: readonly PluginFactory[];
  readonly file: string;
}

/** Errors of a start with these files, without the path of their folder. */
async function refusal(files: Readonly<Record<string, string>>, of: Partial<Of> = {}): Promise<readonly string[]> {
  try {
    await read(files, of);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).lines.map((line) => line.replaceAll(`${folder}/`, ""));
  }
}

const HEAD = "apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\n";
const main = (plugins: string, head = HEAD) => ({ "main.yaml": `${head}plugins:\n${plugins}` });
const embedded = (head: string) => main("- {name: CertificateSigning, configuration: {a: 1}}", head);

describe("the configuration of a plugin", () => {
  const there = { CertificateSigning: [{ a: 1 }, "main.yaml: plugins[0].configuration"] };

  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, unknown>>]>([
    ["may be embedded", embedded(HEAD), there],
    [
      "may be embedded in the older version",
      embedded("apiVersion: apiserver.orch.io/v1alpha1\nkind: AdmissionConfiguration\n"),
      there,
    ],
    [
      "may be in JSON",
      {
        "main.yaml": JSON.stringify({
          apiVersion: "apiserver.config.orch.io/v1",
          kind: "AdmissionConfiguration",
          plugins: [{ name: "CertificateSigning", configuration: { a: 1 } }],
        }),
      },
      there,
    ],
    [
      "may be in a file beside it",
      { ...main("- {name: CertificateSigning, path: signing.yaml}"), "signing.yaml": "a: 1" },
      { CertificateSigning: [{ a: 1 }, "signing.yaml"] },
    ],
    [
      "may be in a file below it",
      { ...main("- {name: CertificateSigning, path: ./plugins/signing.json}"), "plugins/signing.json": '{"a": [1]}' },
      { CertificateSigning: [{ a: [1] }, "plugins/signing.json"] },
    ],
    [
      "is what is embedded where there is a file too",
      main("- {name: CertificateSigning, path: missing.yaml, configuration: {a: 1}}"),
      there,
    ],
    [
      "is what the first entry of it says",
      main(
        "- {name: CertificateSigning, configuration: {a: 1}}\n- {name: CertificateSigning, configuration: {a: 2}}\n",
      ),
      there,
    ],
    [
      "is nothing where the first entry of it says nothing",
      main("- {name: CertificateSigning}\n- {name: CertificateSigning, configuration: {a: 2}}"),
      {},
    ],
    ["is not read where it is off", main("- {name: CertificateApproval, path: missing.yaml}"), {}],
    ["is nothing where nothing is said", { "main.yaml": HEAD }, {}],
    ["is nothing where there is no list", { "main.yaml": `${HEAD}plugins: null\n` }, {}],
    [
      "is the whole file for two plugins where it has no version",
      { "main.yaml": "imagePolicy: {allowTTL: 5}\n" },
      {
        ImagePolicyWebhook: [{ imagePolicy: { allowTTL: 5 } }, "main.yaml"],
        PodNodeSelector: [{ imagePolicy: { allowTTL: 5 } }, "main.yaml"],
      },
    ],
    [
      "is the whole file where its version is another's",
      { "main.yaml": "apiVersion: v1\nkind: Policy\npodNodeSelectorPluginConfig: {a: b=c}\n" },
      {
        ImagePolicyWebhook: [
          { apiVersion: "v1", kind: "Policy", podNodeSelectorPluginConfig: { a: "b=c" } },
          "main.yaml",
        ],
        PodNodeSelector: [{ apiVersion: "v1", kind: "Policy", podNodeSelectorPluginConfig: { a: "b=c" } }, "main.yaml"],
      },
    ],
  ])("%s", async (_behaviour, files, configurations) => {
    expect((await read(files)).configurations).toEqual(configurations);
  });

  test.each([
    "apiserver.config.k8s.io/v1",
    "apiserver.k8s.io/v1alpha1",
    "apiserver.config.orch.io/v1",
    "apiserver.orch.io/v1alpha1",
  ])("is read in servers of either vocabulary: %s", async (version) => {
    const files = embedded(`apiVersion: ${version}\nkind: AdmissionConfiguration\n`);
    for (const vocabulary of VOCABULARY_NAMES)
      expect((await read(files, { vocabulary })).configurations).toEqual(there);
  });

  test.each(VOCABULARY_NAMES)(
    "names its own group as a server of %s does, embedded and in a file",
    async (vocabulary) => {
      const text = "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration";
      const main = `apiVersion: apiserver.config.orch.io/v1
kind: AdmissionConfiguration
plugins:
- {name: ImagePolicyWebhook, path: own.yaml}
- name: PodNodeSelector
  configuration: {apiVersion: apiserver.config.orch.io/v1, kind: WebhookAdmissionConfiguration}
`;
      const { configurations } = await read({ "main.yaml": main, "own.yaml": text }, { vocabulary });
      const apiVersion = `${vocabularyOf(vocabulary).groups.apiserverConfig}/v1`;
      const kind = "WebhookAdmissionConfiguration";
      expect(configurations).toEqual({
        ImagePolicyWebhook: [{ apiVersion, kind }, "own.yaml"],
        PodNodeSelector: [{ apiVersion, kind }, "main.yaml: plugins[1].configuration"],
      });
    },
  );

  test("a file without a version is read for enabled plugins only", async () => {
    const { configurations } = await read({ "main.yaml": "imagePolicy: {}" }, { plugins: [plugin("PodNodeSelector")] });
    expect(Object.keys(configurations)).toEqual(["PodNodeSelector"]);
  });

  test("unread members are reported", async () => {
    const { warnings } = await read(
      main("- {name: Nothing}\n- {name: CertificateSigning}\n- {name: CertificateSigning, path: x}\n"),
    );
    expect(warnings).toEqual([
      '--admission-control-config-file: main.yaml: plugins[0].name: "Nothing" is not an admission plugin of this server, and is ignored',
      '--admission-control-config-file: main.yaml: plugins[2].name: "CertificateSigning" is configured twice, and is ignored',
    ]);
  });
});

describe("a start is refused by", () => {
  const said = (...lines: string[]) => lines.map((line) => `--admission-control-config-file: ${line}`);
  const large = `a: ${"x".repeat(3 * 1024 * 1024)}`;

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["a file that is empty", { "main.yaml": "" }, said("main.yaml: it is not an object")],
    ["a file that is no object", { "main.yaml": "- a" }, said("main.yaml: it is not an object")],
    [
      "a file that is no YAML",
      { "main.yaml": "a: [" },
      said("main.yaml: unexpected end of the stream within a flow collection at line 1, column 5"),
    ],
    ["a file that says something twice", { "main.yaml": `${HEAD}kind: A\n` }, said("main.yaml: kind: given twice")],
    [
      "a file of another kind",
      { "main.yaml": "apiVersion: v1\nkind: Pod\n" },
      said(
        'main.yaml: apiVersion: Unsupported value: "v1": supported values: "apiserver.config.orch.io/v1", "apiserver.orch.io/v1alpha1"',
        'main.yaml: kind: Unsupported value: "Pod": supported values: "AdmissionConfiguration"',
      ),
    ],
    [
      "unknown fields, and values of other types",
      {
        "main.yaml": `${HEAD}plugin: []\nplugins: [{name: 1, path: [], config: {}}, 7, {path: a}]\n`,
      },
      said(
        "main.yaml: plugin: unknown field",
        "main.yaml: plugins[1]: Invalid value: must be an object",
        "main.yaml: plugins[0].config: unknown field",
        "main.yaml: plugins[0].name: Invalid value: must be a string",
        "main.yaml: plugins[0].path: Invalid value: must be a string",
        "main.yaml: plugins[0].name: Required value",
        "main.yaml: plugins[1].name: Required value",
        "main.yaml: plugins[2].name: Required value",
      ),
    ],
    [
      "a list that is none",
      { "main.yaml": `${HEAD}plugins: all` },
      said("main.yaml: plugins: Invalid value: must be a list"),
    ],
    [
      "a configuration that is no object",
      main("- {name: CertificateSigning, configuration: yes}"),
      said("main.yaml: plugins[0].configuration: Invalid value: must be an object"),
    ],
    [
      "a plugin's file that is not there",
      main("- {name: CertificateSigning, path: gone.yaml}"),
      said(`gone.yaml: ENOENT: no such file or directory, stat 'gone.yaml'`),
    ],
    [
      "a plugin's file that is no object",
      { ...main("- {name: CertificateSigning, path: signing.yaml}"), "signing.yaml": "a" },
      said("signing.yaml: it is not an object"),
    ],
    [
      "a plugin's file that is too large",
      { ...main("- {name: CertificateSigning, path: signing.yaml}"), "signing.yaml": large },
      said("signing.yaml: it has 3145731 bytes; at most 1048576 are allowed"),
    ],
    [
      "a file that is too large",
      { "main.yaml": large },
      said(
        'unable to read admission control configuration from "main.yaml" [it has 3145731 bytes; at most 1048576 are allowed]',
      ),
    ],
  ])("%s", async (_what, files, lines) => {
    expect(await refusal(files)).toEqual(lines);
  });

  test("a file that is not there, or is a folder", async () => {
    expect(await refusal({}, { file: "gone.yaml" })).toEqual(
      said(
        `unable to read admission control configuration from "gone.yaml" [ENOENT: no such file or directory, stat 'gone.yaml']`,
      ),
    );
    expect(await refusal({ "main.yaml": "" }, { file: "." })).toEqual([
      expect.stringContaining("[EISDIR: illegal operation on a directory"),
    ]);
  });

  test("a file that does not end", async () => {
    expect(await refusal({}, { file: "../../../../../../../../dev/zero" })).toEqual([
      expect.stringContaining("[it has more than 1048576 bytes, the maximum]"),
    ]);
  });

  test("a plugin that cannot use its own", async () => {
    write(embedded(HEAD));
    const strict: PluginFactory = {
      name: "CertificateSigning",
      make() {
        throw new Error("a: must be 2");
      },
    };
    const file = join(folder, "main.yaml");
    const flags = { "admission-control-config-file": file };
    await expect(startWithSeams({ flags }, { plugins: () => [strict] })).rejects.toThrow(
      `couldn't init admission plugin "CertificateSigning": ${file}: plugins[0].configuration: a: must be 2`,
    );
  });
});
