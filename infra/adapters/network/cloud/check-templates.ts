/** Whether the templates of a `cloud` channel can be read: its account, and the token for it. */
import { type ChannelFinding, fail, pass } from '../../../../shared/channel-check.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import { CHECK_TIMEOUT_MS } from '../check-webhook.ts';
import type { HttpAnswer } from '../http-caller.ts';
import { isPermissionCode } from './codes.ts';
import { authorization, type CloudSender, isGone, objectUrl, parseGraphError } from './send.ts';

const STEP = 'templates';
const GIVE_ACCESS =
  'Give the token whatsapp_business_management, and its system user the account as an asset.';

function addSetting(account: string | undefined): string {
  const value = account === undefined ? 'the id of the WhatsApp account' : `"${account}"`;
  return `Set businessAccountId: ${value} in the channel's network, and apply it.`;
}

/** @param ofNumber the account of the number, where its health names it */
export async function checkTemplates(
  { http, resolveBaseUrl }: CloudSender,
  channel: NetworkChannel,
  ofNumber: string | undefined,
): Promise<ChannelFinding> {
  const { businessAccountId } = channel.network;
  if (!businessAccountId) {
    const detail = 'businessAccountId is not set: the channel has no templates';
    return { step: STEP, ok: null, detail, remedy: addSetting(ofNumber) };
  }
  if (ofNumber !== undefined && ofNumber !== businessAccountId) {
    const detail = `businessAccountId is ${businessAccountId}, and the number is of ${ofNumber}`;
    return fail(STEP, detail, addSetting(ofNumber));
  }
  const account = objectUrl(channel, businessAccountId, resolveBaseUrl);
  const url = `${account}/message_templates?fields=name&limit=1`;
  const headers = authorization(channel);
  return findingOf(await http.call({ method: 'GET', url, headers, timeoutMs: CHECK_TIMEOUT_MS }));
}

function findingOf(answer: HttpAnswer): ChannelFinding {
  if (answer.answered && answer.status === 200) return pass(STEP, 'they can be read');
  const error = answer.answered ? parseGraphError(answer.body) : null;
  if (error !== null && isGone(error)) {
    return fail(STEP, 'there is no account of this id, or not for this token', GIVE_ACCESS);
  }
  if (error !== null && isPermissionCode(error.code)) {
    return fail(STEP, `the token may not read them (code ${error.code})`, GIVE_ACCESS);
  }
  const reason = answer.answered ? `code ${error?.code ?? answer.status}` : answer.cause;
  return { step: STEP, ok: null, detail: `not read: ${reason}`, remedy: null };
}
