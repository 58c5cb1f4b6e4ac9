/** The calls to both organizations. */
import { person, plain } from './people.ts';

export interface Call {
  readonly name: string;
  /** How often a side is asked in a round. */
  readonly times: number;
  /** At most this many times the small side's cost. */
  readonly target: number;
  readonly request: (ask: Ask) => {
    readonly path: string;
    readonly body?: Readonly<Record<string, unknown>>;
  };
}

interface Ask {
  /** How many people the organization has. */
  readonly people: number;
  readonly channels: readonly string[];
  /** Another one for every request of the run. */
  readonly n: number;
}

const LIST = 1.3;
const SEARCH = 3;
const STRIDE = 7_919;

function lists(name: string, path: (ask: Ask) => string): Call {
  return { name, times: 40, target: LIST, request: (ask) => ({ path: `/api/v1/${path(ask)}` }) };
}

function search(name: string, text: (ask: Ask) => string): Call {
  const path = (ask: Ask) => `/api/v1/contacts?query=${encodeURIComponent(text(ask))}`;
  return { name, times: 40, target: SEARCH, request: (ask) => ({ path: path(ask) }) };
}

function sends(name: string, phone: (ask: Ask) => string): Call {
  return {
    name,
    times: 60,
    target: LIST,
    request: (ask) => ({
      path: '/api/v1/messages',
      body: { channelId: channelOf(ask), phone: phone(ask), text: `Mensagem ${ask.n}` },
    }),
  };
}

function someone({ n, people }: Ask): number {
  return (n * STRIDE) % people;
}

/** Where the person that the request is about has a conversation. */
function channelOf(ask: Ask): string {
  return ask.channels[someone(ask) % ask.channels.length] ?? '';
}

/** A phone without a contact: the area codes of people end at 74. */
function unknownPhone({ n }: Ask): string {
  return `5591${9}${String(n).padStart(8, '0')}`;
}

export const CALLS: readonly Call[] = [
  lists('contacts', () => 'contacts'),
  lists('contacts, page 20 of 200', () => 'contacts?limit=200&page=20'),
  lists('contacts by phone', (ask) => `contacts?phone=${person(someone(ask)).phone}`),
  lists('conversations', () => 'conversations'),
  lists('conversations, page 100', () => 'conversations?page=100'),
  lists('conversations, status', () => 'conversations?status=open'),
  lists('conversations, channel', ({ channels }) => `conversations?channelId=${channels[0]}`),
  lists(
    'conversations, channel + status',
    ({ channels }) => `conversations?channelId=${channels[1]}&status=resolved`,
  ),
  search('search: a whole name', (ask) => person(someone(ask)).name),
  search('search: part of a phone', (ask) => person(someone(ask)).phone.slice(5, 12)),
  search('search: an e-mail', (ask) => person(someone(ask)).email),
  search('search: first and middle name', (ask) => firstNames(someone(ask))),
  search('search: a frequent name', () => 'silva'),
  search('search: a frequent host', () => 'gmail'),
  search('search: nobody', ({ n }) => `zz${n}`),
  sends('send to a known contact', (ask) => person(someone(ask)).phone),
  sends('send to a new contact', unknownPhone),
];

function firstNames(n: number): string {
  return plain(person(n).name).split(' ').slice(0, 2).join(' ');
}
