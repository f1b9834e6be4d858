// The dashboards of deploy/grafana. Each has a file of its own.
import { ADMISSION } from "./admission.mjs";
import { OVERVIEW } from "./overview.mjs";
import { REQUESTS } from "./requests.mjs";
import { STORE } from "./store.mjs";
import { WATCHES } from "./watches.mjs";

export const DASHBOARDS = [OVERVIEW, REQUESTS, WATCHES, STORE, ADMISSION];
