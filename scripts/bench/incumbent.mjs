// What the incumbent's server was measured at on a machine of this size (2 cores shared by client, server and etcd), by scenario.
// CPU is that of the server process, in microseconds per operation; memory in MiB; starts in milliseconds.
export const INCUMBENT = {
  get: { cpuMicrosPerOperation: 211, perSecond: 4300 },
  "get-rv0": { cpuMicrosPerOperation: 165, perSecond: 7500 },
  create: { cpuMicrosPerOperation: 520, perSecond: 1900 },
  update: { cpuMicrosPerOperation: 630 },
  "merge-patch": { cpuMicrosPerOperation: 650 },
  apply: { cpuMicrosPerOperation: 690 },
  delete: { cpuMicrosPerOperation: 530 },
  "list-5000": { cpuMicrosPerOperation: 103_000, perSecond: 12 },
  "list-5000-rv0": { cpuMicrosPerOperation: 37_000 },
  "list-limit-500": { cpuMicrosPerOperation: 8500 },
  "list-label-1%": { cpuMicrosPerOperation: 44_000 },
  "watch-fan-out": { cpuMicrosPerOperation: 21, perSecond: 46_000 },
  "start-to-ready": { milliseconds: 1900 },
  "idle-memory": { mebibytes: 337 },
};
