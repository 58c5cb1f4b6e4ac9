/**
 * Changes of a whole business account, which name no number of ours by its id: whether one is of the
 * channel's account, and what an account update means.
 *
 * Meta posts those of all accounts of an app to one URL. One that is believed closes the channel, so
 * it has to name the channel's account, or its very number.
 */
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { isSameNumber } from '../../../../shared/text/phone-spellings.ts';
import { isRecord, type JsonRecord, listAt, recordAt, secondsAt, textAt } from '../webhook-body.ts';
import { LOCKED } from './codes.ts';
import { digitsOf } from './entries.ts';

/** One change of a webhook's entry. */
export interface AccountChange {
  /** Id of the entry: mostly that of the business account. */
  readonly account: string | undefined;
  readonly value: JsonRecord;
}

/**
 * Whether the change is of the channel's account, and of no other number of it. A partner's entry
 * names the partner; then `waba_info` has the account.
 */
export function isOfAccount(
  { phone, network }: NetworkChannel,
  { account, value }: AccountChange,
): boolean {
  const number = textAt(value, 'phone_number') ?? textAt(value, 'display_phone_number');
  const isNumberOurs = number !== undefined && isSameNumber(digitsOf(number), phone);
  if (number !== undefined && !isNumberOurs) return false;
  if (!network.businessAccountId) return isNumberOurs;
  const named = textAt(recordAt(value, 'waba_info'), 'waba_id') ?? account;
  return named === network.businessAccountId;
}

type Events = readonly NetworkEvent[];

const DELETED = 'A conta do WhatsApp Business foi excluída.';
const DISCONNECTED = 'A conta do WhatsApp Business foi desconectada da API.';
const RESTRICTED = 'A rede restringiu a conta: ela não pode responder a contatos.';

/** Events that concern readiness; others (prices, partners' terms, warnings) concern nothing. */
export function accountEvents(value: JsonRecord): Events {
  switch (textAt(value, 'event')) {
    case 'DISABLED_UPDATE':
      return banned(textAt(recordAt(value, 'ban_info'), 'waba_ban_state'));
    case 'ACCOUNT_RESTRICTION':
      return restricted(listAt(value, 'restriction_info').filter(isRecord));
    case 'ACCOUNT_DELETED':
      return unready(DELETED);
    case 'ACCOUNT_OFFBOARDED':
    case 'PARTNER_REMOVED':
    case 'PARTNER_APP_UNINSTALLED':
      return unready(DISCONNECTED);
    case 'ACCOUNT_RECONNECTED':
      return READY;
    default:
      return [];
  }
}

const READY: Events = [{ type: 'readiness', readiness: { ready: true } }];

function unready(reason: string): Events {
  return [{ type: 'readiness', readiness: { ready: false, reason } }];
}

/** An account that is only scheduled to be disabled can still send. */
function banned(state: string | undefined): Events {
  if (state === 'DISABLE') return unready(LOCKED);
  return state === 'REINSTATE' ? READY : [];
}

function restricted(restrictions: readonly JsonRecord[]): Events {
  return restrictions.flatMap((restriction): Events => {
    switch (textAt(restriction, 'restriction_type')) {
      case 'RESTRICTED_BIZ_INITIATED_MESSAGING':
        return [{ type: 'restriction', restriction: { until: endOf(restriction) } }];
      case 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING':
        return unready(RESTRICTED);
      default:
        return [];
    }
  });
}

function endOf(restriction: JsonRecord): number | null {
  return secondsAt(restriction, 'expiration', 0) || null;
}
