/** Steps of `recado channels check` in English, for the terminal. */
import type { StepParams, StepText } from '../../../../shared/problems/channel-steps.ts';
import { type Sentences, sentenceOf } from '../../../../shared/problems/coded.ts';

const SIMULATOR = 'the simulator';
const TO_SESSION = 'Set it in the config of the session: docs/networks.md, A bridge.';
const POSTED = {
  meta: 'messages and receipts are posted here',
  bridge: 'messages, receipts and states are posted here',
} as const;
const REACHES = { machine: 'this machine only', internal: 'an internal network' } as const;

const STEP_TEXTS: Sentences<StepParams> = {
  notLookedAt: ({ step }) => `not looked at: see ${step ?? 'an earlier step'}`,

  metaSettingsSet: () => 'all four are set',
  bridgeSettingsSet: () => 'address, session and secret are set',
  settingsMissing: ({ names }) => `missing: ${names.join(', ')}`,
  addSettings: () => 'Add them to the file and apply it.',
  channelDisabled: () => 'the channel is disabled',
  enableChannel: () => 'Set enabled: true in the file and apply it.',
  secretsUnreadable: ({ text }) => `the stored secrets cannot be read: ${text}`,
  giveKey: () =>
    'Start the service with the SECRETS_KEY that sealed them, or apply the channel anew.',

  addressAnswers: ({ base }) => `${base ?? SIMULATOR} answers`,
  addressSilent: ({ base, cause }) => `${base ?? SIMULATOR} did not answer: ${cause}`,
  notMeta: ({ base, status }) => `${base ?? SIMULATOR} answered ${status}, and not as Meta's API`,
  notBridge: ({ base, status }) => `${base ?? SIMULATOR} answered ${status}, and not as a bridge`,
  reachMeta: () => 'Let this machine reach it (DNS, firewall, proxy), or correct baseUrl.',
  reachBridge: () => 'Start the bridge, let this machine reach it, or correct baseUrl.',

  tokenTaken: () => 'it is taken, does not expire, has both permissions',
  tokenTakenUntold: () => 'it is taken; Meta tells no more of it',
  tokenExpires: ({ at }) => `it expires at ${at}`,
  tokenDead: () => 'it is none, was revoked, or has expired',
  tokenDenied: ({ graphCode }) => `it may not ask for this number (code ${graphCode})`,
  tokenLacks: ({ scopes }) => `it lacks ${scopes.join(', ')}`,
  makeToken: () =>
    "Make a system user's token that never expires, with both permissions: docs/networks.md.",
  giveAsset: () => 'Give the system user the WhatsApp account as an asset.',
  keyTaken: () => 'the bridge takes apiKey',
  keyRefused: ({ status }) => `the bridge refuses apiKey (${status})`,
  giveBridgeKey: () => 'apiKey is WAHA_API_KEY of the bridge, or a key of this session.',

  numberSends: ({ name }) => `${name} can send`,
  numberStopped: ({ name, reason }) => `${name}: ${reason}`,
  numberUnpaid: ({ name }) => `${name}: the account owes Meta, only replies within 24 hours go`,
  mendPayment: () => 'Mend the payment method in the WhatsApp Manager.',
  numberUnread: ({ graphCode }) => `the network answered with code ${graphCode}`,
  noNumber: () => 'there is none of this id, or not for this token',
  findNumberId: () => 'phoneNumberId is on the page "API Setup": it is not the phone number.',
  seeManager: () => 'See the number in the WhatsApp Manager.',
  sessionWorks: ({ phone, engine }) =>
    `the session works${phone === null ? '' : ` as +${phone}`}${engine === null ? '' : ` on ${engine}`}`,
  sessionStopped: ({ status, reason }) =>
    `the session is ${status ?? 'without a status'}: ${reason}`,
  noSession: ({ session, status }) => `the bridge has no session "${session}" (${status})`,
  startSession: () => 'Start the session of that name there.',
  seeDashboard: () => 'See it in the dashboard.',
  otherNumber: ({ phone, channelPhone }) =>
    `the session is connected to +${phone}, and the channel's phone is +${channelPhone}`,
  scanOrCorrectPhone: () => 'Scan the QR code with that phone, or correct phone by apply.',

  webhookAnswers: ({ url }) => `${url} answered our own call`,
  webhookSilent: ({ url, cause }) => `${url} did not answer: ${cause}`,
  webhookNotOurs: ({ url, status }) => `${url} answered ${status}, and not as this service does`,
  webhookNotHttps: ({ url }) => `${url} is not https: the network calls no other`,
  webhookWithin: ({ url, reach }) => `${url} is reached from ${REACHES[reach]}`,
  networkNoUrl: () => 'the address of the network is no URL',
  setPublicUrl: () => 'Set PUBLIC_URL to the address that leads to the gateway.',
  setHttpsUrl: () => 'Set PUBLIC_URL to an https address that the internet reaches.',
  setReachedUrl: () => 'Set PUBLIC_URL to an address that the network reaches: docs/networks.md.',
  passNetworks: () => 'Let the proxy pass /networks/ to a gateway, body and headers unchanged.',

  secretFits: ({ app }) => `appSecret is the secret of app ${app}`,
  secretOfOther: ({ app }) => `appSecret is not the secret of app ${app}`,
  secretUnread: ({ status, graphCode }) => `Meta answered ${status}, code ${graphCode ?? 'none'}`,
  secretUnanswered: ({ cause }) => `no answer: ${cause}`,
  appUntold: () => 'Meta does not tell which app the token is of',
  copySecret: () => 'Copy the secret of that app: App settings, Basic, App secret, Show.',
  hookSigned: () => "the webhook's hmac.key is webhookSecret",
  hookUnsigned: () => 'the webhook is not signed: it is answered 401',
  hookSignedByOther: () => 'hmac.key is another secret: it is answered 401',
  hookKeyHidden: () => 'the bridge does not show its key',
  noHookHere: () => 'the session has no webhook that leads here',
  setInSession: () => TO_SESSION,

  eventsCome: ({ from, without }) =>
    `${POSTED[from]}${without.length === 0 ? '' : `; without ${without.join(', ')}`}`,
  eventsComeUntold: () => 'they are posted here; which ones Meta does not tell',
  eventsUntold: () => 'Meta does not tell where it posts them',
  eventsElsewhere: ({ url }) => `the network posts this number's events to ${url}`,
  noMessages: () => 'the field "messages" is not subscribed: no message and no receipt comes',
  notSubscribed: () => 'the app is not subscribed to the WhatsApp account: nothing comes',
  setCallback: ({ url }) => `WhatsApp, Configuration: the callback URL is ${url}`,
  subscribeMessages: () => 'WhatsApp, Configuration, Webhook fields: subscribe it.',
  subscribeFields: () =>
    'WhatsApp, Configuration, Webhook fields: what each brings is in docs/networks.md.',
  subscribeApp: () => 'POST /{account}/subscribed_apps: docs/networks.md.',
  noHookTo: ({ url }) => `the session has no webhook to ${url}`,
  hookLacks: ({ events }) => `the webhook lacks ${events.join(', ')}`,
  hookRetries: ({ policy }) => `retries are ${policy}: an absence of ours of a minute loses events`,
  setHookInSession: () =>
    `${TO_SESSION} One of the whole bridge (WHATSAPP_HOOK_URL) is not shown by it.`,

  templatesRead: () => 'they can be read',
  templatesUnread: ({ graphCode }) => `not read: code ${graphCode}`,
  templatesUnanswered: ({ cause }) => `not read: ${cause}`,
  templatesDenied: ({ graphCode }) => `the token may not read them (code ${graphCode})`,
  noAccountSet: () =>
    'businessAccountId is not set: the channel has no templates, and believes no update of its ' +
    'account',
  noAccount: () => 'there is no account of this id, or not for this token',
  accountOfOther: ({ set, ofNumber }) =>
    `businessAccountId is ${set}, and the number is of ${ofNumber}`,
  setAccount: ({ account }) => {
    const value = account === null ? 'the id of the WhatsApp account' : `"${account}"`;
    return `Set businessAccountId: ${value} in the channel's network, and apply it.`;
  },
  giveAccess: () =>
    'Give the token whatsapp_business_management, and its system user the account as an asset.',

  messageTaken: ({ id }) => `the network has taken it: ${id}`,
  messageRefused: ({ networkCode, reason }) => `the network refused it (${networkCode}): ${reason}`,
  messageNotTaken: ({ seconds }) => `it was not taken by the network within ${seconds} s`,
  messageNotSent: ({ step }) => `not sent: see ${step}`,
  mendNetwork: () => 'Mend what the network says.',
  writeFirst: () => 'Write to the number from that phone, and check again within 24 hours.',
  seeSends: () => 'See recado doctor and the log lines "send".',

  receiptsCame: ({ status }) => `it is ${status}: the webhook works`,
  noReceipts: ({ seconds }) => `none came within ${seconds} s`,
  seeWebhook: () =>
    'The network does not reach the webhook: see the steps webhook, signature and events.',
};

/** Whether it is a text of this version. */
export function isStepText(value: unknown): value is StepText {
  const code: unknown = Reflect.get(Object(value), 'code');
  return typeof code === 'string' && Object.hasOwn(STEP_TEXTS, code);
}

export function tellStep(text: StepText): string {
  return sentenceOf(STEP_TEXTS, text);
}
