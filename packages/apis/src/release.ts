// What a release serves when nobody says otherwise.
import type { Release } from "./built-in-resource";

/** The release whose set of versions is served unless another is asked for. */
export const DEFAULT_RELEASE: Release = "1.23";

/** Alpha versions are served only where the configuration asks for them. Source: resource-api, "Stability levels". */
export const isEnabledByDefault = (version: string): boolean => !/^v\d+alpha\d+$/.test(version);
