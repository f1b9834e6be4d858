// Commands of `orch` that change objects: texts, exit codes and effects, in both vocabularies. With TEST_KUBECTL, the rows
// of the table run with that program as well: both must print the same.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { MORE_CLIENTS, type Printed } from "./harness/kubectl";
import { Orch } from "./harness/orch";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const VOCABULARIES = ["orch", "kubernetes"] as const;
const servers = new Map<string, ApiServer>();
const folder = workplace.folder();

const serverOf = (vocabulary: string): ApiServer => servers.get(vocabulary) as ApiServer;
const orchOf = (vocabulary: string, cwd = folder): Orch =>
  new Orch({
    home: cwd,
    options: [...Orch.optionsFor(serverOf(vocabulary)), `--cache-dir=${join(folder, vocabulary)}`],
  });

const configMap = (metadata: string, data = 'data: {a: "1"}') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {${metadata}}\n${data}\n`;
const deployment = (metadata: string, spec: string) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {${metadata}}\nspec:\n  ${spec}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: "web:1"}]}\n`;
const FILES = {
  "cm.yaml": configMap("name: a"),
  "cm9.yaml": configMap("name: a", 'data: {a: "9"}'),
  "new.yaml": configMap("name: new"),
  "other.yaml": configMap("name: a, namespace: other"),
  "gen.yaml": configMap("generateName: a-"),
  "two.yaml": `${configMap("name: b")}---\n${configMap("name: c")}`,
  "dep.yaml": deployment("name: d", "replicas: 2"),
  "bare.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bare}\nspec: {}\n",
  "unknown-field.yaml": deployment("name: d", "replicaz: 2"),
  "vars.env": "A=1\n# comment\nB=x=y\n",
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  for (const vocabulary of VOCABULARIES) {
    const flags = [`--vocabulary=${vocabulary}`, "--emulated-release=1.36"];
    servers.set(vocabulary, await startApiServer(workplace, { name: vocabulary, store: { kind: "memory" }, flags }));
  }
}, 60_000);

/** Words, standard output, standard error and exit code. */
type Row = readonly [words: string, stdout: string, stderr?: string, code?: number];

/** Rows that kubectl 1.36 answers with the same texts and codes. NS is the namespace of the run. */
const ROWS: readonly Row[] = [
  ["create namespace NS", "namespace/NS created\n"],
  ["create -f cm.yaml", "configmap/a created\n"],
  [
    "create -f cm.yaml",
    "",
    'Error from server (AlreadyExists): error when creating "cm.yaml": configmaps "a" already exists\n',
    1,
  ],
  ["label cm/a x=1", "configmap/a labeled\n"],
  ["label cm/a x=1", "configmap/a not labeled\n"],
  ["label cm/a x=2", "", "error: 'x' already has a value (1), and --overwrite is false\n", 1],
  ["label cm a x=2 --overwrite=true", "configmap/a labeled\n"],
  ["label cm/a x-", "configmap/a unlabeled\n"],
  ["label cm/a x-", 'label "x" not found.\nconfigmap/a not labeled\n'],
  ["label cm a", "", "error: at least one label update is required\n", 1],
  ["annotate cm/a y=1", "configmap/a annotated\n"],
  ["annotate cm --all y-", "configmap/a annotated\n"],
  ["annotate cm/gone y=1", "", 'Error from server (NotFound): configmaps "gone" not found\n', 1],
  ['patch cm a -p {"data":{"a":"2"}}', "configmap/a patched\n"],
  ['patch cm a -p {"data":{"a":"2"}}', "configmap/a patched (no change)\n"],
  ["patch cm gone -p {}", "", 'Error from server (NotFound): configmaps "gone" not found\n', 1],
  ["replace -f cm.yaml", "configmap/a replaced\n"],
  ["create -f cm.yaml -l no=label", "", "error: no objects passed to create\n", 1],
  [
    "create -f cm.yaml --raw api",
    "",
    'error: --raw must be a valid URL path: parse "api": invalid URI for request\n',
    1,
  ],
  ["create -f cm.yaml --dry-run=true -o name", "configmap/a\n"],
  [
    "delete cm --all -l a=b",
    "",
    "error: --all cannot be combined with a selector: the selector alone chooses the objects\n",
    1,
  ],
  [
    "delete cm a --interactive",
    "You are about to delete the following 1 object(s):\nconfigmap/a in NS\n",
    "Do you want to continue? (y/N): deletion is cancelled\n",
  ],
  [
    "get cm.nowhere",
    "",
    `error: the server doesn't have a resource type "cm" in group "nowhere" (did you mean "cm"?)\n`,
    1,
  ],
  ["get deploy.ap", "", "No resources found in NS namespace.\n"],
  ["replace -f gone.yaml", "", 'error: the path "gone.yaml" does not exist\n', 1],
  ["replace --force -f cm.yaml", 'configmap "a" deleted from NS namespace\nconfigmap/a replaced\n'],
  ["replace -f cm.yaml --grace-period=1", "", "error: --grace-period must have --force specified\n", 1],
  ["replace -f cm.yaml --timeout=1s", "", "error: --timeout must have --force specified\n", 1],
  ["create -f dep.yaml", "deployment.apps/d created\n"],
  ["scale deployment d --replicas=0", "deployment.apps/d scaled\n"],
  ["scale deployment d --replicas=0 --current-replicas=5", "", "error: Expected replicas to be 5, was 0\n", 1],
  ["scale deployment d", "", 'error: required flag(s) "replicas" not set\n', 1],
  ["scale deploy --all --replicas=1 --dry-run=client", "deployment.apps/d scaled (dry run)\n"],
  ["scale deploy d --replicas=1 --dry-run=server -o name", "deployment.apps/d\n"],
  ["rollout status deploy/d --watch=false", "Waiting for deployment spec update to be observed...\n"],
  ["rollout history deploy/d", "deployment.apps/d \nNo rollout history found.\n"],
  ["rollout undo deploy/d", "", 'error: no rollout history found for deployment "d"\n', 1],
  ["rollout pause deploy/d", "deployment.apps/d paused\n"],
  ["rollout pause deploy/d", "", 'error: deployments.apps "d" is already paused\n', 1],
  ["rollout resume deploy/d", "deployment.apps/d resumed\n"],
  ["rollout restart deploy/d", "deployment.apps/d restarted\n"],
  ["rollout restart cm/a", "", 'error: configmaps "a" restarting is not supported\n', 1],
  ["wait --for=jsonpath={.metadata.name}=a cm/a", "configmap/a condition met\n"],
  ["wait --for=create cm/a -o name", "configmap/a\n"],
  ["wait --for=delete cm/gone", ""],
  ["wait --for=delete cm/a --timeout=100ms", "", "error: timed out waiting for the condition on configmaps/a\n", 1],
  ["wait --for=condition=Ready cm/gone", "", 'Error from server (NotFound): configmaps "gone" not found\n', 1],
  ["wait --for=condition=Ready cm -l none=x", "", "error: no matching resources found\n", 1],
  ["delete cm a --dry-run=client", 'configmap "a" deleted from NS namespace (dry run)\n'],
  ["delete cm a --dry-run=server", 'configmap "a" deleted from NS namespace (server dry run)\n'],
  [
    "delete cm a gone",
    'configmap "a" deleted from NS namespace\n',
    'Error from server (NotFound): configmaps "gone" not found\n',
    1,
  ],
  ["delete cm gone --ignore-not-found", ""],
  ["delete cm -l none=x", "No resources found\n"],
  ["delete cm", "", "error: resource(s) were provided, but no name was specified\n", 1],
  ["delete cm a -l x=y", "", "error: name cannot be provided when a selector is specified\n", 1],
  ["delete deploy d --now --grace-period=4", "", "error: --now and --grace-period cannot be specified together\n", 1],
  ["delete deployment/d -o name", "deployment.apps/d\n"],
  [
    "delete -f dep.yaml",
    "",
    'Error from server (NotFound): error when deleting "dep.yaml": deployments.apps "d" not found\n',
    1,
  ],
  [
    "create -f unknown-field.yaml --validate=warn",
    "deployment.apps/d created\n",
    'Warning: unknown field "spec.replicaz"\n',
  ],
  ["create -f two.yaml -o name", "configmap/b\nconfigmap/c\n"],
  ["create -f gen.yaml --dry-run=client", "configmap/<unknown> created (dry run)\n"],
  ["apply -f gen.yaml", "", "error: from a-: cannot use generate name with apply\n", 1],
  ["apply -f cm.yaml --server-side", "configmap/a serverside-applied\n"],
  ["apply -f cm9.yaml --server-side --force-conflicts --field-manager=x -o name", "configmap/a\n"],
  ["apply -f new.yaml --server-side=false", "configmap/new created\n"],
  ["apply -f new.yaml --server-side=false", "configmap/new unchanged\n"],
  ["apply -f new.yaml --server-side=false --dry-run=server", "configmap/new unchanged (server dry run)\n"],
  ["create cm l --from-literal=a=1 --from-literal=b=2", "configmap/l created\n"],
  ["create cm h --from-literal=a=1 --append-hash", "configmap/h-h5t56b2k8g created\n"],
  ["create cm e --from-env-file=vars.env", "configmap/e created\n"],
  ["create cm f --from-literal=a", "", "error: invalid literal source a, expected key=value\n", 1],
  ["create secret generic s --from-literal=a=1 --type=x/y -o name", "secret/s\n"],
  ["create secret docker-registry r --docker-username=u --docker-password=p", "secret/r created\n"],
  ["create sa sa1", "serviceaccount/sa1 created\n"],
  ["create role r1 --verb=get,list --resource=po,deploy,deployments/scale", "role.RBAC/r1 created\n"],
  ["create role r3", "", "error: at least one verb must be specified\n", 1],
  ["create clusterrole NS-u --verb=get --non-resource-url=/x", "clusterrole.RBAC/NS-u created\n"],
  [
    "create rolebinding b1 --role=r1 --user=a --user=b --group=g --serviceaccount=NS:sa1",
    "rolebinding.RBAC/b1 created\n",
  ],
  [
    "create rolebinding b2 --clusterrole=view --serviceaccount=x",
    "",
    "error: serviceaccount must be <namespace>:<name>\n",
    1,
  ],
  ["create clusterrolebinding NS-b --clusterrole=view --user=a", "clusterrolebinding.RBAC/NS-b created\n"],
  ["create quota q --hard=pods=1", "resourcequota/q created\n"],
  ["create deployment d3 --image=web -- date -u", "deployment.apps/d3 created\n"],
  ["create deployment d4", "", 'error: required flag(s) "image" not set\n', 1],
  ["create job j --image=web -- date -f x", "job.batch/j created\n"],
  ["create job j3", "", "error: either --image or --from must be specified\n", 1],
  ["create svc clusterip c1 --tcp=80:8080 --tcp=81", "service/c1 created\n"],
  ["set selector svc c1 role=x,tier=y --dry-run=client", "service/c1 selector updated (dry run)\n"],
  ["set selector svc c1 role=x,tier=y", "service/c1 selector updated\n"],
  ["get svc c1 -o jsonpath={.spec.selector}", '{"role":"x","tier":"y"}'],
  ["set selector deploy d3 a=b", "", "error: setting a selector is only supported for Services\n", 1],
  ["set serviceaccount deploy d3 sa1", "deployment.apps/d3 serviceaccount updated\n"],
  ["get deploy d3 -o jsonpath={.spec.template.spec.serviceAccountName}", "sa1"],
  ["set subject rolebinding b1 --user=c --serviceaccount=NS:sa2", "rolebinding.RBAC/b1 subjects updated\n"],
  ["set subject rolebinding b1 --user=c", ""],
  ["get rolebinding b1 -o jsonpath={.subjects[*].name}", "a b g sa1 c sa2"],
  [
    "set subject rolebinding b1",
    "",
    "error: you must specify at least one value of user, group or serviceaccount\n",
    1,
  ],
  ["expose -f dep.yaml --name=ex --port=80", "service/ex exposed\n"],
  ["expose -f bare.yaml --port=80", "", "error: invalid deployment: no selectors, therefore cannot be exposed\n", 1],
  ["annotate -f cm.yaml --local a=b -o jsonpath={.metadata.annotations}", '{"a":"b"}'],
  ["label -f cm.yaml --local a=b", "configmap/a labeled\n"],
  ["set image -f dep.yaml c=web:2 --local -o jsonpath={.spec.template.spec.containers[0].image}", "web:2"],
  [
    "set image -f dep.yaml c=web:2 --local --dry-run=server",
    "",
    "error: cannot specify --local and --dry-run=server - did you mean --dry-run=client?\n",
    1,
  ],
  ["set resources deploy d3 -c=x --limits=cpu=1", "", "error: unable to find container named x\n", 1],
  ["set env deploy d3 --from=cm/l", "deployment.apps/d3 env updated\n"],
  ["set env deploy d3 A=3 --dry-run=client -o jsonpath={.spec.template.spec.containers[0].env[0].value}", "3"],
  ["set env deploy d3 --from=secret/s --keys=a --prefix=X_", "deployment.apps/d3 env updated\n"],
  ["set env deploy d3 B- C=4", "deployment.apps/d3 env updated\n"],
  [
    "set env deploy d3 --list",
    "# Deployment d3, container web\n# A from configmap l, key a\n# X_A from secret s, key a\nC=4\n",
  ],
  ["set env deploy d3 C=5 --overwrite=false", "", "error: 'C' already has a value (4), and --overwrite is false\n", 1],
  ["set env deploy d3 --from=sa/sa1", "", "error: unsupported resource specified in --from\n", 1],
  ["run p --image=web:1 --port=80 --expose", "service/p created\npod/p created\n"],
  ["run p2 --image=web:1 --expose", "", "error: --port must be set when exposing a service\n", 1],
  ["get svc p -o jsonpath={.spec.ports[0].targetPort}{.spec.selector}", '80{"run":"p"}'],
  ['expose pod p --port=80 --name=ov --overrides={"spec":{"type":"NodePort"}}', "service/ov exposed\n"],
  ["get svc ov -o jsonpath={.spec.type}", "NodePort"],
  ['run p3 --image=web:1 --overrides={"spec":{"nodeName":"n"}} --dry-run=client -o jsonpath={.spec.nodeName}', "n"],
  ["create svc externalname e1 --external-name=a.example", "service/e1 created\n"],
  ["create svc clusterip c3", "", "error: at least one tcp port specifier must be provided\n", 1],
  ["create ingress i1 --class=c --rule=a.example/x*=svc:80,tls=sec", "ingress.NETWORKING/i1 created\n"],
  ["create priorityclass NS-p --value=10", "priorityclass.SCHEDULING/NS-p created\n"],
  ["create pdb p1 --min-available=1 --selector=a=b", "poddisruptionbudget.policy/p1 created\n"],
  [
    "delete ns NS --wait=false",
    'namespace "NS" deleted\n',
    "Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n",
  ],
];

const GROUPS = { RBAC: "rbac.authorization", NETWORKING: "networking", SCHEDULING: "scheduling" };

async function rowsWith(run: (words: readonly string[]) => Promise<Printed>, vocabulary: string, namespace: string) {
  const suffix = vocabulary === "orch" ? "orch.io" : "k8s.io";
  const named = (text: string) =>
    Object.entries(GROUPS)
      .reduce((result, [word, group]) => result.replaceAll(word, `${group}.${suffix}`), text)
      .replaceAll("NS", namespace);
  for (const [words, stdout, stderr = "", code = 0] of ROWS) {
    // The other rows have no names of a vocabulary.
    if (vocabulary === "orch" && (code !== 0 || !/^(?:create|apply|delete) /.test(words))) continue;
    const result = await run([
      ...named(words).replace(/ -- /, ` -n ${namespace} -- `).split(" "),
      ...(words.includes(" -- ") ? [] : ["-n", namespace]),
    ]);
    const printed = { stdout: result.stdout, stderr: result.stderr, code: result.code };
    expect({ words, ...printed }).toEqual({ words, stdout: named(stdout), stderr: named(stderr), code });
  }
}

test("create --dry-run=client needs no server for kinds that all servers have", async () => {
  const orch = new Orch({ home: folder, options: ["--server=https://127.0.0.1:1", "--cache-dir=none"] });
  const commands = {
    "secret generic x --from-literal=a=1": "secret/x",
    "configmap x": "configmap/x",
    "deployment x --image=web": "deployment.apps/x",
    "ns x": "namespace/x",
  };
  for (const [words, name] of Object.entries(commands)) {
    const printed = await orch.run(["create", ...words.split(" "), "--dry-run=client"]);
    expect(printed).toEqual({ stdout: `${name} created (dry run)\n`, stderr: "", code: 0 });
  }
});

describe.each(VOCABULARIES)("a server of the vocabulary %s", (vocabulary) => {
  test("commands print and return what kubectl does", async () => {
    const orch = orchOf(vocabulary);
    await rowsWith((words) => orch.run(words), vocabulary, "table");
  }, 240_000);

  test("apply installs namespaces and definitions before their objects, in any order of the files", async () => {
    const orch = orchOf(vocabulary);
    const group = vocabulary === "orch" ? "apiextensions.orch.io" : "apiextensions.k8s.io";
    const definition = `apiVersion: ${group}/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: tabs, kind: Tab}\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-${vocabulary === "orch" ? "orch" : "kubernetes"}-preserve-unknown-fields: true}}}]\n`;
    const input = `apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: t, namespace: shop}\n---\n${configMap("name: a, namespace: shop")}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n${definition}`;
    expect(await orch.print(["apply", "-f", "-"], { input })).toBe(
      `namespace/shop serverside-applied\ncustomresourcedefinition.${group}/tabs.example.com serverside-applied\ntab.example.com/t serverside-applied\nconfigmap/a serverside-applied\n`,
    );
    expect(await orch.print(["delete", "-f", "-", "--wait=false"], { input })).toContain('tab.example.com "t" deleted');
  }, 60_000);

  test("apply tells who else sets a field, and the ways out", async () => {
    const orch = orchOf(vocabulary);
    await orch.print(["apply", "-f", "-", "--field-manager=first"], { input: configMap("name: shared") });
    const second = ["apply", "-f", "-"];
    const input = configMap("name: shared", 'data: {a: "2"}');
    const { stderr, code } = await orch.run(second, { input });
    expect([stderr, code]).toEqual([
      expect.stringMatching(
        /^error: Apply failed with 1 conflict: conflict with "first".*: \.data\.a[\s\S]*--force-conflicts/,
      ),
      1,
    ]);
    expect(await orch.print([...second, "--force-conflicts"], { input })).toBe("configmap/shared serverside-applied\n");
  });

  test("apply removes what a file no longer has, also after client-side apply", async () => {
    const orch = orchOf(vocabulary);
    const apply = (data: string, ...options: string[]) =>
      orch.print(["apply", "-f", "-", ...options], { input: configMap("name: moved", data) });
    const data = async () => {
      const text = await orch.print([
        "patch",
        "cm",
        "moved",
        "-p",
        "{}",
        "--dry-run=client",
        "-o",
        "json",
        "--show-managed-fields",
      ]);
      return JSON.parse(text) as {
        data: unknown;
        metadata: { managedFields: { manager: string; operation: string }[] };
      };
    };
    await apply('data: {a: "1", b: "2", c: "3"}', "--client-side");
    await apply('data: {a: "1", c: "3"}', "--client-side");
    expect((await data()).data).toEqual({ a: "1", c: "3" });
    await apply('data: {a: "1"}');
    const { data: left, metadata } = await data();
    expect(left).toEqual({ a: "1" });
    expect(metadata.managedFields.every(({ operation }) => operation === "Apply")).toBe(true);
  });

  test("a folder with many objects is applied and deleted in its order", async () => {
    const orch = orchOf(vocabulary);
    const names = Array.from({ length: 120 }, (_, at) => `many-${String(at).padStart(3, "0")}`);
    const many = join(folder, `many-${vocabulary}`);
    mkdirSync(many);
    for (const name of names) writeFileSync(join(many, `${name}.yaml`), configMap(`name: ${name}, labels: {many: x}`));
    expect(await orch.print(["apply", "-f", many])).toBe(
      names.map((name) => `configmap/${name} serverside-applied\n`).join(""),
    );
    expect(await orch.print(["delete", "cm", "-l", "many=x"])).toBe(
      names.map((name) => `configmap "${name}" deleted from default namespace\n`).join(""),
    );
  }, 60_000);

  test("delete waits, and tells which finalizer holds an object back", async () => {
    const orch = orchOf(vocabulary);
    await orch.print(["create", "-f", "-"], { input: configMap("name: held, finalizers: [example.com/hold]") });
    const held = await orch.run(["delete", "cm", "held", "--timeout=1s"]);
    expect(held).toEqual({
      stdout: 'configmap "held" deleted from default namespace\n',
      stderr:
        "error: timed out waiting for the condition on configmaps/held (finalizers example.com/hold must be removed by their controllers)\n",
      code: 1,
    });
    const waiting = orch.start(["delete", "cm", "held"]);
    const ended = once(waiting, "close");
    await once(waiting.stdout, "data");
    await orch.print(["patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
    expect(await ended).toEqual([0, null]);
  });

  test("wait and rollout status follow changes of many objects", async () => {
    const orch = orchOf(vocabulary);
    const names = Array.from({ length: 20 }, (_, at) => `d${at}`);
    const input = names.map((name) => deployment(`name: ${name}, labels: {set: many}`, "replicas: 1")).join("---\n");
    await orch.print(["create", "-f", "-"], { input });
    const following = orch.run(["rollout", "status", "deploy/d0", "--timeout=30s"]);
    const waiting = orch.run(["wait", "--for=condition=Available", "deploy", "-l", "set=many", "--timeout=30s"]);
    const status = {
      observedGeneration: 1,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
      readyReplicas: 1,
      conditions: [{ type: "Available", status: "True" }],
    };
    await orch.print([
      "patch",
      "deploy",
      "-l",
      "set=many",
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify({ status }),
    ]);
    const { stdout, code } = await waiting;
    expect([stdout.trim().split("\n").sort(), code]).toEqual([
      names.map((name) => `deployment.apps/${name} condition met`).sort(),
      0,
    ]);
    expect(await following).toMatchObject({
      stdout: expect.stringMatching(/deployment "d0" successfully rolled out\n$/),
      code: 0,
    });
  }, 60_000);

  test("an apply set deletes what is no longer applied, in every namespace, also after an interruption", async () => {
    const orch = orchOf(vocabulary);
    await orch.run(["create", "ns", "second"]);
    const apply = (input: string, ...more: string[]) =>
      orch.run(["apply", "-f", "-", "-n", "default", "--prune", "--applyset=app", ...more], { input });
    const [one, two] = ["name: one", "name: two"].map((name) => configMap(name)) as [string, string];
    const account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: worker}\n";
    expect(await apply(`${one}---\n${two}---\n${account}`)).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = await apply(one, "--dry-run=server");
    expect(stdout).toBe(
      "configmap/one serverside-applied (server dry run)\nconfigmap/two pruned (server dry run)\nserviceaccount/worker pruned (server dry run)\n",
    );
    // An object that cannot be applied keeps everything: the set is not known to be complete.
    const broken = configMap("name: Wrong_Name");
    const failed = await apply(`${one}---\n${broken}`);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("nothing is pruned")]);
    expect((await apply(one)).stdout).toBe(
      "configmap/one serverside-applied\nconfigmap/two pruned\nserviceaccount/worker pruned\n",
    );
    expect((await apply(one)).stdout).toBe("configmap/one serverside-applied\n");
    const other = await orch.run(["apply", "-f", "-", "-n", "default", "--prune"], { input: one });
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/^error: --prune needs --applyset=NAME/)]);
  }, 60_000);

  test("create --edit creates what was saved, and nothing without a change", async () => {
    const orch = orchOf(vocabulary);
    const create = ["create", "--edit", "-f", "cm9.yaml"];
    const unchanged = await orch.run(create, { env: { EDITOR: "true" } });
    expect(unchanged).toEqual({ stdout: "", stderr: "Edit cancelled, no changes made.\n", code: 0 });
    const editor = 'sed -i \'s/name: a$/name: edited/; s/"9"/"10"/\'';
    expect(await orch.print(create, { env: { EDITOR: editor } })).toBe("configmap/edited created\n");
    expect(await orch.print(["get", "cm", "edited", "-o", "jsonpath={.data.a}"])).toBe("10");
    const raw = await orch.run([...create, "--raw=/api/v1/namespaces"]);
    expect(raw.stderr).toBe("error: --raw and --edit are mutually exclusive\n");
  });

  test("set changes the objects of files with --local", async () => {
    const orch = orchOf(vocabulary);
    const input = "apiVersion: v1\nkind: Service\nmetadata: {name: absent}\nspec: {selector: {app: web}}\n";
    const local = ["set", "selector", "--local", "-o", "jsonpath={.spec.selector}"];
    expect(await orch.print([...local, "-f", "-", "role=x"], { input })).toBe('{"role":"x"}');
    expect(await orch.run([...local, "svc", "absent", "role=x"])).toMatchObject({
      stderr: expect.stringContaining("--local changes the objects of files"),
      code: 1,
    });
  });

  test("a file that cannot be read does not keep the others from being changed", async () => {
    const orch = orchOf(vocabulary);
    const files = join(folder, `partly-${vocabulary}`);
    mkdirSync(files);
    writeFileSync(join(files, "1.yaml"), configMap("name: partly-1"));
    writeFileSync(join(files, "2.yaml"), "apiVersion: v1\nmetadata: {name: kindless}\n");
    writeFileSync(join(files, "3.yaml"), "apiVersion: example.com/v1\nkind: Bogus\nmetadata: {name: a}\n");
    writeFileSync(join(files, "4.yaml"), configMap("name: partly-4"));
    const done = {
      create: "configmap/partly-1 created\nconfigmap/partly-4 created\n",
      apply: /configmap\/partly-1 .*\nconfigmap\/partly-4 /,
      "label x=1": "configmap/partly-1 labeled\nconfigmap/partly-4 labeled\n",
      "get -o name": "configmap/partly-1\nconfigmap/partly-4\n",
      delete: /^configmap "partly-1" deleted.*\nconfigmap "partly-4" deleted/,
    };
    for (const [words, stdout] of Object.entries(done)) {
      const [command = "", ...rest] = words.split(" ");
      const result = await orch.run([command, "-f", files, ...rest]);
      expect([words, result.code, result.stdout]).toEqual([words, 1, expect.stringMatching(stdout)]);
      expect(result.stderr).toContain("2.yaml, document 1: Object 'Kind' is missing");
      expect(result.stderr).toContain('no matches for kind "Bogus" in version "example.com/v1"');
    }
  });

  test("kustomizations are built by the program that there is", async () => {
    const orch = orchOf(vocabulary);
    const programs = join(folder, `programs-${vocabulary}`);
    mkdirSync(programs);
    const call = { env: { PATH: programs } };
    const without = await orch.run(["create", "-k", "base"], call);
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("neither kustomize nor kubectl")]);
    const script = (name: string, text: string) =>
      writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    script("kubectl", `[ "$*" = "kustomize base" ] && echo '${configMap("name: built").replaceAll("\n", "\n")}'`);
    expect(await orch.run(["create", "-k", "base"], call)).toMatchObject({
      stdout: "configmap/built created\n",
      code: 0,
    });
    script("kustomize", "echo 'Error: no kustomization' >&2; exit 1");
    expect(await orch.run(["get", "--kustomize=base"], call)).toEqual({
      stdout: "",
      stderr: "error: -k base: kustomize: no kustomization\n",
      code: 1,
    });
    expect((await orch.run(["delete", "-k", "base", "-f", "cm.yaml"], call)).stderr).toContain("only one of -f and -k");
  });

  test("edit shows refusals beside their lines, and keeps what was typed", async () => {
    const orch = orchOf(vocabulary);
    await orch.run(["create", "-f", "-"], { input: deployment("name: edited", "replicas: 1") });
    const script = join(folder, `editor-${vocabulary}`);
    const seen = `${script}.seen`;
    // The first text is refused, the second one is right.
    writeFileSync(
      script,
      `cat "$1" >> ${seen}\nif grep -q "# error" "$1"; then sed -i "s/replicas: -1/replicas: 3/" "$1"; else sed -i "s/replicas: 1/replicas: -1/" "$1"; fi\n`,
    );
    const variable = vocabulary === "orch" ? "ORCH_EDITOR" : "KUBE_EDITOR";
    const call = { env: { [variable]: `sh ${script}` } };
    expect(await orch.run(["edit", "deploy/edited"], call)).toMatchObject({
      stdout: "deployment.apps/edited edited\n",
      code: 0,
    });
    expect(readFileSync(seen, "utf8")).toMatch(
      /\n {2}# error: spec\.replicas: Invalid value: -1: .*\n {2}replicas: -1\n/,
    );
    expect(
      await orch.print([
        "patch",
        "deploy",
        "edited",
        "-p",
        "{}",
        "--dry-run=client",
        "-o",
        "jsonpath={.spec.replicas}",
      ]),
    ).toBe("3");
    const none = await orch.run(["edit", "deploy/edited"], { env: { [variable]: "true" } });
    expect(none).toEqual({ stdout: "", stderr: "Edit cancelled, no changes made.\n", code: 0 });
    const stubborn = await orch.run(["edit", "deploy/edited"], {
      env: { [variable]: 'sed -i "s/replicas: 3/replicas: -3/"' },
    });
    const kept =
      /A copy of your changes has been stored to "(.+)"\nerror: Edit cancelled, no valid changes were saved\.\n$/.exec(
        stubborn.stderr,
      )?.[1];
    expect(readFileSync(kept ?? "", "utf8")).toContain("replicas: -3");
  }, 60_000);
});

test("other clients print and return the same", async () => {
  for (const [at, program] of MORE_CLIENTS.entries()) {
    const options = [...Orch.optionsFor(serverOf("kubernetes")), `--cache-dir=${join(folder, `other${at}`)}`];
    const run = async (words: readonly string[]): Promise<Printed> => {
      const how = { cwd: folder, env: { HOME: folder } };
      const promise = promisify(execFile)(program, [...options, ...words], how);
      return promise.then(
        (printed) => ({ ...printed, code: 0 }),
        (error: Printed) => error,
      );
    };
    await rowsWith(run, "kubernetes", `other${at}`);
  }
}, 240_000);
