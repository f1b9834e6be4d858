// Setup file of jest (`setupFilesAfterEnv`): gives the tests of a file the server of their worker.
"use strict";
const { afterAll, beforeAll } = require("@jest/globals");
const { PooledServer } = require("./runner.cjs");

const server = new PooledServer(process.env.JEST_WORKER_ID ?? "1");
exports.server = server;

beforeAll(() => server.begin());
afterAll(() => server.end());
