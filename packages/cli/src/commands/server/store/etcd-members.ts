// Members of etcd: their state, alarms and defragmentation, through the client etcd3.
import { type EtcdOptions, etcdClient, etcdError, soon } from "./etcd-options";

export interface EndpointStatus {
  readonly endpoint: string;
  /** Reason why the endpoint does not answer; the other fields are then absent. */
  readonly error?: string;
  readonly id?: string;
  readonly version?: string;
  readonly bytes?: number;
  readonly bytesInUse?: number;
  readonly isLeader?: boolean;
  readonly isLearner?: boolean;
  readonly revision?: number;
  readonly raftTerm?: number;
  readonly raftIndex?: number;
  readonly errors?: readonly string[];
}

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface Alarm {
  readonly member: string;
  readonly alarm: string;
}

/** Ids as etcd's tools write them. */
const idText = (id: string): string => BigInt(id).toString(16);

export function statuses(endpoints: readonly string[], options: EtcdOptions): Promise<readonly EndpointStatus[]> {
  return Promise.all(endpoints.map((endpoint) => statusAt(endpoint, options)));
}

async function statusAt(endpoint: string, options: EtcdOptions): Promise<EndpointStatus> {
  const client = etcdClient(endpoint, options);
  try {
    const found = await client.maintenance.status(soon());
    return {
      endpoint,
      id: idText(found.header.member_id),
      version: found.version,
      bytes: Number(found.dbSize),
      bytesInUse: Number(found.dbSizeInUse),
      isLeader: found.leader === found.header.member_id,
      isLearner: found.isLearner,
      revision: Number(found.header.revision),
      raftTerm: Number(found.raftTerm),
      raftIndex: Number(found.raftIndex),
      errors: found.errors ?? [],
    };
  } catch (error) {
    return { endpoint, error: etcdError(endpoint, error).message };
  } finally {
    client.close();
  }
}

/** Asks the endpoints in turn. @throws CliError when none answers */
async function atFirst<Found>(
  endpoints: readonly string[],
  options: EtcdOptions,
  ask: (client: ReturnType<typeof etcdClient>) => Promise<Found>,
): Promise<Found> {
  let failure: Error | undefined;
  for (const endpoint of endpoints) {
    const client = etcdClient(endpoint, options);
    try {
      return await ask(client);
    } catch (error) {
      failure ??= etcdError(endpoint, error);
    } finally {
      client.close();
    }
  }
  throw failure;
}

export function membersOf(endpoints: readonly string[], options: EtcdOptions): Promise<readonly Member[]> {
  return atFirst(endpoints, options, async (client) => {
    const { members } = await client.cluster.memberList({}, soon());
    return members.map((member) => ({
      id: idText(member.ID),
      name: member.name,
      peerUrls: member.peerURLs,
      clientUrls: member.clientURLs,
      isLearner: member.isLearner,
    }));
  });
}

/** @param disarms ends the alarms that are raised @returns the alarms that were raised */
export function alarmsOf(
  endpoints: readonly string[],
  options: EtcdOptions,
  disarms: boolean,
): Promise<readonly Alarm[]> {
  return atFirst(endpoints, options, async (client) => {
    const { alarms = [] } = await client.maintenance.alarm({ action: "Get" }, soon());
    if (disarms) {
      for (const { memberID, alarm } of alarms) {
        await client.maintenance.alarm({ action: "Deactivate", memberID, alarm }, soon());
      }
    }
    return alarms.map(({ memberID, alarm }) => ({ member: idText(memberID), alarm: String(alarm).toUpperCase() }));
  });
}

/** Defragments a member, which does not answer meanwhile. @throws CliError */
export async function defragment(endpoint: string, options: EtcdOptions): Promise<void> {
  const client = etcdClient(endpoint, options);
  try {
    await client.maintenance.defragment();
  } catch (error) {
    throw etcdError(endpoint, error);
  } finally {
    client.close();
  }
}
