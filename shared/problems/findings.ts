/** What `recado doctor` finds and recommends in the rows that the panel shows too. */
import type { Coded, Foreign, None } from './coded.ts';

export type Finding = Coded<FindingParams>;

/** Times are as people read them: `3 h`. */
export interface FindingParams {
  readonly foreign: Foreign;
  /** Behind the first ones of several. */
  readonly more: { readonly count: number };

  readonly nobodyAnswers: None;
  readonly nobodyAskedWithoutNats: None;
  readonly seeNats: None;

  readonly noService: None;
  readonly runStart: None;
  readonly natsUnreachable: Foreign;
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

  readonly panelSilent: { readonly pids: readonly number[] };
  readonly seePanelLog: None;
  readonly noPanel: None;
  readonly panelsAt: { readonly count: number; readonly addresses: readonly string[] };
  readonly proxiesUntrusted: { readonly proxies: readonly string[] };
  readonly nameProxy: None;

  readonly mailAnswers: { readonly where: string };
  readonly mailSays: { readonly where: string; readonly greeting: string };
  readonly nameMailServer: None;
  readonly mailUnreachable: { readonly where: string; readonly cause: MailFault };
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

/** Why a mail server is not reached. */
export type MailFault = Extract<Finding, { code: 'foreign' | 'mailUnanswered' | 'mailClosed' }>;
