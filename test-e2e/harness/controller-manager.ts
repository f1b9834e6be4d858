// Controller managers as processes, against an API server of the harness.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationFor, configurationText } from "@orch/client";
import type { ApiServer } from "./api-server";
import { type Program, repository, type Workplace } from "./processes";

const MAIN = join(repository, "packages/controllers/dist/main.js");
const USER = "system:orch-controller-manager";

export class ControllerManagers {
  readonly #workplace: Workplace;
  readonly #kubeconfig: string;

  /** As the user that the bootstrap roles are for. */
  constructor(workplace: Workplace, server: ApiServer) {
    this.#workplace = workplace;
    this.#kubeconfig = join(workplace.folder(), "kubeconfig");
    const { ca, cert, key } = server.authority.user(USER);
    const user = { certificate: String(cert), key: String(key) };
    writeFileSync(
      this.#kubeconfig,
      configurationText(configurationFor({ name: "orch", server: server.url, ca: ca.toString(), user })),
    );
  }

  start(name: string, flags: readonly string[] = []): Program {
    return this.#workplace.start({
      name,
      program: process.execPath,
      args: [MAIN, `--kubeconfig=${this.#kubeconfig}`, "--secure-port=0", ...flags],
    });
  }
}

/** Whether this process has been elected, by its log. */
export const leads = (manager: Program): boolean => manager.logTail.includes('"message":"became leader"');
