// What a program stands on, whatever it does: time, its log, signals, certificates.
export { errorFields, type Log, type LogFields, silentLog } from "./log";
export { Backoff, type BackoffOptions } from "./time/backoff";
export { type Chance, type Clock, systemClock } from "./time/clock";
export { pause, pauseUnlessAborted } from "./time/pause";
