// Reviews of images by the backend, cached for the configured time.
import { createHash } from "node:crypto";
import { type EndSignal, RecentMap } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { AdmissionClock, RemoteService } from "../../contract/dependencies";
import type { ImagePolicy } from "./image-policy";
import { type ImageVerdict, reviewText, verdictIn } from "./image-review";

/** Maximum number of cached reviews. Source: plugin/pkg/admission/imagepolicy/admission.go. */
const REMEMBERED_MAX = 1024;
/** Keys longer than this are replaced by their digest: a pod may have thousands of containers. */
const KEY_MAX = 512;

interface Remembered {
  readonly verdict: ImageVerdict;
  /** Expiry on the monotonic clock. */
  readonly untilMs: number;
}

export interface ReviewedImagesDeps {
  readonly policy: ImagePolicy;
  readonly backend: RemoteService;
  readonly vocabulary: Vocabulary;
  readonly clock: AdmissionClock;
}

export class ReviewedImages {
  private readonly remembered = new RecentMap<string, Remembered>(REMEMBERED_MAX);

  constructor(private readonly deps: ReviewedImagesDeps) {}

  /**
   * Returns the verdict from the cache or the backend. @throws Error when the call fails or the response cannot be used
   */
  async verdict(spec: JsonObject, signal: EndSignal): Promise<ImageVerdict> {
    const { policy, backend, vocabulary, clock } = this.deps;
    const question = JSON.stringify(spec);
    const key = question.length <= KEY_MAX ? question : createHash("sha256").update(question).digest("base64");
    const known = this.remembered.get(key);
    if (known !== undefined && clock.elapsed() < known.untilMs) return known.verdict;
    const verdict = verdictIn(await backend.ask(reviewText(question, vocabulary), signal), vocabulary);
    const forMs = verdict.allowed ? policy.allowMs : policy.denyMs;
    if (forMs > 0) this.remembered.set(key, { verdict, untilMs: clock.elapsed() + forMs });
    return verdict;
  }
}
