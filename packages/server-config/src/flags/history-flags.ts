// Options of the history of objects.
import { type FlagTable, section } from "@orch/machinery";

export const HISTORY_FLAGS = section("History of objects", {
  history: {
    type: "stringArray",
    default: "",
    help: "resource=N: keeps the last N states of each object, such as configmaps=10, deployments.apps,*.example.com=20; names without a number have that of the next one; repeatable; empty: only in namespaces with the annotation for it",
  },
  "history-max-age": {
    type: "duration",
    default: "720h",
    min: 0,
    help: "age from which kept states are removed; 0: any age",
  },
  "history-max-bytes": {
    type: "int",
    default: "8388608",
    min: 1,
    help: "size in the store of the kept states of one object, from which the oldest are removed; the newest one stays",
  },
  "history-trim-interval": {
    type: "duration",
    default: "1m0s",
    min: 100,
    help: "time between two searches for kept states beyond --history, --history-max-age and --history-max-bytes; one replica searches",
  },
}) satisfies FlagTable;
