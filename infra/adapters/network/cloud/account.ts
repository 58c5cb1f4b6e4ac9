/**
 * Account updates: a webhook field of the whole business account, which names no number. An update
 * of another account of the same app is corrected by the next probe of the number.
 */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { isRecord, type JsonRecord, listAt, recordAt, secondsAt, textAt } from '../webhook-body.ts';
import { LOCKED } from './codes.ts';

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
