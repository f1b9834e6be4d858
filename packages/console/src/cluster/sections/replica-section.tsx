import { collectionPath } from "../../discovery/resource";
import { findResource } from "../../discovery/resources";
import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { StateText } from "../../parts/state-text";
import { TimeText } from "../../parts/time-text";
import { usePolled } from "../../parts/use-polled";
import { itemsOf } from "../../requests/lists";
import { objectAddress } from "../../routes/addresses";
import { names } from "../../session/settings";
import { timeNow } from "../../values/clock";
import { hostOf, type Lease, leaseState } from "../leases";

const PAUSE_MS = 10_000;

/** Replicas of the server, and the leaders of its controllers, from the leases of the system namespace. */
export function ReplicaSection() {
  const { coordination, systemNamespace, identityLabel } = names();
  const resource = findResource(coordination, "leases");
  const loaded = usePolled(
    async (signal) =>
      resource === undefined ? [] : (await itemsOf<Lease>(collectionPath(resource, systemNamespace), { signal })).items,
    [resource],
    () => PAUSE_MS,
  );
  if (resource === undefined) return null;
  const isReplica = ({ metadata }: Lease) => metadata.labels?.[identityLabel] !== undefined;
  const nameOf = ({ metadata }: Lease) => <a href={objectAddress(resource, metadata)}>{metadata.name}</a>;
  return (
    <Section title="Replicas and leaders">
      <Part subject="The leases" loaded={loaded}>
        {(leases) => (
          <>
            <DataTable
              label="Replicas"
              head={["Replica", "Host", "Seen", "State"]}
              rows={leases.filter(isReplica).map((lease) => {
                const isAlive = leaseState(lease, timeNow()) === "held";
                return [
                  nameOf(lease),
                  hostOf(lease),
                  <TimeText key="seen" time={lease.spec?.renewTime} />,
                  <StateText key="state" isGood={isAlive}>
                    {isAlive ? "alive" : "gone"}
                  </StateText>,
                ];
              })}
              none="The servers keep no leases of their own."
            />
            <h3>Leaders</h3>
            <DataTable
              label="Leaders"
              head={["Lease", "Leader", "Renewed", "Transitions", "State"]}
              rows={leases
                .filter((lease) => !isReplica(lease))
                .map((lease) => {
                  const state = leaseState(lease, timeNow());
                  return [
                    nameOf(lease),
                    lease.spec?.holderIdentity || "none",
                    <TimeText key="renewed" time={lease.spec?.renewTime} />,
                    lease.spec?.leaseTransitions ?? 0,
                    <StateText key="state" isGood={state !== "expired"}>
                      {state}
                    </StateText>,
                  ];
                })}
              none="No controller has elected a leader."
            />
          </>
        )}
      </Part>
    </Section>
  );
}
