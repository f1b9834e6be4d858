// Command lines of kube-apiserver as installers and hardening guides write them. Each starts a server that becomes
// ready. Sources: kubeadm's cmd/kubeadm/app/phases/controlplane/manifests.go; kind's KubeadmConfigPatches; kubespray's
// roles/kubernetes/control-plane/templates/kubeadm-config.v1beta4.yaml.j2; k3s' pkg/daemons/control/server.go; k0s'
// pkg/component/controller/apiserver.go; gardener's pkg/component/kubernetes/apiserver/deployment.go; the API server
// section of controller-runtime's pkg/internal/testing/controlplane; the CIS Kubernetes Benchmark, "API Server".
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TokenSigner } from "@orch/testing";
import { Authority } from "./harness/credentials";
import { type EtcdCluster, startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { freePorts } from "./harness/free-port";
import { ApiClient } from "./harness/https-client";
import { repository, useWorkplace } from "./harness/processes";

const MAIN = join(repository, "packages/apiserver-program/dist/main.js");
const workplace = useWorkplace();

let etcd: EtcdCluster;
let authority: Authority;
let folder: string;
let signer: TokenSigner | undefined;
/** Values that the command lines refer to: files in the folder, and the endpoints of etcd. */
let values: Readonly<Record<string, string>>;

const CONFIGURATIONS: Readonly<Record<string, object>> = {
  audit: { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] },
  admission: {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [
      {
        name: "EventRateLimit",
        configuration: {
          apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
          kind: "Configuration",
          limits: [{ type: "Namespace", qps: 50, burst: 100 }],
        },
      },
    ],
  },
  encryption: {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [
      {
        resources: ["secrets"],
        providers: [
          { aescbc: { keys: [{ name: "key1", secret: Buffer.alloc(32, 7).toString("base64") }] } },
          { identity: {} },
        ],
      },
    ],
  },
  egress: {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection: { proxyProtocol: "Direct" } }],
  },
  tracing: { apiVersion: "apiserver.config.k8s.io/v1", kind: "TracingConfiguration", samplingRatePerMillion: 100 },
};

beforeAll(async () => {
  etcd = await startEtcd(workplace);
  authority = new Authority(workplace);
  folder = workplace.folder();
  const { cert, key, ca } = authority.issue("apiserver", { names: ["api.example"] });
  const client = authority.issue("front-proxy-client");
  const certDir = join(folder, "certificates");
  mkdirSync(certDir);
  copyFileSync(cert, join(certDir, "apiserver.crt"));
  copyFileSync(key, join(certDir, "apiserver.key"));
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  values = {
    ...{ CA: ca, CERT: cert, KEY: key, CLIENT_CERT: client.cert, CLIENT_KEY: client.key, CERT_DIR: certDir },
    ...{ ETCD: etcd.endpoints, FOLDER: folder },
    SA_KEY: file("sa.key", privateKey.export({ type: "pkcs1", format: "pem" }) as string),
    SA_PUB: file("sa.pub", createPublicKey(privateKey).export({ type: "spki", format: "pem" }) as string),
    ...Object.fromEntries(
      Object.entries(CONFIGURATIONS).map(([name, content]) => [
        name.toUpperCase(),
        file(`${name}.json`, JSON.stringify(content)),
      ]),
    ),
  };
  signer = await new TokenSigner(join(folder, "signer.sock")).start();
});

afterAll(() => signer?.stop());

const KUBEADM = `
  --advertise-address=127.0.0.1 --allow-privileged=true --authorization-mode=Node,RBAC --client-ca-file=$CA
  --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth=true --etcd-servers=$ETCD
  --kubelet-client-certificate=$CLIENT_CERT --kubelet-client-key=$CLIENT_KEY
  --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname --proxy-client-cert-file=$CLIENT_CERT
  --proxy-client-key-file=$CLIENT_KEY --requestheader-allowed-names=front-proxy-client
  --requestheader-client-ca-file=$CA --requestheader-extra-headers-prefix=X-Remote-Extra-
  --requestheader-group-headers=X-Remote-Group --requestheader-username-headers=X-Remote-User
  --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=$SA_PUB
  --service-account-signing-key-file=$SA_KEY --service-cluster-ip-range=10.96.0.0/16 --tls-cert-file=$CERT
  --tls-private-key-file=$KEY`;

const KUBESPRAY = `${KUBEADM}
  --anonymous-auth=True --apiserver-count=1 --bind-address=127.0.0.1 --default-not-ready-toleration-seconds=300
  --default-unreachable-toleration-seconds=300 --endpoint-reconciler-type=lease --event-ttl=1h0m0s --profiling=False
  --request-timeout=1m0s --service-account-lookup=True --service-node-port-range=30000-32767 --storage-backend=etcd3
  --enable-aggregator-routing=False --kubelet-certificate-authority=$CA --tls-min-version=VersionTLS12`;

const K3S = `
  --allow-privileged=true --anonymous-auth=false
  --api-audiences=https://kubernetes.default.svc.cluster.local,k3s --authorization-mode=Node,RBAC
  --bind-address=127.0.0.1 --cert-dir=$FOLDER/temporary-certs --client-ca-file=$CA
  --egress-selector-config-file=$EGRESS --enable-admission-plugins=NodeRestriction --enable-aggregator-routing=true
  --enable-bootstrap-token-auth=true --etcd-servers=$ETCD --kubelet-certificate-authority=$CA
  --kubelet-client-certificate=$CLIENT_CERT --kubelet-client-key=$CLIENT_KEY
  --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname --profiling=false
  --proxy-client-cert-file=$CLIENT_CERT --proxy-client-key-file=$CLIENT_KEY
  --requestheader-allowed-names=system:auth-proxy --requestheader-client-ca-file=$CA
  --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group
  --requestheader-username-headers=X-Remote-User
  --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=$SA_KEY
  --service-account-signing-key-file=$SA_KEY --service-cluster-ip-range=10.43.0.0/16
  --service-node-port-range=30000-32767 --storage-backend=etcd3 --tls-cert-file=$CERT --tls-private-key-file=$KEY
  --tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256`;

const K0S = `${KUBEADM}
  --anonymous-auth=false --api-audiences=https://kubernetes.default.svc,system:konnectivity-server
  --egress-selector-config-file=$EGRESS --feature-gates= --profiling=false --endpoint-reconciler-type=none
  --tls-min-version=VersionTLS12 --tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
  --v=1`;

const GARDENER = `${KUBEADM}
  --anonymous-auth=false --api-audiences=https://api.example --audit-log-path=$FOLDER/gardener.log
  --audit-log-maxbackup=5 --audit-log-maxsize=100 --audit-policy-file=$AUDIT --default-watch-cache-size=100
  --egress-selector-config-file=$EGRESS --enable-aggregator-routing=true --encryption-provider-config=$ENCRYPTION
  --etcd-servers-overrides=/events#$ETCD,coordination.k8s.io/leases#$ETCD --event-ttl=1h --external-hostname=api.example
  --feature-gates=StructuredAuthenticationConfigurationEgressSelector=true --http2-max-streams-per-connection=1000
  --kubelet-preferred-address-types=InternalIP,Hostname,ExternalIP --livez-grace-period=1m
  --max-mutating-requests-inflight=200 --max-requests-inflight=400 --profiling=false --runtime-config=apps/v1=true
  --service-account-extend-token-expiration=true --service-account-jwks-uri=https://api.example/openid/v1/jwks
  --service-account-max-token-expiration=720h --shutdown-delay-duration=15s --shutdown-send-retry-after=true
  --tls-sni-cert-key=$CERT,$KEY:api.example --tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
  --v=2 --vmodule=httplog=2 --watch-cache-sizes=secrets#500,pods#500`;

const CIS = `${KUBEADM}
  --admission-control-config-file=$ADMISSION --anonymous-auth=false --audit-log-maxage=30 --audit-log-maxbackup=10
  --audit-log-maxsize=100 --audit-log-path=$FOLDER/audit.log --audit-policy-file=$AUDIT
  --enable-admission-plugins=NodeRestriction,EventRateLimit,AlwaysPullImages,DenyServiceExternalIPs,PodSecurity
  --encryption-provider-config=$ENCRYPTION --kubelet-certificate-authority=$CA --profiling=false
  --request-timeout=300s --service-account-lookup=true --tls-min-version=VersionTLS12
  --tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`;

const ENVTEST = `
  --allow-privileged=true --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir=$CERT_DIR --client-ca-file=$CA
  --disable-admission-plugins=ServiceAccount --etcd-servers=$ETCD --service-account-issuer=https://127.0.0.1/
  --service-account-key-file=$SA_PUB --service-account-signing-key-file=$SA_KEY
  --service-cluster-ip-range=10.0.0.0/24`;

const OTHERS = `${KUBEADM}
  --emulated-version=kube=1.35 --min-compatibility-version=kube=1.34 --emulation-forward-compatible=true
  --runtime-config-emulation-forward-compatible=true --runtime-config=admissionregistration.k8s.io/v1
  --tracing-config-file=$TRACING --watch-cache=true --enable-garbage-collector=true
  --shutdown-watch-termination-grace-period=5s --service-account-issuer=https://second.example
  --coordinated-leadership-lease-duration=15s --coordinated-leadership-renew-deadline=10s
  --coordinated-leadership-retry-period=2s --log-json-info-buffer-size=1Mi --log-json-split-stream=true
  --log-text-info-buffer-size=1Mi --log-text-split-stream=true --permit-address-sharing=true
  --permit-port-sharing=false`;

const GATES = [
  ...["InPlacePodVerticalScaling", "DynamicResourceAllocation", "SidecarContainers", "DRAAdminAccess"],
  ...[
    "DRAPartitionableDevices",
    "DRAConsumableCapacity",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "PodLevelResources",
  ],
].map((name) => `${name}=true`);

const DEVICES = "--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true";

interface Row {
  readonly flags: string;
  /** A path that the server serves because of the command line. */
  readonly path?: string;
}

test.each<[string, Row]>([
  ["kubeadm", { flags: KUBEADM }],
  ["kind", { flags: `${KUBEADM} --runtime-config=` }],
  ["kind with all APIs", { flags: `${KUBEADM} --runtime-config=api/all=true` }],
  [
    "kind with dynamic resource allocation",
    { flags: `${KUBEADM} ${DEVICES} --feature-gates=${GATES.join()}`, path: "/apis/resource.k8s.io/v1beta1" },
  ],
  [
    "kind with mutating admission policies and volume attributes classes",
    {
      flags: `${KUBEADM} --feature-gates=MutatingAdmissionPolicy=true,VolumeAttributesClass=true
        --runtime-config=admissionregistration.k8s.io/v1beta1=true,storage.k8s.io/v1beta1=true`,
      path: "/apis/admissionregistration.k8s.io/v1beta1",
    },
  ],
  ["kubespray", { flags: `${KUBESPRAY} --tracing-config-file=$TRACING` }],
  ["kubespray with a second etcd for events", { flags: `${KUBESPRAY} --etcd-servers-overrides=/events#$ETCD` }],
  ["k3s", { flags: K3S }],
  ["k0s", { flags: K0S }],
  ["gardener", { flags: GARDENER }],
  ["the CIS benchmark", { flags: CIS }],
  ["envtest", { flags: ENVTEST }],
  ["an external signer", { flags: externalSigner() }],
  ["an emulated version and newer flags", { flags: OTHERS, path: "/apis/admissionregistration.k8s.io/v1" }],
])("the command line of %s starts a server that becomes ready", async (name, { flags, path = "/api/v1" }) => {
  const [port = 0] = await freePorts(1);
  const words = flags.trim().split(/\s+/);
  const program = workplace.start({
    name: name.replaceAll(" ", "-"),
    program: process.execPath,
    args: [
      ...[MAIN, "--vocabulary=kubernetes", `--data-dir=${workplace.folder()}`, `--secure-port=${port}`],
      ...[`--etcd-prefix=/${name.replaceAll(" ", "-")}`],
      ...words.map((word) => word.replaceAll(/\$(\w+)/g, (_, value: string) => values[value] ?? "")),
    ],
  });
  const client = new ApiClient(`https://127.0.0.1:${port}`, authority.user("operator", ["system:masters"]));
  await eventually(`${name} is ready`, async () => {
    if (!program.running) throw new Error(`the server ended\n${program.logTail}`);
    return (await client.get("/readyz").catch(() => undefined))?.status === 200;
  });
  expect((await client.get(path)).status).toBe(200);
  client.close();
  // The shutdown of some command lines waits for load balancers.
  await program.kill();
});

/** The external signer replaces the keys of the server. */
function externalSigner(): string {
  const without = KUBEADM.replace(/--service-account-key-file=\S+/, "").replace(
    /--service-account-signing-key-file=\S+/,
    "",
  );
  return `${without} --service-account-signing-endpoint=$FOLDER/signer.sock`;
}
