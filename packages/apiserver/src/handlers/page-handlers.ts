// GET /statusz and /flagz. Source: Kubernetes documentation, "Kubernetes z-pages".
import { answerBytes } from "@orch/http-server";
import {
  flagTexts,
  flagzPage,
  NOT_ACCEPTABLE_TEXT,
  notAcceptable,
  PAGE_TYPES,
  pageAnswer,
  parseAccept,
  type StatusPage,
  statuszPage,
} from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { type FeatureGates, flagSpellings, SERVER_FLAGS, type ServerConfig } from "@orch/server-config";
import type { VersionInfo } from "../version/version-document";
import type { PathHandler } from "./dispatch";

export interface PagesDeps {
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates: FeatureGates;
  readonly config: ServerConfig;
  readonly version: VersionInfo;
  /** Paths that the server lists. */
  readonly paths: () => readonly string[];
  /** Time of day in milliseconds. */
  readonly nowMs: () => number;
}

/** Name of API servers in the pages. Source: staging/src/k8s.io/apiserver/pkg/server/genericapiserver.go. */
const COMPONENT = "apiserver";

/** Returns the handlers of the pages that the feature gates enable. */
export function pageHandlers(deps: PagesDeps): readonly (readonly [path: string, handler: PathHandler])[] {
  const { vocabulary, release, gates, config, version, nowMs } = deps;
  const startedAtMs = nowMs() - process.uptime() * 1000;
  const status = () =>
    statuszPage({
      component: COMPONENT,
      startedAtMs,
      nowMs: nowMs(),
      goVersion: version.goVersion,
      binaryVersion: version.gitVersion.replace(/^v/, ""),
      emulationVersion: release,
      paths: deps.paths(),
    });
  const flags = () => flagzPage(COMPONENT, flagTexts(SERVER_FLAGS, config, flagSpellings(vocabulary)));
  const handler = (page: () => StatusPage): PathHandler => {
    return ({ headers }, response) => {
      const answer = pageAnswer(page(), parseAccept(headers.accept ?? ""), { release, vocabulary });
      if (answer === undefined) throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes([...PAGE_TYPES]));
      if (answer.warning !== undefined) response.setHeader("Warning", `299 - "${answer.warning}"`);
      answerBytes(response, 200, answer.contentType, Buffer.from(answer.body));
    };
  };
  return [
    ...(gates.ComponentStatusz ? [["/statusz", handler(status)] as const] : []),
    ...(gates.ComponentFlagz ? [["/flagz", handler(flags)] as const] : []),
  ];
}
