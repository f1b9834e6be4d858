import { expect, test } from "@jest/globals";
import { defaultsOf, parseFlags } from "@orch/machinery";
import { flagAliases } from "../../program/manager-flags";
import { certificateSigningController } from "./controller";
import { filesBySigner, PAIR_FLAGS } from "./signing-flags";

const filesFor = (...words: readonly string[]) => {
  const { config, errors } = parseFlags(PAIR_FLAGS, words, flagAliases(PAIR_FLAGS));
  expect(errors).toEqual([]);
  return Object.fromEntries(filesBySigner(config));
};

test("one pair signs for all", () => {
  const pair = { option: "cluster-signing-cert-file", certificate: "c", key: "k" };
  expect(filesFor("--cluster-signing-cert-file=c", "--cluster-signing-key-file=k")).toEqual({
    agentServing: pair,
    apiserverClientAgent: pair,
    apiserverClient: pair,
    legacyUnknown: pair,
  });
});

test.each([
  ["agentServing", "cluster-signing-agent-serving", "cluster-signing-kubelet-serving"],
  ["apiserverClientAgent", "cluster-signing-agent-client", "cluster-signing-kubelet-client"],
  ["apiserverClient", "cluster-signing-apiserver-client", "cluster-signing-kube-apiserver-client"],
  ["legacyUnknown", "cluster-signing-legacy-unknown", "cluster-signing-legacy-unknown"],
])("a pair for %s enables only that signer, in both vocabularies", (signer, ...names) => {
  for (const name of names) {
    expect(filesFor(`--${name}-cert-file=c`, `--${name}-key-file=k`)).toEqual({
      [signer]: { option: `${names[0]}-cert-file`, certificate: "c", key: "k" },
    });
  }
});

test("without a pair, no signer is enabled", () => expect(filesFor()).toEqual({}));

test.each<[string, Partial<Record<keyof typeof PAIR_FLAGS, string>>, string]>([
  ["half a pair", { "cluster-signing-cert-file": "c" }, "--cluster-signing-key-file is missing"],
  [
    "half a pair of one signer",
    { "cluster-signing-legacy-unknown-key-file": "k" },
    "--cluster-signing-legacy-unknown-cert-file is missing",
  ],
  [
    "a pair beside that for all",
    {
      "cluster-signing-cert-file": "c",
      "cluster-signing-key-file": "k",
      "cluster-signing-apiserver-client-cert-file": "d",
      "cluster-signing-apiserver-client-key-file": "l",
    },
    "--cluster-signing-cert-file and --cluster-signing-apiserver-client-cert-file are mutually exclusive",
  ],
])("%s is refused by name", (_what, given, message) => {
  expect(() => filesBySigner({ ...defaultsOf(PAIR_FLAGS), ...given })).toThrow(message);
});

test("options that do not go together, and files that are not there, are refused before anything begins", () => {
  const { check, flags } = certificateSigningController;
  const options = { ...defaultsOf(flags), "cluster-signing-key-file": "k" };
  expect(() => check?.(options)).toThrow("--cluster-signing-cert-file is missing");
  const absent = { ...options, "cluster-signing-cert-file": "c" };
  expect(() => check?.(absent)).toThrow("--cluster-signing-cert-file: c and k cannot sign: ENOENT");
});

test("the duration may be given under its former name, which is told", () => {
  const { flags } = certificateSigningController;
  const { config, errors, warnings } = parseFlags(flags, ["--experimental-cluster-signing-duration=1h"]);
  expect([errors, config["experimental-cluster-signing-duration"]]).toEqual([[], 3_600_000]);
  expect(warnings).toEqual(["--experimental-cluster-signing-duration is deprecated: use --cluster-signing-duration"]);
});
