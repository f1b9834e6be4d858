/** What the client tells the program that uses it. Fields hold no credentials and no object contents. */
export interface ClientLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: ClientLog = { info: () => {}, warn: () => {} };
