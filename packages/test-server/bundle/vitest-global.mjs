// Global setup of vitest: opens the pool of servers, and closes it at the end.
import load from "./load.cjs";

/** Returns a global setup with options, such as `{ crds: ["config/crd"] }`. */
export function globalSetup(options = {}) {
  return async () => {
    const pool = await load().pool().ServerPool.open(options);
    return () => pool.close();
  };
}

export default globalSetup();
