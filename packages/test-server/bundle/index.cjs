"use strict";
const load = require("./load.cjs");

/** Starts a server. Test runners give tests a TypeError of their own, so that an error of the bundle is replaced. */
exports.startServer = async (options) => {
  try {
    return await load().testServer().startServer(options);
  } catch (error) {
    if (error?.name !== "TypeError" || error instanceof TypeError) throw error;
    throw new TypeError(error.message, { cause: error });
  }
};
