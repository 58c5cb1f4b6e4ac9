/** What the steps of `recado channels check` find and recommend: only the terminal prints it. */
import type { Coded, Foreign, None } from './coded.ts';

export type StepText = Coded<StepParams>;

interface Named {
  readonly names: readonly string[];
}

interface Url {
  readonly url: string;
}

/** Words of the system. */
interface Caused {
  readonly cause: string;
}

interface Status {
  readonly status: number;
}

/** An error code of the Graph API. */
interface GraphCode {
  readonly graphCode: number;
}

interface App {
  readonly app: string;
}

/** Address of the network; null: the simulator's. */
interface Base {
  readonly base: string | null;
}

/** `reason` is for people, in Portuguese. */
export interface StepParams {
  /** Null: an earlier one. */
  readonly notLookedAt: { readonly step: string | null };

  readonly metaSettingsSet: None;
  readonly bridgeSettingsSet: None;
  readonly settingsMissing: Named;
  readonly addSettings: None;
  readonly channelDisabled: None;
  readonly enableChannel: None;
  readonly secretsUnreadable: Foreign;
  readonly giveKey: None;

  readonly addressAnswers: Base;
  readonly addressSilent: Base & Caused;
  readonly notMeta: Base & Status;
  readonly notBridge: Base & Status;
  readonly reachMeta: None;
  readonly reachBridge: None;

  readonly tokenTaken: None;
  readonly tokenTakenUntold: None;
  readonly tokenExpires: { readonly at: string };
  readonly tokenDead: None;
  readonly tokenDenied: GraphCode;
  readonly tokenLacks: { readonly scopes: readonly string[] };
  readonly makeToken: None;
  readonly giveAsset: None;
  readonly keyTaken: None;
  readonly keyRefused: Status;
  readonly giveBridgeKey: None;

  readonly numberSends: { readonly name: string };
  readonly numberStopped: { readonly name: string; readonly reason: string };
  readonly numberUnpaid: { readonly name: string };
  readonly mendPayment: None;
  readonly numberUnread: GraphCode;
  readonly noNumber: None;
  readonly findNumberId: None;
  readonly seeManager: None;
  readonly sessionWorks: { readonly phone: string | null; readonly engine: string | null };
  readonly sessionStopped: { readonly status: string | null; readonly reason: string };
  readonly noSession: Status & { readonly session: string };
  readonly startSession: None;
  readonly seeDashboard: None;
  readonly otherNumber: { readonly phone: string; readonly channelPhone: string };
  readonly scanOrCorrectPhone: None;

  readonly webhookAnswers: Url;
  readonly webhookSilent: Url & Caused;
  readonly webhookNotOurs: Url & Status;
  readonly webhookNotHttps: Url;
  readonly webhookWithin: Url & { readonly reach: 'machine' | 'internal' };
  readonly networkNoUrl: None;
  readonly setPublicUrl: None;
  readonly setHttpsUrl: None;
  readonly setReachedUrl: None;
  readonly passNetworks: None;

  readonly secretFits: App;
  readonly secretOfOther: App;
  readonly secretUnread: Status & { readonly graphCode: number | null };
  readonly secretUnanswered: Caused;
  readonly appUntold: None;
  readonly copySecret: None;
  readonly hookSigned: None;
  readonly hookUnsigned: None;
  readonly hookSignedByOther: None;
  readonly hookKeyHidden: None;
  readonly noHookHere: None;
  readonly setInSession: None;

  readonly eventsCome: { readonly from: 'meta' | 'bridge'; readonly without: readonly string[] };
  readonly eventsComeUntold: None;
  readonly eventsUntold: None;
  readonly eventsElsewhere: Url;
  readonly noMessages: None;
  readonly notSubscribed: None;
  readonly setCallback: Url;
  readonly subscribeMessages: None;
  readonly subscribeFields: None;
  readonly subscribeApp: None;
  readonly noHookTo: Url;
  readonly hookLacks: { readonly events: readonly string[] };
  readonly hookRetries: { readonly policy: string };
  readonly setHookInSession: None;

  readonly templatesRead: None;
  readonly templatesUnread: GraphCode;
  readonly templatesUnanswered: Caused;
  readonly templatesDenied: GraphCode;
  readonly noAccountSet: None;
  readonly noAccount: None;
  readonly accountOfOther: { readonly set: string; readonly ofNumber: string };
  /** Null where the network does not name it. */
  readonly setAccount: { readonly account: string | null };
  readonly giveAccess: None;

  readonly messageTaken: { readonly id: string };
  readonly messageRefused: { readonly networkCode: string; readonly reason: string };
  readonly messageNotTaken: { readonly seconds: number };
  readonly messageNotSent: { readonly step: string };
  readonly mendNetwork: None;
  readonly writeFirst: None;
  readonly seeSends: None;

  readonly receiptsCame: { readonly status: string };
  readonly noReceipts: { readonly seconds: number };
  readonly seeWebhook: None;
}
