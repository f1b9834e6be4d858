// Controller managers as processes, against an API server of the harness.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationFor, configurationText } from "@orch/client";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import type { ApiServer } from "./api-server";
import { type Output, type Program, repository, type Workplace } from "./processes";

const MAIN = join(repository, "packages/controllers/dist/main.js");

export class ControllerManagers {
  private readonly workplace: Workplace;
  readonly kubeconfig: string;
  private readonly vocabulary: VocabularyName;

  /** Runs as the user of the bootstrap roles. */
  constructor(workplace: Workplace, server: ApiServer, vocabulary: VocabularyName = "orch") {
    this.vocabulary = vocabulary;
    this.workplace = workplace;
    this.kubeconfig = join(workplace.folder(), "kubeconfig");
    const { ca, cert, key } = server.authority.user(vocabularyOf(vocabulary).users.controllerManager);
    const user = { certificate: String(cert), key: String(key) };
    writeFileSync(
      this.kubeconfig,
      configurationText(configurationFor({ name: "managed", server: server.url, ca: ca.toString(), user })),
    );
  }

  start(name: string, flags: readonly string[] = [], output: Output = {}): Program {
    return this.workplace.start({
      name,
      output,
      program: process.execPath,
      args: [MAIN, `--kubeconfig=${this.kubeconfig}`, `--vocabulary=${this.vocabulary}`, "--secure-port=0", ...flags],
    });
  }
}

/** Whether this process has been elected, according to its log. */
export const leads = (manager: Program): boolean => manager.logTail.includes('"message":"became leader"');
