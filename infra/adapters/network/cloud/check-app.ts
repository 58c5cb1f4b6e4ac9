/**
 * The app that Meta signs and posts for: whether the channel's secret is its own, and whether its
 * webhooks for the number come to us.
 */
import { type ChannelFinding, fail, pass, skip } from '../../../../shared/channel-check.ts';
import type { HttpAnswer } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import { parseGraphError } from './send.ts';

export interface AppFacts {
  /** Null where the app's id or the secret is not known. */
  readonly app: { readonly id: string; readonly answer: HttpAnswer } | null;
  /** Apps of the WhatsApp account; null where Meta does not report them. */
  readonly account: JsonRecord | null;
  readonly number: JsonRecord;
  readonly webhookUrl: string;
}

const OBJECT = 'whatsapp_business_account';
/** Without the first one nothing is received; docs/networks.md lists the effects of the others. */
const FIELDS = [
  'messages',
  'account_update',
  'smb_message_echoes',
  'user_preferences',
  'calls',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
] as const;
/** Graph's codes for a token that is not the app's: it consists of the app's id and secret. */
const WRONG_SECRET = new Set([1, 101, 104, 190]);

export function checkSecret({ app }: AppFacts): ChannelFinding {
  if (app === null) return skip('signature', { code: 'appUntold', params: {} });
  const { id, answer } = app;
  if (!answer.answered) {
    return skip('signature', { code: 'secretUnanswered', params: { cause: answer.cause } });
  }
  const { status } = answer;
  if (status === 200) return pass('signature', { code: 'secretFits', params: { app: id } });
  const graphCode = parseGraphError(answer.body)?.code ?? null;
  if (status !== 401 && !WRONG_SECRET.has(graphCode ?? 0)) {
    return skip('signature', { code: 'secretUnread', params: { status, graphCode } });
  }
  const other = { code: 'secretOfOther', params: { app: id } } as const;
  return fail('signature', other, { code: 'copySecret', params: {} });
}

export function checkEvents(facts: AppFacts): ChannelFinding {
  const subscription = subscriptionOf(facts);
  const url = calledUrl(facts.number) ?? textAt(subscription ?? {}, 'callback_url');
  if (url !== undefined && url !== facts.webhookUrl) {
    const remedy = { code: 'setCallback', params: { url: facts.webhookUrl } } as const;
    return fail('events', { code: 'eventsElsewhere', params: { url } }, remedy);
  }
  if (isUnsubscribed(facts)) {
    const detail = { code: 'notSubscribed', params: {} } as const;
    return fail('events', detail, { code: 'subscribeApp', params: {} });
  }
  if (subscription === null) {
    return url === undefined
      ? skip('events', { code: 'eventsUntold', params: {} })
      : pass('events', { code: 'eventsComeUntold', params: {} });
  }
  const chosen = listAt(subscription, 'fields').map((field) =>
    isRecord(field) ? textAt(field, 'name') : field,
  );
  const without = FIELDS.filter((field) => !chosen.includes(field));
  if (without.includes('messages')) {
    const detail = { code: 'noMessages', params: {} } as const;
    return fail('events', detail, { code: 'subscribeMessages', params: {} });
  }
  const come = { code: 'eventsCome', params: { from: 'meta', without } } as const;
  if (without.length === 0) return pass('events', come);
  return { ...pass('events', come), remedy: { code: 'subscribeFields', params: {} } };
}

/** The URL of the number, else of its account, else of the app. */
function calledUrl(number: JsonRecord): string | undefined {
  const configuration = recordAt(number, 'webhook_configuration');
  return (
    textAt(configuration, 'phone_number') ??
    textAt(configuration, OBJECT) ??
    textAt(configuration, 'application')
  );
}

/**
 * Null where Meta does not report it. An app that never subscribed has no entry: an empty record.
 */
function subscriptionOf({ app }: AppFacts): JsonRecord | null {
  if (app === null || !app.answer.answered || app.answer.status !== 200) return null;
  const data = listAt(parseRecord(app.answer.body) ?? {}, 'data').filter(isRecord);
  return data.find((each) => each.object === OBJECT) ?? {};
}

function isUnsubscribed({ app, account }: AppFacts): boolean {
  if (app === null || account === null || !Array.isArray(account.data)) return false;
  const ids = account.data
    .filter(isRecord)
    .map((each) => textAt(recordAt(each, 'whatsapp_business_api_data'), 'id'));
  return !ids.includes(app.id);
}
