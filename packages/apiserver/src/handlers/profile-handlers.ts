// `/debug/pprof/`: profiles of the process in V8's formats, for Chrome DevTools. The paths are those of Go's
// net/http/pprof.
import type { Readable } from "node:stream";
import { getHeapSnapshot } from "node:v8";
import { answerBytes, answered, headersOf } from "@orch/http-server";
import { notFound, tooManyRequests } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { takeProfile } from "@orch/platform";
import { type ApiRequest, type ApiResponse, STALL_MS, sendPaced } from "@orch/request";
import type { PathHandler } from "./dispatch";

export const PROFILES_PATH = "/debug/pprof";

const INDEX = `profile?seconds=30: CPU profile (.cpuprofile)
heap: heap snapshot (.heapsnapshot); it contains secrets, and the server stops while it is taken
heap?seconds=30: sampled heap profile (.heapprofile)
`;

/** Content type of an answer, and the file extension that tools expect. */
interface Profile {
  readonly ending: "cpuprofile" | "heapprofile" | "heapsnapshot";
  readonly pieces: AsyncIterable<Buffer> | readonly Buffer[];
}

/** Serves the index of the profiles and the profiles. Only one profile is taken at a time. */
export function profileHandlers(logger: Pick<Logger, "info" | "warn">): { index: PathHandler; profile: PathHandler } {
  let isTaking = false;
  const index: PathHandler = (_request, response) =>
    answerBytes(response, 200, "text/plain; charset=utf-8", Buffer.from(INDEX));
  return {
    index,
    async profile(request, response) {
      const { context, method } = request;
      const name = context.info.path.slice(PROFILES_PATH.length + 1);
      if (name === "") return index(request, response);
      if (name !== "profile" && name !== "heap") throw notFound({ group: "", resource: "profiles" }, name);
      if (isTaking) throw tooManyRequests("another profile is in progress", { retryAfterSeconds: 10 });
      // The requested duration bounds the request.
      context.deadline = Number.POSITIVE_INFINITY;
      isTaking = true;
      try {
        logger.info("started a profile", { profile: name, user: context.user.name });
        if (method === "HEAD") response.writeHead(200, headersOf(response, "application/json")).end();
        else await send(response, await taken(name, request));
      } catch (error) {
        if (!answered(response)) throw error;
        response.destroy();
        logger.warn("a profile was aborted", { user: context.user.name, error: (error as Error).message });
      } finally {
        isTaking = false;
      }
    },
  };
}

async function taken(name: "profile" | "heap", { context }: ApiRequest): Promise<Profile> {
  const seconds = new URLSearchParams(context.info.search).get("seconds");
  if (name === "heap" && seconds === null) return { ending: "heapsnapshot", pieces: getHeapSnapshot() as Readable };
  const text = await takeProfile(name, seconds);
  if (text === undefined) throw tooManyRequests("another profile is in progress", { retryAfterSeconds: 10 });
  return { ending: name === "heap" ? "heapprofile" : "cpuprofile", pieces: [Buffer.from(text)] };
}

async function send(response: ApiResponse, { ending, pieces }: Profile): Promise<void> {
  const file = `${ending === "cpuprofile" ? "profile" : "heap"}.${ending}`;
  response.writeHead(200, [
    ...headersOf(response, "application/json"),
    "Content-Disposition",
    `attachment; filename="${file}"`,
  ]);
  for await (const piece of pieces) await sendPaced(response, piece, STALL_MS);
  response.end();
}
