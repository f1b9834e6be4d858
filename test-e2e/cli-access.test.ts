// Access with the command `orch`: who may do what and why, configuration files, login, certificates, and what
// admission decides.

import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
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

  test("auth reconcile creates roles and bindings, and adds what they lack", async () => {
    const files = (verb: string, user: string) =>
      [
        { kind: "Role", rules: [{ apiGroups: [""], resources: ["secrets"], verbs: [verb] }] },
        {
          kind: "RoleBinding",
          roleRef: { apiGroup: rbac, kind: "Role", name: "keeper" },
          subjects: [{ apiGroup: rbac, kind: "User", name: user }],
        },
      ]
        .map((each) =>
          JSON.stringify({ apiVersion: `${rbac}/v1`, metadata: { name: "keeper", namespace: "vault" }, ...each }),
        )
        .join("\n---\n");
    const words = ["auth", "reconcile", "-f", "-"];
    const done = (suffix = "") =>
      ["role", "rolebinding"].map((kind) => `${kind}.${rbac}/keeper reconciled${suffix}\n`).join("");
    const can = (user: string, verb: string) =>
      orch.run(["auth", "can-i", verb, "secrets", "-n", "vault", "-q", `--as=${user}`]).then(({ code }) => code === 0);
    expect(await orch.print([...words, "--dry-run=client"], { input: files("get", "kim") })).toBe(done(" (dry run)"));
    expect(await can("kim", "get")).toBe(false);
    const first = await orch.run(words, { input: files("get", "kim") });
    expect([first.stdout, first.stderr]).toEqual([done(), "\treconciliation required create\n".repeat(2)]);
    expect((await orch.run(words, { input: files("get", "kim") })).stderr).toBe("");
    const second = await orch.run([...words, "--remove-extra-subjects"], { input: files("list", "lee") });
    expect(second.stderr).toMatch(
      /missing rules added:\n\t {2}list secrets\n.*extra subjects removed:\n\t {2}User kim\n/s,
    );
    expect([await can("lee", "get"), await can("lee", "list"), await can("kim", "get")]).toEqual([true, true, false]);
  });

  test("whoami shows the user", async () => {
    expect(await orch.print(["whoami", "--as=ann", "--as-group=dev"])).toMatch(
      /^ATTRIBUTE +VALUE\nUsername +ann\nGroups +\[dev/,
    );
    expect(await orch.print(["auth", "whoami", "-o", "yaml", "--as=ann"])).toContain("    username: ann\n");
  });
});

describe("configuration files", () => {
  /** Runs `orch config` for a file in a new folder. */
  const fileOf = (text = "") => {
    const home = workplace.folder();
    const path = join(home, "config.yaml");
    if (text !== "") writeFileSync(path, text, { mode: 0o644 });
    const orch = new Orch({ home, options: [`--kubeconfig=${path}`] });
    return {
      path,
      text: () => readFileSync(path, "utf8"),
      config: (words: string) => orch.print(["config", ...words.split(" ")]),
      failure: async (words: string) => {
        const { stderr, code } = await orch.run(["config", ...words.split(" ")]);
        return [stderr, code];
      },
    };
  };

  test("entries are set, shown without secrets, renamed and deleted", async () => {
    const { config, failure, path } = fileOf();
    expect(await config("set-cluster one --server=https://one:6443 --insecure-skip-tls-verify")).toBe(
      'Cluster "one" set.\n',
    );
    expect(await config("set-credentials ann --token=secret")).toBe('User "ann" set.\n');
    expect(await config("set-context first --cluster=one --user=ann -n shop")).toBe('Context "first" created.\n');
    expect(await config("set-context first --namespace=y")).toBe('Context "first" modified.\n');
    expect(await failure("current-context")).toEqual(["error: current-context is not set\n", 1]);
    expect(await config("use first")).toBe('Switched to context "first".\n');
    expect(await failure("use-context frist")).toEqual([
      'error: no context exists with the name: "frist" (did you mean "first"?)\n',
      1,
    ]);
    expect(await config("get-contexts")).toBe(
      "CURRENT   NAME    CLUSTER   AUTHINFO   NAMESPACE\n*         first   one       ann        y\n",
    );
    expect(await config("view")).toContain("    token: REDACTED\n");
    expect(await config("view --raw")).toContain("    token: secret\n");
    expect(await config("rename-context first only")).toBe('Context "first" renamed to "only".\n');
    expect(await config("current-context")).toBe("only\n");
    expect(await config("set contexts.only.namespace blog")).toBe('Property "contexts.only.namespace" set.\n');
    expect(JSON.parse(await config("view --minify -o json"))).toMatchObject({
      contexts: [{ name: "only", context: { cluster: "one", user: "ann", namespace: "blog" } }],
    });
    expect(await config("set-credentials old --username=u --password=secret")).toBe('User "old" set.\n');
    expect(await config("view -o jsonpath={.users[?(@.name=='old')].user}")).toBe(
      '{"password":"REDACTED","username":"u"}',
    );
    await config("set clusters.one.certificate-authority-data YWJj\nZGVm");
    expect(await config("view --raw -o jsonpath={.clusters[0].cluster.certificate-authority-data}")).toBe("YWJjZGVm");
    expect(await config("unset users.ann.token")).toBe('Property "users.ann.token" unset.\n');
    expect(await failure("delete-user anne")).toEqual([
      `error: cannot delete user anne, not in ${path} (did you mean "ann"?)\n`,
      1,
    ]);
    expect(await config("delete-context only")).toBe(`deleted context only from ${path}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("a change keeps comments, unknown members and the order of a file, and concurrent ones wait for each other", async () => {
    const text = `# my servers
kind: Config
apiVersion: v1
users:
- name: ann # me
  user:
    token: secret
    extra-of-another-tool: 1
clusters: []
`;
    const { config, text: read } = fileOf(text);
    await config("set-credentials bob --token=y");
    const changed = read();
    expect(changed).toMatch(/^# my servers\nkind: Config\n/);
    expect(changed).toContain("# me\n");
    expect(changed).toContain("extra-of-another-tool: 1\n");
    expect(changed).toContain('token: "y"\n');
    await Promise.all(Array.from({ length: 4 }, (_, at) => config(`set-credentials user-${at} --token=t`)));
    expect((await config("get-users")).split("\n")).toEqual([
      "NAME",
      "ann",
      "bob",
      ...[0, 1, 2, 3].map((at) => `user-${at}`),
      "",
    ]);
  });

  test("several files of the environment are changed where their entries are", async () => {
    const home = workplace.folder();
    const [one = "", other = ""] = ["one", "other"].map((name) => {
      writeFileSync(join(home, name), `users: [{ name: ${name}, user: {} }]\n`);
      return join(home, name);
    });
    const orch = new Orch({ home, env: { KUBECONFIG: `${one}:${other}` } });
    await orch.print(["config", "set-credentials", "other", "--token=t"]);
    await orch.print(["config", "set-context", "new", "--user=other"]);
    expect(readFileSync(other, "utf8")).toContain("token: t");
    expect(readFileSync(one, "utf8")).toContain("new");
    expect(existsSync(join(home, ".kube"))).toBe(false);
  });

  test("merge adds the entries of another file, and refuses to replace others", async () => {
    const first = fileOf("users: [{ name: u, user: { token: a } }]\n");
    const second = fileOf(
      "users: [{ name: u, user: { token: b } }]\ncontexts: [{ name: c, context: { user: u } }]\ncurrent-context: c\n",
    );
    expect(await first.failure(`merge ${second.path}`)).toEqual([
      expect.stringMatching(/user "u" exists and differs: --overwrite replaces it/),
      1,
    ]);
    expect(await first.config(`merge ${second.path} --prefix=b-`)).toBe(
      'user "b-u" added\ncontext "b-c" added\nSwitched to context "b-c".\n',
    );
    expect(await first.config(`merge ${second.path} --overwrite`)).toBe('user "u" replaced\ncontext "c" added\n');
    expect(JSON.parse(await first.config("view --raw -o json"))).toMatchObject({
      users: [
        { name: "b-u", user: { token: "b" } },
        { name: "u", user: { token: "b" } },
      ],
      "current-context": "b-c",
    });
  });

  test("validate names every fault with its line", async () => {
    const { failure, path } = fileOf(`apiVersion: v1
kind: Config
current-context: man
contexts:
- name: main
  context: { cluster: c, user: uu, namespaze: x }
clusters:
- name: c
  cluster:
    server: ":// x"
    certificate-authority: gone.crt
- cluster: {}
users:
- name: u
  user: { token: 12, exec: { command: not-there-x } }
`);
    const { stdout, code } = await new Orch({ home: workplace.folder() }).run(["config", "validate", path]);
    expect(stdout.split("\n").map((line) => line.replace(`${path}:`, ""))).toEqual([
      expect.stringMatching(/^ warning: other users may read or change it \(mode 644\)/),
      '3: current-context: there is no context "man" (did you mean "main"?)',
      '6: warning: context "main": the field "namespaze" is not known (did you mean "namespace"?)',
      '6: context "main": user: there is no user "uu" (did you mean "u"?)',
      '10: cluster "c": server: ":// x" is not a URL: use https://HOST:PORT',
      '11: cluster "c": certificate-authority: gone.crt: no such file',
      "12: clusters: an entry has no name",
      '15: user "u": token: is not a text: write it in quotes',
      '15: user "u": exec: the command "not-there-x" is not found',
      expect.stringMatching(/^15: user "u": exec: apiVersion is missing/),
      "",
    ]);
    expect(code).toBe(1);
    expect((await failure("use-context main"))[1]).toBe(1);
    const valid = fileOf("apiVersion: v1\nkind: Config\n");
    expect(await valid.config("validate")).toContain(`${valid.path}: valid\n`);
  });
});

describe.each(VOCABULARIES)("try on a server of the vocabulary %s", (vocabulary) => {
  const product = vocabulary === "orch" ? "orch.io" : "kubernetes.io";
  const pod = (name: string, hostNetwork: boolean) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: { hostNetwork, containers: [{ name: "web", image: "nginx" }] },
    });
  let orch: Orch;

  beforeAll(async () => {
    orch = orchOf(vocabulary);
    const { admin } = servers.get(vocabulary) as ApiServer;
    const labels = { [`pod-security.${product}/enforce`]: "baseline" };
    const { status } = await admin.post("/api/v1/namespaces", { metadata: { name: "strict", labels } });
    expect(status).toBe(201);
  });

  test("every plugin is shown with its decision and its changes, and nothing is stored", async () => {
    const shown = await orch.print(["try", "-f", "-", "-n", "strict"], { input: pod("web", false) });
    expect(shown).toMatch(/^pods\/web: create is allowed\n\nPHASE +PLUGIN +DECISION +CHANGES +TIME\n/);
    expect(shown).toMatch(/^admit +DefaultTolerationSeconds +allowed +1 +[\d.]+ ms\n {4}add \/spec\/tolerations \[/m);
    expect(shown).toMatch(/^validate +PodSecurity +allowed/m);
    const { admin } = servers.get(vocabulary) as ApiServer;
    expect((await admin.get("/api/v1/namespaces/strict/pods/web")).status).toBe(404);
  });

  test("a refusal names the plugin and its reason", async () => {
    const call = { input: `${pod("web", false)}\n---\n${pod("host", true)}` };
    const { stdout, code } = await orch.run(["try", "-f", "-", "-n", "strict"], call);
    expect(stdout).toContain("pods/web: create is allowed\n");
    expect(stdout).toMatch(
      /^pods\/host: create is refused \(403\)\n {2}pods "host" is forbidden: violates PodSecurity/m,
    );
    expect(stdout).toMatch(/^validate +PodSecurity +denied \(403\) +[\d.]+ ms\n {4}pods "host" is forbidden/m);
    expect(code).toBe(1);
    const asJson = await orch.run(["try", "-f", "-", "-n", "strict", "-o", "json"], { input: pod("host", true) });
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      target: "pods/host",
      operation: "create",
      allowed: false,
      code: 403,
      steps: expect.arrayContaining([expect.objectContaining({ plugin: "PodSecurity", decision: "denied" })]),
    });
  });

  test("without the right to an explanation, the result of the dry run is shown", async () => {
    const { admin } = servers.get(vocabulary) as ApiServer;
    const group = vocabulary === "orch" ? "rbac.authorization.orch.io" : "rbac.authorization.k8s.io";
    await admin.post(`/apis/${group}/v1/namespaces/strict/rolebindings`, {
      metadata: { name: "editors" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "edit" },
      subjects: [{ apiGroup: group, kind: "User", name: "ed" }],
    });
    const words = ["try", "-f", "-", "-n", "strict", "--as=ed"];
    const allowed = await orch.print(words, { input: pod("web", false) });
    expect(allowed).toMatch(/^pods\/web: create is allowed\n {2}the user has no right to the verb "explain"/);
    expect(allowed).toMatch(/^\+ {2}restartPolicy: Always$/m);
    const refused = await orch.run(words, { input: pod("host", true) });
    expect([refused.stdout, refused.code]).toEqual([
      expect.stringMatching(/^pods\/host: create is refused \(403\)/),
      1,
    ]);
    const other = await orch.run(["try", "-f", "-", "-n", "default", "--as=ed"], { input: pod("web", false) });
    expect(other.stdout).toMatch(/User "ed" cannot create resource "pods"/);
  });
});

describe.each(VOCABULARIES)("certificates of a server of the vocabulary %s", (vocabulary) => {
  const product = vocabulary === "orch" ? "orch.io" : "k8s.io";
  let orch: Orch;
  let server: ApiServer;

  beforeAll(() => {
    orch = orchOf(vocabulary);
    server = servers.get(vocabulary) as ApiServer;
    new ControllerManagers(workplace, server, vocabulary).start(`manager-${vocabulary}`, [
      "--controllers=csrsigning",
      "--leader-elect=false",
      `--cluster-signing-cert-file=${server.authority.caFile}`,
      `--cluster-signing-key-file=${server.authority.caFile.replace(/crt$/, "key")}`,
    ]);
  });

  test("a certificate is requested, approved, issued and accepted", async () => {
    const words = ["certificate", "request", "ann", "--group=dev", "--expires=2h", "--directory=certs"];
    expect((await orch.run([...words, "--no-wait"])).stderr).toBe('certificate signing request "ann" created\n');
    expect(await orch.print(["certificate", "list", "--pending"])).toMatch(
      /^NAME +SIGNERNAME +REQUESTOR +SUBJECT +REQUESTEDDURATION +CONDITION\nann +\S+client +\S+ +CN=ann,O=dev +(7200s|<none>) +Pending\n$/,
    );
    // Repeated, it waits for the same request with the same key.
    const waiting = orch.run(words);
    const text = `certificatesigningrequest.certificates.${product}/ann approved\n`;
    expect(await orch.print(["certificate", "approve", "ann"])).toBe(text);
    expect(await orch.print(["certificate", "approve", "ann"])).toBe(text);
    const denied = await orch.run(["certificate", "deny", "ann"]);
    expect([denied.stderr, denied.code]).toEqual(['error: certificate signing request "ann" is already Approved\n', 1]);
    const { stdout, stderr, code } = await waiting;
    expect([stdout, code]).toEqual(["certs/ann.crt\ncerts/ann.key\n", 0]);
    expect(stderr).toContain('certificate signing request "ann" exists\n');
    const [certificate = "", key = ""] = ["crt", "key"].map((ending) => join(orch.of.home, `certs/ann.${ending}`));
    for (const path of [certificate, key]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(new X509Certificate(readFileSync(certificate)).subject).toBe("O=dev\nCN=ann");
    expect(await orch.print(["certificate", "list"])).toMatch(/^ann .* Approved,Issued$/m);
    const own = new Orch({
      home: orch.of.home,
      options: [
        `--server=${server.url}`,
        `--certificate-authority=${server.authority.caFile}`,
        `--client-certificate=${certificate}`,
        `--client-key=${key}`,
      ],
    });
    expect(await own.print(["whoami"])).toMatch(/^Username +ann\nGroups +\[dev/m);
  }, 60_000);

  test("a request that is denied, or is there for another key, is an error", async () => {
    const waiting = orch.run(["certificate", "request", "bob", "--directory=certs"]);
    const denied = `certificatesigningrequest.certificates.${product}/bob denied\n`;
    for (;;) {
      const { stdout } = await orch.run(["certificate", "deny", "bob"]);
      if (stdout === denied) break;
      expect(stdout).toBe("");
    }
    const { stderr, code } = await waiting;
    expect(stderr).toMatch(/error: certificate signing request "bob" is Denied: OrchDeny: This CSR was denied/);
    expect(code).toBe(1);
    const other = await orch.run(["certificate", "request", "bob", "--directory=others"]);
    expect([other.stderr, other.code]).toEqual([expect.stringMatching(/"bob" for another key exists/), 1]);
    const late = await orch.run(["certificate", "request", "eve", "--directory=certs", "--timeout=1s"]);
    expect(late.stderr).toMatch(/error: certificate signing request "eve" was not approved within 1s: repeat/);
    const wrong = await orch.run(["certificate", "request", "eve", "--directory=certs", "--signer=mine"]);
    expect(wrong.stderr).toMatch(/^error: --signer: "mine" is neither client nor serving/);
  }, 60_000);
});
