/** Whether the templates of a `cloud` channel can be read: its account, and the token for it. */
import { type ChannelFinding, fail, pass, skip } from '../../../../shared/channel-check.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { CHECK_TIMEOUT_MS } from '../check-webhook.ts';
import type { HttpAnswer } from '../http-caller.ts';
import { isPermissionCode } from './codes.ts';
import { authorization, type CloudSender, isGone, objectUrl, parseGraphError } from './send.ts';

const STEP = 'templates';
const GIVE_ACCESS = { code: 'giveAccess', params: {} } as const;

/** @param ofNumber the account of the number, where its health names it */
export async function checkTemplates(
  { http, resolveBaseUrl }: CloudSender,
  channel: NetworkChannel,
  ofNumber: string | undefined,
): Promise<ChannelFinding> {
  const { businessAccountId } = channel.network;
  const remedy = { code: 'setAccount', params: { account: ofNumber ?? null } } as const;
  if (!businessAccountId) {
    return { step: STEP, ok: null, detail: { code: 'noAccountSet', params: {} }, remedy };
  }
  if (ofNumber !== undefined && ofNumber !== businessAccountId) {
    const params = { set: businessAccountId, ofNumber };
    return fail(STEP, { code: 'accountOfOther', params }, remedy);
  }
  const account = objectUrl(channel, businessAccountId, resolveBaseUrl);
  const url = `${account}/message_templates?fields=name&limit=1`;
  const headers = authorization(channel);
  return findingOf(await http.call({ method: 'GET', url, headers, timeoutMs: CHECK_TIMEOUT_MS }));
}

function findingOf(answer: HttpAnswer): ChannelFinding {
  if (answer.answered && answer.status === 200)
    return pass(STEP, { code: 'templatesRead', params: {} });
  const error = answer.answered ? parseGraphError(answer.body) : null;
  if (error !== null && isGone(error)) {
    return fail(STEP, { code: 'noAccount', params: {} }, GIVE_ACCESS);
  }
  if (error !== null && isPermissionCode(error.code)) {
    const denied = { code: 'templatesDenied', params: { graphCode: error.code } } as const;
    return fail(STEP, denied, GIVE_ACCESS);
  }
  if (!answer.answered) {
    return skip(STEP, { code: 'templatesUnanswered', params: { cause: answer.cause } });
  }
  const graphCode = error?.code ?? answer.status;
  return skip(STEP, { code: 'templatesUnread', params: { graphCode } });
}
