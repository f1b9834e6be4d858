import { section } from "@orch/machinery";
import { silentLog } from "@orch/platform";
import { defineController } from "../../framework/controller";
import { signRequests } from "./sign-requests";
import { FileAuthority } from "./signing-authority";
import { filesBySigner, PAIR_FLAGS } from "./signing-flags";

const DURATION = "cluster-signing-duration";

export const certificateSigningController = defineController({
  name: "csrsigning",
  alias: "certificatesigningrequest-signing-controller",
  does: "signs approved certificate signing requests",
  // Kubelets of many nodes renew their certificates at once.
  rateFactor: 10,
  needs: { group: "certificates", resource: "certificatesigningrequests" },
  flags: {
    ...PAIR_FLAGS,
    ...section("Certificate signing", {
      [DURATION]: {
        type: "duration",
        default: "8760h0m0s",
        min: 1,
        help: "maximum validity of signed certificates; a request may ask for less",
      },
      [`experimental-${DURATION}`]: {
        type: "duration",
        default: "0s",
        deprecated: `use --${DURATION}`,
        help: "old name",
      },
    } as const),
  },
  check(options) {
    for (const pair of filesBySigner(options).values()) FileAuthority.open(pair, silentLog);
  },
  async run(context, options, signal) {
    const files = filesBySigner(options);
    const { log } = context.client;
    if (files.size === 0) {
      log.info("no certificates are signed", { option: "cluster-signing-cert-file" });
    }
    const opened = new Map<string, FileAuthority>();
    for (const pair of files.values()) {
      const key = JSON.stringify(pair);
      if (!opened.has(key)) opened.set(key, FileAuthority.open(pair, log));
    }
    const current = (pair: object) => () => (opened.get(JSON.stringify(pair)) as FileAuthority).current();
    const authorities = new Map([...files].map(([signer, pair]) => [signer, current(pair)]));
    const durationMs = options[`experimental-${DURATION}`] || options[DURATION];
    await signRequests({ ...context, authorities, durationMs }, signal);
  },
});
