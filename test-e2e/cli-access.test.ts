// Access with the command `orch`: who may do what and why, configuration files, login, certificates, and what
// admission decides.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;
const servers = new Map<string, ApiServer>();

beforeAll(async () => {
  for (const vocabulary of VOCABULARIES) {
    const flags = [`--vocabulary=${vocabulary}`];
    servers.set(vocabulary, await startApiServer(workplace, { name: vocabulary, store: { kind: "memory" }, flags }));
  }
}, 60_000);

const orchOf = (vocabulary: string): Orch =>
  new Orch({ home: workplace.folder(), options: Orch.optionsFor(servers.get(vocabulary) as ApiServer) });

describe.each(VOCABULARIES)("rights on a server of the vocabulary %s", (vocabulary) => {
  const rbac = vocabulary === "orch" ? "rbac.authorization.orch.io" : "rbac.authorization.k8s.io";
  let orch: Orch;

  beforeAll(async () => {
    orch = orchOf(vocabulary);
    const { admin } = servers.get(vocabulary) as ApiServer;
    const create = async (path: string, object: object) => {
      const { status, body } = await admin.post(path, object);
      if (status !== 201) throw new Error(`${path}: ${status} ${body}`);
    };
    const apiVersion = `${rbac}/v1`;
    const at = (plural: string, namespace?: string) =>
      `/apis/${apiVersion}/${namespace === undefined ? "" : `namespaces/${namespace}/`}${plural}`;
    for (const name of ["shop", "blog"]) {
      await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];
    await create(at("roles", "shop"), { apiVersion, kind: "Role", metadata: { name: "reader" }, rules });
    await create(at("rolebindings", "shop"), {
      apiVersion,
      kind: "RoleBinding",
      metadata: { name: "readers" },
      roleRef: { apiGroup: rbac, kind: "Role", name: "reader" },
      subjects: [
        { apiGroup: rbac, kind: "User", name: "ann" },
        { kind: "ServiceAccount", name: "web" },
      ],
    });
    await create(at("clusterrolebindings"), {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name: "ops" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: rbac, kind: "Group", name: "ops" }],
    });
  });

  test.each<[string, string, number]>([
    ["get pods -n shop --as=ann", "yes\n", 0],
    ["get pods -n blog --as=ann", "no - nearest grants: .*shop.*\n", 1],
    ["delete pods -n shop --as=ann", "no.*\n", 1],
    ["get pods --subresource=log -n shop --as=ann", "no.*\n", 1],
    ["list pods -A --as=ann", "no.*\n", 1],
    ["list pods -q -n shop --as=bob", "", 1],
    ["get /healthz --as=ann", "yes\n", 0],
    ["* *", "yes\n", 0],
  ])("auth can-i %s", async (words, text, exit) => {
    const { stdout, stderr, code } = await orch.run(["auth", "can-i", ...words.split(" ")]);
    expect(stdout).toMatch(new RegExp(`^${text}$`));
    expect([stderr, code]).toEqual(["", exit]);
  });

  test("auth can-i warns of unknown resources and verbs, and asks for both words", async () => {
    expect((await orch.run(["auth", "can-i", "grab", "podz"])).stderr).toBe(
      `Warning: the server doesn't have a resource type 'podz' (did you mean "pods"?)\nWarning: verb 'grab' is not a known verb\n`,
    );
    expect((await orch.run(["auth", "can-i", "get", "nodes", "--as=ann"])).stderr).toBe(
      "Warning: resource 'nodes' is not namespace scoped\n",
    );
    const { stderr, code } = await orch.run(["auth", "can-i", "get"]);
    expect([stderr, code]).toEqual([expect.stringMatching(/^error: you must specify two arguments/), 1]);
  });

  test("auth can-i --list lists the rights in the namespace", async () => {
    const list = await orch.print(["auth", "can-i", "--list", "-n", "shop", "--as=ann"]);
    expect(list).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs$/m);
    expect(list).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
    expect(list).toMatch(/^ +\[\/healthz\] +\[\] +\[get\]$/m);
  });

  test("auth why names the binding, the role and the rule of a grant", async () => {
    const { stdout, code } = await orch.run(["auth", "why", "ann", "get", "pods", "-n", "shop"]);
    expect(stdout).toContain(
      "yes: user ann can get pods in the namespace shop\n  RoleBinding shop/readers grants it to user ann\n    Role shop/reader: get,list pods\n",
    );
    expect(stdout).toContain("reason of the server: RBAC: allowed by RoleBinding");
    expect(code).toBe(0);
    const account = await orch.print(["auth", "why", "system:serviceaccount:shop:web", "list", "pods", "-n", "shop"]);
    expect(account).toContain("RoleBinding shop/readers grants it to service account shop/web\n");
  });

  test.each([
    ["another namespace", "ann get pods -n blog", "RoleBinding shop/readers grants it in the namespace shop"],
    ["other verbs", "ann delete pods -n shop", "RoleBinding shop/readers grants user ann other rights"],
    [
      "another group",
      "bob get pods -n shop",
      "ClusterRoleBinding ops grants it to group ops, which the user is not in",
    ],
  ])("auth why names near grants: %s", async (_, words, text) => {
    const { stdout, code } = await orch.run(["auth", "why", ...words.split(" ")]);
    expect(stdout).toMatch(/^no: user \w+ cannot /);
    expect(stdout).toContain(`\n  ${text}\n`);
    expect(code).toBe(1);
  });

  test("auth why answers as JSON, and takes groups", async () => {
    const words = ["auth", "why", "bob", "get", "pods", "-n", "shop", "--group=ops", "-o", "json"];
    expect(JSON.parse(await orch.print(words))).toMatchObject({
      allowed: true,
      groups: ["ops", "system:authenticated"],
      grants: [{ binding: "ClusterRoleBinding ops", text: expect.stringContaining("group ops") }],
      nearest: [],
    });
  });

  test("auth why answers users without rights about themselves, and says what they may not read", async () => {
    const { stdout, stderr, code } = await orch.run(["auth", "why", "ann", "get", "pods", "-n", "shop", "--as=ann"]);
    expect(stderr).toContain("clusterroles, roles, clusterrolebindings, rolebindings");
    // A server that does not tell who its user is knows the impersonated user from the option.
    expect([stdout.split("\n")[0], code]).toEqual(["yes: user ann can get pods in the namespace shop", 0]);
    const other = await orch.run(["auth", "why", "bob", "get", "pods", "-n", "shop", "--as=ann"]);
    expect([other.stderr, other.code]).toEqual([expect.stringMatching(/^error: you may neither ask/), 1]);
  });

  test("auth who-can lists subjects with their bindings and roles", async () => {
    const list = await orch.print(["auth", "who-can", "get", "pods", "-n", "shop"]);
    expect(list).toMatch(/^KIND +SUBJECT +IN +BINDING +ROLE$/m);
    expect(list).toMatch(/^User +ann +shop +RoleBinding shop\/readers +Role shop\/reader$/m);
    expect(list).toMatch(/^ServiceAccount +shop\/web +shop +RoleBinding shop\/readers +Role shop\/reader$/m);
    expect(list).toMatch(/^Group +ops +<all> +ClusterRoleBinding ops +ClusterRole view$/m);
    expect(await orch.print(["auth", "who-can", "get", "pods", "-n", "blog"])).not.toContain("ann");
    expect(await orch.print(["auth", "who-can", "get", "pods", "-A"])).toContain("ann");
    const none = await orch.run(["auth", "who-can", "get", "pods", "-n", "shop", "--as=ann"]);
    expect([none.stderr, none.code]).toEqual([expect.stringMatching(/^error: you may not list clusterroles, /), 1]);
  });

  test("whoami shows the user", async () => {
    expect(await orch.print(["whoami", "--as=ann", "--as-group=dev"])).toMatch(
      /^ATTRIBUTE +VALUE\nUsername +ann\nGroups +\[dev/,
    );
    expect(await orch.print(["auth", "whoami", "-o", "yaml", "--as=ann"])).toContain("    username: ann\n");
  });
});
