/** What `recado doctor` finds and recommends. */
import type { Coded, Foreign, None } from './coded.ts';

export type Finding = Coded<FindingParams>;

/** Times are as people read them: `3 h`. */
export interface FindingParams {
  readonly foreign: Foreign;
  /** Behind the first ones of several. */
  readonly more: { readonly count: number };

  readonly nobodyAnswers: None;
  readonly nobodyAskedWithoutNats: None;
  /** By its name. */
  readonly seeCheck: { readonly name: string };

  readonly settingsWrong: { readonly problems: readonly string[] };
  readonly correctEnvironment: None;
  readonly settingsValid: None;
  readonly serviceRuns: { readonly dataDir: string };
  readonly noServiceRuns: { readonly dataDir: string };

  readonly noService: { readonly setting: string };
  readonly unreachable: Foreign;
  readonly placeUnreachable: { readonly where: string; readonly cause: Fault };
  readonly runStart: None;
  readonly startNats: None;
  readonly natsServer: {
    readonly version: string;
    readonly roundTripMs: number;
    readonly maxPayload: number;
  };
  readonly natsTooOld: { readonly oldest: string };
  readonly payloadTooSmall: { readonly minBytes: number };

  readonly startActors: None;
  readonly actorsProcesses: { readonly count: number };
  readonly someUnowned: None;
  readonly allOwned: None;
  readonly runEveryKind: None;
  readonly silent: { readonly ids: readonly string[]; readonly more: number };

  readonly clocksAgree: None;
  readonly clockApart: { readonly id: string; readonly apart: string };
  readonly keepTime: None;

  readonly noWebhookRefused: None;
  readonly webhooksRefused: {
    readonly ref: string;
    readonly channelId: string;
    readonly count: number;
    readonly since: string;
    readonly setting: string;
  };
  readonly giveSecret: None;
  readonly correctPhone: None;

  readonly noWebhookLate: None;
  readonly webhooksLate: {
    readonly ref: string;
    readonly channelId: string;
    readonly count: number;
    readonly since: string;
    readonly late: string;
  };
  readonly networkBehind: {
    readonly ref: string;
    readonly channelId: string;
    readonly behind: string;
  };
  readonly seeNetworkClock: None;

  readonly panelSilent: { readonly pids: readonly number[] };
  readonly seePanelLog: None;
  readonly noPanel: None;
  readonly panelsAt: { readonly count: number; readonly addresses: readonly string[] };
  readonly proxiesUntrusted: { readonly proxies: readonly string[] };
  readonly nameProxy: None;

  readonly startMongo: None;
  readonly mongoUnreachable: None;
  readonly nothingRead: None;
  readonly noAnswerWithin: { readonly ms: number };
  readonly mongoRefused: Foreign;
  readonly seeMongoLog: None;
  readonly mongoServer: { readonly version: string; readonly writeMs: number };
  readonly mongoTooOld: { readonly oldest: number };
  readonly indexesThere: { readonly count: number };
  readonly indexesMissing: { readonly indexes: readonly string[] };
  readonly makeIndexes: None;
  readonly schemaRead: { readonly schema: number };
  readonly seeUpgrading: None;
  readonly mongoClock: { readonly ms: number; readonly behind: boolean };
  readonly keepBothTime: None;

  readonly nothingSealed: None;
  readonly allOpen: { readonly count: number };
  readonly someClosed: SomeNames & { readonly count: number; readonly of: number };
  readonly unverifiable: SomeNames;
  readonly giveKey: None;
  readonly resealSecrets: None;
  readonly rotateSecrets: SecretRule;

  readonly channelsReady: { readonly count: number };
  readonly channelsUnready: { readonly of: number; readonly channels: readonly Unready[] };
  readonly channelsRestricted: { readonly channels: readonly Restricted[] };
  readonly mendNetworks: None;

  readonly templatesRead: { readonly count: number; readonly accounts: number };
  readonly templatesUnread: { readonly of: number; readonly accounts: readonly Unread[] };
  readonly noAccount: { readonly channels: readonly string[] };
  readonly readTemplates: None;

  readonly noneQueued: None;
  readonly oldestQueued: { readonly waited: string; readonly channel: string };
  readonly queueMoves: None;
  readonly queueStuck: None;
  readonly seeSends: None;
  readonly noneDue: None;
  readonly oldestDue: { readonly late: string; readonly subscription: string };
  readonly seeAttempts: None;
  readonly noStepDue: None;
  readonly oldestStepDue: { readonly late: string; readonly organization: string };
  readonly seeTimers: None;
  readonly oldestReminder: {
    readonly late: string;
    readonly organization: string;
    readonly attempts: number;
  };
  readonly seeReminders: None;

  readonly noneFailed: None;
  /** `error` of the last attempt; null where it was answered. */
  readonly deliveriesWait: Counted & { readonly error: string | null };
  readonly mendSubscriber: None;
  readonly noneParked: None;
  readonly parked: Counted & { readonly isTakenUp: boolean; readonly oldest: string };
  readonly disabled: { readonly subscription: string; readonly reason: string };
  readonly enableSubscriber: None;

  readonly onlySimulator: None;
  readonly networksOnTime: { readonly known: number; readonly asked: number };
  readonly networkSilent: { readonly origin: string; readonly cause: string };
  readonly seeWhySilent: None;
  readonly clockOff: { readonly origin: string; readonly off: string; readonly behind: boolean };
  readonly keepThisTime: None;

  readonly addressLeadsHere: { readonly url: string };
  readonly addressLeadsElsewhere: { readonly url: string; readonly status: number };
  readonly addressNotPublic: { readonly url: string };
  readonly correctPublicUrl: None;

  readonly diskFree: {
    readonly where: string;
    readonly freeMib: number;
    readonly totalMib: number;
  };
  readonly diskUnread: Foreign;
  readonly makeRoom: None;
  readonly seeDataDir: None;

  readonly mailAnswers: { readonly where: string };
  readonly mailSays: { readonly where: string; readonly greeting: string };
  readonly nameMailServer: None;
  readonly mailUnanswered: None;
  readonly mailClosed: None;
  readonly correctSmtp: None;
  readonly mailsWritten: { readonly folder: string };
  readonly mailsUnwritable: { readonly folder: string; readonly cause: string };
  readonly makeWritable: None;

  readonly filesUnknown: None;
  /** Texts: a process may have no limit. */
  readonly filesOpen: { readonly pid: number; readonly used: number; readonly limit: string };
  readonly raiseFiles: None;
}

/** The first ones, and how many there are beside them. */
interface SomeNames {
  readonly names: readonly string[];
  readonly more: number;
}

/** What a subscription's own secret must have after its prefix. */
interface SecretRule {
  readonly prefix: string;
  readonly minBytes: number;
  readonly maxBytes: number;
}

/** Deliveries of one subscription; `isLeast`: there may be more. */
interface Counted {
  readonly subscription: string;
  readonly count: number;
  readonly isLeast: boolean;
}

/** A channel that cannot send, or fails now; `reason` is the network's, in Portuguese. */
export interface Unready {
  readonly channel: string;
  readonly provider: string;
  /** Null: the network has not answered yet. */
  readonly reason: string | null;
  /** Of a channel that still counts as ready; else null. */
  readonly failingFor: string | null;
  /** Never answered under these settings. */
  readonly isNew: boolean;
}

interface Restricted {
  readonly channel: string;
  /** ISO 8601; null: no end is known. */
  readonly until: string | null;
}

/** A business account; `reason` is the network's, in Portuguese. */
interface Unread {
  readonly channels: readonly string[];
  readonly reason: string;
}

/** Why a place is not reached. */
export type Fault = Extract<Finding, { code: 'foreign' | 'mailUnanswered' | 'mailClosed' }>;
