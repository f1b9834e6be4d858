/** What the registry tells its operator. Fields hold no object contents. */
export interface RegistryLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: RegistryLog = { info: () => {}, warn: () => {} };
