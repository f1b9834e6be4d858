"use strict";
const load = require("./load.cjs");

exports.startServer = (options) => load().testServer().startServer(options);
