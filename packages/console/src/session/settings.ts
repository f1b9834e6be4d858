// The settings of the server, which are set before any page is shown.
import { signal } from "@preact/signals";
import { type Names, namesOf } from "../vocabulary/names";
import type { Config } from "./config";

export const config = signal<Config>({ vocabulary: "kubernetes", version: "" });

/** Names of the server's vocabulary. */
export const names = (): Names => namesOf(config.value.vocabulary);
