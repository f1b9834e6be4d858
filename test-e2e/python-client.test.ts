// The Kubernetes Python client (Debian's package) against a server that speaks the Kubernetes vocabulary.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiServer } from "./harness/api-server";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { tool, useWorkplace } from "./harness/processes";

const PROGRAM = join(__dirname, "python-client.py");

const workplace = useWorkplace();
let server: ApiServer;
let client: Kubectl;

beforeAll(async () => {
  ({ server, client } = await startWithKubectl(workplace));
}, 60_000);

/** @throws Error with the program's error output */
async function run(scenario: string): Promise<void> {
  await promisify(execFile)(tool("python3-kubernetes"), [PROGRAM, scenario], {
    timeout: 60_000,
    env: {
      ...process.env,
      SERVER: server.url,
      CA: server.authority.caFile,
      TOKEN: "admin-token",
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
}

describe("creates, reads, lists, patches, replaces, deletes and watches", () => {
  test.each(["pods", "deployments", "config_maps", "custom_objects"])(
    "%s",
    async (scenario) => {
      await expect(run(scenario)).resolves.toBeUndefined();
    },
    60_000,
  );
});

test("asks for certificates, approves and denies them, and not both", async () => {
  await expect(run("certificates")).resolves.toBeUndefined();
}, 60_000);

test("reads every kind of every group version", async () => {
  await client.print(["create", "-f", join(__dirname, "manifests")]);
  await expect(run("every_kind")).resolves.toBeUndefined();
}, 60_000);
