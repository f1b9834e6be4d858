// A list of warnings that depend on the release.
import type { Vocabulary } from "@orch/schema";
import type { Features } from "./features/features";

/** Collects the warnings about one object. */
export class WarningList {
  readonly texts: string[] = [];
  readonly vocabulary: Vocabulary;
  private readonly features: Features;

  constructor({ vocabulary, features }: { readonly vocabulary: Vocabulary; readonly features: Features }) {
    this.vocabulary = vocabulary;
    this.features = features;
  }

  /** Returns whether the release is this one or a later one. */
  since(release: string): boolean {
    return this.features.since(release);
  }

  add(path: string, text: string): void {
    this.texts.push(`${path}: ${text}`);
  }
}
