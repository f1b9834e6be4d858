// Requests of the server's own programs.
import { expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { MakeRun } from "./harness/make-run";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

interface Report {
  readonly requests: readonly { readonly resource: string; readonly version: string }[];
}

interface Quota {
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

test.each(["1.21", "1.23"])(
  "the controllers use no deprecated version that has a replacement in release %s",
  async (release) => {
    const run = await MakeRun.start(workplace, `run-${release}`, [`--emulated-release=${release}`]);
    await run.kubectl("create", "namespace", "passing");
    const hard = "count/poddisruptionbudgets.policy=3,count/cronjobs.batch=3";
    await run.kubectl("create", "quota", "counts", `--hard=${hard}`);
    const counted = async () => (await run.json<Quota>("get", "quota", "counts")).status?.used;
    await eventually("the quota is counted", async () => Object.keys((await counted()) ?? {}).length === 2);
    await run.kubectl("delete", "namespace", "passing");
    await eventually("the namespace is emptied", async () => (await run.try("get", "namespace", "passing")).code !== 0);
    const { requests } = JSON.parse(await run.kubectl("get", "--raw=/debug/deprecations")) as Report;
    expect(requests).toEqual([]);
  },
  60_000,
);
