/** Findings of the doctor in English, for the terminal. */
import { type Sentences, sentenceOf } from '../../../../shared/problems/coded.ts';
import type { FindingParams } from '../../../../shared/problems/findings.ts';

export const FINDINGS: Sentences<FindingParams> = {
  foreign: ({ text }) => text,
  more: ({ count }) => `and ${count} more`,

  nobodyAnswers: () => 'Nobody answers.',
  nobodyAskedWithoutNats: () => 'Nobody can be asked without NATS.',
  seeNats: () => 'See the check "nats".',

  noService: () => 'No service runs here and NATS_URL is not set.',
  runStart: () => 'Run npm start.',
  natsUnreachable: ({ text }) => `It cannot be reached: ${text}.`,
  startNats: () => 'Start the NATS server, or name a reachable one in NATS_URL.',
  natsServer: ({ version, roundTripMs, maxPayload }) =>
    `version ${version}, round trip ${roundTripMs} ms, max_payload ${maxPayload}`,
  natsTooOld: ({ oldest }) => `Use a NATS server from ${oldest} on.`,
  payloadTooSmall: ({ minBytes }) => `Raise max_payload to ${minBytes} or more.`,

  startActors: () => 'Start an actors process, and see its log.',
  actorsProcesses: ({ count }) => `${count} actors ${count === 1 ? 'process' : 'processes'}`,
  someUnowned: () => 'some have no owner',
  allOwned: () => 'all have an owner',
  runEveryKind: () =>
    'Run every kind of actors somewhere (ACTORS), or wait for the hand-over to end.',
  silent: ({ ids, more }) =>
    `${ids.join('; ')}${more > 0 ? `; and ${more} more` : ''} does not answer`,

  clocksAgree: () => 'of the actors processes: as this one',
  clockApart: ({ id, apart }) => `${id} is ${apart} apart from this clock`,
  keepTime: () => 'Keep every machine on time (NTP).',

  noWebhookRefused: () => "no channel refuses its network's",
  webhooksRefused: ({ ref, channelId, count, since, setting }) =>
    `${ref} (${channelId}): ${count} refused, the last ${since} ago: ${setting} does not fit`,
  giveSecret: () => 'Give the channel the secret of its network by "apply".',

  panelSilent: ({ pids }) =>
    `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')} of the panel: no answer`,
  seePanelLog: () => 'See the log of the panel.',
  noPanel: () => 'none runs',
  panelsAt: ({ count, addresses }) =>
    `${count} ${count === 1 ? 'process' : 'processes'} at ${addresses.join(', ')}`,
  proxiesUntrusted: ({ proxies }) => `${proxies.join(', ')} forwards addresses and is not believed`,
  nameProxy: () =>
    'If that is your proxy, name its network in PANEL_TRUSTED_PROXIES; else let only it reach the panel.',

  mailAnswers: ({ where }) => `${where} answers`,
  mailSays: ({ where, greeting }) => `${where} says "${greeting}"`,
  nameMailServer: () => 'Name a mail server in SMTP_URL.',
  mailUnreachable: ({ where, cause }) =>
    `${where} cannot be reached: ${sentenceOf(FINDINGS, cause)}.`,
  mailUnanswered: () => 'no answer in time',
  mailClosed: () => 'it closed the connection',
  correctSmtp: () => 'Correct SMTP_URL, or see to the mail server.',
  mailsWritten: ({ folder }) => `no SMTP_URL: mails are written to ${folder}`,
  mailsUnwritable: ({ folder, cause }) => `Mails cannot be written to ${folder}: ${cause}.`,
  makeWritable: () => 'Make DATA_DIR writable, or name a mail server in SMTP_URL.',

  filesUnknown: () => 'this system does not tell them',
  filesOpen: ({ pid, used, limit }) => `process ${pid} has ${used} open and may have ${limit}`,
  raiseFiles: () => 'Raise the limit of open files (LimitNOFILE=65536 of the unit, or ulimit -n).',
};
