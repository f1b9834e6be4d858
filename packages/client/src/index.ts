export { type ClientLog, silentLog } from "./log";
export { type Chance, type Clock, systemClock } from "./time/clock";
