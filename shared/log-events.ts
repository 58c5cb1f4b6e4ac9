/**
 * Log lines for which tests, the simulator, the benchmarks and the operators' alarms wait. Their
 * producers log by these constants, and tests wait by them: the compiler refuses an absence that
 * is asserted of a line that no program writes.
 */

/** Each is the whole `msg` of a line, or its beginning up to a colon. */
export const LOG_EVENT = {
  attempt: 'attempt',
  breakerClosed: 'the breaker has closed',
  breakerOpened: 'the breaker has opened',
  busPermissionMissing: 'the NATS server does not permit',
  clockApart: "the clock of this machine is not MongoDB's",
  dealStepUnable: 'deal step of a flow did nothing',
  fileUnready: 'preparing a file failed',
  gatewayListens: 'the gateway listens',
  leaseLost: 'lost the lease',
  networkAnswers: 'the network answers again',
  networkSilent: 'the network does not answer',
  partitionsTakenOver: 'took over from a member that had died',
  queryFailed: 'a query failed',
  reminder: 'reminder',
  request: 'request',
  requestFailed: 'a request failed',
  runStopped: 'run of a flow was stopped',
  send: 'send',
  sendStepUnable: 'send step of a flow sent nothing',
  sendLookedFor: 'looked for a send',
  sendTurn: 'messages have their turn',
  streamsUnacknowledged: 'the end of streams was not acknowledged',
  subscriptionDisabled: 'a subscription is disabled',
  turn: 'turn',
  turnFailed: 'a turn failed',
  webhookRefused: 'a webhook was refused',
} as const;

/** Parts of the lines that the supervisor writes on its terminal. */
export const TERMINAL_EVENT = {
  ready: 'is ready at',
  startedAgain: 'starting it again',
} as const;

export type LogEvent = (typeof LOG_EVENT)[keyof typeof LOG_EVENT];

/** True for the `msg` of a line which that event begins. */
export function isLogEvent(message: string, event: LogEvent): boolean {
  return message === event || message.startsWith(`${event}:`);
}
