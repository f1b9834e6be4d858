import own from "./index.cjs";

export const { startServer } = own;
