// The chart in deploy/helm/orch as objects, rendered by Helm.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import type { Offered } from "../describe-where";
import { repository, type Workplace } from "../processes";

const CHART = join(repository, "deploy/helm/orch");
export const RELEASE = { name: "shop", namespace: "control-planes" };
const INSTALL_TIMEOUT_MS = 600_000;

interface Container {
  readonly name: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly args?: readonly string[];
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly serviceAccountName?: string;
  readonly volumes?: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
    readonly configMap?: { readonly name: string };
  }[];
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  // Fields differ by kind; tests read those that they name.
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

/** @returns the path of the program, or the reason why it is not available */
export function helmProgram(): Offered<{ readonly helm: string }> {
  const script = join(repository, "scripts/tools/helm.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    encoding: "utf8",
    timeout: INSTALL_TIMEOUT_MS,
  });
  return status === 0 ? { helm: stdout.trim() } : { reason: stderr.trim().split("\n").at(-1) ?? "no Helm" };
}

export class Chart {
  constructor(
    private readonly helm: string,
    private readonly workplace: Workplace,
  ) {}

  /** @returns status and output of a Helm command with the chart and values */
  run(command: string, values: unknown = {}, words: readonly string[] = []) {
    const file = join(this.workplace.folder(), "values.yaml");
    writeFileSync(file, stringify(values));
    const subject = command === "template" ? [RELEASE.name, CHART, "--namespace", RELEASE.namespace] : [CHART];
    const { status, stdout, stderr } = spawnSync(this.helm, [command, ...subject, "--values", file, ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: this.workplace.folder() },
    });
    return { status, stdout, stderr };
  }

  /** @throws Error with the message of Helm */
  render(values: unknown): readonly Rendered[] {
    const { status, stdout, stderr } = this.run("template", values);
    if (status !== 0) throw new Error(stderr);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as Rendered | null)
      .filter((object) => object !== null);
  }
}

/** Pod template of an object; that of a stateful set with the volumes of its claims. */
export function podTemplateOf({ kind, spec = {} }: Rendered): PodTemplate | undefined {
  if (kind === "CronJob")
    return (spec as { jobTemplate: { spec: { template: PodTemplate } } }).jobTemplate.spec.template;
  const template = spec["template"] as PodTemplate | undefined;
  const claims = spec["volumeClaimTemplates"] as readonly { metadata: { name: string } }[] | undefined;
  if (template === undefined || claims === undefined) return template;
  const volumes = claims.map(({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...volumes] } };
}
