/**
 * Directory of people from the bridge: the phone behind a hidden id, and the chat of a number that
 * its account may spell otherwise.
 *
 * 1. A look-up is cached, because bulk look-ups get numbers banned. The cache is bounded.
 * 2. Only the bridge's answers are cached, never the lack of one.
 */
import type { NetworkChannel, PhoneLookup, SendOutcome } from '../../../../shared/ports/network.ts';
import { parseRecord, textAt } from '../webhook-body.ts';
import { type BridgeCaller, isSuccess, readBridge, sessionOf } from './bridge-call.ts';
import { chatIdOf, personChat, phoneOfChat } from './chat-id.ts';
import { isUnsupported, outcomeOfLookup } from './errors.ts';

/** Entries of each map; the oldest is forgotten, and looked up again. */
const RETAINED_MAX = 20_000;
const CONNECT_WAIT_MS = 2_000;
const NO_ACCOUNT = 'A mensagem não pode ser entregue: o contato não tem WhatsApp.';

/** Numbers whose account may have another spelling, and the usual one where nobody tells. */
const UNCERTAIN: readonly { readonly number: RegExp; readonly usual: string }[] = [
  // Brazil, an area code from 31 on: accounts of there may be registered without the ninth digit.
  // Below 31 all of them have it.
  { number: /^(55(?:3[1-9]|[4-9]\d)9\d{8})$/, usual: '$1' },
  // Mexico: nearly all accounts have the 1 of former mobiles.
  { number: /^52(\d{10})$/, usual: '521$1' },
  // Argentina: mobiles have the 9, landlines none.
  { number: /^549?(\d{10})$/, usual: '549$1' },
];

export type Recipient =
  | { readonly chatId: string }
  /** The look-up failed, or there is no account: the outcome of the send. */
  | { readonly outcome: SendOutcome };

export class Directory {
  readonly #caller: BridgeCaller;
  readonly #phones = new Map<string, string>();
  readonly #chats = new Map<string, string>();

  constructor(caller: BridgeCaller) {
    this.#caller = caller;
  }

  /** The person behind a hidden id; the phone is empty when the bridge does not know it (yet). */
  async findPhone(
    channel: NetworkChannel,
    networkId: string,
    timeoutMs?: number,
  ): Promise<PhoneLookup> {
    const name = `${channel.id}/${networkId}`;
    const cached = this.#phones.get(name);
    if (cached !== undefined) return personBehind(networkId, cached);
    if (personChat(networkId)?.endsWith('@lid') !== true) return personBehind(networkId, '');
    const session = encodeURIComponent(sessionOf(channel));
    const path = `/api/${session}/lids/${encodeURIComponent(networkId)}`;
    const within = timeoutMs === undefined ? {} : { timeoutMs };
    const answer = await readBridge(this.#caller, channel, { path, ...within });
    if (!answer.answered) return { known: false, cause: answer.cause };
    const { status } = answer;
    if (status >= 500 && !isUnsupported(status, answer.body)) {
      return { known: false, cause: `status ${status}` };
    }
    const body = isSuccess(status) ? (parseRecord(answer.body) ?? {}) : {};
    const phone = phoneOfChat(textAt(body, 'pn') ?? '');
    // The network may report the phone later: only a phone is cached.
    if (phone !== '') keep(this.#phones, name, phone);
    return personBehind(networkId, phone);
  }

  /** The chat to which messages to the contact are sent. */
  async recipient(channel: NetworkChannel, to: string): Promise<Recipient> {
    const uncertain = UNCERTAIN.find(({ number }) => number.test(to));
    if (!uncertain) return { chatId: chatIdOf(to) };
    const usual = chatIdOf(to.replace(uncertain.number, uncertain.usual));
    const name = `${channel.id}/${to}`;
    const cached = this.#chats.get(name);
    if (cached !== undefined) return { chatId: cached };
    const query = new URLSearchParams({ phone: to, session: sessionOf(channel) });
    const path = `/api/contacts/check-exists?${query}`;
    const answer = await readBridge(this.#caller, channel, path);
    if (!answer.answered) {
      const { cause, fault } = answer;
      const waitMs = CONNECT_WAIT_MS;
      return { outcome: { outcome: 'later', scope: 'number', waitMs, cause, fault } };
    }
    if (!isSuccess(answer.status)) return lookupRefused(answer.status, answer.body, usual);
    const body = parseRecord(answer.body) ?? {};
    if (body.numberExists === false) {
      return { outcome: { outcome: 'refused', code: 'no_account', reason: NO_ACCOUNT } };
    }
    // The reported phone, else the hidden id as given: typed digits may reach no account, or
    // another one.
    const reported = [textAt(body, 'pn'), textAt(body, 'chatId')].map(reportedChat);
    const chatId = reported.find((chat) => chat !== null) ?? usual;
    keep(this.#chats, name, chatId);
    return { chatId };
  }
}

function reportedChat(reported: string | undefined): string | null {
  return personChat(
    reported !== undefined && /^\d+$/.test(reported) ? chatIdOf(reported) : reported,
  );
}

function personBehind(hidden: string, phone: string): PhoneLookup {
  return { known: true, phone, networkId: phone === '' ? hidden : chatIdOf(phone) };
}

/** A bridge without such a look-up accepts the usual chat. */
function lookupRefused(status: number, body: string, usual: string): Recipient {
  const outcome = outcomeOfLookup(status, body);
  const cannot = status === 404 || outcome.outcome === 'refused';
  return cannot ? { chatId: usual } : { outcome };
}

function keep(map: Map<string, string>, name: string, value: string): void {
  map.set(name, value);
  if (map.size <= RETAINED_MAX) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
