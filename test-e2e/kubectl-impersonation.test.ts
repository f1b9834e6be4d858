// Impersonation with kubectl (Debian's 1.20).
import { beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "./harness/eventually";
import { type Kubectl, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;

const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);
const asks = async (...args: readonly string[]): Promise<string> => (await client.run(args)).stdout.trim();

beforeAll(async () => {
  ({ client } = await startWithKubectl(workplace));
  await kubectl("create", "rolebinding", "devs", "--clusterrole=view", "--group=devs");
  await kubectl("create", "serviceaccount", "bot");
  await kubectl("create", "rolebinding", "bots", "--clusterrole=edit", "--serviceaccount=default:bot");
  await kubectl("create", "clusterrole", "as-jane", "--verb=impersonate", "--resource=users", "--resource-name=jane");
  await kubectl("create", "clusterrolebinding", "as-jane", "--clusterrole=as-jane", "--user=broker");
  const mayAsk = () => asks("--as=broker", "auth", "can-i", "impersonate", "users/jane");
  await eventually("the grants are in force", async () => (await mayAsk()) === "yes");
}, 60_000);

test.each<[string, string[], string]>([
  ["the administrator", [], "yes"],
  ["a user without rights", ["--as=jane"], "no"],
  ["a user of a group with rights", ["--as=jane", "--as-group=devs"], "yes"],
  ["a user of several groups", ["--as=jane", "--as-group=ops", "--as-group=devs"], "yes"],
  ["a user of a group without", ["--as=jane", "--as-group=ops"], "no"],
  ["a service account, by its name alone", ["--as=system:serviceaccount:default:bot"], "yes"],
  ["a service account of another namespace", ["--as=system:serviceaccount:other:bot"], "no"],
  ["a member of the group that may do everything", ["--as=jane", "--as-group=system:masters"], "yes"],
])("%s, by %j, may list config maps: %s", async (_who, args, answer) => {
  expect(await asks(...args, "auth", "can-i", "list", "configmaps")).toBe(answer);
});

describe("impersonated requests", () => {
  test("allowed requests of the user succeed", async () => {
    expect(await kubectl("--as=system:serviceaccount:default:bot", "create", "configmap", "bots")).toMatch(/created/);
    expect(await kubectl("--as=jane", "--as-group=devs", "get", "configmap", "bots", "-o", "name")).toBe(
      "configmap/bots\n",
    );
  });

  test("anonymous may not even ask what anonymous may", async () => {
    await expect(kubectl("--as=system:anonymous", "auth", "can-i", "list", "configmaps")).rejects.toThrow(
      /User "system:anonymous" cannot create resource "selfsubjectaccessreviews"/,
    );
  });

  test("the rest is forbidden to that user, by name", async () => {
    await expect(kubectl("--as=jane", "--as-group=devs", "delete", "configmap", "bots")).rejects.toThrow(
      /Error from server \(Forbidden\): configmaps "bots" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "default"/,
    );
  });
});

test("groups without a user are rejected by kubectl", async () => {
  await expect(kubectl("--as-group=devs", "get", "configmaps")).rejects.toThrow(/without impersonating a user/);
});
