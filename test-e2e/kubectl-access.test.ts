// Access reviews and RBAC with kubectl (Debian's 1.20, and others that are named): `auth can-i`, `auth reconcile`,
// aggregated roles.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { type Kubectl, MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let client: Kubectl;

const GRANTS = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: pods, namespace: shop}
  rules:
  - {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list]}
  - {apiGroups: [apps], resources: [deployments], resourceNames: [web], verbs: [patch]}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: ann, namespace: shop}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pods}
  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
`;

beforeAll(async () => {
  const started = await startWithKubectl(workplace);
  client = started.client;
  const manager = new ControllerManagers(workplace, started.server, "kubernetes").start("manager");
  const file = join(client.folder, "grants.yaml");
  writeFileSync(file, GRANTS);
  await client.print(["apply", "-f", file]);
  await eventually("it leads", async () => leads(manager));
}, 60_000);

describe.each(["Debian's kubectl", ...MORE_CLIENTS])("%s", (name) => {
  const program = () => (MORE_CLIENTS.includes(name) ? client.of(name) : client);
  const kubectl = (...args: readonly string[]): Promise<string> => program().print(args);
  const asks = async (...args: readonly string[]): Promise<string> =>
    (await program().run(["--as=ann", "auth", "can-i", ...args])).stdout.trim();
  const nearest = /^no - nearest grants: RoleBinding "ann\/shop" of Role "pods" to User "ann"/;

  test.each<[readonly string[], string | RegExp]>([
    [["get", "pods", "-n", "shop"], "yes"],
    [["get", "pods/any", "-n", "shop"], "yes"],
    [["get", "pods", "--subresource=log", "-n", "shop"], "yes"],
    [["patch", "deployments.apps/web", "-n", "shop"], "yes"],
    [["patch", "deployments.apps/db", "-n", "shop"], nearest],
    [["delete", "pods", "-n", "shop"], nearest],
    [["get", "pods"], nearest],
    [["get", "pods", "--all-namespaces"], nearest],
    [["get", "secrets", "-n", "shop"], "no"],
    [["get", "/healthz"], "yes"],
    [["get", "/metrics"], "no"],
  ])("may %j: %s", async (args, answer) => {
    if (typeof answer === "string") expect(await asks(...args)).toBe(answer);
    else expect(await asks(...args)).toMatch(answer);
  });

  test("lists what may be done in a namespace", async () => {
    const lines = (await asks("--list", "-n", "shop")).split("\n").map((line) => line.trim().split(/\s{2,}/));
    expect(lines).toContainEqual(["pods/log", "[]", "[]", "[get list]"]);
    expect(lines).toContainEqual(["deployments.apps", "[]", "[web]", "[patch]"]);
    expect(lines.some(([what]) => what === "selfsubjectaccessreviews.authorization.k8s.io")).toBe(true);
    expect((await asks("--list")).includes("deployments.apps")).toBe(false);
  });

  test("reconciles roles and bindings: what is missing is added, what is there is kept", async () => {
    const file = join(client.folder, "reconciled.yaml");
    const more = GRANTS.replace("verbs: [patch]", "verbs: [delete]").replace("name: ann}]", "name: bob}]");
    writeFileSync(file, more);
    const told = await kubectl("auth", "reconcile", "-f", file);
    expect(told).toMatch(/pods reconciled/);
    const verbs = await kubectl("get", "role", "pods", "-n", "shop", "-o", "jsonpath={.rules[*].verbs}");
    expect(verbs).toContain("patch");
    expect(verbs).toContain("delete");
    const subjects = ["get", "rolebinding", "ann", "-n", "shop", "-o", "jsonpath={.subjects[*].name}"];
    expect((await kubectl(...subjects)).split(" ").sort()).toEqual(["ann", "bob"]);
    // Debian's client can remove permissions as well.
    await kubectl(
      "auth",
      "reconcile",
      "--remove-extra-permissions",
      "--remove-extra-subjects",
      "-f",
      join(client.folder, "grants.yaml"),
    );
    expect(await kubectl(...subjects)).toBe("ann");
    expect(await asks("delete", "deployments.apps/web", "-n", "shop")).toMatch(nearest);
  });

  test("gathers rules in roles that select others, and takes them away again", async () => {
    const [part, whole] = [`part-${MORE_CLIENTS.indexOf(name) + 1}`, `whole-${MORE_CLIENTS.indexOf(name) + 1}`];
    await kubectl("create", "clusterrole", whole, `--aggregation-rule=of=${whole}`);
    await kubectl("create", "clusterrolebinding", whole, `--clusterrole=${whole}`, "--user=cat");
    await kubectl("create", "clusterrole", part, "--verb=get", "--resource=secrets");
    await kubectl("label", "clusterrole", part, `of=${whole}`);
    const may = async () => (await program().run(["--as=cat", "auth", "can-i", "get", "secrets"])).stdout.trim();
    await eventually("the rule is gathered", async () => (await may()) === "yes");
    await kubectl("delete", "clusterrole", part);
    await eventually("the rule is gone", async () => (await may()) === "no");
    await kubectl("label", "clusterrole", "system:aggregate-to-view", `of=${whole}`);
    await eventually("others are gathered", async () =>
      (await kubectl("get", "clusterrole", whole, "-o", "jsonpath={.rules[*].resources}")).includes("configmaps"),
    );
    await kubectl("label", "clusterrole", "system:aggregate-to-view", "of-");
  });
});

test("rights of a role that others see: a role that is added to `edit` is held by those who edit", async () => {
  const kubectl = (...args: readonly string[]) => client.print(args);
  await kubectl("create", "rolebinding", "editors", "-n", "shop", "--clusterrole=edit", "--user=dan");
  await kubectl("create", "clusterrole", "widgets", "--verb=get", "--resource=leases.coordination.k8s.io");
  await kubectl("label", "clusterrole", "widgets", "rbac.authorization.k8s.io/aggregate-to-edit=true");
  const may = async () =>
    (await client.run(["--as=dan", "auth", "can-i", "get", "leases.coordination.k8s.io", "-n", "shop"])).stdout.trim();
  await eventually("it is held", async () => (await may()) === "yes");
});
