/** Findings of the doctor in English, for the terminal. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { type Sentences, sentenceOf } from '../../../../shared/problems/coded.ts';
import type { FindingParams, Unready } from '../../../../shared/problems/findings.ts';

function unready({ channel, provider, reason, failingFor, isNew }: Unready): string {
  const failing = failingFor === null ? '' : ` It has failed for ${failingFor} and is still ready.`;
  const never = isNew ? ' Its network has never answered under these settings.' : '';
  const why = reason ?? 'the network has not answered yet';
  return `${channel} (${provider}): ${why}${failing}${never}`;
}

function listed(names: readonly string[], more: number): string {
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const FINDINGS: Sentences<FindingParams> = {
  foreign: ({ text }) => text,
  more: ({ count }) => `and ${count} more`,

  nobodyAnswers: () => 'Nobody answers.',
  nobodyAskedWithoutNats: () => 'Nobody can be asked without NATS.',
  seeCheck: ({ name }) => `See the check "${name}".`,

  settingsWrong: ({ problems }) => problems.join(' '),
  correctEnvironment: () => 'Correct the environment; the settings are in docs/operations.md.',
  settingsValid: () => 'all are valid',
  serviceRuns: ({ dataDir }) => `a service runs on ${dataDir}`,
  noServiceRuns: ({ dataDir }) => `no service runs on ${dataDir}`,

  noService: ({ setting }) => `No service runs here and ${setting} is not set.`,
  unreachable: ({ text }) => `It cannot be reached: ${text}.`,
  placeUnreachable: ({ where, cause }) =>
    `${where} cannot be reached: ${sentenceOf(FINDINGS, cause)}.`,
  runStart: () => 'Run npm start.',
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
  correctPhone: () => 'Scan the QR code with the right phone, or correct "phone" by "apply".',

  noWebhookLate: () => 'every message has come within 15 min',
  webhooksLate: ({ ref, channelId, count, since, late }) =>
    `${ref} (${channelId}): ${count} messages came late and started no flow, the last ${since} ago, ${late} late`,
  networkBehind: ({ ref, channelId, behind }) =>
    `${ref} (${channelId}): the clock of its network is ${behind} behind this machine's`,
  seeNetworkClock: () =>
    'Keep the bridge and this machine on time (NTP), and see why the network could not post.',

  panelSilent: ({ pids }) =>
    `${pids.length === 1 ? 'process' : 'processes'} ${pids.join(', ')} of the panel: no answer`,
  seePanelLog: () => 'See the log of the panel.',
  noPanel: () => 'none runs',
  panelsAt: ({ count, addresses }) =>
    `${count} ${count === 1 ? 'process' : 'processes'} at ${addresses.join(', ')}`,
  proxiesUntrusted: ({ proxies }) => `${proxies.join(', ')} forwards addresses and is not believed`,
  nameProxy: () =>
    'If that is your proxy, name its network in PANEL_TRUSTED_PROXIES; else let only it reach the panel.',

  startMongo: () => 'Run npm start, or name a reachable MongoDB in MONGODB_URL.',
  mongoUnreachable: () => 'MongoDB is not reachable.',
  nothingRead: () => 'Nothing was read.',
  noAnswerWithin: ({ ms }) => `No answer within ${ms} ms.`,
  mongoRefused: ({ text }) => `MongoDB refused: ${text}.`,
  seeMongoLog: () => 'See what MongoDB says in its log.',
  mongoServer: ({ version, writeMs }) =>
    `version ${version}, a journaled write takes ${writeMs} ms`,
  mongoTooOld: ({ oldest }) => `Use MongoDB ${oldest} or newer.`,
  indexesThere: ({ count }) => `all ${count} are there`,
  indexesMissing: ({ indexes }) => `missing: ${indexes.join('; ')}`,
  makeIndexes: () => 'Start an actors process: it makes what is missing.',
  schemaRead: ({ schema }) => `the number is ${schema}, which this release reads`,
  seeUpgrading: () => 'See "Upgrading" of the operations page.',
  mongoClock: ({ ms, behind }) => `MongoDB's clock is ${ms} ms ${behind ? 'behind' : 'ahead'}`,
  keepBothTime: () => 'Keep both machines on time (NTP).',

  nothingSealed: () => 'nothing is sealed yet',
  allOpen: ({ count }) => `the key opens all ${count}`,
  someClosed: ({ count, of, names, more }) =>
    `${count} of ${of} do not open: ${listed(names, more)}`,
  unverifiable: ({ names, more }) => `no library verifies with ${listed(names, more)}`,
  giveKey: () => 'Run this with the key of the service, then mend the key.',
  resealSecrets: () =>
    'Apply the network settings of these channels again, and rotate these subscriptions.',
  rotateSecrets: ({ prefix, minBytes, maxBytes }) =>
    `Rotate these subscriptions: a secret of your own must have padded base64 of ${minBytes} to ${maxBytes} bytes after ${prefix}.`,

  channelsReady: ({ count }) => `${count} channels in use, all ready`,
  channelsUnready: ({ of, channels }) =>
    `${channels.length} of ${of} channels cannot send: ${channels.map(unready).join(' ')}`,
  channelsRestricted: ({ channels }) => {
    const named = channels.map(({ channel, until }) => {
      return `${channel} ${until === null ? 'without a known end' : `until ${until}`}`;
    });
    return `${channels.length} may begin no conversations (restricted): ${named.join(', ')}`;
  },
  mendNetworks: () =>
    "Mend what the network says, or the channel's network settings, and apply them again.",

  templatesRead: ({ count, accounts }) => `${count} of ${accounts} business accounts`,
  templatesUnread: ({ of, accounts }) => {
    const named = accounts.map(({ channels, reason }) => `${channels.join(', ')}: ${reason}`);
    return `those of ${accounts.length} of ${of} accounts were not read: ${named.join(' ')}`;
  },
  noAccount: ({ channels }) => `no businessAccountId: ${channels.join(', ')}`,
  readTemplates: () =>
    'Run "recado channels check" for the channel, and then "recado templates sync".',

  noneQueued: () => 'no message is queued',
  oldestQueued: ({ waited, channel }) =>
    `the oldest queued message has waited ${waited} (${channel})`,
  queueMoves: () => 'its queue moves',
  queueStuck: () => 'its queue does not move',
  seeSends: () => 'See the row "networks", and lines "send" in the log of the actors.',
  noneDue: () => 'none is due',
  oldestDue: ({ late, subscription }) =>
    `the oldest one has been due for ${late} (${subscription})`,
  seeAttempts: () => 'See lines "attempt" in the log of the actors: slow answers?',
  noStepDue: () => 'no step of a flow is due',
  oldestStepDue: ({ late, organization }) =>
    `the oldest step of a flow has been due for ${late} (${organization})`,
  seeTimers: () => 'See lines "timer of a flow" in the log of the actors.',
  oldestReminder: ({ late, organization, attempts }) => {
    const tried = attempts === 0 ? '' : `, after ${attempts} attempts`;
    return `the oldest one is ${late} late (${organization}${tried})`;
  },
  seeReminders: () => 'See the row "mail", and lines "reminder" of the actors.',

  noneFailed: () => 'none has failed its last attempt',
  deliveriesWait: ({ subscription, count, isLeast, error }) => {
    const wait = count === 1 ? 'delivery waits' : 'deliveries wait';
    return `${subscription}: ${count}${isLeast ? ' or more' : ''} ${wait} for a retry (${error ?? 'answered'})`;
  },
  mendSubscriber: () =>
    'Mend the subscriber, then "recado deliveries retry"; "deliveries list" shows the attempts.',
  noneParked: () => 'no delivery is parked by the service',
  parked: ({ subscription, count, isLeast, isTakenUp, oldest }) => {
    const what = isTakenUp ? 'are being taken up again' : 'are parked';
    return `${subscription}: ${count}${isLeast ? ' or more' : ''} ${what}, the oldest for ${oldest}`;
  },
  disabled: ({ subscription, reason }) =>
    `${subscription} is disabled (${reason}): its deliveries are parked`,
  enableSubscriber: () =>
    'Mend the subscriber: a breaker closes by the first success; "recado subscriptions enable".',

  onlySimulator: () => 'no network but the simulator is in use',
  networksOnTime: ({ known, asked }) => `as this one at ${known} of ${asked} networks asked`,
  networkSilent: ({ origin, cause }) => `${origin} does not answer here: ${cause}`,
  seeWhySilent: () => 'See why this machine cannot reach it.',
  clockOff: ({ origin, off, behind }) =>
    `this clock is ${off} ${behind ? 'behind' : 'ahead of'} ${origin}`,
  keepThisTime: () => 'Keep this machine on time (NTP).',

  addressLeadsHere: ({ url }) => `${url} leads here`,
  addressLeadsElsewhere: ({ url, status }) => `${url} answers ${status}, not this service`,
  addressNotPublic: ({ url }) =>
    `Meta cannot call webhooks at ${url}: it wants a public https address`,
  correctPublicUrl: () =>
    'Let PUBLIC_URL be the address of the proxy in front, and the proxy lead here.',

  diskFree: ({ where, freeMib, totalMib }) => `${where}: ${freeMib} MiB of ${totalMib} are free`,
  diskUnread: ({ text }) => `It cannot be looked at: ${text}.`,
  makeRoom: () => 'Make room or a larger disk: nothing is accepted that cannot be written.',
  seeDataDir: () => 'See DATA_DIR.',

  mailAnswers: ({ where }) => `${where} answers`,
  mailSays: ({ where, greeting }) => `${where} says "${greeting}"`,
  nameMailServer: () => 'Name a mail server in SMTP_URL.',
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

/** The row as a terminal shows it. */
export function tellRow({ detail, remedy, ...row }: DoctorRow) {
  return {
    ...row,
    detail: detail.map((finding) => sentenceOf(FINDINGS, finding)).join('; '),
    remedy: remedy && sentenceOf(FINDINGS, remedy),
  };
}
