// PodSecurityPolicies: use permissions, changes of pods, and policies in force right after their creation.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const POLICIES = "/apis/policy/v1beta1/podsecuritypolicies";
const PODS = "/api/v1/namespaces/default/pods";
const RBAC = "/apis/rbac.authorization.orch.io/v1";
const FLAGS = { "enable-admission-plugins": ["PodSecurityPolicy"], "disable-admission-plugins": ["ServiceAccount"] };

let server: RunningServer;
let admin: ApiClient;
let ann: ApiClient;

const policy = (name: string, spec: object = {}) => ({
  metadata: { name, annotations: { "seccomp.security.alpha.orch.io/allowedProfileNames": "*" } },
  spec: {
    ...{ seLinux: { rule: "RunAsAny" }, runAsUser: { rule: "RunAsAny" }, fsGroup: { rule: "RunAsAny" } },
    ...{ supplementalGroups: { rule: "RunAsAny" }, volumes: ["*"], ...spec },
  },
});
const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const patch = (path: string, body: object): Promise<Answer> =>
  admin.ask("PATCH", path, {
    body: JSON.stringify(body),
    headers: { "content-type": "application/strategic-merge-patch+json" },
  });

async function created(answer: Promise<Answer>): Promise<Answer> {
  const { code, text } = await answer;
  expect([code, text]).toEqual([201, expect.anything()]);
  return answer;
}

beforeAll(async () => {
  server = await startServer({ flags: { ...FLAGS, "emulated-release": "1.24" } });
  admin = new ApiClient(server, server.admin);
  ann = new ApiClient(server, server.issueClient({ name: "ann", groups: [] }));
  const role = (name: string, rule: object) =>
    created(admin.post(`${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] }));
  await role("pods", { apiGroups: [""], resources: ["pods"], verbs: ["*"] });
  await role("use-open", {
    apiGroups: ["policy"],
    resources: ["podsecuritypolicies"],
    resourceNames: ["open"],
    verbs: ["use"],
  });
  const bind = (roleName: string, subject: object) =>
    created(
      admin.post(`${RBAC}/namespaces/default/rolebindings`, {
        metadata: { name: roleName },
        subjects: [subject],
        roleRef: { kind: "ClusterRole", name: roleName, apiGroup: "rbac.authorization.orch.io" },
      }),
    );
  await bind("pods", { kind: "User", name: "ann", apiGroup: "rbac.authorization.orch.io" });
  await bind("use-open", { kind: "ServiceAccount", name: "builder", namespace: "default" });
}, 30_000);

afterAll(async () => {
  admin.close();
  ann.close();
  await server.stop();
});

describe("a server with policies for pods", () => {
  test("takes no pod while there is none", async () => {
    const { code, json } = await admin.post(PODS, pod("none"));
    expect([code, json.message]).toEqual([
      403,
      'pods "none" is forbidden: PodSecurityPolicy: no providers available to validate pod request',
    ]);
  });

  test("completes pods, and says by which policy", async () => {
    const ranges = [{ min: 1000, max: 2000 }];
    const spec = {
      runAsUser: { rule: "MustRunAs", ranges },
      requiredDropCapabilities: ["ALL"],
      allowPrivilegeEscalation: false,
    };
    await created(admin.post(POLICIES, policy("filling", spec)));
    const { json } = await created(admin.post(PODS, pod("filled")));
    expect(json.metadata.annotations).toMatchObject({ "orch.io/psp": "filling" });
    expect(json.spec.containers).toMatchObject([
      { securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"] }, allowPrivilegeEscalation: false } },
    ]);
    const { code, json: refused } = await admin.post(PODS, pod("host", { hostNetwork: true }));
    expect([code, refused.message]).toEqual([
      403,
      'pods "host" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used]',
    ]);
  });

  test("goes by what the account of the pod may use, and then its writer", async () => {
    await created(admin.post(POLICIES, policy("open", { hostNetwork: true, hostPorts: [{ min: 0, max: 65535 }] })));
    const { code, json } = await ann.post(PODS, pod("own", { hostNetwork: true }));
    expect([code, json.message]).toEqual([403, 'pods "own" is forbidden: PodSecurityPolicy: unable to admit pod: []']);
    const built = await created(ann.post(PODS, pod("built", { hostNetwork: true, serviceAccountName: "builder" })));
    expect(built.json.metadata.annotations).toMatchObject({ "orch.io/psp": "open" });
  });

  test("judges what becomes of pods by the policies there are then", async () => {
    expect((await patch(`${PODS}/built`, { metadata: { labels: { a: "b" } } })).code).toBe(200);
    await admin.ask("DELETE", `${POLICIES}/open`);
    const { code, json } = await patch(`${PODS}/built`, { metadata: { labels: { a: "c" } } });
    expect([code, json.message]).toEqual([
      403,
      expect.stringContaining('pods "built" is forbidden: PodSecurityPolicy: unable to validate pod: ['),
    ]);
    expect((await patch(`${PODS}/built`, { metadata: { finalizers: ["x.example/y"] } })).code).toBe(200);
    expect((await patch(`${PODS}/built/status`, { status: { message: "m" } })).code).toBe(200);
  });
});

test("a release that has them no more does not know the plugin", async () => {
  await expect(startServer({ flags: { ...FLAGS, "emulated-release": "1.25" } })).rejects.toThrow(
    'enable-admission-plugins plugin "PodSecurityPolicy" is unknown',
  );
});
