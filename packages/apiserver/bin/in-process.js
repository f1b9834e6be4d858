// Main module of the package. It loads the package's modules from the programs' pack, if there is one. The exports are
// listed one by one, because ECMAScript modules find them by reading this file. test-e2e/packed-programs.test.ts compares
// them with the exports of the package.
const apiserver = require("@orch/platform/bin/packed")(require.resolve("../dist/index.js"));

exports.createLogger = apiserver.createLogger;
exports.EXPLORER_PATH = apiserver.EXPLORER_PATH;
exports.kubeconfigText = apiserver.kubeconfigText;
exports.openApiServer = apiserver.openApiServer;
exports.packageVersion = apiserver.packageVersion;
exports.pageForPeople = apiserver.pageForPeople;
exports.recordingStart = apiserver.recordingStart;
exports.replayRecording = apiserver.replayRecording;
exports.startFailure = apiserver.startFailure;
exports.startServer = apiserver.startServer;
exports.startWithSeams = apiserver.startWithSeams;
exports.versionInfo = apiserver.versionInfo;
