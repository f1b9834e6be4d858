import { describe, expect, test } from "@jest/globals";
import { flagTexts, parseFlags } from "@orch/machinery";
import { VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import { flagAliases, flagProblems, flagSpellings, type ManagerConfig } from "./manager-flags";
import { managerOptions } from "./manager-options";

const flags = managerOptions();
const parse = (...words: string[]) => parseFlags(flags, words, flagAliases(flags));

test("command lines of Kubernetes controller managers are accepted", () => {
  const { errors, config, given } = parse(
    "--allocate-node-cidrs=true",
    "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--bind-address=127.0.0.1",
    "--client-ca-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-cidr=10.244.0.0/16",
    "--cluster-name=kubernetes",
    "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
    "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
    "--cluster-signing-kubelet-client-cert-file=/etc/kubernetes/pki/ca.crt",
    "--concurrent_rc_syncs=5",
    "--controllers=*,bootstrapsigner,tokencleaner",
    "--kube-api-burst=50",
    "--kube-api-content-type=application/vnd.kubernetes.protobuf",
    "--kube-api-qps=40",
    "--kubeconfig=/etc/kubernetes/controller-manager.conf",
    "--leader-elect=true",
    "--port=0",
    "--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt",
    "--root-ca-file=/etc/kubernetes/pki/ca.crt",
    "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
    "--service-cluster-ip-range=10.96.0.0/12",
    "--use-service-account-credentials=true",
    "--v=2",
  );
  expect(errors).toEqual([]);
  expect(config).toMatchObject({ "api-qps": 40, "api-burst": 50 });
  expect(given.has("cluster-signing-agent-client-cert-file")).toBe(true);
});

describe("values that do not go together are told, all at once", () => {
  const told = (...words: string[]) => flagProblems(parse(...words).config as ManagerConfig);

  test.each<[string[], string[]]>([
    [[], []],
    [["--leader-elect-lease-duration=10s"], ["--leader-elect-lease-duration"]],
    [["--leader-elect-renew-deadline=2400ms"], ["--leader-elect-renew-deadline"]],
    [["--leader-elect-renew-deadline=2401ms"], []],
    [["--leader-elect=false", "--leader-elect-lease-duration=10s"], []],
    [
      ["--leader-elect-lease-duration=2s", "--leader-elect-renew-deadline=2s", "--tls-cert-file=x"],
      ["--leader-elect-lease-duration", "--leader-elect-renew-deadline", "--tls-cert-file"],
    ],
    [["--tls-private-key-file=x"], ["--tls-cert-file"]],
    [["--show-hidden-metrics-for-version=1.22"], []],
    [["--show-hidden-metrics-for-version=last"], ["--show-hidden-metrics-for-version"]],
  ])("%j", (words, expected) => {
    expect(told(...words).map((problem) => problem.split(/:| and /)[0])).toEqual(expected);
  });
});

test.each(VOCABULARY_NAMES)("the names of %s are accepted, and are those of no other vocabulary", (name) => {
  const shown = flagTexts(flags, parse().config, flagSpellings(flags, vocabularyOf(name)));
  expect(Object.keys(shown)).toHaveLength(Object.keys(flags).length);
  const { errors } = parse(...Object.entries(shown).map(([flag, text]) => `--${flag}=${text}`));
  expect(errors).toEqual([]);
  const other = vocabularyOf(name === "orch" ? "kubernetes" : "orch");
  expect(Object.values(other.flags).filter((flag) => Object.hasOwn(shown, flag.slice(2)))).toEqual([]);
});
