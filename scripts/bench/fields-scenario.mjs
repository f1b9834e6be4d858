// Cost of a list of some fields of pods, compared with the metadata-only list of the same pods. Both are measured in turns
// on one server.
import { vocabularyOf } from "@orch/schema";
import { kindsInTurns } from "./in-turns.mjs";
import { collection } from "./objects.mjs";

const PODS = 5000;
const { meta } = vocabularyOf("orch").groups;
const METADATA = `application/json;as=PartialObjectMetadataList;v=v1;g=${meta}`;

export const fieldsScenario = {
  async run(bench) {
    const namespace = await bench.namespace();
    await bench.everywhere("fill", { namespace, from: 0, to: PODS, plural: "pods" });
    const path = collection(namespace, "pods");
    const { target, pid: serverPid } = bench.server;
    const order = { maker: "fixed", target, serverPid, concurrency: 2, warmupMs: 500, durationMs: 2000 };
    const { medians, last } = await kindsInTurns(bench, {
      metadata: () => ({ ...order, make: { path, accept: METADATA } }),
      fields: () => ({ ...order, make: { path: `${path}?fields=.metadata.name,.status.phase` } }),
      names: () => ({ ...order, make: { path: `${path}?fields=.metadata.name` } }),
    });
    const times = (kind) => `${(medians[kind] / medians.metadata).toFixed(2)} times`;
    return {
      ours: last,
      notes: [
        `a list of ${PODS} pods with two fields takes ${times("fields")} the processor time of the metadata-only list, one of names ${times("names")}`,
      ],
    };
  },
};
