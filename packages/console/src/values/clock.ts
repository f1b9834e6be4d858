/** Returns the time of day of this machine in milliseconds, to show ages. */
export const timeNow = (): number => Date.now();
