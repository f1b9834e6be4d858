// Command line of the program `kube-apiserver` of the package, which test environments start: the options of a
// kube-apiserver, with defaults for a server inside a test.
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/** Variables of the process that change the program. */
export interface EnvtestVariables {
  /** `off`, `on`, `*` for all, or names separated by commas. Default: `on`, see `DEFAULT_CONTROLLERS`. */
  readonly ORCH_ENVTEST_CONTROLLERS?: string | undefined;
  /** Kubernetes release to serve, such as `1.34`. An option of the command line takes precedence. */
  readonly ORCH_ENVTEST_RELEASE?: string | undefined;
  /** File that receives a kubeconfig of the administrator when the server is ready. */
  readonly ORCH_ENVTEST_KUBECONFIG?: string | undefined;
  /** `stays`: the server goes on when the process that started it has ended. */
  readonly ORCH_ENVTEST_ORPHAN?: string | undefined;
}

/**
 * Controllers that run by default. They change no object that a test is likely to write itself: tests that expect what
 * the controllers of workloads do ask for them.
 */
export const DEFAULT_CONTROLLERS: readonly string[] = ["namespace", "garbagecollector"];

/** @returns names for the option `--controllers`, none for `off` */
export function controllersIn(text: string | undefined): readonly string[] {
  switch (text) {
    case undefined:
    case "":
    case "on":
      return DEFAULT_CONTROLLERS;
    case "off":
      return [];
    default:
      return text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
  }
}

/**
 * Returns the server's command line. Its store is in memory, unless the options choose another one.
 * @param folder a folder of this process
 */
export function serverWords(
  words: readonly string[],
  { folder, release }: { readonly folder: string; readonly release: string | undefined },
): readonly string[] {
  const served = releaseOf(words, release);
  return [
    ...["--vocabulary=kubernetes", "--store=memory", `--data-dir=${folder}`, "--explorer-token=false"],
    ...withoutEtcd(words),
    ...(served === undefined ? [] : [`--emulated-release=${served}`, "--emulated-version="]),
    ...ownCertificateFolder(words, folder),
  ];
}

/** Options of a connection to etcd. The server refuses some of them for a store in memory. */
const ETCD_OPTION = /^--(etcd-(?:servers|servers-overrides|cafile|certfile|keyfile|transport))(?:=|$)/;

/** @returns a line for each option that is accepted and not used */
export function commandLineWarnings(words: readonly string[]): readonly string[] {
  if (usesEtcd(words)) return [];
  const names = words.map((word) => ETCD_OPTION.exec(word)?.[1]).filter((name) => name !== undefined);
  return [...new Set(names)].map(
    (name) => `--${name} has no effect here: this program stores its objects in memory and connects to no etcd`,
  );
}

const usesEtcd = (words: readonly string[]): boolean => valueOfOption(words, "store") === "etcd";

function withoutEtcd(words: readonly string[]): readonly string[] {
  if (usesEtcd(words)) return words;
  return words.filter((word, at) => {
    const before = words[at - 1];
    const isValue = before !== undefined && ETCD_OPTION.test(before) && !before.includes("=");
    return !isValue && !ETCD_OPTION.test(word);
  });
}

/** @returns the release that the options name, else `release`; undefined for the default */
export function releaseOf(words: readonly string[], release: string | undefined): string | undefined {
  const named =
    valueOfOption(words, "emulated-release") ?? valueOfOption(words, "emulated-version")?.replace(/^.*=/, "");
  return named ?? (release === "" ? undefined : release);
}

/**
 * Returns options that make the server keep its own authority in a folder of this process, when the command line brings
 * a serving pair: several servers may share the folder of the pair. The pair is linked, so that the server follows its
 * changes.
 */
function ownCertificateFolder(words: readonly string[], folder: string): readonly string[] {
  const { certificate, key } = servingPair(words);
  if (certificate === undefined || key === undefined) return [];
  const own = join(folder, "pki");
  mkdirSync(own, { mode: 0o700, recursive: true });
  symlinkSync(resolve(certificate), join(own, "apiserver.crt"));
  symlinkSync(resolve(key), join(own, "apiserver.key"));
  return [`--cert-dir=${own}`, "--tls-cert-file=", "--tls-private-key-file="];
}

interface PairFiles {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

function servingPair(words: readonly string[]): PairFiles {
  const [certificate, key] = [valueOfOption(words, "tls-cert-file"), valueOfOption(words, "tls-private-key-file")];
  if (certificate !== undefined || key !== undefined) return { certificate, key };
  const folder = valueOfOption(words, "cert-dir");
  if (folder === undefined) return { certificate, key };
  const [foundCertificate, foundKey] = [join(folder, "apiserver.crt"), join(folder, "apiserver.key")];
  return existsSync(foundCertificate) && existsSync(foundKey)
    ? { certificate: foundCertificate, key: foundKey }
    : { certificate, key };
}

/** @returns undefined for an option that is absent or empty */
function valueOfOption(words: readonly string[], name: string): string | undefined {
  const at = words.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const word = words[at];
  if (word === undefined) return undefined;
  const value = word === `--${name}` ? words[at + 1] : word.slice(name.length + 3);
  return value === "" ? undefined : value;
}
